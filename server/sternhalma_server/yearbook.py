"""What is derived from all of a league: its ratings, the table of its season, and who wrote when.

Run as `python -m sternhalma_server.yearbook DIR`, it writes these files into the league's folder.
That is done by a process of its own (`Almanac`), which only reads the store.

    ratings.md, .csv, .json          every version of every bot, over all games of the league
    season.md, .csv, .json           what the ranks of its events add up to
    bots/NAME.md, .json              the versions of a bot in a row
    yearbook.json                    the heads of the events' chains that they were made from, and
                                     the digests of the files
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from sternhalma_server.archive import BOTS, STORE, write_whole
from sternhalma_server.careers import careers
from sternhalma_server.derived import differences, read_text
from sternhalma_server.folders import LEAGUE
from sternhalma_server.rated import rated_games
from sternhalma_server.rating import RatedGames, gather
from sternhalma_server.rulings import read_results, settings_in
from sternhalma_server.store import Store
from sternhalma_tournament.bot_page import BotPage, bot_page_json, bot_page_markdown
from sternhalma_tournament.charter import Charter, parse_charter
from sternhalma_tournament.rating_list import find_version
from sternhalma_tournament.rating_tables import ratings_csv, ratings_json, ratings_markdown
from sternhalma_tournament.ratings import Ratings
from sternhalma_tournament.season import Season, SeasonEvent, season_of
from sternhalma_tournament.season_tables import season_csv, season_json, season_markdown

COLOPHON: Final = "yearbook.json"
LOOKS: Final = 3  # at files that a server may be writing
PAUSE: Final = 0.3  # seconds between two of them


class Colophon(msgspec.Struct, frozen=True):
    """`yearbook.json`: the head of each event's chain, and the SHA-256 of each file."""

    heads: dict[str, str]
    files: dict[str, str]


def season_in(store: Store, charter: Charter, *, interim: bool = False) -> Season:
    """The season of the league in *store*; events that are not over count only with *interim*.

    Raises `StoreError`, `ValueError`.
    """
    events: list[SeasonEvent] = []
    for stored in store.events():
        if stored.state in {"created", "open"} or not store.count(stored.id):
            continue  # nobody has shown anything in it, whether or not it was ever started
        if settings_in(store, stored).event.format != "ladder":
            _, results = read_results(store, stored)
            closed = stored.state == "closed"
            events.append(SeasonEvent(stored.name, closed, results.standings()))
    return season_of(events, charter.season, interim=interim)


def yearbook(store: Store, charter: Charter) -> dict[str, str]:
    """The text of every file, by its name; ratings only once there are games.

    Raises `StoreError`, `ValueError`.
    """
    heads = {event.name: store.head(event.id) for event in store.events()}
    files = _ratings(store, charter)
    season = season_in(store, charter)
    files["season.md"] = season_markdown(season)
    files["season.csv"] = season_csv(season)
    files["season.json"] = season_json(season)
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    colophon = msgspec.json.format(msgspec.json.encode(Colophon(heads, digests)), indent=2)
    return files | {COLOPHON: f"{colophon.decode()}\n"}


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with the files, a sentence each, and what is only not done yet."""

    problems: list[str]
    notes: list[str]


def check_yearbook(root: Path, store: Store, charter: Charter) -> Checked:
    """Hold the files in the folder *root* against what the store gives.

    They are written now and then: what was made from an earlier store has to be what it was then.
    Raises `StoreError`, and `ValueError` for a store that adds up to nothing.
    """
    made: dict[frozenset[tuple[str, str]], dict[str, str]] = {}  # by the heads it is made from

    def right(heads: Mapping[str, str]) -> dict[str, str]:
        key = frozenset(heads.items())
        if key not in made:
            made[key] = yearbook(store, charter)
        return made[key]

    found = _look(root, store, right)
    for _ in range(LOOKS - 1):
        if found.problems:
            # Perhaps they are just being written, file by file.
            time.sleep(PAUSE)
            found = _look(root, store, right)
    return found


def _look(
    root: Path, store: Store, right: Callable[[Mapping[str, str]], Mapping[str, str]]
) -> Checked:
    """One look at the files; *right* gives what they should be with the heads of today."""
    found = Checked([], [])
    try:
        colophon = msgspec.json.decode((root / COLOPHON).read_bytes(), type=Colophon)
    except FileNotFoundError:
        found.notes.append("ratings and season are not written yet")
        return found
    except (OSError, msgspec.MsgspecError) as error:
        found.problems.append(f"{COLOPHON}: expected what a server writes: {error}")
        return found
    heads = {event.name: store.head(event.id) for event in store.events()}
    if heads == colophon.heads:
        for name, text in right(heads).items():
            found.problems.extend(differences(name, text, read_text(root / name)))
        return found
    found.notes.append("ratings and season are behind the store")
    for name, digest in colophon.files.items():
        written = read_text(root / name)
        if written is None or hashlib.sha256(written.encode()).hexdigest() != digest:
            found.problems.append(f"{name}: expected the file that {COLOPHON} lists, got another")
    return found


def pages_in(store: Store, charter: Charter) -> dict[str, BotPage]:
    """The pages of the league's bots, by name. Raises `StoreError`, `ValueError`."""
    done = rated_in(store, charter)
    return {} if done is None else careers(*done)


def write_yearbook(root: Path) -> None:
    """Write all files anew into the league's folder *root*.

    Raises `StoreError`, `ValueError`, `OSError`.
    """
    charter = parse_charter((root / LEAGUE).read_bytes(), LEAGUE)
    with Store.read(root / STORE) as store:
        files = yearbook(store, charter)
    (root / BOTS).mkdir(exist_ok=True)
    for name, text in files.items():
        write_whole(root / name, text.encode())


def _ratings(store: Store, charter: Charter) -> dict[str, str]:
    done = rated_in(store, charter)
    if done is None:
        return {}
    rated, ratings = done
    table = rated.table(ratings, all_versions=True)
    basis = rated.basis(charter.prior)
    files = {
        "ratings.md": ratings_markdown(table, basis),
        "ratings.csv": ratings_csv(table),
        "ratings.json": ratings_json(table, basis),
    }
    for bot, page in careers(rated, ratings, table).items():
        files[f"{BOTS}/{bot}.md"] = bot_page_markdown(page)
        files[f"{BOTS}/{bot}.json"] = bot_page_json(page)
    return files


def rated_in(store: Store, charter: Charter) -> tuple[RatedGames, Ratings] | None:
    """All rated games of a league and their ratings, with the anchors of its file.

    None where there are no games yet. Raises `StoreError`, `ValueError`.
    """
    rated = gather(rated_games(store, [event.name for event in store.events()]))
    if not rated.orders:
        return None
    names = rated.names
    found = {find_version(bot, names): elo for bot, elo in charter.anchors.items()}
    anchors: Mapping[str, float] = {name: elo for name, elo in found.items() if name is not None}
    return rated, rated.rate(charter.prior, anchors)


def main(root: Path) -> None:
    """Write the files of the league in the folder *root*, behind whatever else wants to run."""
    os.nice(10)
    write_yearbook(root)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
