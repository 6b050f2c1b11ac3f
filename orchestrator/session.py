"""The public Session: start, open, write, feed, ask, answer, end, and all of it in one place.

Each method is a short door to the module that does the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from orchestrator import debrief as debriefs
from orchestrator.archive.freeze import freeze
from orchestrator.archive.register import archives_of
from orchestrator.context.assemble import Context, Receipt, receipt_of
from orchestrator.debrief.request import ask_for_debrief
from orchestrator.engines.catalogue import check_engine, close_engine, engine_named, notices_of
from orchestrator.engines.protocol import Engine
from orchestrator.errors import EngineError, ReceiptError, SessionFrozenError, SessionStateError, UsageError
from orchestrator.home.config import Config
from orchestrator.home.folder import Home, session_folder
from orchestrator.intel.bearing import held_against, intel_of
from orchestrator.intel.page import intel_page, intel_value
from orchestrator.intel.read import read_intel
from orchestrator.loop import moderator, recorded, refreshing
from orchestrator.loop.choosing import choose
from orchestrator.loop.driver import driving, state_of
from orchestrator.loop.news import WebIntel, search_intel
from orchestrator.loop.recorded import Loading
from orchestrator.loop.rehearsal import OFFLINE, Rehearsal, open_rehearsal
from orchestrator.loop.start import Given, Source, start_session
from orchestrator.loop.state import Options, Room
from orchestrator.memory.embedding import embedder
from orchestrator.memory.session_memory import Remembering
from orchestrator.memory.session_tools import SessionTools
from orchestrator.memory.summariser import NEVER, Schedule
from orchestrator.memory.watch import Watch
from orchestrator.model.claim import Tension
from orchestrator.model.exchange import Exchange, Judgement
from orchestrator.model.segment import Segment
from orchestrator.model.usage import total
from orchestrator.speech.answers import Answer
from orchestrator.speech.read import Recording
from orchestrator.speech.slides import estimate_slides
from orchestrator.store.files import FOLDER, replace_file
from orchestrator.store.store import Repair
from orchestrator.verify import Verification, verify_session

INTEL = "shared/external-intel.md"


class Session:
    """One rehearsal. Safe to use from several threads and processes; a context manager.

    A write that returned is on disk. Whoever opens the same session elsewhere sees it.
    """

    def __init__(self, rehearsal: Rehearsal, home: Home | None) -> None:
        self.rehearsal = rehearsal
        self.home = home
        self._own_engine: Engine | None = None  # made here, so closed here
        config = home.config if home is not None else Config(facts=False, trace=False)
        schedule = _schedule(config, rehearsal.options.engine)
        self._remembering = _remembering(home)
        rehearsal.tooling = self._remembering.tools(rehearsal)
        self.watch = Watch(rehearsal, schedule, traces=config.trace, embed=self._remembering.embed)
        self._receipts: dict[str, int] = {}
        self._receipts_upto = 0

    @classmethod
    def start(
        cls,
        home: Home,
        deck: str | Path | None = None,
        *,
        deck_text: str | None = None,
        engine: str | Engine | None = None,
        loading: Loading | None = None,
        say: Callable[[str], None] = lambda line: None,
        **options: Any,
    ) -> Session:
        """Begin a session on a deck file, or on Markdown given as *deck_text*.

        An engine that is given by name is checked before anything is made, and closed with the session.

        Args:
            home: Where templates are taken from and the session is put.
            engine: A name, or an engine of your own (then it is yours to give again at `open`).
            loading: A recording to be played. It is in the session from its first moment, so
                `resume` goes on with it whatever happens; `load` takes one in later.
            say: Told in one line when the session's budget is nearly used up, and when it is.
            **options: The fields of `start.Given`: id, presenter, panel, date, intensity, mode,
                minutes, exchanges, focus, intel, board, kind, speaker, layout, remember, keep_source.

        Raises:
            DeckError: The deck cannot be read; nothing is left behind.
            EngineError: The engine cannot work: key missing, key refused, model unknown.
            UsageError, ConfigurationError, SessionExistsError, HomeError, PersonaError
        """
        known = set(Given.__dataclass_fields__) - {"engine"}
        if unknown := set(options) - known:
            raise TypeError(
                f"Session.start has no option {sorted(unknown)[0]!r}; it has {', '.join(sorted(known))}"
            )
        given = Given(**{name: _plain_option(name, value) for name, value in options.items()})
        own: Engine | None = None
        if isinstance(engine, str) or engine is None:
            given = replace(given, engine=engine)
            own = engine_named(engine or home.config.engine, home.config, layout=given.layout, say=say)
        else:
            given = replace(given, engine=engine.name)
        used = own if own is not None else cast(Engine, engine)

        def load(rehearsal: Rehearsal) -> None:
            if loading is not None:
                recorded.begin(rehearsal, loading)

        remembering = _remembering(home)
        try:
            source = read_source(deck, deck_text)
            if own is not None:
                check_engine(own)
            tooling = SessionTools(None, None, given.presenter or "")
            root = start_session(
                home, source, given, used, carry=remembering.take, tooling=tooling, then=load
            )
            session = cls.open(home, root, engine=used)
        except BaseException:
            if own is not None:
                close_engine(own)
            raise
        session._own_engine = own
        session._remembering = remembering
        session.watch.embed = remembering.embed
        remembering.begun(session.rehearsal)
        return session

    @classmethod
    def open(
        cls,
        home: Home | None,
        session: str | Path,
        *,
        engine: Engine | None = None,
        on_repair: Callable[[Repair], None] | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> Session:
        """Open a session by id, unique prefix, `last`, or path.

        Reads only; what an unclean end left is mended at the first write. The engine is made when it
        is first needed, and nothing is asked of it before.

        Args:
            say: As at `start`.

        Raises:
            SessionNotFoundError, LedgerCorruptError
        """
        if isinstance(session, Path):
            root = session_folder(session)
        elif home is None:
            raise UsageError("a session is found by its id in a home: give the home, or a path")
        else:
            root = home.find(session)

        def engine_of(options: Options) -> Engine:
            if engine is not None:
                return engine
            config = home.config if home is not None else None
            spent = total(opened.room.calls)
            made = engine_named(options.engine, config, layout=options.layout, spent=spent, say=say)
            opened._own_engine = made
            return made

        opened = cls(open_rehearsal(root, engine_of, on_repair=on_repair), home)
        return opened

    def check_engine(self) -> None:
        """Find out now whether the session's engine can work.

        Raises:
            EngineError: Key missing, key refused, model unknown, or nobody there; one line says what to do.
        """
        check_engine(self.rehearsal.engine)

    @property
    def notices(self) -> list[str]:
        """What the user should know of how the engine is set up, a line each."""
        return notices_of(self.rehearsal.engine)

    # ------------------------------------------------------------------ what it is

    @property
    def id(self) -> str:
        return self.rehearsal.options.id

    @property
    def path(self) -> Path:
        """The session's folder."""
        return self.rehearsal.store.root

    @property
    def room(self) -> Room:
        """The rehearsal as typed values, as of now."""
        self.rehearsal.store.catch_up()
        return self.rehearsal.room

    @property
    def state(self) -> str:
        """active, interrupted, closing, ended or degraded."""
        self.rehearsal.store.catch_up()
        return state_of(self.rehearsal)

    @property
    def ledger_head(self) -> str:
        """The last record's hash. Kept elsewhere, it shows whether the session was rolled back."""
        self.rehearsal.store.catch_up()
        return self.rehearsal.store.head

    # ------------------------------------------------------------------ files

    def append(self, path: str, text: str, *, by: str) -> int:
        """Add to an append-only file; see `Store.append`."""
        return self.rehearsal.store.append(path, text, by=by)

    def write(self, path: str, text: str, *, by: str) -> int:
        """Write a whole file, by its class once, a few times or always; see `Store.write`."""
        return self.rehearsal.store.write(path, text, by=by)

    def read(self, path: str) -> str:
        """A session file's text as the ledger has it; "" where it has not been written."""
        self.rehearsal.store.catch_up()
        return self.rehearsal.store.content(path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the session's lock over several reads and writes, which count all or none.

        They are durable when the block ends; an exception that leaves it undoes them.
        """
        with self.rehearsal.store.transaction():
            yield

    # ------------------------------------------------------------------ contexts

    def context(self, agent: str, *, purpose: str = "context") -> Context:
        """What *agent* is given now; recorded as a receipt unless the session has ended.

        Raises:
            UsageError: *agent* has no seat.
        """
        return self.rehearsal.context(agent, purpose=purpose)

    def context_at(self, receipt: str | int | Receipt, agent: str | None = None) -> Context:
        """A context as it was: by its receipt or receipt's id, or *agent*'s as of a record's number.

        Raises:
            ReceiptError: There is no such receipt or record, or a file is not what the receipt says.
        """
        if isinstance(receipt, Receipt):
            return self.rehearsal.assembler.rebuild(receipt)
        if isinstance(receipt, int):
            if agent is None:
                raise UsageError("a context as of a record needs the agent's name")
            return self.rehearsal.assembler.as_of(agent, receipt)
        found = self.receipt(receipt)
        if agent is not None and agent != found.agent:
            raise ReceiptError(f"receipt {receipt} is of {found.agent}, not of {agent}")
        return self.rehearsal.assembler.rebuild(found)

    def receipt(self, receipt_id: str) -> Receipt:
        """A receipt by its id.

        Raises:
            ReceiptError: There is none.
        """
        store = self.rehearsal.store
        for waiting_id, value in store.waiting_receipts:
            if waiting_id == receipt_id:
                return receipt_of(value)
        seq = self._receipt_seqs().get(receipt_id)
        if seq is None:
            raise ReceiptError(
                f"there is no receipt {receipt_id!r} in {self.id}: see `greenroom show {self.id}`"
            )
        return receipt_of(store.record(seq).value or {})

    def _receipt_seqs(self) -> Mapping[str, int]:
        store = self.rehearsal.store
        store.catch_up()
        for entry in store.entries():
            if entry.seq > self._receipts_upto and entry.op == "receipt":
                value = store.record(entry.seq).value or {}
                self._receipts.setdefault(value["id"], entry.seq)
        self._receipts_upto = store.seq
        return self._receipts

    def receipts(self) -> list[Receipt]:
        """Every receipt on disk, in order."""
        return [
            receipt_of(self.rehearsal.store.record(seq).value or {}) for seq in self._receipt_seqs().values()
        ]

    # ------------------------------------------------------------------ speech and slides

    def load(
        self,
        recording: Recording,
        *,
        kind: str,
        answers: Sequence[Answer] = (),
        archive: str | None = None,
        typed: bool = False,
    ) -> None:
        """Take a recording in, whole: it can then be played, and go on after any interruption.

        Raises:
            UsageError: The speaker that was named does not speak in it.
            SpeechError: It names slides that the deck does not have.
        """
        self.rehearsal.store.catch_up()
        recorded.begin(self.rehearsal, Loading(recording, kind, tuple(answers), archive, typed))

    @property
    def is_to_be_archived(self) -> bool:
        """Whether this is a run that has ended and is in no archive yet."""
        room = self.room
        if not room.ended or self.home is None or room.playback is None or room.playback.kind != "run":
            return False
        return not archives_of(self.home, self.id)

    def add_recording(self, recording: Recording) -> None:
        """Append a recording's segments as they are, while another process drives the session."""
        for segment in estimate_slides(recording.segments, self.rehearsal.scene().deck):
            with self.transaction():
                if segment.slide is not None and segment.slide != self.room.slide:
                    self.slide(segment.slide)
                self.add_segment(segment)

    def play(
        self,
        *,
        stop: Callable[[], bool] = lambda: False,
        wait_until: Callable[[float], None] | None = None,
        on_step: Callable[[Rehearsal], None] | None = None,
        prompt: Callable[[Exchange], str | None] | None = None,
    ) -> bool:
        """Play the loaded recording from where it stands, driving the session; False if *stop* cut it short.

        Raises:
            DriverBusyError: Another process drives the session.
        """
        room = self.room
        if room.playback is None:
            return True
        finished = True

        def after(rehearsal: Rehearsal) -> None:
            self.watch.after_step()
            if on_step is not None:
                on_step(rehearsal)

        with driving(self.rehearsal, room.playback.kind) as driven:
            finished = recorded.play(
                self.rehearsal, stop=stop, wait_until=wait_until, on_step=after, prompt=prompt
            )
            if not finished:
                driven.cut_short()
        return finished

    @property
    def has_more_to_play(self) -> bool:
        """Whether a recording was cut off before its end."""
        room = self.room
        if room.playback is None or room.ended:
            return False
        return room.playback.kind == "run" or room.played < len(room.playback.segments)

    def run_clock(self) -> None:
        """Let the session clock run with the wall clock."""
        self._set_clock(live=True)

    def pause(self) -> None:
        """Stop the session clock."""
        self._set_clock(live=False)

    def _set_clock(self, *, live: bool) -> None:
        store = self.rehearsal.store
        with store.transaction():
            store.note({"type": "clock", "at_s": store.now_s(), "live": live}, by="moderator")

    def settle(self) -> None:
        """Write the closing record that a driver which died did not write."""
        self.rehearsal.store.note({"type": "driver", "state": "stopped", "what": "resume"}, by="moderator")

    def add_intel(self, paths: Sequence[Path]) -> tuple[int, int]:
        """A new revision of external-intel; returns its number and how many there may be.

        What was known stays; a file given again by the same name takes the place of what it said.

        Raises:
            InputError: A file cannot be read or breaks its shape.
            RevisionLimitError: There have been too many.
        """
        reported = read_intel(paths)
        store = self.rehearsal.store
        most = store.max_revisions(store.layout.file(INTEL))
        held = held_against(self.rehearsal.engine, reported, self.rehearsal.scene().deck)
        self.rehearsal.note_calls()
        with store.transaction():
            room = self.room
            before = replace(room.intel, revision=store.state(INTEL).revisions)
            intel = intel_of(held, reported, self.rehearsal.scene().deck, room.deck_claims, before=before)
            return store.write(INTEL, intel_page(intel, most), by="intel", value=intel_value(intel)), most

    def search_intel(self, *, without: Sequence[str] = ()) -> WebIntel:
        """A new revision of external-intel from the web, where the engine can search it.

        Claims are searched for by their subjects: no query holds a name of the presenter or the company.

        Args:
            without: Further words that no query may hold.

        Raises:
            EngineError: The engine has no web search, or it failed; one line that says to give files.
            RevisionLimitError: There have been too many; nothing was searched for.
        """
        return search_intel(self.rehearsal, without)

    def add_segment(self, segment: Segment) -> None:
        """Put one piece of speech into the transcript."""
        recorded.add_segment(self.rehearsal, segment)

    def slide(self, number: int) -> None:
        """The presenter moved to slide *number*.

        Raises:
            UsageError: The deck has no such slide.
        """
        self._check_going_on()
        deck = self.rehearsal.scene().deck
        if number not in {slide.number for slide in deck.slides}:
            raise UsageError(f"there is no slide {number}: the deck has 1 to {len(deck.slides)}")
        recorded.change_slide(self.rehearsal, number, at_s=self.rehearsal.now_s(), estimated=False)

    def _check_going_on(self) -> None:
        if self.room.ended:
            raise SessionFrozenError(f"{self.id} has ended and is frozen: start a new session")

    # ------------------------------------------------------------------ the panel

    def ask(self, agent: str | None = None, *, parked: bool = False) -> Exchange | None:
        """The moderator calls on a panelist, or on *agent*; None if nobody has a question.

        A parked question is put again where *parked* asks for it, or where nobody has another.

        Raises:
            SessionStateError: A question is open already.
            UsageError: *agent* has no seat, or is the moderator.
            EngineError: Nobody has one because the engine failed.
        """
        if agent is not None and agent not in self.rehearsal.options.panel:
            raise UsageError(
                f"{agent!r} is no panelist here: call on one of {', '.join(self.rehearsal.options.panel)}"
            )
        self._check_going_on()
        room = self.room
        if room.open is not None:
            raise SessionStateError(f"{room.open.id} is still open: answer it or park it first")
        if parked:
            return moderator.come_back_to_parked(self.rehearsal, agent)
        refreshing.refresh(self.rehearsal, "ask")
        choice = choose(self.rehearsal, agent)
        if choice is not None:
            return moderator.open_exchange(self.rehearsal, choice)
        parked_one = moderator.come_back_to_parked(self.rehearsal, agent)
        why = next((why for seat, why in room.failed.items() if agent in (None, seat)), None)
        if parked_one is None and why is not None:
            raise EngineError(f"nobody has a question that may be asked: {why}")
        return parked_one

    def answer(self, text: str | None) -> Judgement:
        """The presenter's answer to the open question, judged; None: there was no answer.

        An answer that asks to come back to the question parks it: the judgement is then
        `unjudged`, with the words that ask for it, and is not part of the exchange.

        Raises:
            SessionStateError: No question is open.
        """
        self._check_going_on()
        exchange = moderator.still_open(self.rehearsal)
        if exchange.turns[-1].answer is None:
            moderator.take_answer(self.rehearsal, text)
            last = self.room.exchanges[-1] if self.room.exchanges else None
            if last is not None and last.id == exchange.id and last.outcome == "parked":
                return Judgement("unjudged", last.turns[-1].reason or "parked", last.turns[-1].quote)
        judgement = moderator.judge(self.rehearsal)
        self.watch.after_step()
        return judgement

    def park(self) -> Exchange:
        """Come back to the open question later."""
        self._check_going_on()
        return moderator.park(self.rehearsal)

    # ------------------------------------------------------------------ the end

    def end(self, *, without_debrief: bool = False) -> str:
        """Write the debrief and freeze the session; returns the ledger's head, to be kept elsewhere.

        Raises:
            SessionFrozenError: It has ended already.
        """
        store, rehearsal = self.rehearsal.store, self.rehearsal
        with store.transaction():
            open_ = rehearsal.room.open
            if open_ is not None:
                answered = open_.turns[-1].verdict is not None or len(open_.turns) > 1
                outcome = "unresolved" if answered else "unjudged"
                moderator.resolve(rehearsal, open_, outcome, is_ending=True)
            moderator.close(rehearsal)
        self.watch.before_end()
        self._remembering.end(rehearsal)
        if not without_debrief:
            ask_for_debrief(rehearsal)
        store.mend()
        if not without_debrief:
            self._write_debrief()
        self.watch.snapshot()
        templates = self.home.templates if self.home is not None else None
        freeze(store, templates, immutable=self.home.config.immutable if self.home is not None else False)
        return store.head

    def _tensions(self) -> Sequence[Tension] | None:
        """What contradicts what; None where nobody looked."""
        return self.room.tensions if self.room.is_checked else None

    def _write_debrief(self) -> None:
        debrief = debriefs.debrief_of(self.rehearsal, self._tensions())
        fd = os.open(self.path, FOLDER)
        try:
            replace_file(fd, "debrief.md", debriefs.as_markdown(debrief).encode())
            replace_file(fd, "debrief.json", debriefs.json_text(debrief).encode())
        finally:
            os.close(fd)

    def debrief(self) -> debriefs.Debrief:
        """The debrief as it stands."""
        self.rehearsal.store.catch_up()
        return debriefs.debrief_of(self.rehearsal, self._tensions())

    def verify(self) -> Verification:
        """Whether every rule was kept by every write, and every file is what the ledger says."""
        if not self.rehearsal.store.frozen:
            self.rehearsal.store.flush()
        return verify_session(
            self.path, home_templates=self.home.templates if self.home is not None else None
        )

    def repair(self) -> tuple[Repair, ...]:
        """Mend what an unclean end left: a torn last record, views that are behind."""
        store = self.rehearsal.store
        store.undegrade()
        with store.transaction():
            pass
        return tuple(store.repairs)

    def close(self) -> None:
        """Write waiting receipts, close the files, and the engine if it was made here. Twice is no error."""
        try:
            self.rehearsal.store.close()
        finally:
            if self._own_engine is not None:
                close_engine(self._own_engine)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _schedule(config: Config, engine: str) -> Schedule:
    """Without a model facts cost nothing; one is paid for each run, so an exchange alone is no reason."""
    if not config.facts:
        return NEVER
    is_free = engine == OFFLINE
    return Schedule(every_s=float(config.facts_every_s), after_exchange=is_free, is_paid=not is_free)


def _remembering(home: Home | None) -> Remembering:
    if home is None:
        return Remembering(None)
    config = home.config
    key = os.environ.get("GREENROOM_EMBEDDINGS_KEY")
    embed = embedder(config.embeddings, model=config.embeddings_model, key=key)
    return Remembering(home.root if config.memory else None, embed=embed)


def _plain_option(name: str, value: Any) -> Any:
    """Lists and single strings as the tuples that `Given` holds."""
    if name in ("panel", "focus", "intel") and value is not None:
        items = value.split(",") if isinstance(value, str) and name == "panel" else value
        items = [items] if isinstance(items, str | Path) else items
        return tuple(Path(item) if name == "intel" else item for item in items)
    return Path(value) if name == "board" and isinstance(value, str) else value


def read_source(deck: str | Path | None, deck_text: str | None) -> Source:
    """The deck to start with.

    Raises:
        DeckError: It cannot be read.
    """
    from orchestrator.deck.read import read_deck, read_deck_text

    if (deck is None) == (deck_text is None):
        raise TypeError("give either a deck file or deck_text")
    if deck_text is not None:
        return Source(read_deck_text(deck_text))
    path = Path(deck) if deck is not None else Path()
    return Source(read_deck(path), path)
