"""One session as the catalogue stores it, read from its ledger and its debrief without opening it.

Nothing is verified here: a row of the list shows what the records say, and `verify` shows whether they are
right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, NamedTuple

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.home.folder import digests
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.off_record import is_marked
from orchestrator.core.store.application import opening_of
from orchestrator.core.store.ledger import FILE_OPS, Held, Record, Unread
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.table import HISTORY, MODERATOR, TRANSCRIPT
from orchestrator.material.values import Slide
from orchestrator.panel.application import BOARD
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.exchanges import AnswerJudged, ExchangeClosed, ExchangeOpened
from orchestrator.panel.records.kinds import KINDS, PanelRecord, value_of
from orchestrator.panel.records.setup import RECORDED
from orchestrator.panel.records.speech import (
    AnswerGiven,
    Corrected,
    SlideShown,
    SpeechHeard,
    is_spoken,
)
from orchestrator.panel.records.start import DeckRead, started_of
from orchestrator.panel.records.taken_back import withdrawn_by
from orchestrator.panel.render import OUTCOME_WORDS, SILENT

Told = Mapping[str, Any]
"""A record or a debrief as plain JSON."""
Value = PanelRecord | Unread | None

_WANTED: Final = re.compile(
    (
        r'\{"seq":\d+,"op":"(?:open"|write","file":"shared/deck-content\.md"'
        rf'|append","file":"(?:{re.escape(TRANSCRIPT)}|{re.escape(HISTORY)})"'
        rf'|note","by":"{MODERATOR}",[^{{]*"value":\{{"type":"(?:{ExchangeOpened.TYPE}|{AnswerJudged.TYPE})")'
    ).encode()
)
"""The lines of a ledger that an entry needs, recognised by their beginnings: some 90 of a rehearsal's 500.
Parsing all takes three times as long."""
_HEAD: Final = re.compile(rb'"hash":"([0-9a-f]{64})"\}\n\Z')
END_BYTES: Final = 128
"""Number of bytes at a ledger's end that contain its last hash."""
_END: Final = re.compile(rb'\n\{"seq":\d+,"op":"freeze"[^\n]*\n\Z')
_MAX_END: Final = 64 * 1024
"""Maximum bytes of the last line, which names every file with its digest; with a panel of three it has
some 5 kB."""


_ADDS: Final = ("append", "create")
"""Operations that keep a file's earlier content: an append-only file is created with its blueprint."""


class Passage(NamedTuple):
    """Words of a session that a search can find, and their place."""

    kind: str  # about, slide, speech, question, answer or verdict; file, of another crew
    place: str  # the number of the slide, the exchange, or the file's path; "": the session
    at_s: float | None  # session clock
    text: str


class Asked(NamedTuple):
    """A question and its outcome; a question that was parked and came back is listed once."""

    exchange: str
    about: str  # the question
    point: str  # by which it is known in another rehearsal: the words that it is about, else the question
    outcome: str  # the panel's, of OUTCOMES or SILENT
    turn: int  # whose answer was the last, from 1; 0: there was none
    verdict: str | None = None  # what a person said of that answer before the end
    by: str = ""


def day_of(engine: str, date: str | None, started_at: str) -> str:
    """Return the day of a rehearsal as `Entry.day` defines it."""
    return (engine != RECORDED and date) or started_at[:10]


@dataclass(frozen=True, slots=True)
class Entry:
    """The description of one session in the catalogue."""

    session: str
    started_at: str = ""  # RFC 3339; "": its records cannot be read
    deck: str = ""  # its title, or the file's name
    deck_sha256: str = ""
    presenter: str = ""
    date: str | None = None
    engine: str = ""
    minutes: int = 0
    panel: str = ""  # SHA-256 over the panel's templates: equal panels ask alike
    is_drill: bool = False
    is_ended: bool = False
    head: str = ""  # of the ledger
    outcomes: Mapping[str, int] = field(default_factory=dict)
    questions: Sequence[Asked] = ()
    contradictions: int | None = None  # None: there is no debrief
    words: int | None = None
    words_per_minute: int | None = None
    fillers: int | None = None
    used_s: float | None = None
    copy_of: str = ""  # the session that its records are of, where its folder has another name
    unread: str = ""  # why it cannot be read now; what it holds is not known then
    crew: str = ""  # the table that another crew's session was started by; "": it is a rehearsal
    owner: str = ""  # the identity of who was signed in at the start; "": nobody had to be
    groups: Sequence[str] = ()  # of the owner, at the start

    def told(self) -> str:
        """Return the entry as JSON, as the catalogue stores it."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def of(cls, told: str) -> Entry:
        """Return the entry from the JSON that `told` returned."""
        plain = json.loads(told)
        plain["questions"] = tuple(Asked(*one) for one in plain["questions"])
        return cls(**{**plain, "groups": tuple(plain.get("groups", ()))})

    @property
    def day(self) -> str:
        """The day of the rehearsal, YYYY-MM-DD: the day that was given, or else the day of its beginning,
        in UTC. The day that was given for a demonstration belongs to its story, so the day on which it was
        played counts."""
        return day_of(self.engine, self.date, self.started_at)

    @property
    def when(self) -> str:
        """The day of the rehearsal, with the time of its beginning if it began on that day."""
        is_then = self.day == self.started_at[:10]
        return f"{self.day} {self.started_at[11:16]} UTC" if is_then else self.day

    @property
    def is_recorded(self) -> bool:
        """Whether recorded replies were played, so that the session is a demonstration and nobody's own
        rehearsal."""
        return self.engine == RECORDED

    @property
    def is_damaged(self) -> bool:
        """Whether the session's records could not be read."""
        return not self.started_at and not self.unread


def read(session: str, ledger: bytes, debrief: bytes | None) -> tuple[Entry, list[Passage]]:
    """Return a session's entry, and its words that can be searched, except those said off the record.

    Records that are not Greenroom's give an entry that is damaged, and no words.
    """
    from pydantic_core import from_json  # parses in half of the time that `json` takes

    ledger = ledger[: ledger.rfind(b"\n") + 1]  # a last line may be under way
    try:
        lines = ledger.split(b"\n")
        opened = _record(from_json(lines[0]))
        if not BOARD.owns(opening_of(opened)):
            return _of_crew(session, ledger, opened, map(from_json, lines[1:-1]))
        records = [_record(from_json(line)) for line in lines if _WANTED.match(line)]
        values = _standing(records, [value_of(record) for record in records])
        passages = _passages(records, values, _withheld(records, values))
        told = from_json(debrief) if debrief is not None else {}
        entry = _entry(session, ledger, records[0], values, told)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, LedgerCorruptError):
        return Entry(session), []
    about = " ".join(part for part in (entry.deck, entry.presenter, entry.date, session) if part)
    return entry, [Passage("about", "", None, about), *passages]


def _of_crew(
    session: str, ledger: bytes, first: Record, others: Iterable[Told]
) -> tuple[Entry, list[Passage]]:
    """Return the entry of another crew's session, and the current words of its files."""
    opening = opening_of(first)
    crew = one_line(opening.crew)
    entry = Entry(
        session=session,
        started_at=first.at,
        deck=one_line(opening.title) or crew,
        date=opening.date or None,
        is_ended=_is_ended(ledger),
        head=head_of(ledger),
        copy_of=opening.id if opening.id != session else "",
        crew=crew,
        owner=opening.owner,
        groups=opening.groups,
    )
    texts: dict[str, list[str]] = {}
    for record in map(_record, others):
        if record.op in FILE_OPS and record.file is not None and record.text and not record.withheld:
            before = texts.get(record.file, []) if record.op in _ADDS else []
            texts[record.file] = [*before, record.text]
    about = " ".join(part for part in (entry.deck, crew, entry.date, session) if part)
    passages = [Passage("file", path, None, "".join(parts)) for path, parts in texts.items()]
    return entry, [Passage("about", "", None, about), *passages]


def _is_ended(ledger: bytes) -> bool:
    return _END.search(ledger, max(0, len(ledger) - _MAX_END)) is not None


def _standing(records: Sequence[Record], values: Sequence[Value]) -> list[Value]:
    """Return the values, without those that were withdrawn with an answer that was taken back."""
    withdrawn = {seq for value in values for seq in withdrawn_by(value)}
    return [None if record.seq in withdrawn else value for record, value in zip(records, values, strict=True)]


def _withheld(records: Sequence[Record], values: Sequence[Value]) -> OffRecord | None:
    """Return the fold of what is off the record, or None if no words can be.

    Most sessions contain no such words, and checking for them costs a quarter of the fold.
    """
    said: dict[str, list[str]] = {}  # by speaker, of whom a phrase may go over from one piece to the next
    for record, value in zip(records, values, strict=True):
        if record.file == TRANSCRIPT:
            if record.held is not None and record.held.is_sensitive:
                return OffRecord(kinds=KINDS)
            segment = value.segment if isinstance(value, SpeechHeard | AnswerGiven | Corrected) else None
            speaker, text = (None, record.text or "") if segment is None else (segment.speaker, segment.text)
            said.setdefault(str(speaker), []).append(text)
    is_any = any(is_marked(" ".join(texts)) for texts in said.values())
    return OffRecord(kinds=KINDS) if is_any else None


def _entry(session: str, ledger: bytes, first: Record, values: Sequence[Value], debrief: Told) -> Entry:
    opened = started_of(first)
    options, deck = opened.options, opened.deck
    closed = [one for one in _closed(values) if one.outcome]
    again = {one.comes_back_to for one in closed}
    asked = [one for one in closed if one.id not in again]
    outcomes = [_outcome(one) for one in asked]
    persons = {(one.exchange, one.turn): one for one in values if isinstance(one, AnswerJudged)}
    delivery = debrief.get("delivery") or {}
    fillers, tensions = delivery.get("fillers"), debrief.get("tensions")
    return Entry(
        session=session,
        started_at=first.at,
        deck=deck.title or deck.name,
        deck_sha256=deck.sha256,
        presenter=options.presenter,
        date=options.date,
        engine=options.engine,
        minutes=options.minutes,
        panel=digests({"panel": json.dumps(opened.templates, sort_keys=True)})["panel"],
        is_drill=opened.drill is not None,
        is_ended=_is_ended(ledger),
        head=head_of(ledger),
        outcomes={name: outcomes.count(name) for name in OUTCOME_WORDS if name in outcomes},
        questions=tuple(_asked(one, persons) for one in asked),
        contradictions=None if tensions is None else sum(one["class"] == "computed" for one in tensions),
        words=delivery.get("words"),
        words_per_minute=delivery.get("words_per_minute"),
        fillers=None if fillers is None else sum(fillers.values()),
        used_s=debrief["speech_s"] + debrief["answers_s"] if debrief else None,
        copy_of=opened.id if opened.id != session else "",
        owner=opened.owner.identity if opened.owner is not None else "",
        groups=opened.owner.groups if opened.owner is not None else (),
    )


def head_of(ledger: bytes) -> str:
    """Return the hash of the last record in a ledger, or in the end of one; "" if the bytes do not end
    with a record."""
    head = _HEAD.search(ledger, max(0, len(ledger) - END_BYTES))
    return head[1].decode() if head is not None else ""


def _outcome(exchange: Exchange) -> str:
    is_silent = not any(turn.answer for turn in exchange.turns)
    return SILENT if is_silent and exchange.outcome == "unjudged" else str(exchange.outcome)


def _asked(exchange: Exchange, persons: Mapping[tuple[str, int], AnswerJudged]) -> Asked:
    last = max((number for number, turn in enumerate(exchange.turns, start=1) if turn.answer), default=0)
    first = exchange.turns[0]
    question = one_line(first.question.removeprefix(first.lead_in))
    point = f"{exchange.slide} {one_line(exchange.quote)}" if exchange.quote else question
    said = persons.get((exchange.id, last))
    return Asked(
        exchange.id,
        question,
        point.casefold(),
        _outcome(exchange),
        last,
        *((said.verdict, said.who) if said is not None else ()),
    )


def _closed(values: Iterable[Value]) -> Iterator[Exchange]:
    return (one.exchange for one in values if isinstance(one, ExchangeClosed))


def _passages(
    records: Sequence[Record], values: Sequence[Value], off_record: OffRecord | None
) -> list[Passage]:
    """Return the words in the order of the records; the speech of one visit to a slide is one passage."""
    closed = {one.id for one in _closed(values)}
    corrected = _corrected(records, values, is_withheld=off_record is not None)
    heard = 0
    found: list[Passage] = []
    speech: list[tuple[float, str]] = []
    slide = ""
    for record, value in zip(records, values, strict=True):
        is_hidden = off_record is not None and off_record.take(record)
        heard += is_spoken(record)
        if isinstance(value, SlideShown | ExchangeOpened) and speech:
            found.append(_speech(slide, speech))
        match value:
            case DeckRead(deck):
                found += map(_slide, deck.slides)
            case SlideShown(number):
                slide = str(number)
            case SpeechHeard(segment) if not is_hidden:
                if said := corrected.get(heard, segment.text):
                    speech.append((segment.start_s, said))
            case AnswerGiven(exchange_id, _, segment) if exchange_id not in closed and not is_hidden:
                if said := corrected.get(heard, segment.text):
                    found.append(Passage("answer", exchange_id, segment.start_s, said))
            case ExchangeClosed(exchange):
                later = (one for other, one in zip(records, values, strict=True) if other.seq > record.seq)
                found += _exchange(_as_corrected(exchange, later), off_record)
            case ExchangeOpened(exchange) if exchange.id not in closed:
                found += _exchange(exchange, off_record)
    return [*found, _speech(slide, speech)] if speech else found


def _corrected(records: Sequence[Record], values: Sequence[Value], *, is_withheld: bool) -> dict[int, str]:
    """Return the corrected words of each corrected segment, by its number; "" if they are off the record."""
    corrections = {
        record.seq: one for record, one in zip(records, values, strict=True) if isinstance(one, Corrected)
    }
    hidden: set[int] = set()
    if corrections and is_withheld:
        off_record = OffRecord(kinds=KINDS)
        hidden = {record.seq for record in records if off_record.take(record)}
    return {one.number: "" if seq in hidden else one.segment.text for seq, one in corrections.items()}


def _record(told: Told) -> Record:
    value = told.get("value")
    return Record(
        told["seq"],
        told["op"],
        told["by"],
        told["clock_s"],
        told["at"],
        file=told.get("file"),
        text=told.get("text"),
        held=Held(value) if value is not None else None,
        withheld=told.get("withheld", False),
    )


def _speech(slide: str, speech: list[tuple[float, str]]) -> Passage:
    """Return the speech since the last passage as a passage, and empty the list."""
    passage = Passage("speech", slide, speech[0][0], " ".join(text for _, text in speech))
    speech.clear()
    return passage


def _slide(slide: Slide) -> Passage:
    cells = [" ".join(row) for table in slide.tables for row in table.rows]
    parts = [slide.title, *slide.lines, *cells, slide.notes, *slide.alt_texts]
    return Passage("slide", str(slide.number), None, "\n".join(part for part in parts if part))


def _as_corrected(exchange: Exchange, later: Iterable[Value]) -> Exchange:
    """Return an exchange with the corrections that were made to its answers after it was closed."""
    for one in later:
        exchange = one.in_exchange(exchange) if isinstance(one, Corrected) else exchange
    return exchange


def _exchange(exchange: Exchange, off_record: OffRecord | None) -> Iterator[Passage]:
    for turn in exchange.turns:
        heard = turn.misheard and f'heard as "{turn.misheard}"'
        answer = " ".join(part for part in (turn.answer, heard) if part)
        for kind, text in (("question", turn.question), ("answer", answer), ("verdict", turn.reason)):
            # A correction may have put it off the record since, of which the fold knows nothing yet.
            if text and not (off_record is not None and off_record.stays(text)):
                yield Passage(kind, exchange.id, exchange.asked_at_s, text)
