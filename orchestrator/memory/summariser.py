"""The summariser: reads what is new since its last run, and stores the facts that the records support.

A run claims a window with a record, asks the engine outside of the session's lock, and writes what it found
into the ledger with another record. The module `facts` explains why that loses nothing and doubles nothing,
wherever a process dies. One run makes up for all runs that were missed. A run depends on no other run: any
process may start it, at any time, by hand or on a schedule.

Source: the seed of the summariser (002); DESIGN.md, section 9.
"""

from __future__ import annotations

import logging
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, TypeVar

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import figures, found_in
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.claims.sentences import sentences
from orchestrator.memory.embedding import Embedder, similarity
from orchestrator.memory.english import english, is_negated, large, stems
from orchestrator.memory.facts import (
    FOLDER,
    WRITER,
    Claim,
    FactLog,
    Made,
    derived_folder,
    is_sound,
    locked,
    write_fact_files,
)
from orchestrator.memory.model import EmbeddingError, reason_of
from orchestrator.memory.scribe import DECISION, KINDS
from orchestrator.panel.engines.protocol import FactsRequest, Request, ScribeRequest
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.reply import SPEECH, SPOKEN, Fact, FactDraft, Passage, Remembered, key_of
from orchestrator.panel.records.memory import BEGAN, FAILED, FactRun, FactsKept, GoalsKept, Kept

# ---------------------------------------------------------------------- fact grounding
# Which facts are kept of those that rules or a model propose: the ones that stand, and are new.
#
# The quote must stand in the passage, word for word, and the content must hold no figure and no name that
# the passage does not have, hardly a word of another matter, and no "not" too many or too few. That stops
# inventions with a true quote beside them; it does not understand. In doubt a fact is refused: better to
# miss one than to make one up. Goals, decisions and blockers that a model reads for the Scribe are
# grounded in the same way.
#
# A fact is known by its letters and digits, and where the home has embeddings on, by its meaning. Vectors
# tell what a sentence is about, and hardly what it says of it: with a small model "churn fell in the
# second quarter" lies closer to "in the third quarter" than to most of its own paraphrases. So only facts
# are compared that agree in all that can be read: figures, times, order, names, and a "not". And two
# sentences of which one has other words in the very places of the other's are told apart by those words.
# In doubt both are kept: a fact twice does less harm than a fact that is missing.


_MIN_LETTERS: Final = 6
"""Minimum number of letters and digits of a quote: a shorter one occurs anywhere, and says nothing."""

_WORDS = re.compile(r"[\w’'-]+")
_MIN_SHARED: Final = 0.5
"""Share of the content's telling words that the passage must contain. Plain language may reword half of them;
a content made of other words is about another matter."""
AS_GOOD_AS_SAME: Final = 0.9
"""Cosine above which two sentences that agree count as one fact. Our own measure, on the careful side."""
MAX_READ: Final = 1_000
"""Number of facts whose figures, times and names are cached: those of several sessions."""

_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+")
"""Matches letters and digits in one word: Q3, FY2027, 3rd, T4."""


def sieved(
    drafts: Sequence[FactDraft],
    passages: Sequence[Passage],
    log: FactLog,
    alike: Callable[[str, Sequence[str]], bool] | None,
) -> tuple[list[FactDraft], int, int]:
    """Return the drafts to store, the number of those that *log* already has, and the number refused.

    Args:
        alike: Returns whether a fact says the same as one of the known facts of its type, in other words. If
            it is None, only facts with the same words count as the same.
    """
    by_seq = {passage.seq: passage for passage in passages}
    known: dict[str, list[str]] = {}
    for old in log.facts:
        known.setdefault(old.type, []).append(old.content)
    keys, kept, skipped, refused = set(log.keys), list[FactDraft](), 0, 0
    for draft in drafts:
        passage = by_seq.get(draft.source)
        fact = grounded(draft, passage) if passage is not None else None
        if fact is None or log.stays(f"{fact.content}\n{fact.quote}"):
            refused += 1
            continue
        same_type = known.setdefault(fact.type, [])
        if key_of(fact.content) in keys or (alike is not None and alike(fact.content, same_type)):
            skipped += 1
            continue
        kept.append(fact)
        keys.add(key_of(fact.content))
        same_type.append(fact.content)
    return kept, skipped, refused


def verified(said: Sequence[Remembered], passages: Sequence[Passage]) -> Iterator[Kept]:
    """Yield those of a model's goals, decisions and blockers that the passages given to it support."""
    by_seq = {passage.seq: passage for passage in passages}
    for one in said:
        passage = by_seq.get(one.seq)
        kind = next((kind for kind in KINDS if kind == one.kind), None)
        if passage is None or kind is None:
            continue
        draft = grounded(FactDraft(DECISION, one.text, "high", one.seq, one.quote), passage)
        if draft is not None:
            who = (passage.speaker, passage.exchange)
            yield Kept(kind, draft.content, draft.quote, one.seq, *who)


def grounded(draft: FactDraft, passage: Passage) -> FactDraft | None:
    """Return *draft* with the passage's own words as its quote, or None if they do not support it."""
    content = one_line(draft.content)
    quote = _standing_in(draft.quote, passage.text)
    is_seen = content == " ".join(draft.content.split())  # a fact with characters that no reader sees is none
    if quote is None or "\n" in quote or draft.source != passage.seq or not is_seen:  # or of two questions
        return None
    fact = replace(draft, content=content, quote=quote)
    if not is_sound(fact):
        return None
    if draft.type == "number" and not (figures(quote) or numbers_in(quote)):
        return None
    if content not in passage.text and not _says_the_same(content, quote, passage):
        return None
    if draft.type != "open_thread" and _sentence_around(quote, passage.text).rstrip("\"'”’)").endswith("?"):
        return None  # a question states nothing
    return fact


def _standing_in(quote: str, text: str) -> str | None:
    """Return the part of *text* that *quote* matches letter by letter, or None if there is none."""
    found = found_in(quote, text)
    letters = [char for char in quote if char.isalnum()]
    if found is None or len(letters) < _MIN_LETTERS:
        return None
    return found if letters == [char for char in found if char.isalnum()] else None


def _says_the_same(content: str, quote: str, passage: Passage) -> bool:
    """Return whether content and quote agree in what words show: figures, names, negation and subject."""
    said = " ".join([passage.text, passage.speaker or "", passage.exchange or ""])
    if not figures(content) <= figures(said):
        return False
    if not large(content) <= {word.casefold() for word in _WORDS.findall(said)}:
        return False
    around = _sentence_around(quote, passage.text)
    if is_negated(content) != is_negated(around):
        return False
    telling, there = stems(content), stems(passage.text)
    if not telling:
        return quote in content  # "Parked: How many?"
    return len(telling & there) >= _MIN_SHARED * len(telling)


def _sentence_around(quote: str, text: str) -> str:
    """Return the sentences of *text* in which *quote* lies, or *quote* itself if it is in none."""
    start = text.find(quote)
    end = start + len(quote)
    return " ".join(text[a:b] for a, b in sentences(text) if a < end and start < b) or quote


@dataclass(frozen=True, slots=True)
class Reading:
    """The parts of a sentence that must be equal, and its words."""

    words: tuple[str, ...]
    exact: tuple[object, ...]  # figures, quantities, times, order and codes, and whether there is a "not"
    names: frozenset[str]

    def agrees_with(self, other: Reading) -> bool:
        """Return whether the two sentences differ in no part that code can read."""
        return (
            self.exact == other.exact
            and self.names <= frozenset(other.words)
            and other.names <= frozenset(self.words)
            and not _in_the_same_places(self.words, other.words)
        )


@dataclass(slots=True)
class AlikeByMeaning:
    """A comparison of a new fact with the known facts of its type, by meaning."""

    embed: Embedder
    _vectors: dict[str, array[float]] = field(default_factory=dict)

    def __call__(self, content: str, known: Sequence[str]) -> bool:
        """Return whether one of *known* says the same as *content*; False if no vectors can be made."""
        own = _read(content)
        others = [one for one in known if own.agrees_with(_read(one))]
        if not others:
            return False
        missing = [one for one in (content, *others) if one not in self._vectors]
        try:
            if missing:
                self._vectors.update(zip(missing, self.embed.embed(missing), strict=True))
        except EmbeddingError:
            return False
        vector = self._vectors[content]
        return any(similarity(vector, self._vectors[one]) >= AS_GOOD_AS_SAME for one in others)


@lru_cache(maxsize=MAX_READ)
def _read(content: str) -> Reading:
    """Read the parts of a sentence that must be equal in another one, as far as code can read them."""
    words = tuple(word.casefold() for word in _WORDS.findall(content))
    exact = (
        frozenset(figures(content)),
        frozenset((one.value, one.unit) for one in numbers_in(content)),
        frozenset((one.first, one.last) for one in dates_in(content)),
        frozenset(words) & english("order"),
        frozenset(code.casefold() for code in _CODE.findall(content)),
        is_negated(content),
    )
    return Reading(words, exact, large(content))


def _in_the_same_places(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether both are one sentence with some words replaced: "gross margin", "net margin"."""
    if len(one) != len(other):
        return False
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return any(step[0] != "equal" for step in steps) and all(
        kind == "equal" or (kind == "replace" and to - start == end - begin)
        for kind, start, to, begin, end in steps
    )


# ---------------------------------------------------------------------- summariser


log = logging.getLogger(__name__)
R = TypeVar("R")

MAX_KNOWN: Final = 200
"""Maximum number of facts that the engine is told not to find again, the latest; a new fact is compared with
all."""

END_WAIT_S: Final = 30.0
"""Seconds that the end of a session waits for a run of another process: about one engine call."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the summariser runs by itself. Intervals are in session time, which stops during a pause."""

    every_s: float | None = 300.0
    after_exchange: bool = True
    at_end: bool = True
    is_paid: bool = False
    """Whether a model reads, which costs money. If so, questions alone are no reason to run, and a run that
    is started by hand asks for facts alone."""

    @property
    def runs(self) -> bool:
        """Whether the schedule has any runs before the end of the session."""
        return self.every_s is not None or self.after_exchange


NEVER: Final = Schedule(None, after_exchange=False, at_end=False)


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a run of the summariser."""

    facts: tuple[Fact, ...] = ()  # new ones
    skipped: int = 0  # were known
    refused: int = 0  # did not stand on what was said
    windows: int = 0  # engine calls


class Summariser:
    """The summariser of one session in this process; everything that it knows is in the ledger."""

    def __init__(
        self, rehearsal: OpenRehearsal, schedule: Schedule = NEVER, embed: Embedder | None = None
    ) -> None:
        """Set up; with *embed*, known facts are recognised by meaning and not only by their words."""
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
        """The facts in the ledger, and the passages that still have to be read for facts."""
        return self._facts.now()

    def due(self) -> str | None:
        """Return why a run is due now by the schedule, or None if none is due.

        However many runs were missed, only one is due; it reads everything that they would have read.
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
        """Whether anything waits that is worth a run; for a model, questions alone are not."""
        return self.facts.has_speech if self.schedule.is_paid else bool(self.facts.waiting)

    def run_if_due(self) -> Summary | None:
        """Run if the schedule says so; a failure is a warning, and the next run makes up for it."""
        why = self.due()
        return self._run_quietly(why) if why is not None else None

    def run_at_end(self) -> Summary | None:
        """Run a last time before the session is frozen; a failure is a warning."""
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
        """Read everything that is new; return None if another process is still reading it after *wait_s*.

        Files that do not match the ledger are made again. Call it outside of a transaction, so that others
        can write while the engine is asked.

        Raises:
            EngineError: The engine failed; what it did not read still counts as new.
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
        """Claim the next window, so that nobody else reads it; return None if nothing is new."""
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
        """Return whether *claim* is still this run's, and was not taken over by another process."""
        return self.facts.open is not None and self.facts.open.run == claim.run

    def _read(self, claim: Claim, done: Summary) -> Summary:
        """Ask the engine for a window's facts, and write those that its records support into the ledger."""
        before = len(self.facts.facts)
        known = tuple(fact.content for fact in self.facts.facts[-MAX_KNOWN:])
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
        """Ask the engine for a window's goals, decisions and blockers; if that fails, none are stored."""
        labels = self.rehearsal.scene().presenter_labels
        own = [one for one in claim.passages if one.kind != SPEECH or one.speaker in labels]
        passages = tuple(one for one in own if one.kind in SPOKEN)  # what a panelist asked states nothing
        if not passages:
            return
        known = tuple(self.facts.remembered[-MAX_KNOWN:])
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
        """Return the engine's answer to *request*; record the cost in the ledger even if the engine fails."""
        try:
            return ask(self.rehearsal.engine, request)
        finally:
            self.rehearsal.note_calls()

    def _warn(self, what: str, why: object) -> None:
        log.warning(f"%s: {what}", self._store.root.name, why)
