"""The pages for strangers, cut into the blocks that the tests run.

A page says what becomes of a block in a comment right above its fence, which no reader sees:
`<!-- file: NAME -->` for the text of a file, `<!-- while: COMMAND -->` for commands that want a
server at the other end, `<!-- long -->` for what takes longer than a test may.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = tuple(
    str(path.relative_to(ROOT))
    for path in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "protocol.md",
        ROOT / "clients" / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
)

_BLOCK: Final = re.compile(
    r"(?:^<!-- (?P<label>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; `label` is the comment above it, `where` its page and line for messages."""

    where: str
    language: str
    label: str
    text: str

    def labelled(self, word: str) -> str | None:
        """What follows `WORD: ` in the label; None for another label."""
        return self.label.removeprefix(f"{word}: ") if self.label.startswith(f"{word}: ") else None


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and the lines it is said to print."""

    line: str
    output: str


def text_of(page: str) -> str:
    """The text of *page*, which is a path from the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The fenced blocks of *page*, in order."""
    text = text_of(page)
    return [
        Block(
            where=f"{page}, line {text.count(chr(10), 0, found.start('text'))}",
            language=found["language"],
            label=found["label"] or "",
            text=found["text"],
        )
        for found in _BLOCK.finditer(text)
    ]


def files(page: str) -> dict[str, str]:
    """The files whose text *page* shows, by name."""
    named = {block.labelled("file"): block.text for block in blocks(page)}
    return {name: text for name, text in named.items() if name is not None}


def commands(block: Block) -> list[Command]:
    """The commands of a console block, each with what it prints."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [Command(*part.split("\n", 1)) for part in parts]


def table(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table below *heading*, without its head."""
    section = text_of(page).split(heading, 1)[1]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert rows is not None
    # `\|` is how a table shows a bar.
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in rows[0].splitlines()[2:]]
    return [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]
