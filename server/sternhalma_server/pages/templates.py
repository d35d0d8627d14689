"""The templates, and what each of them is given: Jinja2, which comes with the extra `web`.

Whatever a template is given is escaped, but for pictures of ours. Data for the script stands in a
block of its own and must not end it: so what could do that is written as JSON writes any sign.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sternhalma_server.pages.places import INDEX, SCRIPT, SHEET, link
from sternhalma_server.picture import board_sheet

if TYPE_CHECKING:
    from markupsafe import Markup

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'"
)
_HERE: Final = Path(__file__).parent


class MissingTemplatesError(Exception):
    """Jinja2 is not installed; the text says how to install it."""


class Templates:
    """Pages out of templates. Raises `MissingTemplatesError` where Jinja2 is not installed."""

    def __init__(self) -> None:
        try:
            import jinja2
        except ImportError:
            raise MissingTemplatesError(
                "expected Jinja2, which the extra 'web' brings: pip install 'jinja2>=3.1'"
            ) from None
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )

    def page(self, template: str, path: str, **values: Any) -> str:
        """The text of the page at *path*; links among *values* are places in the folder."""
        return self._environment.get_template(template).render(
            values,
            policy=POLICY,
            to=partial(link, path),
            home=INDEX,
            sheet=SHEET,
            script=SCRIPT,
            here=path,
        )


def assets() -> dict[str, str]:
    """The style sheet and the script that all pages share, by their place in the folder."""
    sheet = (_HERE / "assets" / "pages.css").read_text(encoding="utf-8")
    script = (_HERE / "assets" / "replay.js").read_text(encoding="utf-8")
    return {SHEET: f"{board_sheet()}\n{sheet}", SCRIPT: script}


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
