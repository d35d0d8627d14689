"""A window of a browser as a test uses it: what is seen, what is wrong, and pictures of it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PATIENCE: Final = 60_000.0  # milliseconds for what takes a moment, on any machine
PICTURES: Final = "PICTURES"  # the folder for the pictures of the pages for strangers, if any
SERIOUS: Final = frozenset({"serious", "critical"})


class Look:
    """A window; it notes whatever its page says on the console."""

    def __init__(
        self, browser: Browser, width: int, height: int, scheme: str, *, calm: bool
    ) -> None:
        self._context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce" if calm else "no-preference",
        )
        self._context.set_default_timeout(PATIENCE)
        self.page: Page = self._context.new_page()
        self.problems: list[str] = []
        self.page.on("console", lambda said: self.problems.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))

    def open(self, url: str) -> None:
        """Open a page, and mark it so that it is known whether it was loaded again."""
        self.page.goto(url)
        self.page.evaluate("window.sameAsBefore = true")

    @property
    def is_the_same(self) -> bool:
        """Whether the page has not been loaded again."""
        return bool(self.page.evaluate("window.sameAsBefore === true"))

    def find(self, selector: str) -> Locator:
        """Elements of the page."""
        return self.page.locator(selector)

    def see(self, selector: str, text: str | re.Pattern[str]) -> None:
        """Wait until the first element there has *text* in it."""
        from playwright.sync_api import expect

        expect(self.find(selector).first).to_contain_text(text, timeout=PATIENCE)

    def wait_for(self, expression: str) -> None:
        """Wait until *expression* of the page's script gives something true."""
        # As a function: an expression would be evaluated as text, which no policy of ours allows.
        self.page.wait_for_function(f"() => ({expression})")

    def text(self, selector: str) -> str:
        """What the first element there says."""
        return self.find(selector).first.text_content() or ""

    def picture(self, file: Path, *, whole: bool = True) -> None:
        """Keep a picture of the page."""
        self.page.screenshot(path=file, full_page=whole)

    def show(self, name: str) -> None:
        """Keep a picture for the pages for strangers, where somebody wants them made anew."""
        folder = os.environ.get(PICTURES)
        if folder:
            self.page.screenshot(path=Path(folder) / name)

    def check(self) -> None:
        """AssertionError for a page that is wider than the window, or that keeps people out."""
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(wide) <= 0, self.page.url
        # It would load style sheets once more by itself, which no policy of ours allows.
        options = {"resultTypes": ["violations"], "preload": False}
        found = Axe().run(self.page, options=options).response["violations"]
        serious = [
            (one["id"], one["help"], [node["target"] for node in one["nodes"]][:5])
            for one in found
            if one["impact"] in SERIOUS
        ]
        assert serious == [], self.page.url

    def leave(self) -> None:
        """Go away from the site, which may end then: a browser would tell of a broken stream."""
        self.page.goto("about:blank")

    def close(self) -> list[str]:
        """Close the window; what its page has said on the console."""
        self.page.close()
        self._context.close()
        return self.problems
