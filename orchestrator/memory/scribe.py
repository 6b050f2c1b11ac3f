"""The Scribe: watches a session's ledger and keeps what the next turn has to know of it.

A pure fold over records, like the projection: whoever folds the same records gets the same context. It
writes nothing, asks nobody and decides nothing; a rehearsal runs as well without it. Its size is
bounded whatever the session's length, and every record costs the same.

Source: the seed of the Scribe (000); DESIGN.md, section 9.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.masking import masked
from orchestrator.core.privacy.off_record import is_marked
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.store.store import Store
from orchestrator.memory.english import names
from orchestrator.memory.past_sessions import standing
from orchestrator.memory.session_context import (
    BLOCKER,
    DECISION,
    GOAL,
    KINDS,
    LEFT_OUT,
    MAX_CONTENT_BYTES,
    MAX_FIELD_BYTES,
    Course,
    Noted,
    SessionContext,
    SessionEntry,
    cut,
)
from orchestrator.memory.whole_sentences import Joining, Sentence
from orchestrator.panel.model.exchange import (
    PARTLY,
    Exchange,
    Persons,
    PersonVerdict,
)
from orchestrator.panel.records import kinds
from orchestrator.panel.records.corrections import Corrected
from orchestrator.panel.records.exchanges import (
    AnswerJudged,
    ExchangeClosed,
    ExchangeOpened,
    VerdictGiven,
)
from orchestrator.panel.records.kinds import PanelRecord
from orchestrator.panel.records.memory import GoalsKept
from orchestrator.panel.records.options import UNNAMED
from orchestrator.panel.records.speech import (
    AnswerGiven,
    AnswerHeard,
    SlideShown,
    SpeechHeard,
)
from orchestrator.panel.records.start import DeckRead, SessionStarted, SpeakerFound
from orchestrator.panel.records.taken_back import withdrawn_by
from orchestrator.panel.records.tellers import entry_of, is_spoken, known_value
from orchestrator.panel.records.telling import (
    AGENT,
    USER,
    Entry,
    is_speech,
)
from orchestrator.panel.records.turns import by_answer, that_stand, with_persons
from orchestrator.panel.render import SILENT

MAX_RECENT: Final = 10
COMPRESS_PAST: Final = 20
"""Both are the seed's: `max_recent_entries` and `summarize_threshold`."""
MAX_NOTED: Final = 30
"""Of goals, decisions, blockers and open questions each; the oldest make room, and are counted."""
MAX_NOTED_BYTES: Final = 300
MAX_ENTITIES: Final = 30
"""Of names; the one that was named least often, and longest ago, makes room. Like the two before it our
own limit: more than one rehearsal gives, and together far below `MAX_CONTEXT_BYTES`."""
MAX_CONTEXT_BYTES: Final = 96 * 1024
"""What a context's JSON takes at most, whatever was said; a usual one takes a tenth of it."""
MAX_SAID: Final = 5
"""More than a "previously on" tells of a session that is over."""
MAX_SPOKEN_CHARS: Final = 20_000
"""Of one record that is searched: two hours of speech come in thousands of records."""

OPEN: Final = "open"
_ENDS_A_SENTENCE: Final = (SlideShown, ExchangeOpened, ExchangeClosed, AnswerHeard, VerdictGiven)
"""No sentence goes on behind these."""


@dataclass(slots=True)
class Scribe:
    """The fold itself; `take` is given every record once, in order.

    `failures` counts records that are not in the shape of this release: they are passed over.
    """

    withdrawn: frozenset[int] = frozenset()  # records that fell with answers taken back: they tell nothing
    taken_back: set[int] = field(default_factory=set)  # such records as this fold has met
    corrected: Mapping[int, str] = field(default_factory=dict)  # by segment: its words; "": they tell nothing
    corrections: dict[int, str] = field(default_factory=dict)  # such words as this fold has met
    persons: Persons = field(default_factory=dict)  # what people say of the answers in the end
    judged: list[tuple[int, PersonVerdict]] = field(default_factory=list)  # that this fold has met, by record
    misheard: set[int] = field(default_factory=set)  # records whose words were corrected since
    spoken: int = 0  # segments so far
    turn_count: int = 0
    failures: int = 0
    course: Course = field(default_factory=Course)
    _held: list[SessionEntry] = field(default_factory=list)
    _joining: Joining = field(default_factory=Joining)
    _noted: dict[str, dict[str, Noted]] = field(  # by kind, then by words
        default_factory=lambda: {kind: {} for kind in (*KINDS, OPEN)}
    )
    _entities: dict[str, tuple[Noted, int, int]] = field(default_factory=dict)  # words, mentions, last seq
    _off_record: OffRecord = field(default_factory=partial(OffRecord, kinds=kinds.KINDS))
    _said: deque[SessionEntry] = field(default_factory=lambda: deque(maxlen=MAX_SAID))
    is_over: bool = False
    _presenter: str | None = None
    _opened_seq: int = 0
    # Of the last exchanges: the records that opened and closed each, its id and its agent.
    _asked: deque[tuple[int, int, str, str]] = field(default_factory=lambda: deque(maxlen=MAX_NOTED))

    def take(self, record: Record) -> None:
        """Fold in the next record."""
        self.is_over = self.is_over or record.op == "freeze"
        try:
            self._take(record)
        except LedgerCorruptError:  # not in the shape that we know
            self.failures += 1

    def _take(self, record: Record) -> None:
        value, told = known_value(record), entry_of(record)
        if isinstance(value, _ENDS_A_SENTENCE):
            self.settle()
        quoting = "" if told is None else told.content if told.quoting is None else told.quoting
        is_hidden = self._off_record.take(record, quoting)
        self.spoken += is_spoken(record)
        if record.seq in self.withdrawn:  # what was off the record in it stays so
            return
        self.taken_back |= withdrawn_by(value)
        if isinstance(value, Corrected) and told is not None:
            self.corrections[value.number] = "" if is_hidden else value.segment.text
            if self.corrected.get(value.number, value.segment.text) != value.segment.text:
                self.misheard.add(record.seq)
        if told is not None and is_spoken(record) and self.spoken in self.corrected:
            self.misheard.add(record.seq)
            told = replace(told, content=self.corrected[self.spoken], confidence=None)
            if not told.content:
                return
            is_hidden = is_hidden or self.stays(told.content)
        self._follow(value, record)
        if told is None:  # nothing happened that anybody would tell
            return
        is_sensitive = record.held is not None and record.held.is_sensitive
        is_apart = told.quoting is not None  # its content is looked at by itself then
        is_marked_here = is_apart and (is_sensitive or is_marked(told.content))
        is_hidden = bool(is_hidden and quoting) or is_marked_here
        entry = _entry(told, record, is_hidden=is_hidden)
        if is_spoken(record) and is_hidden:
            self._joining.drop()
        elif is_spoken(record) and is_speech(record):
            self._listen(told.content, record.seq, entry)
        self.turn_count += 1
        self._held.append(entry)
        if entry.type in (USER, AGENT) and not is_hidden:
            self._said.append(entry)
        if len(self._held) > COMPRESS_PAST:
            self._held = self._held[-MAX_RECENT:]

    def context(self) -> SessionContext:
        """The context as it stands."""
        return SessionContext(
            recent_entries=tuple(self._held[-MAX_RECENT:]),
            entities={name: noted for name, (noted, _, _) in self._entities.items()},
            goals=tuple(self._noted[GOAL].values()),
            decisions=tuple(self._noted[DECISION].values()),
            blockers=tuple(self._noted[BLOCKER].values()),
            open_questions=tuple(self._noted[OPEN].values()),
            summary=self.course.summary(self.turn_count),
            turn_count=self.turn_count,
            last_said=tuple(self._said) if self.is_over else (),
        )

    def stays(self, text: str) -> bool:
        """Whether *text* is, or quotes, what was marked sensitive in this session."""
        return self._off_record.stays(text)

    def settle(self) -> None:
        """Take what was said last as it is, whether or not its sentence goes on."""
        for sentence in self._joining.rest():
            self._hear(sentence)

    def _listen(self, spoken: str, seq: int, entry: SessionEntry) -> None:
        """Hear the sentences that are whole now; an answer ends with its record."""
        text = masked(one_line(spoken[:MAX_SPOKEN_CHARS]))
        for sentence in self._joining.add(text, seq, entry.metadata.get("speaker")):
            self._hear(sentence)
        if entry.metadata.get("exchange") is not None:
            self.settle()

    def _hear(self, sentence: Sentence) -> None:
        """Note who and what a sentence names, and whether it tells much."""
        words, seq, speaker = sentence.text, sentence.seq, self._joining.speaker
        for name in names(words):
            self._mention(name, words, seq)
        if self._presenter is None or speaker in (None, self._presenter):
            self.course.hear(words, seq)

    def _note(self, kind: str, noted: Noted) -> None:
        """Keep it unless it is there already; the oldest makes room."""
        known = self._noted[kind]
        if known.setdefault(_key(noted.text), noted) is noted and len(known) > MAX_NOTED:
            del known[next(iter(known))]
            self.course.dropped += 1

    def _mention(self, name: str, text: str, seq: int) -> None:
        known = self._entities.get(name)
        if known is not None:
            self._entities[name] = (known[0], known[1] + 1, seq)
            return
        self._entities[name] = (Noted(cut(text, MAX_FIELD_BYTES * 2), seq), 1, seq)
        if len(self._entities) > MAX_ENTITIES:
            least = min(self._entities, key=lambda one: self._entities[one][1:])
            del self._entities[least]

    def _follow(self, value: PanelRecord | None, record: Record) -> None:
        """Keep where the session stands, and what is noted of it."""
        course = self.course
        match value:
            case SessionStarted():
                self._begin(value, record)
            case DeckRead():
                course.slides = len(value.deck.slides)
            case SpeakerFound():
                self._presenter = value.label
            case SpeechHeard() | AnswerGiven():
                course.spoken += 1
                course.spoken_to_s = max(course.spoken_to_s, value.segment.end_s)
            case SlideShown():
                course.slide = value.slide
            case ExchangeOpened():
                course.open = (value.exchange.id, value.exchange.agent)
                self._opened_seq = record.seq
            case ExchangeClosed():
                self._closed(with_persons(value.exchange, self.persons), record)
            case AnswerJudged():
                self.judged.append((record.seq, value.said(record)))
            case GoalsKept():
                self._remembered(value)

    def _begin(self, value: SessionStarted, record: Record) -> None:
        self._presenter = value.options.speaker
        self.course.deck = masked(one_line(value.deck.title or value.deck.name))[:120]
        presenter = one_line(value.presenter)
        self.course.presenter = "" if presenter == UNNAMED else masked(presenter)[:60]
        for focus in value.options.focus:
            self._note(GOAL, Noted(_shortened(focus), record.seq))

    def _remembered(self, value: GoalsKept) -> None:
        """A model read it in the passages of a run: kept as it was verified, unless it is to stay."""
        for kept in value.items:
            if kept.seq not in self.withdrawn | self.misheard and not self.stays(
                f"{kept.text}\n{kept.quote}"
            ):
                noted = Noted(_shortened(kept.text), kept.seq, kept.speaker, *self._asked_at(kept.seq))
                self._note(kept.kind, noted)

    def _asked_at(self, seq: int) -> tuple[str, str] | tuple[None, None]:
        """The exchange that was open at a record of some minutes ago, and whose it is."""
        if self.course.open is not None and seq > self._opened_seq:
            return self.course.open
        for first, last, exchange, agent in self._asked:
            if first < seq < last:
                return exchange, agent
        return None, None

    def _closed(self, done: Exchange, record: Record) -> None:
        outcomes, outcome = self.course.outcomes, str(done.result)
        if done.person is not None:
            name = masked(one_line(done.person.by))
            self.course.judges[name] = self.course.judges.get(name, 0) + 1
        answered = bool(done.answered)
        counted_as = outcome if answered or outcome != "unjudged" else SILENT
        counted_as = PARTLY if done.person is not None and done.person.verdict == PARTLY else counted_as
        outcomes[counted_as] = outcomes.get(counted_as, 0) + 1
        self._asked.append((self._opened_seq, record.seq, done.id, done.agent))
        self.course.open = None
        question = done.turns[0].question if done.turns else ""
        words = done.quote or question
        text = _shortened(words)
        known = self._noted[OPEN]
        known.pop(_key(text), None)
        back = done.comes_back_to
        if back is not None and outcomes.get("parked"):
            outcomes["parked"] -= 1  # it is one question, and counts as what came of it
        for key in [key for key, one in known.items() if one.exchange == back]:
            del known[key]
        is_open = outcome != "satisfied" and not (outcome == "unjudged" and answered)
        if is_open and words and not self._off_record.touches(f"{words}\n{question}"):
            self._note(OPEN, Noted(text, record.seq, None, done.id, done.agent))


def _shortened(text: str) -> str:
    return cut(masked(one_line(text)), MAX_NOTED_BYTES)


def _entry(told: Entry, record: Record, *, is_hidden: bool) -> SessionEntry:
    """The entry that a record makes; addresses and numbers of people are masked.

    Of what is to stay here it says that there was something, and no word: nothing made of entries can
    carry it away.
    """
    metadata: dict[str, Any] = {"seq": record.seq, "clock_s": record.clock_s}
    for name, one in told.metadata.items():
        if one is not None and (name == "agent" or not is_hidden):
            metadata[name] = cut(masked(one_line(one)), MAX_FIELD_BYTES) if isinstance(one, str) else one
    if is_hidden:
        return SessionEntry(record.at, told.type, LEFT_OUT, {**metadata, "sensitive": True}, told.tool)
    shown = masked(one_line(told.content))
    kept = cut(shown, MAX_CONTENT_BYTES)
    if kept != shown:
        metadata["cut"] = len(shown) - len(kept) + 1
    return SessionEntry(record.at, told.type, kept, metadata, told.tool, told.result, told.confidence)


def _key(text: str) -> str:
    """By what two things noted are the same; what is said twice is noted once."""
    return text.casefold().rstrip(" .!…")


def is_telling(entry: ledger.Entry) -> bool:
    """Whether a record may tell the Scribe anything: of some no entry is ever made."""
    return entry.op not in ("receipt", "create", "replace")


def scribe_of(store: Store) -> Scribe:
    """The Scribe's fold of a session as it stands.

    Raises:
        LedgerCorruptError: A record cannot be read.
    """
    store.catch_up()

    def read(take: Callable[[Record], object]) -> bool:
        for entry in store.entries():
            if is_telling(entry):
                take(store.record(entry.seq))
        return True

    scribe = scribe_through(read, store.root)
    return scribe if scribe is not None else Scribe()


def scribe_through(
    read: Callable[[Callable[[Record], object]], bool], root: Path | None = None
) -> Scribe | None:
    """The Scribe's fold of records that *read* gives it in order; None: they could not be read.

    Where an answer was taken back or judged by a person, or words were corrected, they are read once more:
    without what fell with it, with what was said for what was heard, and with the verdicts that stand.

    Args:
        root: The session's folder, beside which verdicts of after its end are kept; None: there are none.
    """
    scribe = Scribe()
    is_whole = read(scribe.take)
    fallen = frozenset(scribe.taken_back)
    persons = by_answer(one for seq, one in scribe.judged if seq not in fallen)
    persons = standing(persons, root) if root is not None and scribe.is_over else that_stand(persons)
    if is_whole and (fallen or scribe.corrections or persons):
        scribe = Scribe(withdrawn=fallen, corrected=scribe.corrections, persons=persons)
        is_whole = read(scribe.take)
    scribe.settle()
    return scribe if is_whole else None


def context_of(store: Store) -> SessionContext:
    """A session's context as it stands."""
    return scribe_of(store).context()
