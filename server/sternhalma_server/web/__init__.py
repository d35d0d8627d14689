"""Pages that change while one looks at them: `sternhalma web`, a process of its own.

To the server it is an ordinary watcher over the line protocol, to the store it is one who reads:
nothing that happens here can slow a clock, and nothing here can change a result. The pages are
those of `pages`, at the same places; what may change in them is told over one stream for each page.

    live_game, scene, feed, pace     what is known, and what of it has changed; no network, no time
    shelf                            pages and parts of pages from the store, in one thread
    watcher                          the connection to the server, made again whenever it is lost
    site                             brings these together: pages when asked for, and feeds
    guard, streams, app, serving     the same over HTTP, with Starlette and uvicorn
"""
