"""The pages of people's tables: opening one, joining it by a link, and playing there.

The games themselves are played by another process (`sternhalma_server.tables`), which this one
starts and orders (`office`). For every person there is a connection of the line protocol to it
(`person`), as any bot has one; what comes over those is what a table knows (`story`), and a page
shows that and nothing else.
"""
