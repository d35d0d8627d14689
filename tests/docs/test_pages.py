"""What the pages for strangers point to and show has to exist and to be readable."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT, Block, blocks, files, table, text_of
from sternhalma_server.cli import COMMANDS
from sternhalma_server.cli.file_kind import is_league_file
from sternhalma_server.settings import settings_of
from sternhalma_tournament.charter import parse_charter
from sternhalma_tournament.reading import EventFileError

WRONG = {"typo.toml", "twice.toml", "wrong.toml"}  # shown for what is said about them
EVENTS = [block for page in PAGES for block in blocks(page) if block.language == "toml"]


def prose(page: str) -> str:
    """The text of *page* without its blocks, in which brackets are no links."""
    return re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)


def links(page: str) -> list[str]:
    found: list[str] = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [link for link in found if "://" not in link]


def anchors(page: str) -> set[str]:
    """What a link may name behind `#`: headings, as the usual renderers spell them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert target.exists(), f"{page}: expected a file or folder, got {link!r}"
        if anchor:
            there = anchors(str(target.relative_to(ROOT)))
            assert anchor in there, f"{page}: expected a heading, got {link!r}"


@pytest.mark.parametrize("block", EVENTS, ids=lambda block: block.where)
def test_a_file_of_an_event_or_a_league_on_a_page_can_be_used(block: Block) -> None:
    source = block.text.encode()
    if block.labelled("file") in WRONG:
        with pytest.raises(EventFileError):
            settings_of(source, block.where)
    elif is_league_file(source):
        parse_charter(source, block.where)
    else:
        settings_of(source, block.where, league='format = "ladder"' in block.text)


def test_the_events_that_ship_are_named_after_their_files() -> None:
    shipped = sorted((ROOT / "tournaments" / "events").glob("*.toml"))
    assert shipped
    for path in shipped:
        assert settings_of(path.read_bytes(), path.name).event.name == path.stem


def test_the_bot_and_the_event_have_ten_lines() -> None:
    shown = files("README.md")
    for name in ("mybot.py", "club.toml"):
        lines = [line for line in shown[name].splitlines() if line.strip()]
        assert len(lines) == 10, name


def test_the_front_page_names_every_command() -> None:
    named = [
        row[0].strip("`").split()[1]
        for row in table("README.md", "## Commands")
        if "-bot" not in row[0]
    ]
    assert sorted(named) == sorted(COMMANDS)


def test_the_front_page_names_every_folder_of_the_repository() -> None:
    named = set(re.findall(r"`(\w+)/`", " ".join(r[0] for r in table("README.md", "## Layout"))))
    # Only what is in the repository: whoever works in it has folders of their own beside these.
    git = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not in a clone of the repository")
    there = {path.split("/")[0] for path in listed.stdout.split("\0") if "/" in path}
    assert {folder for folder in there if not folder.startswith(".")} <= named
    assert all((ROOT / name).is_dir() for name in named)


def test_pages_have_lines_that_a_terminal_can_show() -> None:
    for page in ("README.md", "CHANGELOG.md", "docs/events.md"):
        for line in prose(page).splitlines():
            assert len(line) <= 112 or line.startswith("|"), f"{page}: {line}"


def test_no_page_is_left_out() -> None:
    there = {str(path.relative_to(ROOT)) for path in ROOT.glob("*.md")}
    there |= {str(path.relative_to(ROOT)) for path in Path(ROOT / "docs").rglob("*.md")}
    assert there <= set(PAGES)
