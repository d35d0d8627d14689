"""What a referee must survive, tried for minutes: kills, thousands of games, clocks, hostile lines,
and a league in which all comes and goes.

    python -m bench.soak [--only kills,short,clocks,journal,hostile,league]

Every part plays on servers that are started as a host starts them, and counts what must not happen.
"""
