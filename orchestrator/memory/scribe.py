"""The Scribe: folds a session's ledger into the context that the next turn needs.

The Scribe is a pure fold over records, like the projection: folding the same records gives the same context.
It writes nothing, asks no engine and decides nothing; a rehearsal runs as well without it. Its size is
bounded whatever the session's length, and every record costs the same time.

Source: the seed of the Scribe (000); DESIGN.md, section 9.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from heapq import nsmallest
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.legible import clock, counted, one_line
from orchestrator.core.privacy.masking import masked
from orchestrator.core.privacy.off_record import is_marked
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.store.store import Store
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.claims.sentences import sentences
from orchestrator.memory.english import names
from orchestrator.memory.past_sessions import standing
from orchestrator.panel.model.exchange import PARTLY, Exchange, Persons, PersonVerdict
from orchestrator.panel.records import kinds
from orchestrator.panel.records.exchanges import AnswerJudged, ExchangeClosed, ExchangeOpened, VerdictGiven
from orchestrator.panel.records.kinds import PanelRecord, entry_of, is_spoken, known_value
from orchestrator.panel.records.memory import GoalsKept, KeptKind
from orchestrator.panel.records.projection import by_answer, that_stand, with_persons
from orchestrator.panel.records.setup import UNNAMED
from orchestrator.panel.records.speech import AnswerGiven, AnswerHeard, Corrected, SlideShown, SpeechHeard
from orchestrator.panel.records.start import DeckRead, SessionStarted, SpeakerFound
from orchestrator.panel.records.taken_back import withdrawn_by
from orchestrator.panel.records.value import AGENT, NOTE, TOOL, USER, Entry, is_speech
from orchestrator.panel.render import COUNTED_WORDS, SILENT

# ---------------------------------------------------------------------- session context
# What the Scribe knows of a session: its entries, its context, and the words in which it is told.
#
# The summary is made by extraction: of all that was said, the few sentences that tell most (figures,
# names) are kept, word for word, and of everything else only how much there was. So nothing is made up,
# and it is as short after a million entries as after a hundred.
#
# Source: the seed of the Scribe (000), "Session Schema", "Compression is mandatory"; DESIGN.md, section 9.


MAX_CONTENT_BYTES: Final = 480
"""Maximum size of an entry's text: three or four sentences. A longer text is cut, and the cut is marked."""
MAX_FIELD_BYTES: Final = 80
"""Maximum size of one further text of an entry, such as a name, an id or a tool."""
LEFT_OUT: Final = "[left out: marked sensitive]"

GOAL: Final = "goal"
DECISION: Final = "decision"
BLOCKER: Final = "blocker"
KINDS: Final[tuple[KeptKind, ...]] = (GOAL, DECISION, BLOCKER)
"""The kinds of items that a model reads for the Scribe."""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One event of a session, as the Scribe's context lists it."""

    timestamp: str  # RFC 3339, UTC: when its record was written
    type: str  # of telling.ENTRY_TYPES
    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)  # seq; where known: clock_s, speaker, agent, …
    tool_name: str | None = None
    tool_result: str | None = None
    confidence: float | None = None  # of the speech-to-text program


@dataclass(frozen=True, slots=True)
class Noted:
    """Words said, verbatim (masked if necessary), and the number of their record."""

    text: str
    seq: int  # where the words begin; captions spread a sentence over several records
    speaker: str | None = None  # who said it; None: nobody is named
    exchange: str | None = None  # said in the answer to this question
    agent: str | None = None  # whose question that was


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Everything that matters of a session so far; its size is bounded, however long the session is."""

    recent_entries: tuple[SessionEntry, ...] = ()  # the last 10, oldest first
    entities: Mapping[str, Noted] = field(default_factory=dict)  # what is named, and the words it stands in
    goals: tuple[Noted, ...] = ()
    decisions: tuple[Noted, ...] = ()
    blockers: tuple[Noted, ...] = ()
    open_questions: tuple[Noted, ...] = ()  # asked and not answered to anybody's satisfaction
    summary: str = ""  # one paragraph
    turn_count: int = 0  # entries in all
    last_said: tuple[SessionEntry, ...] = ()  # of a session that is over: the last words of anybody


def cut(text: str, most_bytes: int) -> str:
    """Cut *text* to *most_bytes* bytes of UTF-8, marking the cut with "…"."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most_bytes:
        return text
    kept = raw[: most_bytes - 3].decode("utf-8", "ignore")
    words, _, rest = kept.rpartition(" ")
    return f"{words if words and len(rest) < 40 else kept}…"


def to_plain(context: SessionContext) -> dict[str, Any]:
    """Convert the context to JSON values: the seed's fields, and for each item noted its record."""
    names = ("goals", "decisions", "blockers", "open_questions")
    lists: dict[str, Sequence[Noted]] = {name: getattr(context, name) for name in names}
    return {
        "recent_entries": [asdict(one) for one in context.recent_entries],
        "entities": {name: noted.text for name, noted in context.entities.items()},
        **{name: [noted.text for noted in found] for name, found in lists.items()},
        "sources": {
            "entities": {name: noted.seq for name, noted in context.entities.items()},
            **{name: [noted.seq for noted in found] for name, found in lists.items()},
        },
        "summary": context.summary,
        "turn_count": context.turn_count,
    }


# ---------------------------------------------------------------------- in words

MAX_SUMMARY_BYTES: Final = 2_000
"""Maximum size of the summary, one paragraph: five sentences of `MAX_LINE_BYTES`, and some 800 bytes of
counts and names."""
MAX_LINES: Final = 5
MAX_LINE_BYTES: Final = 240
"""Maximum size of a sentence, some 40 words: a sentence is stored whole or not at all, and a longer one is
rarely a sentence."""
_MIN_WORDS: Final = 6
"""Minimum number of words of a sentence that is stored: a shorter one says little by itself ("That is 4
percent.")."""
SHOWN: Final = 5
"""Maximum number of items of each kind in a "previously on": the newest, so few that all can be read at a
glance."""
SHOWN_ENTRIES: Final = 3

_LARGE = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")


@dataclass(slots=True)
class Course:
    """The progress of a session: its counts, its present state, and the most informative sentences."""

    deck: str = ""
    presenter: str = ""
    slides: int = 0
    slide: int | None = None
    spoken: int = 0  # pieces of speech, answers among them
    spoken_to_s: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)  # people, and how many answers they judged
    open: tuple[str, str] | None = None  # the exchange that is going on, and whose it is
    dropped: int = 0  # things noted that made room for later ones
    _lines: list[tuple[int, int, str]] = field(default_factory=list)  # how little it tells, record, words

    def hear(self, words: str, seq: int) -> None:
        """Store a sentence if it is among the few most informative ones; of equal ones, the first."""
        if len(words.split()) < _MIN_WORDS or len(words.encode()) > MAX_LINE_BYTES or words.endswith("?"):
            return
        score = 3 * min(2, len(numbers_in(words))) + bool(_LARGE.search(words))
        if score:
            best = nsmallest(MAX_LINES, [*self._lines, (-score, seq, words)], key=lambda line: line[:2])
            self._lines = sorted(best, key=lambda line: line[1])  # as they were said

    def summary(self, turns: int) -> str:
        """Return one paragraph about the session: its subject, its progress, and the sentences stored."""
        if not turns:
            return "Nothing has happened yet."
        title = f'"{self.deck}"' if self.deck else "A deck without a title"
        slides = f", {counted(self.slides, 'slide')}" if self.slides else ""
        said = [f"{title}{slides}{f', presented by {self.presenter}' if self.presenter else ''}."]
        if self.spoken:
            place = f", slide {self.slide} is up" if self.slide is not None else ""
            said.append(f"{counted(self.spoken, 'piece')} of speech up to {clock(self.spoken_to_s)}{place}.")
        counts = [f"{many} {word}" for key, word in COUNTED_WORDS.items() if (many := self.outcomes.get(key))]
        if total := sum(self.outcomes.values()):
            said.append(f"{counted(total, 'question')}: {', '.join(counts)}.")
        if self.judges:
            said.append(f"Judged by {', by '.join(f'{name}: {many}' for name, many in self.judges.items())}.")
        if self.open is not None:
            said.append(f"{self.open[0]}, asked by {self.open[1]}, is open.")
        if self._lines:
            quoted = "; ".join(f'"{words}"' for _, _, words in self._lines)
            said.append(f"Said on the way: {quoted}.")
        if self.dropped:
            said.append(f"{counted(self.dropped, 'older note')} made room for newer ones.")
        return cut(" ".join(said), MAX_SUMMARY_BYTES)


def previously_on(context: SessionContext, *, entries: int = SHOWN_ENTRIES, agent: str | None = None) -> str:
    """Return what somebody who comes back has to know, in a few lines; every quotation names its record.

    Args:
        entries: How many of the last events to list. If the session is over and *agent* is None, the last
            words that were said are listed instead.
        agent: The agent for whom the text is, since notes and tool calls of other agents are private. If it
            is None, the text is for the presenter.
    """
    lines = [context.summary]
    for title, noted in (
        ("Decided", context.decisions),
        ("Goals", context.goals),
        ("In the way", context.blockers),
        ("Left open", context.open_questions),
    ):
        lines += [f"{title}:", *map(_quoted, noted[-SHOWN:])] if noted else []
    told = context.last_said if agent is None and context.last_said else context.recent_entries
    shared = [one for one in told if one.content != LEFT_OUT and _may_see(agent, one)]
    last = shared[-entries:] if entries else []
    if last:
        lines += ["Last:", *(f"- {one.type}: {cut(one.content, 200)}" for one in last)]
    return "\n".join(lines)


def _may_see(agent: str | None, entry: SessionEntry) -> bool:
    return agent is None or entry.type not in (NOTE, TOOL) or entry.metadata.get("agent") in (None, agent)


def _quoted(noted: Noted) -> str:
    """Return the words of *noted* in quotation marks, with their exchange and record."""
    where = f"{noted.exchange}, " if noted.exchange else ""
    return f'- "{noted.text}" ({where}record {noted.seq})'


# ---------------------------------------------------------------------- whole sentences
# Sentences of speech, whole: captions cut them into pieces of a few words, each in a record of its own.


MAX_TAIL_CHARS: Final = 500
"""Maximum number of characters of a sentence that goes on, some 80 words. A longer one comes from speech
without stops, such as captions in capitals; then each piece counts as a sentence."""
_STOP = re.compile(r"[.!?…][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, verbatim (pieces joined by a space), and the numbers of its records."""

    text: str
    seq: int  # where it begins
    last_seq: int  # where it ends


@dataclass(slots=True)
class Joining:
    """A joiner of pieces into sentences, one speaker at a time; its memory is bounded."""

    speaker: str | None = None
    _pieces: list[tuple[str, int]] = field(default_factory=list)  # that wait for an end, and their records

    def add(self, text: str, seq: int, speaker: str | None) -> Iterator[Sentence]:
        """Yield the sentences that are complete once *text* is added."""
        if speaker != self.speaker or sum(len(piece) for piece, _ in self._pieces) > MAX_TAIL_CHARS:
            yield from self.rest()
        self.speaker = speaker
        pieces = [*self._pieces, (f"{text} ", seq)]
        whole = "".join(piece for piece, _ in pieces)
        bounds, tail = list(sentences(whole)), len(whole)
        if bounds and not _STOP.search(whole[slice(*bounds[-1])]):
            tail = bounds.pop()[0]
        starts = list(accumulate((len(piece) for piece, _ in pieces), initial=0))
        self._pieces = [
            (piece[max(0, tail - start) :], seq)
            for start, (piece, seq) in zip(starts, pieces, strict=False)
            if start + len(piece) > tail
        ]
        for start, end in bounds:
            first, last = (pieces[bisect_right(starts, place) - 1][1] for place in (start, end - 1))
            yield Sentence(whole[start:end], first, last)

    def rest(self) -> Iterator[Sentence]:
        """Yield the pieces of an unfinished sentence, each as it is."""
        pieces = self._pieces
        self.drop()
        for piece, seq in pieces:
            for start, end in sentences(piece):
                yield Sentence(piece[start:end], seq, seq)

    def drop(self) -> None:
        """Drop the pieces of an unfinished sentence."""
        self._pieces = []


# ---------------------------------------------------------------------- scribe


MAX_RECENT: Final = 10
COMPRESS_PAST: Final = 20
"""This limit and `MAX_RECENT` are the seed's: `summarize_threshold` and `max_recent_entries`."""
MAX_NOTED: Final = 30
"""Maximum number of goals, of decisions, of blockers and of open questions; the oldest make room, and are
counted."""
MAX_NOTED_BYTES: Final = 300
MAX_ENTITIES: Final = 30
"""Maximum number of names. The name that was mentioned least often, and longest ago, makes room. Like the two
limits before it, this is our own: more than one rehearsal gives, and together far below `MAX_CONTEXT_BYTES`.
"""
MAX_CONTEXT_BYTES: Final = 96 * 1024
"""Maximum size of a context's JSON, whatever was said; a usual one takes a tenth of it."""
MAX_SAID: Final = 5
"""Maximum number of last words said: more than a "previously on" shows of a session that is over."""
MAX_SPOKEN_CHARS: Final = 20_000
"""Maximum number of characters of one record that are searched; two hours of speech come in thousands of
records."""

OPEN: Final = "open"
_ENDS_A_SENTENCE: Final = (SlideShown, ExchangeOpened, ExchangeClosed, AnswerHeard, VerdictGiven)
"""The values of records behind which no sentence goes on."""


@dataclass(slots=True)
class Scribe:
    """The fold of a session's context; pass each record to `take` once, in order.

    `failures` counts the records that do not have the shape of this release; these are skipped.
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
        """Fold in the next record, or count it as a failure if its shape is unknown."""
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
        """Return the context after the records folded so far."""
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
        """Return whether *text* is, or quotes, text that was marked sensitive in this session."""
        return self._off_record.stays(text)

    def settle(self) -> None:
        """Treat the last words as a complete sentence, whether or not it would go on."""
        for sentence in self._joining.rest():
            self._hear(sentence)

    def _listen(self, spoken: str, seq: int, entry: SessionEntry) -> None:
        """Process the sentences that are now complete; an answer's last sentence ends with its record."""
        text = masked(one_line(spoken[:MAX_SPOKEN_CHARS]))
        for sentence in self._joining.add(text, seq, entry.metadata.get("speaker")):
            self._hear(sentence)
        if entry.metadata.get("exchange") is not None:
            self.settle()

    def _hear(self, sentence: Sentence) -> None:
        """Note the people and subjects that a sentence names, and store the sentence if it is informative."""
        words, seq, speaker = sentence.text, sentence.seq, self._joining.speaker
        for name in names(words):
            self._mention(name, words, seq)
        if self._presenter is None or speaker in (None, self._presenter):
            self.course.hear(words, seq)

    def _note(self, kind: str, noted: Noted) -> None:
        """Store *noted* unless the same item is stored already; the oldest item makes room."""
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
        """Track the state of the session, and note the items that *value* has."""
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
        """Note the verified items that a model read in a run's passages, unless they must stay here."""
        for kept in value.items:
            if kept.seq not in self.withdrawn | self.misheard and not self.stays(
                f"{kept.text}\n{kept.quote}"
            ):
                noted = Noted(_shortened(kept.text), kept.seq, kept.speaker, *self._asked_at(kept.seq))
                self._note(kept.kind, noted)

    def _asked_at(self, seq: int) -> tuple[str, str] | tuple[None, None]:
        """Return the exchange that was open when the record *seq* was written, and its agent."""
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
    """Return the entry for a record; addresses and numbers of people are masked.

    If *is_hidden*, the text must stay in the session: the entry then says that there was something, without a
    word of it, so that nothing made of entries can carry it away.
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
    """Return a key that is equal for two items that say the same, so that each is noted once."""
    return text.casefold().rstrip(" .!…")


def is_telling(entry: ledger.Entry) -> bool:
    """Return whether a record may matter to the Scribe; records of some kinds never give an entry."""
    return entry.op not in ("receipt", "create", "replace")


def scribe_of(store: Store) -> Scribe:
    """Fold the records of a session up to now.

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
    """Fold the records that *read* passes on, in order; return None if they could not be read.

    If an answer was withdrawn or judged by a person, or if words were corrected, the records are read once
    more: without those that were withdrawn, with the corrected words in place of those recognised, and with
    the people's verdicts that count.

    Args:
        root: The session's folder; verdicts given after the session's end are stored beside it. If it is
            None, there are no such verdicts.
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
    """Return the context of a session up to now."""
    return scribe_of(store).context()
