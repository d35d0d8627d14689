"""A person at the table: `sternhalma-bot play`.

What a person sees, types and sends is decided in `sitting`, with bytes and lines going in and bytes
and text coming out; `terminal` moves them. To the server it is a bot like any other.
"""
