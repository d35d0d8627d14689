"""What a referee must survive, tried for minutes: kills, thousands of games, clocks, hostile lines.

    python -m bench.soak [--only kills,short,clocks,journal,hostile] [--quick]

Every part plays on servers that are started as a host starts them, and counts what must not happen.
"""
