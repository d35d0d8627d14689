"""Everything about an event that needs no board: entries, schedules, points, standings, event
files.

Pure: no clock, no files, no sockets, no chance that is not seeded by an argument. The server plays
the games; this package says which, and what they add up to.
"""
