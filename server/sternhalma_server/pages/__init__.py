"""Pages for browsers: events, games with their replay, bots, leagues.

They are made from a store alone, the same store giving the same bytes, and need nothing from
anywhere else: every link leads to another page of the same folder, so that it opens from a disk and
can be put on any host. Names and texts of bots are hostile input: the templates escape everything,
data for the script is escaped for where it stands, and a content security policy allows no script
and no style but the two files of ours.
"""
