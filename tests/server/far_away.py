"""Events for tests of batches, shards and clusters: programs that are quick to start, and whose
answers hang on nothing but the position."""

from __future__ import annotations

from pathlib import Path

from sternhalma_server.fingerprint import fingerprints
from sternhalma_server.orders import Order, own_version
from sternhalma_server.settings import Settings, load_settings
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.schedule import Pairing

# Each runs what a file beside it says before its first move of a game, if there is one.
BOT = """\
import hashlib, os, pathlib, socket

told = {key: os.environ[f"STERNHALMA_{key}"] for key in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
game = None
for line in server.makefile():
    words = line.split()
    if words[0] == "turn":
        if game != words[1]:
            game = words[1]
            act = pathlib.Path(told["NAME"] + ".act")
            if act.exists():
                exec(act.read_text())
        moves = next(word[6:] for word in words if word.startswith("moves=")).split(",")
        drawn = hashlib.sha256(" ".join(words[4:10]).encode()).digest()
        move = moves[int.from_bytes(drawn[:8]) % len(moves)]
        server.sendall(f"move {words[1]} {words[2]} {move}\\n".encode())
"""


def write_event(folder: Path, *names: str, head: str = "") -> Path:
    """The event file of programs called *names*, with lines of TOML in its *head*."""
    (folder / "bot.py").write_text(BOT)
    bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = "python bot.py"\n' for name in names)
    path = folder / "event.toml"
    path.write_text(
        'name = "far"\nrules = "corner"\nplayers = 2\nclock = "none"\nlimit = 4\nopening = 2\n'
        f"{head}{bots}"
    )
    return path


def act(folder: Path, name: str, program: str) -> None:
    """Have the bot called *name* run *program* before its first move of each game from now on."""
    passing = folder / f"{name}.new"
    passing.write_text(program)
    passing.rename(folder / f"{name}.act")


def order_of(settings: Settings, *pairings: Pairing, absent: tuple[str, ...] = ()) -> Order:
    """The order for *pairings*, all games of the event if there are none."""
    return Order(
        server=own_version(),
        event=settings.event.name,
        source=settings.source,
        folder=str(settings.folder),
        hidden=str(settings.folder / "results"),
        pairings=pairings or tuple(schedule_of(settings.event)),
        absent=absent,
        programs=fingerprints(settings.event.bots, settings.folder),
    )


def far_event(folder: Path, *names: str, head: str = "") -> Settings:
    """The settings of `write_event`."""
    return load_settings(write_event(folder, *names, head=head))
