"""What a page shows that may change, as its viewers are told of it: the latest, and nothing older.

There is no queue for anybody. A viewer says up to which version it has been told, and gets all that
is newer, each thing in its latest state only; whoever reads slowly is told less often. Viewers who
know the same are told the same, so the text is made once for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

KEPT: Final = 512  # things that are gone, so that a viewer may be told of that alone


class Feed:
    """The things on one page by key, and since which version each is as it is."""

    def __init__(self) -> None:
        self.version = 0
        self._texts: dict[str, str] = {}
        self._since: dict[str, int] = {}
        self._gone: dict[str, int] = {}
        self._whole_before = 0  # who knows less than this version is told everything anew
        self._told: dict[int, str] = {}  # what viewers who know that version are to be told

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def update(self, things: Mapping[str, Any]) -> bool:
        """These are the things now, all of them, as JSON values; whether anything has changed."""
        texts = {key: _json(value) for key, value in things.items()}
        return self.update_texts(texts)

    def update_texts(self, texts: Mapping[str, str]) -> bool:
        """The same, with the JSON of each thing made already."""
        changed = [key for key, text in texts.items() if self._texts.get(key) != text]
        gone = [key for key in self._texts if key not in texts]
        if not changed and not gone:
            return False
        self.version += 1
        for key in changed:
            # Put behind all others, so that things are told in the order of their changes.
            self._since.pop(key, None)
            self._since[key] = self.version
            self._gone.pop(key, None)
        for key in gone:
            del self._since[key]
            self._gone[key] = self.version
        self._texts = dict(texts)
        while len(self._gone) > KEPT:
            key = next(iter(self._gone))
            self._whole_before = self._gone.pop(key)
        self._told.clear()
        return True

    def since(self, version: int | None) -> str | None:
        """What a viewer is to be told who knows *version*, None for nothing at all.

        Two members of a JSON object: `whole`, whether what is not among the `things` is gone, and
        these by key, null for what is gone. None if there is nothing to tell.
        """
        if version == self.version:
            return None
        known = -1 if version is None or version < self._whole_before else version
        if known not in self._told:
            self._told[known] = self._text(known)
        return self._told[known]

    def _text(self, known: int) -> str:
        things = [
            f"{_json(key)}:{self._texts[key]}"
            for key, since in self._since.items()
            if since > known
        ]
        if known >= 0:
            things += [f"{_json(key)}:null" for key, since in self._gone.items() if since > known]
        whole = "true" if known < 0 else "false"
        return f'"whole":{whole},"things":{{{",".join(things)}}}'


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
