"""A person's side of a connection: what is shown, what was typed, what is sent.

Bytes from the server and lines from the person go in; text for the person and bytes for the server
come out. `wants` says whom to listen to next. There is no input or output here, so that a whole
evening at the table is a test of plain calls.

What is typed is tried with the engine before it is sent: on a server that forgives nothing a slip
of the finger would lose the game.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable

import sternhalma
from sternhalma import IllegalMoveError, Mask, Move, NotationError
from sternhalma.board import mask_of
from sternhalma_bot import messages
from sternhalma_bot.by_hand import words
from sternhalma_bot.by_hand.completion import complete
from sternhalma_bot.by_hand.picture import NONE, Marks, draw
from sternhalma_bot.by_hand.replay import Replay
from sternhalma_bot.by_hand.story import Story
from sternhalma_bot.by_hand.typed import (
    REPLAY_HELP,
    Look,
    Number,
    Path,
    Typed,
    TypedError,
    Undo,
    Word,
    parse_typed,
)
from sternhalma_bot.conduct import Ask, Complain, tasks
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Bye, Game, Message, Moved, Offer, Out, Over
from sternhalma_bot.turn import Turn

Hint = Callable[[Turn], Move]


class Wants(enum.Enum):
    """Whom to listen to."""

    SERVER = enum.auto()
    PERSON = enum.auto()
    NOBODY = enum.auto()  # it is over


class Sitting:
    """A person at a table. *core* is the conversation, *hint* whoever is asked for advice."""

    def __init__(self, core: Core, hint: Hint, *, colour: bool = False) -> None:
        self.core = core
        self._hint = hint
        self._colour = colour
        self._heard: deque[tuple[Message, float | None]] = deque()
        self._text: list[str] = []
        self._story: Story | None = None
        self._last: Story | None = None  # the game that was over last
        self._undone: Story | None = None  # the game before moves were taken back
        self._turn: Turn | None = None  # that wants an answer
        self._replay: Replay | None = None
        self._paused = False  # between games, so that there is time to walk through the last
        self._looked = False  # whether there was time for that
        self._undoing = False
        self._introduced = False  # whether the person knows what may be typed
        self._finished = False  # the server has nothing more to say
        self._left = False

    @property
    def wants(self) -> Wants:
        """Whom to listen to next."""
        if self._left:
            return Wants.NOBODY
        if self._paused or self._replay is not None or self._turn is not None:
            return Wants.PERSON
        return Wants.SERVER

    @property
    def has_begun(self) -> bool:
        """Whether any game has begun."""
        return self._introduced

    @property
    def prompt(self) -> str:
        """What stands before the line to be typed."""
        if self._replay is not None:
            return f"replay {self._replay.ply}/{self._replay.last_ply}> "
        if self._turn is not None and self._story is not None and not self._paused:
            left = words.time_left(self._turn.time_left)
            return f"{self._story.game.seat}, ply {self._turn.ply}{left}> "
        return "> "

    def shown(self) -> str:
        """The text due to the person; it is handed out once."""
        text = "".join(f"{line}\n" for line in self._text)
        self._text.clear()
        return text

    def outgoing(self) -> bytes:
        """The bytes due to the server; they are handed out once."""
        return self.core.outgoing()

    def complete(self, before: str, word: str) -> list[str]:
        """What *word* may become, with *before* to its left."""
        asked = self._turn is not None and not self._paused and self._replay is None
        return complete(before, word, self._now if asked else None)

    def receive(self, data: bytes, arrived: float | None = None) -> None:
        """Take what the server has sent. Raises `ProtocolError`.

        *arrived* is when, in seconds of `time.monotonic`.
        """
        self._heard.extend((message, arrived) for message in self.core.receive(data))
        self._listen()

    def reconnect(self, core: Core) -> None:
        """Go on over a new connection, whose conversation is *core*."""
        if self.core.welcomed:  # once for each connection, not for each try
            self._say("the connection has broken; trying to come back")
        self.core = core
        self._turn = None
        self._heard.clear()

    def finish(self) -> None:
        """There will be no connection any more: a last look at the last game, and that is all."""
        self._turn = None
        self._finished = True
        if self._last is None or self._looked:
            self._left = True
        else:
            self._pause()

    def typed(self, line: str) -> None:
        """Take a line that the person has typed."""
        try:
            command = parse_typed(line)
        except TypedError as error:
            # What is no command at all is none of a replay either, nor between games.
            if self._replay is not None:
                self._say(f"expected {words.in_replay(self._replay)}, got {line.strip()[:40]!r}")
            elif self._paused:
                self._say(f"the game is over: {self._choices()}")
            else:
                self._say(str(error))
            return
        if command is Word.QUIT and self._replay is not None and self._story is not None:
            self._walk(self._replay, Word.END)
            self._say("the replay is ended; quit once more leaves, and loses the game")
        elif command is Word.QUIT:
            self.leave()
        elif command is Word.HELP and self._replay is not None:
            self._say(*words.help_lines(REPLAY_HELP))
        elif command is Word.HELP:
            self._say(*words.help_lines())
        elif self._replay is not None:
            self._walk(self._replay, command)
        elif command is Word.REPLAY:
            self._begin_replay()
        elif self._paused:
            self._between(command)
        elif self._turn is None:
            self._say("wait: it is not your turn")
        else:
            self._take_turn(self._turn, command)

    def leave(self) -> None:
        """The person goes."""
        self._left = True
        if self.core.farewell is None and self.core.welcomed:
            self.core.leave()

    # What the server says.

    def _listen(self) -> None:
        while self._heard and not self._paused:
            message, arrived = self._heard.popleft()
            self._hear(message)
            for task in tasks(self.core, message, arrived):
                match task:
                    case Ask():
                        self._ask(task)
                    case Complain(sentence):
                        self._say(sentence)
                    case _:
                        pass

    def _hear(self, message: Message) -> None:
        story = self._story
        match message:
            case Game():
                self._begin(message)
            case Moved() | Out() if story is not None:
                self._follow(story, message)
            case Offer(_, letter) if story is not None:
                who = words.player(story.game, letter)
                self._say(f"{who} offers a draw: type draw to agree, or move to decline")
            case Over():
                self._end(message)
            case messages.Note():
                self._say(f"{message.code}: {message.sentence}")
            case Bye(code=code) if not self._introduced and code != "event-over":
                self._turn = None  # whoever started this is told why in the end, and once will do
            case Bye():
                self._say(f"the server says goodbye: {message.sentence or message.code}")
                self._turn = None
            case _:
                pass

    def _begin(self, game: Game) -> None:
        self._turn = None
        if self._story is not None and self._story.game.id == game.id:
            return  # restated: the next turn tells where it stands
        self._story = Story.of(game)
        if self._undoing:
            self._say(f"taken back; the game goes on as game {game.id}")
        else:
            self._say("", words.opening(game, self._story.start))
            if not self._introduced:
                self._introduced = True
                self._say(words.INTRODUCTION)

    def _follow(self, story: Story, message: Moved | Out) -> None:
        self._story = story.moved(message) if isinstance(message, Moved) else story.out(message)
        if self._story is not story:
            self._say(words.told(story.game, self._story.steps[-1]))

    def _ask(self, ask: Ask) -> None:
        self._turn = ask.turn
        self._undoing = False
        if not ask.again and self._story is not None:
            earlier = [story for story in (self._undone, self._last) if story is not None]
            self._story = self._story.at(ask.turn.position, earlier)
            self._undone = None
            self._show_board()

    def _end(self, over: Over) -> None:
        story, self._story = self._story, None
        self._turn = None
        if self._undoing and over.reason == "aborted":
            self._undone = story  # no game that is over: it goes on in another
            return
        self._last, self._looked = story, False
        if story is None:
            return
        self._undoing = False
        self._say("", *self._picture(story.now), "", words.ended(story.game, over))
        # With a clock the next game does not wait for anybody who reads.
        if story.game.clock in {None, "none"}:
            self._pause()

    def _pause(self) -> None:
        self._paused = self._looked = True
        self._say(self._choices())

    def _choices(self) -> str:
        """What there is to do when a game is over, which may have had no move at all."""
        walk = "replay to walk through it, " if self._last is not None and self._last.steps else ""
        then = "leave" if self._finished else "go on"
        return f"type {walk}quit to leave, or Enter to {then}"

    # What the person types.

    def _between(self, command: Typed) -> None:
        if command is Word.ENTER:
            self._paused = False
            self._left = self._finished
            self._listen()
        else:
            self._say(f"the game is over: {self._choices()}")

    def _take_turn(self, turn: Turn, command: Typed) -> None:
        match command:
            case Path(text, offers_draw):
                self._move(text, offers_draw=offers_draw)
            case Look(hole):
                self._look(hole)
            case Undo(count):
                self._undo(count)
            case Word.ENTER | Word.BOARD:
                self._show_board()
            case Word.MOVES:
                self._say(*words.moves(self._now))
            case Word.HINT:
                move = self._now.resolve(self._hint(turn))
                self._say(f"lookahead would play {self._now.format_move(move)}")
            case Word.DRAW if self.core.offered:
                self._answer("draw")
            case Word.DRAW:
                self._say("no draw is on offer")
            case Word.RESIGN:
                self._answer("resign")
            case _:
                self._say("that is for a replay: type replay first")

    def _move(self, text: str, *, offers_draw: bool) -> None:
        now, story = self._now, self._story
        if offers_draw and story is not None and not story.game.draws:
            self._say("this game knows no draw by agreement")
            return
        unknown = [hole for hole in text.split("-") if hole not in now.rules.board.by_name]
        if unknown:
            self._say(words.no_hole(now.rules.board, unknown[0]))
            return
        try:
            move = now.parse_move(text)
        except NotationError as error:
            self._say(str(error))
            return
        try:
            now.resolve(move)
        except IllegalMoveError as error:
            sentence, goals = words.destinations(now, move.origin)
            self._say(str(error), *([sentence] if goals else []))
            return
        if offers_draw:
            self._say("you offer a draw: to agree all others have to, before the next move")
        self._answer(f"{text} draw=offer" if offers_draw else text)

    def _look(self, hole: str) -> None:
        now = self._now
        found = now.rules.board.by_name.get(hole)
        if found is None:
            self._say(words.no_hole(now.rules.board, hole))
            return
        sentence, goals = words.destinations(now, found)
        if goals:
            self._say("", *self._picture(now, goals), "")
        self._say(sentence)

    def _undo(self, count: int) -> None:
        story = self._story
        if story is None or not story.game.undo:
            self._say("this server does not offer to take moves back")
            return
        plies = story.plies_of(story.game.seat)
        if not plies:
            self._say("there is no move of yours to take back")
            return
        if count > len(plies):
            self._say(f"expected at most {len(plies)} moves to take back, got {count}")
            return
        self._undoing = True
        self._answer(f"undo {plies[-count]}")

    def _answer(self, text: str) -> None:
        self.core.answer(text)
        self._turn = None

    # Walking through a game.

    def _begin_replay(self) -> None:
        story = self._story if self._story is not None and self._story.steps else self._last
        if story is None or not story.steps:
            self._say("there is no game to walk through yet")
            return
        self._replay = Replay(story)
        self._show_replay(self._replay)
        self._say(f"type {words.in_replay(self._replay)}")

    def _walk(self, replay: Replay, command: Typed) -> None:
        match command:
            case Word.ENTER | Word.NEXT:
                replay = replay.next()
            case Word.BACK:
                replay = replay.back()
            case Number(ply) if ply > replay.last_ply:
                self._say(f"there is no ply {ply}: the last is {replay.last_ply}")
                return
            case Number(ply):
                replay = replay.to(ply)
            case Word.BOARD:
                pass
            case Word.END:
                self._replay = None
                if self._turn is not None and not self._paused:
                    self._show_board()
                return
            case _:
                self._say(f"this is a replay: type {words.in_replay(replay)}")
                return
        self._replay = replay
        self._show_replay(replay)

    def _show_replay(self, replay: Replay) -> None:
        self._say("", *self._picture(replay.game), "", words.place_of(replay))

    # What is shown.

    @property
    def _now(self) -> sternhalma.Game:
        assert self._turn is not None
        return self._turn.game if self._story is None else self._story.now

    def _show_board(self) -> None:
        now = self._now
        self._say("", *self._picture(now), "")
        if self._story is not None:
            self._say(*words.standing(self._story.game, now))

    def _picture(self, game: sternhalma.Game, goals: Mask = NONE) -> Iterable[str]:
        last = game.last
        moved = NONE if last is None else mask_of(last.path)
        marks = Marks(goals, moved)
        return draw(game.position, marks, colour=self._colour)

    def _say(self, *lines: str) -> None:
        self._text.extend(lines)
