"""A session with everything that works on it: store, projection, assembler, seats, rules, engine.

The verbs of this folder take a rehearsal; it holds no state of its own that could not be had
again from the ledger.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from orchestrator.core.context.assemble import Assembler, Context, read_templates
from orchestrator.core.context.receipt import recorded
from orchestrator.core.errors import ConfigurationError, LedgerCorruptError
from orchestrator.core.privacy.off_record import LABEL, Withheld
from orchestrator.core.store.store import Repair, Store
from orchestrator.core.store.value import Value
from orchestrator.core.table import CONFIG, MODERATOR
from orchestrator.material.model.segment import Segment
from orchestrator.panel.loop.pauses import pauses_in
from orchestrator.panel.loop.session_clock import SessionClock
from orchestrator.panel.loop.state import Live, State
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.corrections import Corrected
from orchestrator.panel.records.kinds import KINDS, value_of
from orchestrator.panel.records.moderator import Called, TookOver
from orchestrator.panel.records.needs import check_needs
from orchestrator.panel.records.options import Options
from orchestrator.panel.records.projection import TRANSCRIPT, Playback, Projection
from orchestrator.panel.records.speech import AnswerGiven, SpeechHeard
from orchestrator.panel.records.start import started_of
from orchestrator.panel.records.turns import with_persons

if TYPE_CHECKING:  # imported where they are used: a session that is only read asks nobody
    from orchestrator.core.context.tooling import Tooling
    from orchestrator.core.store.history import Fold
    from orchestrator.core.store.transaction import Draft
    from orchestrator.core.store.value import Value
    from orchestrator.material.checks.passages import Passage
    from orchestrator.panel.engines.protocol import Engine, Request, Scene
    from orchestrator.panel.loop.new_figures import KnownNumbers
    from orchestrator.panel.personas.orchestration import Orchestration, Phrases
    from orchestrator.panel.personas.persona import Seat

T = TypeVar("T")


class Rehearsal:
    """One open session. Whatever takes reading is read when it is first used.

    So a process that only asks for a context pays for the ledger's scan and nothing else.
    """

    def __init__(self, store: Store, engine_of: Callable[[Options], Engine]) -> None:
        """Work on a store that is open.

        Raises:
            LedgerCorruptError: The first record or a template's copy is not what it must be.
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
        """The fold of all records that are known; within a transaction, in its thread, with its own."""
        return self._projection.now()

    @cached_property
    def _projection(self) -> Fold[Projection]:
        from orchestrator.panel.records.kinds import (
            fold,  # and all that records hold: a context needs none of it
        )

        return self.store.fold(Projection, fold, Projection.copy)

    def state(self, live: Live | None = None) -> State:
        """All that the next step depends on, as of now."""
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
        """A verdict suspects one, or the presenter has said something since the last look, on the record."""
        projection = self.projection
        if projection.look_due is None:
            return False
        return bool(projection.suspected) or (
            self.reads and any(True for _ in self.said(since=projection.looked_upto))
        )

    def said(self, *, since: int = 0) -> Iterator[tuple[int, Segment]]:
        """The presenter's segments behind the first *since*, each with its number.

        None that is off the record, and none that was taken back.
        """
        projection = self.projection
        for number, segment in enumerate(projection.segments[since:], start=since + 1):
            if number in projection.withdrawn:
                continue
            if self.is_presenters(segment) and segment.text.strip() and not self.is_off_record(segment.text):
                yield number, segment

    def is_presenters(self, segment: Segment) -> bool:
        """Whether the words are judged; whoever speaks first is taken for the presenter until it shows."""
        projection = self.projection
        return not projection.seconds_by_speaker or segment.speaker in projection.presenter_labels

    @cached_property
    def engine(self) -> Engine:
        """Where the agents' words come from."""
        return self._engine_of(self.options)

    @cached_property
    def seats(self) -> Mapping[str, Seat]:
        """Every agent's persona and domain knowledge, as data."""
        return read_seats(self.templates, self.store.layout.agents)

    @cached_property
    def rules(self) -> Orchestration:
        """The moderator's states, limits and timers."""
        from orchestrator.panel.personas.orchestration import read_orchestration

        return read_orchestration(*_named(self.templates, "templates/moderator/orchestration.md"))

    @cached_property
    def phrases(self) -> Phrases:
        """The moderator's phrase library."""
        from orchestrator.panel.personas.orchestration import read_phrases

        return read_phrases(*_named(self.templates, "templates/moderator/phrase-library.md"))

    @cached_property
    def deck_passages(self) -> tuple[Passage, ...]:
        """All of the deck that can be quoted, made once."""
        from orchestrator.material.checks.passages import deck_passages

        return deck_passages(self.scene().deck)

    @cached_property
    def known_numbers(self) -> KnownNumbers:
        """The numbers of the deck and of what was said, each text read once."""
        from orchestrator.panel.loop.new_figures import KnownNumbers

        return KnownNumbers(self.scene().deck)

    @property
    def has_model(self) -> bool:
        """A call takes time and may cost money, so nobody is asked without need."""
        return self._offers[0]

    @property
    def reads(self) -> bool:
        """The engine understands what is said, so it can be asked what contradicts what."""
        return self._offers[1]

    @property
    def _offers(self) -> tuple[bool, bool]:
        from orchestrator.panel.engines.offers import Beginning, understands

        # Once an engine: of a protocol it is a slow question, and a live session asks it ten times a second.
        engine = self.engine
        if self._looked_at is None or self._looked_at[0] is not engine:
            self._looked_at = (engine, isinstance(engine, Beginning), understands(engine))
        return self._looked_at[1:]

    @property
    def turn_limit(self) -> int:
        """Most turns of one exchange."""
        return self.rules.turn_limits[self.options.intensity]

    def pauses(self, playback: Playback) -> Mapping[int, float]:
        """Where the recording pauses (`pauses_in`); worked out once for a recording."""
        if self._pauses is None or self._pauses[0] is not playback:
            self._pauses = (playback, pauses_in(playback, self.rules.timers_s.hand_raise_pause))
        return self._pauses[1]

    def now_s(self) -> float:
        """Session clock, seconds."""
        return self.store.now_s()

    def name_of(self, agent: str) -> str:
        """An agent's name, as people say it."""
        return self.seats[agent].persona.name

    def context(
        self, agent: str, *, purpose: str, request: Request[Any] | None = None, engine: str | None = None
    ) -> Context:
        """What *agent* is given now; its receipt goes to disk with the next record.

        Args:
            request: What it is for: an engine that sends messages then says in the receipt what it sends.
            engine: Who answers; None: the session's engine.
        """
        context = self.peek(agent, purpose=purpose, engine=engine)
        if request is not None:
            context = self.addressed(request, context)
        self.keep(context)
        return context

    def _fitted(self, request: Request[Any], context: Context) -> Context:
        """The context as its engine has room for it."""
        from orchestrator.panel.engines.offers import Bounded
        from orchestrator.panel.engines.protocol import SeatRequest

        if not isinstance(self.engine, Bounded) or not isinstance(request, SeatRequest):
            return context
        room = self.engine.room_bytes(request)
        if room is None:
            return context
        from orchestrator.core.context.fit import cut_bytes
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
        """The context with a receipt of what the engine will send, where it sends anything."""
        from orchestrator.panel.engines.offers import Addressing

        if not isinstance(self.engine, Addressing):
            return context
        context = self._fitted(request, context)
        if self.options.tools:
            context = replace(context, tooling=self.tooling)
        return self.engine.addressed(request, context, self.options.layout)

    def note_calls(self, tx: Draft | None = None) -> None:
        """Put what the engine's calls have cost and left since the last time into the ledger, at once."""
        from orchestrator.panel.engines.offers import Accounting, StoodInFor

        engine = self.engine
        if self.store.frozen:
            return
        took_over = engine.took_over if isinstance(engine, StoodInFor) else None
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
        """What *agent* would be given now; nothing is recorded."""
        by = self.options.engine if engine is None else engine
        return self.assembler.prepare(agent, purpose=purpose, engine=by)

    def keep(self, context: Context) -> None:
        """Record the receipt of a context that is used; on an ended session nothing is recorded."""
        self.given_at_s[context.agent] = self.elapsed_s()
        if not self.store.frozen:
            value = recorded(context.receipt, self.store.history.version)
            self.store.add_receipt(context.receipt.id, value)

    def scene(self) -> Scene:
        """The rehearsal as typed values, for an engine: as it is now, whatever comes while a call goes on."""
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
        """Whether the session's configuration tells each agent of the board: it is written once."""
        from orchestrator.panel.engines.model.situation import board_lines

        if not self._has_filed_board and all(CONFIG in order for order in self.store.layout.orders.values()):
            lines = self.store.content(CONFIG).splitlines()
            told = board_lines(self.projection.members, self.options.kind)
            self._has_filed_board = all(line in lines for line in told)
        return self._has_filed_board

    def is_off_record(self, text: str) -> bool:
        """These words were said off the record, or quote what was: they go into nobody's request."""
        hidden = self.store.hidden()
        if not hidden:
            return False
        return text in self._hidden(tuple(hidden)) or self.store.off_record().stays(f'"{text}"')

    def _hidden(self, seqs: tuple[int, ...]) -> frozenset[str]:
        """What was said off the record, piece by piece."""
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
        """Those that rest on nothing that was said off the record: nobody is asked about that."""
        if not self.store.hidden():
            return found
        return [one for one in found if not any(self.is_off_record(text) for text in words_of(one))]

    def exchange_on_record(self, exchange: Exchange) -> Exchange:
        """The same without the answers that were given off the record, and what was said about those."""
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
) -> Rehearsal:
    """Open the session at *root*.

    Raises:
        SessionNotFoundError, LedgerCorruptError
    """
    store = Store(root, kinds=KINDS, on_repair=on_repair)
    try:
        return Rehearsal(store, engine_of)
    except BaseException:
        store.close_files()
        raise


def read_seats(templates: Mapping[str, str], agents: tuple[str, ...]) -> dict[str, Seat]:
    """Every agent's persona, and every panelist's domain knowledge, as data.

    Raises:
        PersonaError: A template breaks its format.
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
