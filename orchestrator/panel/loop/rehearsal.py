"""A session with everything that works on it: store, projection, assembler, seats, rules and engine.

The functions of this folder take a rehearsal; all of its state can be rebuilt from the ledger.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.core.clock import MAX_GAP_S, ClockState, Stopwatch
from orchestrator.core.context.assemble import Assembler, Context, read_templates
from orchestrator.core.context.receipt import recorded
from orchestrator.core.errors import ConfigurationError, LedgerCorruptError, OtherCrewError
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.off_record import LABEL, Withheld
from orchestrator.core.store import files
from orchestrator.core.store.ledger import Value
from orchestrator.core.store.store import DRIVER_LOCK, Repair, Store
from orchestrator.core.table import CONFIG, MODERATOR
from orchestrator.core.verify.shape import MAX_CLOCK_S
from orchestrator.material.values import Segment
from orchestrator.panel.application import BOARD
from orchestrator.panel.loop.state import Live, State, pauses_in
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.moderator import Called, TookOver
from orchestrator.panel.records.projection import TRANSCRIPT, Playback, Projection, with_persons
from orchestrator.panel.records.setup import Options, check_needs
from orchestrator.panel.records.speech import AnswerGiven, Corrected, SpeechHeard
from orchestrator.panel.records.start import started_of

if TYPE_CHECKING:
    from orchestrator.core.context.messages import Tooling
    from orchestrator.core.store.history import Fold
    from orchestrator.core.store.transaction import Draft
    from orchestrator.material.checks.grounding import Passage
    from orchestrator.panel.engines.protocol import Engine, Request, Scene
    from orchestrator.panel.loop.new_figures import KnownNumbers
    from orchestrator.panel.personas.orchestration import Orchestration, Phrases
    from orchestrator.panel.personas.persona import Seat


# ---------------------------------------------------------------------- session clock
# The session's clock: in the process that runs it a stopwatch, in every other what that process last said.
#
# No wall clock takes part, so setting one stops nothing and costs nothing. Whoever runs the clock writes
# once a second, without a sync, where it stands into the driver's lock file, beside the machine's
# monotonic clock, which all processes share. So others, and whoever goes on after a crash, know it to the
# second, and time in which nobody was there costs nothing.
#
# Source: DESIGN.md, section 6 ("Clocks").


BEAT_S: Final = 1.0
PID_BYTES: Final = 16
"""Bytes at the start of the lock file for the driver's process id; the clock's last beat follows them."""
_BEAT_BYTES: Final = 96
_ENDS_WITHIN_S: Final = 5.0


class SessionClock:
    """The clock of one open session. Safe to use from many threads."""

    def __init__(self, root: Path) -> None:
        """Make a stopped clock, which `run` starts; *root* is the session's folder."""
        self._path = root / DRIVER_LOCK
        self._stopwatch = Stopwatch()
        self._own: _Running | None = None

    def now_s(self, state: ClockState) -> float:
        """Return the session's seconds, to the millisecond, given the clock's last setting in the ledger."""
        if state.live_since is None:
            return state.at_s
        own = self._of(state)
        return own.now_s() if own is not None else _beaten(self._path, state)

    def there_s(self) -> float:
        """Return the seconds since this process opened the session."""
        return self._stopwatch.seconds()

    def run(self, state: ClockState, from_s: float) -> None:
        """Run the clock in this process, as the ledger set it to *state* when `there_s` was *from_s*."""
        self.stop()
        self._own = _Running(state, self._stopwatch, from_s, self._path)

    def stop(self) -> None:
        """Stop running the clock in this process; other processes still see its last beat.

        Stopping a clock twice is not an error.
        """
        own, self._own = self._own, None
        if own is not None:
            own.stop()

    def is_running(self, state: ClockState) -> bool:
        """Return whether a process runs the clock: this one, or one whose last beat is within `MAX_GAP_S`."""
        if state.live_since is None or self._of(state) is not None:
            return state.live_since is not None
        beat = _last_beat(self._path, state)
        return beat is not None and 0 <= beat.age_s <= MAX_GAP_S

    def has_gap(self, state: ClockState) -> bool:
        """Return whether this process runs the clock that was set to *state*, and it has skipped time
        since.
        """
        own = self._of(state)
        return own is not None and own.has_gap()

    def _of(self, state: ClockState) -> _Running | None:
        own = self._own
        return own if own is not None and own.is_of(state) else None


class _Running:
    """A clock that runs in this process, with the thread that writes its beats for other processes."""

    def __init__(self, state: ClockState, stopwatch: Stopwatch, from_s: float, path: Path) -> None:
        self.state = state
        self._stopwatch, self._from_s = stopwatch, from_s
        self._left_out_s = stopwatch.left_out_s
        self._pid = os.getpid()
        self._fd = _opened(path)
        self._stopped = threading.Event()
        self._stopwatch.seconds()
        self._stopwatch.leaves_out_gaps = True
        self._beat()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
        self._thread.start()

    def now_s(self) -> float:
        return round(self.state.at_s + self._stopwatch.seconds() - self._from_s, 3)

    def is_of(self, state: ClockState) -> bool:
        """Return whether *state* is the clock's last setting, and the clock is not that of a forked
        parent.
        """
        return self.state == state and self._pid == os.getpid()

    def has_gap(self) -> bool:
        self._stopwatch.seconds()
        return self._stopwatch.left_out_s > self._left_out_s

    def stop(self) -> None:
        if os.getpid() != self._pid:
            return  # the thread is the parent's as well
        self._stopped.set()
        self._thread.join(_ENDS_WITHIN_S)
        self._stopwatch.seconds()
        self._stopwatch.leaves_out_gaps = False

    def _run(self) -> None:
        try:
            while not self._stopped.wait(BEAT_S):
                self._beat()
            self._beat()
        finally:
            if self._fd >= 0:
                os.close(self._fd)

    def _beat(self) -> None:
        """Read the stopwatch, and write the clock's time."""
        now_s = self.now_s()
        if self._fd >= 0:
            beat = f"{self.state.live_since} {time.monotonic():.3f} {now_s:.3f}\n".encode()
            # Where it cannot be written (a full disk), others see the clock stand at the last record.
            with suppress(OSError):
                os.pwrite(self._fd, beat.ljust(_BEAT_BYTES), PID_BYTES)


def _opened(path: Path) -> int:
    """Return a descriptor of the lock file, or -1 if it cannot be opened; the clock runs in either case."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE)
    except OSError:
        return -1


@dataclass(frozen=True, slots=True)
class _Beat:
    """The last beat of the process that runs a clock."""

    at_s: float
    age_s: float  # below 0, or of any length, where it is of another start of the machine


def _last_beat(path: Path, state: ClockState) -> _Beat | None:
    """Return the last beat of the clock that was set to *state*, or None if there is no valid beat."""
    try:
        fd = os.open(path, files.READ)
    except OSError:
        return None
    try:
        since, beaten, at_s = os.pread(fd, _BEAT_BYTES, PID_BYTES).decode("ascii").split()
        beat = _Beat(float(at_s), time.monotonic() - float(beaten))
    except (OSError, ValueError):  # none yet, or something else stands there
        return None
    finally:
        os.close(fd)
    return beat if since == state.live_since and state.at_s <= beat.at_s <= MAX_CLOCK_S else None


def _beaten(path: Path, state: ClockState) -> float:
    """Return the time of a clock that another process runs or ran: from its last beat, or last record.

    At most one interval between beats is added to the last beat, since after that no process ran the clock.
    """
    beat = _last_beat(path, state)
    if beat is None:
        return state.at_s
    return round(beat.at_s + (beat.age_s if 0 <= beat.age_s <= BEAT_S else 0.0), 3)


# ---------------------------------------------------------------------- rehearsal


T = TypeVar("T")


class OpenRehearsal:
    """One open session, whose files are read when they are first used.

    A process that only asks for a context therefore pays for the ledger's scan and nothing else.
    """

    def __init__(self, store: Store, engine_of: Callable[[Options], Engine]) -> None:
        """Make a rehearsal of an open store.

        Raises:
            LedgerCorruptError: The first record or a template's copy is invalid.
        """
        started = started_of(store.opened)
        try:
            check_needs(store.layout.table)
        except ConfigurationError as error:
            raise LedgerCorruptError(f"{store.ledger_path}: in the first record {error}") from error
        self.store = store
        self.options = started.options
        self.templates = read_templates(store, store.layout)
        self.carried = started.carry_over
        self.drilled = started.drill  # None: it is no drill
        self.assembler = Assembler(
            store, self.templates, budget_tokens=started.budget_tokens, carried=self.carried.texts
        )
        self.tooling: Tooling | None = None  # the tools of its agents; None: none here
        self.playing_s: float | None = None  # where a recording stands while it is played
        self.elapsed_s: Callable[[], float] = time.monotonic  # of this process, by which a service forgets
        self.given_at_s: dict[str, float] = {}  # when each agent was last given its files, as `elapsed_s`
        self.rounds_at_s: deque[float] = deque(maxlen=2)  # when the candidates were last looked at, likewise
        self._engine_of = engine_of
        self._looked_at: tuple[Engine, bool, bool] | None = None  # `has_model` and `reads` of it
        self._pauses: tuple[Playback, Mapping[int, float]] | None = None
        self._has_filed_board = False
        self._hidden_words: tuple[tuple[int, ...], frozenset[str]] | None = None
        self.clock = SessionClock(store.root)
        store.clock = self._clock_s

    def _clock_s(self) -> float:
        return self.playing_s if self.playing_s is not None else self.clock.now_s(self.projection.clock)

    @property
    def projection(self) -> Projection:
        """Return the projection of all records read so far.

        Within a transaction, its own thread gets the transaction's projection.
        """
        return self._projection.now()

    @cached_property
    def _projection(self) -> Fold[Projection]:
        from orchestrator.panel.records.kinds import (
            fold,  # and all that records hold: a context needs none of it
        )

        return self.store.fold(Projection, fold, Projection.copy)

    def state(self, live: Live | None = None) -> State:
        """Return everything on which the next step depends, as it is now."""
        projection = self.projection
        return State(
            projection=projection,
            options=self.options,
            rules=self.rules,
            library=self.phrases,
            now_s=self.now_s(),
            has_model=self.has_model,
            hears_contradictions=self._hears_contradictions(),
            pauses=self.pauses(projection.playback) if projection.playback is not None else {},
            live=live,
        )

    def _hears_contradictions(self) -> bool:
        """Return whether there is something to examine for contradictions.

        That is a contradiction that a verdict suspects, or on-the-record speech that was not examined yet.
        """
        projection = self.projection
        if projection.look_due is None:
            return False
        return bool(projection.suspected) or (
            self.reads and any(True for _ in self.said(since=projection.looked_upto))
        )

    def said(self, *, since: int = 0) -> Iterator[tuple[int, Segment]]:
        """Yield the presenter's segments after the first *since*, each with its number.

        Segments that are off the record, or were taken back, are left out.
        """
        projection = self.projection
        for number, segment in enumerate(projection.segments[since:], start=since + 1):
            if number in projection.withdrawn:
                continue
            if self.is_presenters(segment) and segment.text.strip() and not self.is_off_record(segment.text):
                yield number, segment

    def is_presenters(self, segment: Segment) -> bool:
        """Return whether the segment is the presenter's, and so is judged.

        Before anybody's speech is recorded, any speaker counts as the presenter.
        """
        projection = self.projection
        return not projection.seconds_by_speaker or segment.speaker in projection.presenter_labels

    @cached_property
    def engine(self) -> Engine:
        """Return the engine, from which the agents' words come."""
        return self._engine_of(self.options)

    @cached_property
    def seats(self) -> Mapping[str, Seat]:
        """Return every agent's persona and domain knowledge, as data."""
        return read_seats(self.templates, self.store.layout.agents)

    @cached_property
    def rules(self) -> Orchestration:
        """Return the moderator's states, limits and timers."""
        from orchestrator.panel.personas.orchestration import read_orchestration

        return read_orchestration(*_named(self.templates, "templates/moderator/orchestration.md"))

    @cached_property
    def phrases(self) -> Phrases:
        """Return the moderator's phrase library."""
        from orchestrator.panel.personas.orchestration import read_phrases

        return read_phrases(*_named(self.templates, "templates/moderator/phrase-library.md"))

    @cached_property
    def deck_passages(self) -> tuple[Passage, ...]:
        """Return all passages of the deck that can be quoted; they are computed once."""
        from orchestrator.material.checks.grounding import deck_passages

        return deck_passages(self.scene().deck)

    @cached_property
    def known_numbers(self) -> KnownNumbers:
        """Return the numbers of the deck and of the speech; each text is read once."""
        from orchestrator.panel.loop.new_figures import KnownNumbers

        return KnownNumbers(self.scene().deck)

    @property
    def has_model(self) -> bool:
        """Return whether calls of the engine take time and may cost money, so that none is made without
        need.
        """
        return self._offers[0]

    @property
    def reads(self) -> bool:
        """Return whether the engine understands speech, so that it can be asked for contradictions."""
        return self._offers[1]

    @property
    def _offers(self) -> tuple[bool, bool]:
        from orchestrator.panel.engines.protocol import SupportsFutures, understands

        # Once an engine: of a protocol it is a slow question, and a live session asks it ten times a second.
        engine = self.engine
        if self._looked_at is None or self._looked_at[0] is not engine:
            self._looked_at = (engine, isinstance(engine, SupportsFutures), understands(engine))
        return self._looked_at[1:]

    @property
    def turn_limit(self) -> int:
        """Return the maximum number of turns in an exchange."""
        return self.rules.turn_limits[self.options.intensity]

    def pauses(self, playback: Playback) -> Mapping[int, float]:
        """Return where the recording pauses (`pauses_in`); this is computed once for each recording."""
        if self._pauses is None or self._pauses[0] is not playback:
            self._pauses = (playback, pauses_in(playback, self.rules.timers_s.hand_raise_pause))
        return self._pauses[1]

    def now_s(self) -> float:
        """Return the time of the session clock, in seconds."""
        return self.store.now_s()

    def name_of(self, agent: str) -> str:
        """Return an agent's name, as people say it."""
        return self.seats[agent].persona.name

    def context(
        self, agent: str, *, purpose: str, request: Request[Any] | None = None, engine: str | None = None
    ) -> Context:
        """Assemble the context that *agent* gets now; its receipt is written to disk with the next record.

        Args:
            request: The request that the context is for. An engine that sends messages states in the receipt
                what it sends.
            engine: The name of the engine that answers. If None, the session's engine.
        """
        context = self.peek(agent, purpose=purpose, engine=engine)
        if request is not None:
            context = self.addressed(request, context)
        self.keep(context)
        return context

    def _fitted(self, request: Request[Any], context: Context) -> Context:
        """Shorten the context so that it fits the room that its engine has."""
        from orchestrator.panel.engines.protocol import Bounded, SeatRequest

        if not isinstance(self.engine, Bounded) or not isinstance(request, SeatRequest):
            return context
        room = self.engine.room_bytes(request)
        if room is None:
            return context
        from orchestrator.core.context.receipt import cut_bytes
        from orchestrator.panel.loop.fitting import kept_within, slide_of

        kept = kept_within(context, room, slide_of(request))
        if kept:
            cut = cut_bytes(kept, {block.path: block.size_bytes for block in context.blocks})
            receipt = context.receipt
            context = self.assembler.prepare(
                context.agent, purpose=receipt.purpose, engine=receipt.engine, budget_bytes=room + cut
            )
            context = replace(context, receipt=replace(context.receipt, kept=kept))
        return context

    def addressed(self, request: Request[Any], context: Context) -> Context:
        """Return the context with a receipt of what the engine will send, or unchanged if it sends
        nothing.
        """
        from orchestrator.panel.engines.protocol import Addressing

        if not isinstance(self.engine, Addressing):
            return context
        context = self._fitted(request, context)
        if self.options.tools:
            context = replace(context, tooling=self.tooling)
        return self.engine.addressed(request, context, self.options.layout)

    def note_calls(self, tx: Draft | None = None) -> None:
        """Record in the ledger, at once, the cost and failures of the engine's calls since the last time."""
        from orchestrator.panel.engines.protocol import Accounting, HasFallback

        engine = self.engine
        if self.store.frozen:
            return
        took_over = engine.took_over if isinstance(engine, HasFallback) else None
        if took_over is not None and self.projection.took_over is None:
            (tx or self.store).note(TookOver(took_over), by=MODERATOR)
        if not isinstance(engine, Accounting):
            return
        notes: list[tuple[str, Value]] = [(MODERATOR, Called(usage)) for usage in engine.take_usage()]
        if self.tooling is not None:
            notes += self.tooling.take()
        if notes:
            with self.store.joined(tx) as tx:
                for by, value in notes:
                    tx.note(value, by=by)

    def peek(self, agent: str, *, purpose: str, engine: str | None = None) -> Context:
        """Assemble the context that *agent* would get now, without recording anything."""
        by = self.options.engine if engine is None else engine
        return self.assembler.prepare(agent, purpose=purpose, engine=by)

    def keep(self, context: Context) -> None:
        """Record the receipt of a context that is used; if the session has ended, record nothing."""
        self.given_at_s[context.agent] = self.elapsed_s()
        if not self.store.frozen:
            value = recorded(context.receipt, self.store.history.version)
            self.store.add_receipt(context.receipt.id, value)

    def scene(self) -> Scene:
        """Return the rehearsal as typed values for an engine: a snapshot on which a running call can rely."""
        from orchestrator.panel.engines.protocol import Scene

        projection = self.projection
        if projection.deck is None:
            raise LedgerCorruptError(f"{self.store.ledger_path}: no record holds the deck")
        judged = projection.judged
        return Scene(
            deck=projection.deck,
            deck_claims=projection.deck_claims,
            speech_claims=tuple(self.on_record(projection.speech_claims, lambda claim: (claim.text,))),
            segments=projection.spoken,
            exchanges=tuple(with_persons(one, judged) for one in projection.asked),
            slide=None if projection.is_played_out else projection.slide,
            clock_s=self.now_s(),
            intensity=self.options.intensity,
            focus=self.options.focus,
            tensions=tuple(self.on_record(projection.tensions, lambda one: (one.a.quote, one.b.quote))),
            intel=projection.intel.items,
            presenter_labels=projection.presenter_labels,
            observed=tuple(projection.observed),
            left_open=self.carried.open_points,
            members=projection.members,
            kind=self.options.kind,
            board_is_filed=self._board_is_filed(),
        )

    def _board_is_filed(self) -> bool:
        """Return whether the session's configuration file describes the board; it is written only once."""
        from orchestrator.panel.engines.model.situation import board_lines

        if not self._has_filed_board and all(CONFIG in order for order in self.store.layout.orders.values()):
            lines = self.store.content(CONFIG).splitlines()
            told = board_lines(self.projection.members, self.options.kind)
            self._has_filed_board = all(line in lines for line in told)
        return self._has_filed_board

    def is_off_record(self, text: str) -> bool:
        """Return whether the text was said off the record or quotes such words.

        No request may contain such a text.
        """
        hidden = self.store.hidden()
        if not hidden:
            return False
        return text in self._hidden(tuple(hidden)) or self.store.off_record().stays(f'"{text}"')

    def _hidden(self, seqs: tuple[int, ...]) -> frozenset[str]:
        """Return the off-the-record words: the text of each record in *seqs* that is in the transcript."""
        if self._hidden_words is None or self._hidden_words[0] != seqs:
            paths = self.store.hidden()
            values = [value_of(self.store.record(seq)) for seq in seqs if paths[seq] == TRANSCRIPT]
            said = frozenset(
                value.segment.text
                for value in values
                if isinstance(value, SpeechHeard | AnswerGiven | Corrected)
            )
            self._hidden_words = seqs, said
        return self._hidden_words[1]

    def on_record(self, found: Sequence[T], words_of: Callable[[T], Iterable[str]]) -> Sequence[T]:
        """Return the items that rest on nothing said off the record, since nobody is asked about that."""
        if not self.store.hidden():
            return found
        return [one for one in found if not any(self.is_off_record(text) for text in words_of(one))]

    def exchange_on_record(self, exchange: Exchange) -> Exchange:
        """Return the exchange without off-the-record answers and what was said about them."""
        withheld, turns = Withheld(), []
        for turn in exchange.turns:
            told = (turn.answer, turn.misheard, turn.quote, turn.reason, turn.remark, *turn.still_open)
            is_off = withheld.takes(turn.answer or "", is_speech=True)
            if turn.person is not None and self.is_off_record(turn.person.note):
                turn = replace(turn, person=replace(turn.person, note=""))
            if is_off or any(self.is_off_record(text) for text in told if text):
                turn = replace(
                    turn,
                    answer=turn.answer and LABEL,
                    quote=None,
                    reason=None,
                    remark="",
                    still_open=(),
                    misheard=None,
                    person=turn.person and replace(turn.person, note=""),
                )
            turns.append(turn)
        return replace(exchange, turns=tuple(turns))


def open_rehearsal(
    root: Path,
    engine_of: Callable[[Options], Engine],
    *,
    on_repair: Callable[[Repair], None] | None = None,
) -> OpenRehearsal:
    """Open the session at *root*.

    Raises:
        SessionNotFoundError, LedgerCorruptError
        OtherCrewError: The session is of another crew.
    """
    store = Store(root, application=BOARD, on_repair=on_repair)
    try:
        if not BOARD.owns(store.opening):
            raise other_crew(root.name, store.opening.crew)
        return OpenRehearsal(store, engine_of)
    except BaseException:
        store.close_files()
        raise


def other_crew(name: str, crew: str) -> OtherCrewError:
    """Return the error for a session *name* of another crew, which says whose it is and which commands
    work.
    """
    return OtherCrewError(
        f"session {name} is of the crew {one_line(crew)} and no rehearsal: use show, context, append, write, "
        "note, verify, end and archive",
        value=name,
    )


def read_seats(templates: Mapping[str, str], agents: tuple[str, ...]) -> dict[str, Seat]:
    """Read every agent's persona, and every panelist's domain knowledge, as data.

    Raises:
        PersonaError: A template is not in its format.
    """
    from orchestrator.panel.personas.persona import Seat, read_domain, read_persona

    seats = {}
    for agent in agents:
        persona = read_persona(*_named(templates, f"templates/{agent}/persona.md"))
        domain = None
        if agent != MODERATOR:
            domain = read_domain(*_named(templates, f"templates/{agent}/domain-knowledge.md"))
        seats[agent] = Seat(persona, domain)
    return seats


def _named(templates: Mapping[str, str], path: str) -> tuple[str, str]:
    return templates[path], path
