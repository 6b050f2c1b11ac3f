"""The summariser: reads what is new since its last run, and keeps the facts that stand on it.

A run claims a window with a record, asks the engine outside of the session's lock, and puts what
was found into the ledger with another; `fact_log` says why that loses nothing and doubles nothing,
wherever a process dies. Runs that were missed are made up by one run over all that they missed.
A run needs nothing of another: it may be made by any process, at any time, by hand or on a schedule.

Source: the seed of the summariser (002); DESIGN.md, section 9.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from orchestrator import files
from orchestrator.context import Context
from orchestrator.engines.protocol import Engine, FactsRequest, Request, Scene, ScribeRequest
from orchestrator.errors import (
    EngineError,
    SessionDegradedError,
    SessionFrozenError,
    SessionStateError,
    StoreError,
)
from orchestrator.memory.derived import derived_folder
from orchestrator.memory.derived import locked as alone
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.fact_alike import AlikeByMeaning
from orchestrator.memory.fact_files import FOLDER, write_fact_files
from orchestrator.memory.fact_log import WRITER, Claim, FactLog
from orchestrator.memory.fact_sieve import sieved
from orchestrator.memory.facts import Fact, FactDraft, key_of
from orchestrator.memory.guard import reason_of
from orchestrator.memory.statements import RECORD, spoken, verified
from orchestrator.persona import Seat
from orchestrator.store import Store
from orchestrator.values import to_json

log = logging.getLogger(__name__)
R = TypeVar("R")

MOST_KNOWN: Final = 200
"""Facts that the engine is told it need not find again, the latest; all of them are compared with."""

END_WAIT_S: Final = 30.0
"""How long the end of a session waits for a run of another process: about one engine call."""


class Sitting(Protocol):
    """The open session that is summarised: what the summariser needs of a `Rehearsal`."""

    @property
    def store(self) -> Store: ...
    @property
    def engine(self) -> Engine: ...
    @property
    def seats(self) -> Mapping[str, Seat]: ...
    def scene(self) -> Scene: ...
    def now_s(self) -> float: ...
    def context(self, agent: str, *, purpose: str, request: Request[Any] | None = None) -> Context: ...
    def note_calls(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the summariser runs by itself. An interval is of session time, which a pause does not pass."""

    every_s: float | None = 300.0
    after_exchange: bool = True
    at_end: bool = True
    is_paid: bool = (
        False  # a model reads: questions alone are no reason to ask it, and the Scribe's are asked too
    )

    @property
    def runs(self) -> bool:
        """Whether it asks for a run before the end."""
        return self.every_s is not None or self.after_exchange


NEVER: Final = Schedule(None, after_exchange=False, at_end=False)


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of a run."""

    facts: tuple[Fact, ...] = ()  # new ones
    skipped: int = 0  # were known
    refused: int = 0  # did not stand on what was said
    windows: int = 0  # engine calls


class Summariser:
    """One session's summariser in this process; all it knows is in the ledger."""

    def __init__(self, sitting: Sitting, schedule: Schedule = NEVER, embed: Embedder | None = None) -> None:
        """*embed*: facts that are known are told by their meaning as well, and not by their words alone."""
        self.sitting = sitting
        self.schedule = schedule
        self.facts = FactLog()
        self._told = 0  # records that were passed over
        self._alike = AlikeByMeaning(embed) if embed is not None else None
        sitting.store.subscribe(self.facts.take)

    def due(self) -> str | None:
        """Why a run is due now, by the schedule; None: none is.

        However many were missed, one is due, and it reads all that they missed.
        """
        known, schedule = self.facts, self.schedule
        if not (schedule.runs and self._has_something):
            return None
        if known.open is not None:
            return "made up"  # it was claimed and never read: that process died, or is at it now
        if schedule.after_exchange and known.exchanges:
            return "exchange"
        if schedule.every_s is not None:
            next_s = (known.ran_at_s // schedule.every_s + 1) * schedule.every_s
            if self.sitting.now_s() >= next_s:
                return "interval"
        return None

    @property
    def _has_something(self) -> bool:
        """Whether anything waits that is worth a run: of a model's, not questions alone."""
        return self.facts.has_speech if self.schedule.is_paid else bool(self.facts.waiting)

    def run_if_due(self) -> Summary | None:
        """Run if the schedule says so; a failure is a warning, and the next run makes up for it."""
        why = self.due()
        return self._run_quietly(why) if why is not None else None

    def run_at_end(self) -> Summary | None:
        """The last run of a session, before it is frozen; a failure is a warning."""
        if not self.schedule.at_end or (self.schedule.is_paid and not self._has_something):
            return None
        return self._run_quietly("end", wait_s=END_WAIT_S)

    def _run_quietly(self, why: str, *, wait_s: float = 0.0) -> Summary | None:
        try:
            return self.run(why, wait_s=wait_s)
        except EngineError as error:
            # Its reason stands in the ledger; what was said does not belong into a log.
            log.warning("%s: the summariser failed (%s)", self.sitting.store.root.name, type(error).__name__)
            return None

    def run(self, why: str, *, wait_s: float = 0.0) -> Summary | None:
        """Read everything that is new up to now; None: another process is at it, also after *wait_s*.

        Call it outside of a transaction: the engine is asked while others may write.

        Raises:
            EngineError: The engine failed; what it did not read is still new.
            SessionFrozenError, SessionDegradedError, StoreWriteError
        """
        store = self.sitting.store
        upto = store.catch_up()
        self._tell_passed_over()
        if self.facts.window(upto) is None and not self.facts.run:
            return Summary()
        self._make_folder()
        with alone(store.root, FOLDER, wait_s=wait_s) as is_alone:
            if not is_alone:
                return None
            upto = store.catch_up()
            done = Summary()
            try:
                while (claim := self._claim(why, upto)) is not None:
                    done = self._read(claim, done)
            finally:
                self._write_files()
        return done

    def heal(self) -> tuple[str, ...]:
        """Make the files again where they are not what the ledger says; returns those."""
        store = self.sitting.store
        with alone(store.root, FOLDER) as is_alone:
            return self._write_files() if is_alone else ()

    def _claim(self, why: str, upto: int) -> Claim | None:
        """Take the next window, so that nobody else reads it; None: nothing is new."""
        store = self.sitting.store
        store.catch_up()
        if self.facts.window(upto) is None:
            return None
        with store.transaction():
            claim = self.facts.window(upto)
            if claim is not None:
                store.note(
                    {
                        "type": "fact-run",
                        "state": "began",
                        "run": claim.run,
                        "from_seq": claim.from_seq,
                        "to_seq": claim.to_seq,
                        "why": why,
                    },
                    by=WRITER,
                )
        if claim is not None and (self.facts.open is None or self.facts.open.run != claim.run):
            raise SessionStateError("the summariser was run inside a transaction: run it when that has ended")
        return claim

    def _read(self, claim: Claim, done: Summary) -> Summary:
        """Ask for the facts of a window, and put those that stand into the ledger."""
        known = [fact.content for fact in self.facts.facts]
        request = FactsRequest(claim.passages, tuple(known[-MOST_KNOWN:]), self.sitting.scene().presenter)
        try:
            drafts = _asked(self.sitting, request)
        except EngineError as error:
            self._failed(claim, error)
            raise
        kept, skipped, refused = sieved(drafts, claim.passages, self.facts, self._alike)
        store = self.sitting.store
        before = len(self.facts.facts)
        with store.transaction():
            if self.facts.open is None or self.facts.open.run != claim.run:
                return done  # another process has taken the window over: what it finds counts
            value = {
                "type": "facts",
                "run": claim.run,
                "to_seq": claim.to_seq,
                "facts": to_json(kept),
                "skipped": skipped,
                "refused": refused,
            }
            store.note(value, by=WRITER)
        found = tuple(self.facts.facts[before:])
        if self.schedule.is_paid:
            self._remember(claim)
        return Summary(
            (*done.facts, *found), done.skipped + skipped, done.refused + refused, done.windows + 1
        )

    def _remember(self, claim: Claim) -> None:
        """Ask for goals, decisions and blockers of the same window; where that fails, none are kept."""
        passages = spoken(claim.passages, self.sitting.scene().presenter)
        if not passages:
            return
        known = tuple(self.facts.remembered[-MOST_KNOWN:])
        try:
            said = _replied(self.sitting, ScribeRequest(passages, known))
        except EngineError as error:
            name = self.sitting.store.root.name
            log.warning("%s: the Scribe's goals and decisions failed (%s)", name, type(error).__name__)
            return
        told = {key_of(text) for text in known}
        kept = [
            one
            for one in verified(said, passages)
            if key_of(one.text) not in told and not self.facts.stays(f"{one.text}\n{one.quote}")
        ]
        if kept:
            store = self.sitting.store
            with store.transaction():
                store.note({"type": RECORD, "run": claim.run, "items": to_json(kept)}, by=WRITER)

    def _failed(self, claim: Claim, error: EngineError) -> None:
        store = self.sitting.store
        with store.transaction():
            if self.facts.open is not None and self.facts.open.run == claim.run:
                value = {"type": "fact-run", "state": "failed", "run": claim.run, "reason": reason_of(error)}
                store.note(value, by=WRITER)

    def _make_folder(self) -> None:
        """The folder whose lock `alone` takes; where none can be made, the run goes on without.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError
        """
        store = self.sitting.store
        if not (store.root / FOLDER).is_dir():
            with store.transaction(), suppress(OSError), derived_folder(store.root, FOLDER):
                pass

    def _write_files(self) -> tuple[str, ...]:
        """Under the session's lock, so that nothing is written behind the back of an end elsewhere.

        A failure is a warning: the ledger has the facts, and the next run makes the files again.
        """
        store = self.sitting.store
        root = store.root
        with suppress(SessionFrozenError, SessionDegradedError, StoreError), store.transaction():
            try:
                return write_fact_files(root, self.facts) if self.facts.run else ()
            except OSError as error:
                log.warning("%s: %s/ could not be written (%s)", root.name, FOLDER, files.reason(error))
        return ()

    def _tell_passed_over(self) -> None:
        passed = self.facts.passed_over
        if len(passed) > self._told:
            self._told = len(passed)
            where = self.sitting.store.root.name
            log.warning(
                "%s: record %d is in no shape of this release: no facts are taken from it", where, passed[-1]
            )


def _asked(sitting: Sitting, request: FactsRequest) -> tuple[FactDraft, ...]:
    drafts = _replied(sitting, request)
    if not isinstance(drafts, tuple):
        raise EngineError(f"the {sitting.engine.name} engine gave no list of facts")
    return drafts


def _replied(sitting: Sitting, request: Request[R]) -> R:
    """The engine's answer, whose cost stands in the ledger whatever came of it."""
    try:
        return sitting.engine.reply(request, None)
    finally:
        sitting.note_calls()
