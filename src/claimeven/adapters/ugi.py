"""An agent as an engine of UGI, the Universal Game Interface, for `claimeven ugi`.

The protocol is UCI, the protocol of chess engines, for any game: `ugi`, `isready`, `setoption`,
`uginewgame`, `position`, `go`, `stop`, `query`, `quit`. An info line reports other commands. A
search is stopped as Ctrl-C would stop it, so `serve` belongs in the main thread.
"""

from __future__ import annotations

import math
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import TextIO

import numpy as np

from claimeven.adapters.ugi_codec import (
    UgiOptions,
    info_of,
    limit_of,
    notation_of,
    read_position,
    result_of,
)
from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.external.ugi import move_text
from claimeven.agents.families.baselines import HUMAN
from claimeven.agents.options import InvalidSpec, split_limit
from claimeven.agents.registry import find_broken_agents, make_agent
from claimeven.agents.sanitize import described, printable
from claimeven.agents.validation import checked_answer
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_fen
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.parallel.interrupts import Lock, get_item
from claimeven.suggestions import did_you_mean

#: The most bytes of a line.
MAX_LINE = 1 << 16
#: Seconds of the first search of `go infinite`; each later search has twice the time.
_FIRST_SECONDS = 0.1
#: Seconds for an answer if a search was stopped before it had one.
_HASTE = 0.1
#: Seconds between two looks at whether the client is gone, and whether a stopped search is over.
_LOOKING = 0.5
#: Seconds until a search is stopped again: Python drops interrupts in callbacks of weak references.
_INSISTING = 2.0


class UgiEngine:
    """An agent that answers the lines of UGI. Raises what `make_agent` raises.

    The agent is compiled and loaded at the first `isready`, `uginewgame` or `go`. `write` is called
    with each line of an answer. `handle` answers one line; another thread calls `note` with lines
    that arrive during a search, which answers the urgent ones.
    """

    def __init__(
        self,
        spec: str,
        write: Callable[[str], None],
        *,
        geometry: Geometry | None = None,
        seed: int = 0,
        title: str = "claimeven",
    ) -> None:
        self.options: UgiOptions = UgiOptions(spec, geometry or Geometry(), seed)
        self.title = title
        self._write_line = write
        self._writing = Lock()
        self._state = Lock()
        # The number of the last search read, of the last answered, and of the last to be stopped.
        self._read = self._answered = self._stopped = 0
        self._is_searching = self._is_endless = self._is_closing = False
        self._interrupted_at = -math.inf
        self._position: Position | None = Position(self.options.geometry)
        self._last_move = ""
        self._seed(1)
        self._best: Decision | None = None
        if split_limit(spec)[1]:
            raise InvalidSpec("by UGI the other program sets limits: leave out the one after @")
        if spec.partition(":")[0].strip() == HUMAN.name:
            raise InvalidSpec("human plays at a terminal or in the browser, not by UGI")
        for error in find_broken_agents([spec], self.options.geometry).values():
            raise error
        self._agent: Agent | None = None

    def note(self, line: str | None) -> bool:
        """Take note of a line as it is read, None for the end; return whether to handle it."""
        word = "quit" if line is None else (line.split() or [""])[0]
        with self._state:
            busy = self._read > self._answered
            self._read += word == "go"
            self._is_closing |= word == "quit"
            is_left = self._is_closing and self._is_endless
            is_over = line is not None and word == "quit" and self._is_searching
            if busy and word == "stop":
                self._stop(self._read)
            elif busy and (is_left or is_over):
                self._stop(self._answered + 1)
        if busy and word == "isready":
            self._say("readyok")
        return not (busy and word in ("isready", "stop"))

    def insist(self) -> None:
        """Stop a search once more that was stopped a while ago and still runs."""
        with self._state:
            if self._is_searching and self._is_stopped:
                self._interrupt()

    def hang_up(self) -> None:
        """Stop the search: the client is gone."""
        with self._state:
            if self._read > self._answered:
                self._stop(self._read)

    def handle(self, line: str) -> bool:
        """Answer a line; return whether it was not the last."""
        words = line.split()
        if not words:
            return True
        act = getattr(self, f"_on_{words[0]}", None)
        if words[0] == "quit":
            return False
        if act is None:
            guess = did_you_mean(words[0], _COMMANDS)
            self._report(f"unknown command {printable(words[0], 40)!r}{guess}")
            return True
        try:
            act(words[1:])
        except ClaimevenError as error:
            self._report(str(error))
        return True

    def close(self) -> None:
        if self._agent is not None:
            self._agent.close()
        self._agent = None

    def _on_ugi(self, words: Sequence[str]) -> None:
        self._say(f"id name {self.title} {printable(self.options.spec)}")
        self._say("id author the authors of claimeven")
        for line in self.options.declared():
            self._say(line)
        self._say("ugiok")

    def _on_isready(self, words: Sequence[str]) -> None:
        try:
            self._ready_agent()
        except ClaimevenError as error:
            self._report(str(error))
        self._say("readyok")

    def _on_setoption(self, words: Sequence[str]) -> None:
        named = words[words[:1] == ["name"] :]
        place = named.index("value") if "value" in named else len(named)
        board = self.options.geometry
        if self.options.set(" ".join(named[:place]), " ".join(named[place + 1 :])):
            self.close()
        if self.options.geometry != board:
            self._position = Position(self.options.geometry)
        self._seed(0)

    def _on_uginewgame(self, words: Sequence[str]) -> None:
        agent = self._ready_agent()
        self._seed(self._games + 1)
        agent.note_generator(self._rng)
        agent.reset()
        self._position = Position(self.options.geometry)

    def _on_position(self, words: Sequence[str]) -> None:
        self._position = None
        self._position, moves = read_position(words, self.options.geometry)
        self._last_move = moves[-1] if moves else self._last_move

    def _on_query(self, words: Sequence[str]) -> None:
        position, answer = self._position, "none"
        what = words[0] if words else ""
        if position is None:
            pass
        elif what in ("p1turn", "gameover"):
            answer = str(position.turn == 0 if what == "p1turn" else position.is_over).lower()
        elif what in ("result", "fen"):
            answer = result_of(position) if what == "result" else to_fen(position)
        elif what == "islegal" and len(words) > 1:
            answer = str(_is_legal(words[1], position)).lower()
        else:
            self._report("query takes p1turn, gameover, result, fen or islegal MOVE")
        self._say(f"response {answer}")

    def _on_stop(self, words: Sequence[str]) -> None:
        """No search is running."""

    def _on_d(self, words: Sequence[str]) -> None:
        position = self._position
        for line in str(position or "no position is set").splitlines():
            self._report(line)

    def _on_go(self, words: Sequence[str]) -> None:
        try:
            self._best = None
            with self._state:
                self._read = max(self._read, self._answered + 1)  # if `note` was not called
            decision = self._searched(words)
            position = self._position
            move = "none"
            if decision is not None and position is not None:
                move = move_text(decision.column, self._in_letters())
        finally:
            # Before the answer is sent: a line read after it is about the next search.
            with self._state:
                self._answered += 1
        self._say(f"bestmove {move}")

    def _searched(self, words: Sequence[str]) -> Decision | None:
        """Return the agent's decision; None, with an info line, without a position."""
        try:
            agent, position = self._ready_agent(), self._position
            if position is None or position.is_over:
                self._report("no position is set" if position is None else "the game is over")
                return None
            limit, endless, notes = limit_of(words, agent, position)
            for note in notes:
                self._report(note)
            if endless:
                self._until_stopped(lambda: self._deepen(agent, position), endless)
            else:
                self._until_stopped(lambda: self._ask(agent, position, limit), endless)
            return self._best or self._in_haste(agent, position)
        except KeyboardInterrupt:
            raise
        except ClaimevenError as error:
            self._report(f"{self.options.spec}: {error}")
        except Exception as error:
            self._report(f"{self.options.spec} raised {described(error)}")
        return None

    def _ask(self, agent: Agent, position: Position, limit: Limit) -> float:
        """Let the agent decide, write an info line, and return the seconds it took."""
        begin = time.perf_counter()
        decision = agent.choose(position, limit, self._rng)
        seconds = time.perf_counter() - begin
        self._best = decision = checked_answer(agent, decision, position)
        self._say(info_of(decision, position, seconds, self._in_letters()))
        return seconds

    def _deepen(self, agent: Agent, position: Position) -> None:
        """Search ever longer, until a search does not use up its time."""
        budget = _FIRST_SECONDS
        if "seconds" not in agent.limits:
            self._ask(agent, position, Limit())
            return
        while self._ask(agent, position, Limit(seconds=budget)) > budget / 2:
            budget *= 2
            if self._is_closing or self._is_stopped:
                break

    def _in_haste(self, agent: Agent, position: Position) -> Decision:
        """Answer soon after a search that was stopped before it had found anything."""
        if "seconds" in agent.limits:
            self._ask(agent, position, Limit(seconds=_HASTE))
        if self._best is None:
            order = position.geometry.center_order
            self._best = Decision(next(c for c in order if c in position.legal_columns))
        return self._best

    def _until_stopped(self, search: Callable[[], object], endless: bool) -> None:
        """Run a search that a stop may end, as Ctrl-C would."""
        try:
            try:
                with self._state:
                    if self._is_stopped:
                        return
                    self._is_searching, self._is_endless = True, endless
                    self._interrupted_at = -math.inf
                search()
            finally:
                self._end_search()
        except KeyboardInterrupt:
            self._end_search()
            if not self._is_stopped:
                raise

    def _end_search(self) -> None:
        with self._state:
            self._is_searching = self._is_endless = False
        for _ in range(2):  # a stop that has come too late is raised here
            time.sleep(0)

    @property
    def _is_stopped(self) -> bool:
        """Whether the present search, or the next one, is to end."""
        return self._stopped > self._answered

    def _stop(self, number: int) -> None:
        self._stopped = max(self._stopped, number)
        if self._is_searching:
            self._interrupt()

    def _interrupt(self) -> None:
        """Interrupt the main thread, which searches, unless that was done a moment ago."""
        now = time.monotonic()
        if now < self._interrupted_at + _INSISTING:
            return
        self._interrupted_at = now
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    def _ready_agent(self) -> Agent:
        """Return the agent of the options, made when first needed and after they changed."""
        if self._agent is None:
            self._agent = make_agent(self.options.spec, self.options.geometry)
            self._agent.note_generator(self._rng)
            self._agent.reset()
        return self._agent

    def _seed(self, game: int) -> None:
        """Draw from now on by the seed and the number of the game since it was set."""
        self._games = game
        self._rng = np.random.default_rng([self.options.seed, game])

    def _in_letters(self) -> bool:
        return notation_of(self.options.notation, self._last_move)

    def _report(self, sentence: str) -> None:
        self._say(f"info string {sentence}")

    def _say(self, line: str) -> None:
        with self._writing:
            self._write_line(line)


#: The first words of lines.
_COMMANDS = ("quit", *(n.removeprefix("_on_") for n in vars(UgiEngine) if n.startswith("_on_")))


def serve(engine: UgiEngine, lines: TextIO, is_gone: Callable[[], bool] = lambda: False) -> None:
    """Answer lines until they end or say quit. Has to be called in the main thread.

    When the lines end, a search that has a limit is finished, so that they may come from a file. It
    is stopped by a quit that comes while it is searching, and when the client `is_gone`, which is
    asked now and then. A search without a limit is stopped in any case.
    """
    waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    is_done = threading.Event()

    def read() -> None:
        while line := lines.readline(MAX_LINE):
            if engine.note(line):
                waiting.put(line)
        engine.note(None)
        waiting.put(None)

    def look() -> None:
        while not is_done.wait(_LOOKING):
            engine.insist()
            if is_gone():
                engine.hang_up()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for each in (read, look):
            threading.Thread(target=each, daemon=True).start()
        while (line := get_item(waiting)) is not None and engine.handle(line):
            pass
    finally:
        is_done.set()
        engine.close()
        signal.signal(signal.SIGINT, before)


def _is_legal(move: str, position: Position) -> bool:
    try:
        return parse_column(move, position.geometry) in position.legal_columns
    except ClaimevenError:
        return False
