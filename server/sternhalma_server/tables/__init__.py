"""Tables for people: unrated games that whoever likes opens, with people and sample bots in seats.

Nothing here is an event, and nothing is kept. A server of its own plays them, in a process of its
own, so that rated play is never touched: the process that shows the pages starts it and orders what
it wants (`serving`), and to the server each person is an ordinary client of the line protocol.
"""
