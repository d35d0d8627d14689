"""The templates, and what each of them is given: Jinja2, which comes with the extra `web`.

Whatever a template is given is escaped, but for pictures of ours. Data for the script stands in a
block of its own and must not end it: so what could do that is written as JSON writes any sign.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sternhalma_server.pages.places import (
    BOARD_SCRIPT,
    ICON,
    INDEX,
    LIVE_SCRIPT,
    SCRIPT,
    SHEET,
    STREAM,
    link,
)
from sternhalma_server.picture import board_sheet

if TYPE_CHECKING:
    from markupsafe import Markup

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'"
)
# What a page that a server sends may do besides: hear how things go on, and send what is typed.
LIVE_POLICY: Final = POLICY.replace("form-action 'none'", "form-action 'self'") + (
    "; connect-src 'self'"
)
_HERE: Final = Path(__file__).parent
_PART: Final = "part_"  # how blocks are called that stand for themselves


@dataclass(frozen=True, slots=True)
class Linked:
    """A text that leads somewhere."""

    text: str
    href: str


class MissingTemplatesError(Exception):
    """Jinja2 is not installed; the text says how to install it."""


class Templates:
    """Pages out of templates. Raises `MissingTemplatesError` where Jinja2 is not installed.

    With *live* they are for a server that tells how things go on, and each hears it; *beside* are
    pages that every page leads to, *folders* where more templates are.
    """

    def __init__(
        self,
        *,
        live: bool = False,
        beside: Sequence[Linked] = (),
        folders: Sequence[Path] = (),
    ) -> None:
        try:
            import jinja2
        except ImportError:
            raise MissingTemplatesError(
                "expected Jinja2, which the extra 'web' brings: pip install 'jinja2>=3.1'"
            ) from None
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader([_HERE / "templates", *folders]),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self.live = live
        self._shared: Mapping[str, Any] = {
            # A part is made without the rest of its page, which would import these.
            "parts": self._environment.get_template("parts.html").module,
            "policy": LIVE_POLICY if live else POLICY,
            "live": live,
            "still": False,  # whether nothing on the page changes any more
            "beside": beside,
            "home": INDEX,
            "sheet": SHEET,
            "icon": ICON,
            "script": SCRIPT,
            "board_script": BOARD_SCRIPT,
            "live_script": LIVE_SCRIPT,
            "stream": STREAM,
        }

    def page(self, template: str, path: str, **values: Any) -> str:
        """The text of the page at *path*; links among *values* are places in the folder."""
        return self._environment.get_template(template).render(self._all(path, values))

    def parts(self, template: str, path: str, **values: Any) -> dict[str, str]:
        """The parts of that page that may change while one looks at it, by name."""
        found = self._environment.get_template(template)
        context = found.new_context(self._all(path, values))
        return {
            name.removeprefix(_PART): "".join(block(context))
            for name, block in found.blocks.items()
            if name.startswith(_PART)
        }

    def _all(self, path: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {**self._shared, **values, "to": partial(link, path), "here": path}


def assets(*, live: bool = False) -> dict[str, str]:
    """What all pages share, by its place in the folder: how they look, and their scripts."""
    files = {
        SHEET: "pages.css",
        BOARD_SCRIPT: "board.js",
        SCRIPT: "replay.js",
        ICON: "icon.svg",
    }
    if live:
        files[LIVE_SCRIPT] = "live.js"
    texts = {
        place: (_HERE / "assets" / name).read_text(encoding="utf-8")
        for place, name in files.items()
    }
    return texts | {SHEET: f"{board_sheet()}\n{texts[SHEET]}"}


def drawn(svg: str) -> Markup:
    """A picture of ours, whose texts are escaped already."""
    from markupsafe import Markup

    return Markup(svg)


def data_block(value: Any) -> Markup:
    """*value* as JSON that may stand in a `script` element: ASCII, without `<`, `>` and `&`."""
    from markupsafe import Markup

    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
