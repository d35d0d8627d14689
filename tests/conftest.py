"""For all tests: no example of a property has a deadline, since machines may be slow or busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")
