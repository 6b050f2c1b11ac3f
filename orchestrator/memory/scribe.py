"""The Scribe: watches a session's ledger and keeps what the next turn has to know of it.

A pure fold over records, like the room: whoever folds the same records gets the same context. It
writes nothing, asks nobody and decides nothing; a rehearsal runs as well without it. Its size is
bounded whatever the session's length, and every record costs the same.

Source: the seed of the Scribe (000); DESIGN.md, section 9.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.loop.state import UNNAMED
from orchestrator.memory import statements
from orchestrator.memory.names import names
from orchestrator.memory.previously_on import SILENT, Course, Line, line_of, most_telling, summary_of
from orchestrator.memory.record_types import MOVES_ON, ODD, SPEECH, EntryRow, Row, read, rows, type_of
from orchestrator.memory.scribe_notes import (
    AGENT,
    LEFT_OUT,
    MAX_CONTENT_BYTES,
    MAX_FIELD_BYTES,
    TRANSCRIPT,
    USER,
    Noted,
    SessionContext,
    SessionEntry,
    cut,
)
from orchestrator.memory.sentences import Joining, Sentence
from orchestrator.privacy.masking import masked
from orchestrator.privacy.off_record import OffRecord, is_marked
from orchestrator.render import one_line
from orchestrator.store.ledger import Entry, Record
from orchestrator.store.store import Store

MAX_RECENT: Final = 10
COMPRESS_PAST: Final = 20
"""Both are the seed's: `max_recent_entries` and `summarize_threshold`."""
MAX_NOTED: Final = 30
"""Of goals, decisions, blockers and open questions each; the oldest make room, and are counted."""
MAX_NOTED_BYTES: Final = 300
MAX_ENTITIES: Final = 30
MAX_CONTEXT_BYTES: Final = 96 * 1024
"""What a context's JSON takes at most, whatever was said; a usual one takes a tenth of it."""
MAX_LINES_WAITING: Final = 20
MAX_SAID: Final = 5
MAX_SPOKEN_CHARS: Final = 20_000
"""Of one record that is searched: two hours of speech come in thousands of records."""

OPEN: Final = "open"
_UNKNOWN: Final = Row()
_ENDS_A_SENTENCE: Final = MOVES_ON | {"answered", "verdict"}


@dataclass(slots=True)
class Scribe:
    """The fold itself; `take` is given every record once, in order.

    `failures` counts records that are not in the shape of this release: they are passed over.
    """

    turn_count: int = 0
    failures: int = 0
    course: Course = field(default_factory=Course)
    _held: list[SessionEntry] = field(default_factory=list)
    _lines: list[Line] = field(default_factory=list)  # what was said that tells most, and what came since
    _joining: Joining = field(default_factory=Joining)
    _noted: dict[str, dict[str, Noted]] = field(default_factory=dict)  # by kind, then by words
    _entities: dict[str, tuple[Noted, int, int]] = field(default_factory=dict)  # words, mentions, last seq
    _off_record: OffRecord = field(default_factory=OffRecord)
    _said: deque[SessionEntry] = field(default_factory=lambda: deque(maxlen=MAX_SAID))
    _is_over: bool = False
    _presenter: str | None = None
    _opened_seq: int = 0
    # Of the last exchanges: the records that opened and closed each, its id and its agent.
    _asked: deque[tuple[int, int, str, str]] = field(default_factory=lambda: deque(maxlen=MAX_NOTED))

    def take(self, record: Record) -> None:
        """Fold in the next record."""
        try:
            self._take(record)
        except ODD:  # not in the shape that we know
            self.failures += 1

    def _take(self, record: Record) -> None:
        value: Mapping[str, Any] = record.value or {}
        kind = type_of(record)
        if kind in _ENDS_A_SENTENCE:
            self.settle()
        row = rows().get(kind, _UNKNOWN).entry
        content = None if row is None else read(row.content, record)
        quoting = content if row is None or row.quoting is None else read(row.quoting, record)
        is_hidden = self._off_record.take(record, quoting or "")
        self._follow(kind, value, record)
        self._is_over = self._is_over or record.op == "freeze"
        if row is None or content is None:  # nothing happened that anybody would tell
            return
        if (is_hidden and quoting) or (content is not quoting and is_marked(content, value)):
            entry = _left_out(row, record)
            if kind in SPEECH:
                self._joining.drop()
        else:
            entry = _entry(row, content, record)
            if kind in SPEECH and record.op == "append" and record.file == TRANSCRIPT:
                self._listen(content, record.seq, entry)
        self.turn_count += 1
        self._held.append(entry)
        if entry.type in (USER, AGENT) and entry.content != LEFT_OUT:
            self._said.append(entry)
        if len(self._held) > COMPRESS_PAST:
            self._held, self._lines = self._held[-MAX_RECENT:], most_telling(self._lines)

    def context(self) -> SessionContext:
        """The context as it stands."""
        return SessionContext(
            recent_entries=tuple(self._held[-MAX_RECENT:]),
            entities={name: noted for name, (noted, _, _) in self._entities.items()},
            goals=tuple(self._noted.get(statements.GOAL, {}).values()),
            decisions=tuple(self._noted.get(statements.DECISION, {}).values()),
            blockers=tuple(self._noted.get(statements.BLOCKER, {}).values()),
            open_questions=tuple(self._noted.get(OPEN, {}).values()),
            summary=summary_of(self.course, most_telling(self._lines), self.turn_count),
            turn_count=self.turn_count,
            last_said=tuple(self._said) if self._is_over else (),
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
        if self._presenter is not None and speaker not in (None, self._presenter):
            return
        if (line := line_of(words, seq)) is not None:
            self._lines.append(line)
            if len(self._lines) > MAX_LINES_WAITING:
                self._lines = most_telling(self._lines)

    def _note(self, kind: str, noted: Noted) -> None:
        """Keep it unless it is there already; the oldest makes room."""
        known = self._noted.setdefault(kind, {})
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

    def _follow(self, kind: str, value: Mapping[str, Any], record: Record) -> None:
        """Keep where the session stands, and what is noted of it."""
        course = self.course
        match kind:
            case "session":
                self._begin(value, record)
            case "deck":
                course.slides = len(value["deck"].get("slides", ()))
            case "speaker":
                self._presenter = value.get("label")
            case "segment" | "answer":
                course.spoken += 1
                course.spoken_to_s = max(course.spoken_to_s, float(value["segment"].get("end_s") or 0.0))
            case "slide":
                course.slide = value["slide"]
            case "exchange_opened":
                asked = value["exchange"]
                course.open = (asked["id"], asked["agent"])
                self._opened_seq = record.seq
            case "exchange_closed":
                self._closed(value["exchange"], record)
            case statements.RECORD:
                self._remembered(value)

    def _begin(self, value: Mapping[str, Any], record: Record) -> None:
        options, deck = value.get("options", {}), value.get("deck", {})
        self._presenter = options.get("speaker")
        self.course.deck = masked(one_line(deck.get("title") or deck.get("name") or ""))[:120]
        presenter = one_line(value.get("presenter") or "")
        self.course.presenter = "" if presenter == UNNAMED else masked(presenter)[:60]
        for focus in options.get("focus", ()):
            self._note(statements.GOAL, Noted(_shortened(focus), record.seq))

    def _remembered(self, value: Mapping[str, Any]) -> None:
        """What a model read of the passages of a run: kept as it was verified, unless it is to stay."""
        for kept in statements.kept_of(value):
            if not self.stays(f"{kept.text}\n{kept.quote}"):
                exchange, agent = self._asked_at(kept.seq)
                noted = Noted(_shortened(kept.text), kept.seq, kept.speaker, exchange, agent)
                self._note(kept.kind, noted)

    def _asked_at(self, seq: int) -> tuple[str, str] | tuple[None, None]:
        """The exchange that was open at a record of some minutes ago, and whose it is."""
        if self.course.open is not None and seq > self._opened_seq:
            return self.course.open
        for first, last, exchange, agent in self._asked:
            if first < seq < last:
                return exchange, agent
        return None, None

    def _closed(self, done: Mapping[str, Any], record: Record) -> None:
        outcomes, outcome = self.course.outcomes, str(done.get("outcome"))
        answered = any(turn.get("answer") for turn in done.get("turns", ()))
        counted_as = outcome if answered or outcome != "unjudged" else SILENT
        outcomes[counted_as] = outcomes.get(counted_as, 0) + 1
        self._asked.append((self._opened_seq, record.seq, str(done["id"]), str(done.get("agent"))))
        self.course.open = None
        question = done["turns"][0]["question"] if done.get("turns") else ""
        words = done.get("quote") or question
        text = _shortened(words)
        known = self._noted.setdefault(OPEN, {})
        known.pop(_key(text), None)
        back = done.get("comes_back_to")
        if back is not None and outcomes.get("parked"):
            outcomes["parked"] -= 1  # it is one question, and counts as what came of it
        for key in [key for key, one in known.items() if one.exchange == back]:
            del known[key]
        is_open = outcome != "satisfied" and not (outcome == "unjudged" and answered)
        if is_open and words and not self._off_record.touches(f"{words}\n{question}"):
            self._note(OPEN, Noted(text, record.seq, None, done["id"], done.get("agent")))


def _shortened(text: str) -> str:
    return cut(masked(one_line(text)), MAX_NOTED_BYTES)


def _entry(row: EntryRow, content: str, record: Record) -> SessionEntry:
    """The entry that a record makes; addresses and numbers of people are masked."""
    metadata: dict[str, Any] = {"seq": record.seq, "clock_s": record.clock_s}
    for name, one in read(row.metadata, record).items():
        if one is not None:
            metadata[name] = cut(masked(one_line(one)), MAX_FIELD_BYTES) if isinstance(one, str) else one
    shown = masked(one_line(content))
    kept = cut(shown, MAX_CONTENT_BYTES)
    if kept != shown:
        metadata["cut"] = len(shown) - len(kept) + 1
    tool, result, sure = (read(one, record) for one in (row.tool, row.result, row.confidence))
    return SessionEntry(record.at, row.type, kept, metadata, tool, result, sure)


def _left_out(row: EntryRow, record: Record) -> SessionEntry:
    """The same, of what is marked sensitive: nothing made of entries can carry it away."""
    agent = read(row.metadata, record).get("agent")
    by = {} if agent is None else {"agent": cut(masked(one_line(agent)), MAX_FIELD_BYTES)}
    metadata = {"seq": record.seq, "clock_s": record.clock_s, **by, "sensitive": True}
    return SessionEntry(record.at, row.type, LEFT_OUT, metadata, read(row.tool, record))


def _key(text: str) -> str:
    """By what two things noted are the same; what is said twice is noted once."""
    return text.casefold().rstrip(" .!…")


def is_telling(entry: Entry) -> bool:
    """Whether a record may tell the Scribe anything: of some no entry is ever made."""
    return entry.op not in ("receipt", "create", "replace")


def scribe_of(store: Store) -> Scribe:
    """The Scribe's fold of a session as it stands.

    Raises:
        LedgerCorruptError: A record cannot be read.
    """
    scribe = Scribe()
    store.catch_up()
    for entry in store.entries():
        if is_telling(entry):
            scribe.take(store.record(entry.seq))
    scribe.settle()
    return scribe


def context_of(store: Store) -> SessionContext:
    """A session's context as it stands."""
    return scribe_of(store).context()
