"""The summariser: reads what is new since its last run, and keeps the facts that stand on it.

A run claims a window with a record, asks the engine outside of the session's lock, and puts what
was found into the ledger with another; `facts` says why that loses nothing and doubles nothing,
wherever a process dies. Runs that were missed are made up by one run over all that they missed.
A run needs nothing of another: it may be made by any process, at any time, by hand or on a schedule.

Source: the seed of the summariser (002); DESIGN.md, section 9.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from orchestrator.core.errors import EngineError
from orchestrator.memory.derived import Made, derived_folder, locked
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.errors import reason_of
from orchestrator.memory.fact_grounding import AlikeByMeaning, sieved, verified
from orchestrator.memory.facts import FOLDER, WRITER, Claim, FactLog, write_fact_files
from orchestrator.panel.engines.protocol import FactsRequest, Request, ScribeRequest
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.fact import (
    SPEECH,
    SPOKEN,
    Fact,
    key_of,
)
from orchestrator.panel.records.memory import (
    BEGAN,
    FAILED,
    FactRun,
    FactsKept,
    GoalsKept,
)

log = logging.getLogger(__name__)
R = TypeVar("R")

MOST_KNOWN: Final = 200
"""Facts that the engine is told it need not find again, the latest; all of them are compared with."""

END_WAIT_S: Final = 30.0
"""How long the end of a session waits for a run of another process: about one engine call."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the summariser runs by itself. An interval is of session time, which a pause does not pass."""

    every_s: float | None = 300.0
    after_exchange: bool = True
    at_end: bool = True
    is_paid: bool = False
    """A model reads: questions alone are no reason to ask it. Run by hand, it is asked for facts alone."""

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

    def __init__(
        self, rehearsal: Rehearsal, schedule: Schedule = NEVER, embed: Embedder | None = None
    ) -> None:
        """*embed*: facts that are known are told by their meaning as well, and not by their words alone."""
        self.rehearsal = rehearsal
        self.schedule = schedule
        self._told = 0  # records that were passed over
        self._alike = AlikeByMeaning(embed) if embed is not None else None
        self._store = rehearsal.store
        self._facts = self._store.fold(FactLog, FactLog.take)
        root = self._store.root
        self._files = Made(self._store, f"{FOLDER}/", lambda: write_fact_files(root, self.facts))

    @property
    def facts(self) -> FactLog:
        """What the ledger says of facts, and what waits to be read for them."""
        return self._facts.now()

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
            if self.rehearsal.now_s() >= next_s:
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
            self._warn("the summariser failed (%s)", type(error).__name__)
            return None

    def run(self, why: str, *, wait_s: float = 0.0) -> Summary | None:
        """Read everything that is new up to now; None: another process is at it, also after *wait_s*.

        The files are made again where they are not what the ledger says. Call it outside of a
        transaction: the engine is asked while others may write.

        Raises:
            EngineError: The engine failed; what it did not read is still new.
            SessionFrozenError, SessionDegradedError, StoreWriteError
        """
        store = self._store
        upto = store.catch_up()
        if len(self.facts.passed_over) > self._told:
            self._told = len(self.facts.passed_over)
            last = self.facts.passed_over[-1]
            self._warn("record %s is in no shape of this release: no facts are taken from it", last)
        if self.facts.window(upto) is None and not self.facts.run:
            return Summary()
        if not (store.root / FOLDER).is_dir():  # whose lock is taken; without one the run goes on
            with store.transaction(), suppress(OSError), derived_folder(store.root, FOLDER):
                pass
        with locked(store.root, FOLDER, wait_s=wait_s) as is_alone:
            if not is_alone:
                return None
            upto = store.catch_up()
            done = Summary()
            try:
                while (claim := self._claim(why, upto)) is not None:
                    done = self._read(claim, done)
            finally:
                self._files.write()
        return done

    def _claim(self, why: str, upto: int) -> Claim | None:
        """Take the next window, so that nobody else reads it; None: nothing is new."""
        self._store.catch_up()
        if self.facts.window(upto) is None:
            return None
        with self._store.transaction() as tx:
            claim = self.facts.window(upto)
            if claim is not None:
                run = FactRun(BEGAN, claim.run, claim.from_seq, claim.to_seq, why)
                tx.note(run, by=WRITER)
        return claim

    def _is_open(self, claim: Claim) -> bool:
        """Whether the window is still this run's; else another process has taken it over."""
        return self.facts.open is not None and self.facts.open.run == claim.run

    def _read(self, claim: Claim, done: Summary) -> Summary:
        """Ask for the facts of a window, and put those that stand into the ledger."""
        before = len(self.facts.facts)
        known = tuple(fact.content for fact in self.facts.facts[-MOST_KNOWN:])
        try:
            drafts = self._replied(
                FactsRequest(claim.passages, known, self.rehearsal.scene().presenter_labels)
            )
        except EngineError as error:
            with self._store.transaction() as tx:
                if self._is_open(claim):
                    tx.note(FactRun(FAILED, claim.run, reason=reason_of(error)), by=WRITER)
            raise
        kept, skipped, refused = sieved(drafts, claim.passages, self.facts, self._alike)
        with self._store.transaction() as tx:
            if not self._is_open(claim):
                return done  # what the other process finds counts
            tx.note(FactsKept(claim.run, claim.to_seq, tuple(kept), skipped, refused), by=WRITER)
        found = (*done.facts, *self.facts.facts[before:])
        if self.schedule.is_paid or not self.rehearsal.has_model:
            self._remember(claim)
        return Summary(found, done.skipped + skipped, done.refused + refused, done.windows + 1)

    def _remember(self, claim: Claim) -> None:
        """Ask for goals, decisions and blockers of the same window; where that fails, none are kept."""
        labels = self.rehearsal.scene().presenter_labels
        own = [one for one in claim.passages if one.kind != SPEECH or one.speaker in labels]
        passages = tuple(one for one in own if one.kind in SPOKEN)  # what a panelist asked states nothing
        if not passages:
            return
        known = tuple(self.facts.remembered[-MOST_KNOWN:])
        try:
            said = self._replied(ScribeRequest(passages, known))
        except EngineError as error:
            self._warn("the Scribe's goals and decisions failed (%s)", type(error).__name__)
            return
        told = {key_of(text) for text in known}
        kept = tuple(
            one
            for one in verified(said, passages)
            if key_of(one.text) not in told and not self.facts.stays(f"{one.text}\n{one.quote}")
        )
        if kept:
            self._store.note(GoalsKept(claim.run, kept), by=WRITER)

    def _replied(self, request: Request[R]) -> R:
        """The engine's answer, whose cost stands in the ledger whatever came of it."""
        try:
            return ask(self.rehearsal.engine, request)
        finally:
            self.rehearsal.note_calls()

    def _warn(self, what: str, why: object) -> None:
        log.warning(f"%s: {what}", self._store.root.name, why)
