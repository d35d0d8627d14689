"""A bridge from a program that only reads and writes its standard streams to a server far away.

`relay` decides what becomes of every line, `shell` moves the bytes, `command` is the command line.
"""
