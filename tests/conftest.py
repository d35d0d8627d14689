"""For all tests: no example of a property has a deadline, since machines may be slow or busy.

And Ctrl-C is heeded, even where the tests run in the background of a shell, which has them ignore
it: programs that a test starts would ignore it too.
"""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
