"""Past sessions of one presenter in a home, and the questions asked in them.

Only sessions whose presenter agreed to be remembered are read, and never those of another presenter.
Everything is read from the ledgers; nothing is written and no ledger is locked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from orchestrator.core.errors import GreenroomError, LedgerCorruptError
from orchestrator.core.home.regular import open_regular
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.masking import masked
from orchestrator.core.store import files, ledger
from orchestrator.core.store.history import LEDGER_NAME, History
from orchestrator.core.store.ledger import Entry, Record
from orchestrator.core.table import HISTORY, SESSION_ID
from orchestrator.material.values import Deck
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import memories
from orchestrator.memory.model import MAX_CONTENT_CHARS, MAX_TAG_CHARS, Memory
from orchestrator.memory.presenter import consented, same_name
from orchestrator.memory.validation import checked_presenter
from orchestrator.panel.application import BOARD
from orchestrator.panel.comments import Verdicts
from orchestrator.panel.model.carryover import OpenPoint
from orchestrator.panel.model.exchange import Exchange, Persons, PersonVerdict
from orchestrator.panel.records.exchanges import AnswerJudged, ExchangeClosed
from orchestrator.panel.records.kinds import value_as
from orchestrator.panel.records.projection import that_stand, with_persons
from orchestrator.panel.records.start import SessionStarted
from orchestrator.panel.records.taken_back import ExchangeReopened

# ---------------------------------------------------------------------- past sessions


_MAX_FIRST_BYTES: Final = 4 * 1024 * 1024
"""Maximum size of a session's first record, which contains its deck; so a line without an end is not read for
ever."""
_TAG: Final = "deck:"


@dataclass(frozen=True, slots=True)
class Begun:
    """A session, as its first record describes it."""

    id: str
    root: Path
    at: str  # when it began, RFC 3339
    date: str  # the rehearsal's, where one was given; else the day on which it began
    presenter: str
    title: str  # of its deck
    tag: str  # of its deck


def deck_tag(deck: Deck) -> str:
    """Return the tag by which memories name a deck: the same for every version with the same title."""
    return _tag_of(deck.title or Path(deck.name).stem)


def _tag_of(title: str) -> str:
    """Return "deck:harbour-ferries-plan-for-2027"; a long title is cut and gets a checksum."""
    words = "".join(char if char.isalnum() else " " for char in title.casefold()).split()
    slug = "-".join(words) or "untitled"
    room = MAX_TAG_CHARS - len(_TAG)
    if len(slug) <= room:
        return f"{_TAG}{slug}"
    digest = hashlib.sha256(slug.encode()).hexdigest()[:6]
    return f"{_TAG}{slug[: room - 7].rstrip('-')}-{digest}"


def sessions_of(home_root: Path, presenter: str) -> tuple[Begun, ...]:
    """Return the sessions here that the presenter wanted to be remembered, in the order in which they began.

    A session whose ledger cannot be read is skipped, because carrying anything over is optional.
    """
    folder = home_root / "sessions"
    if not folder.is_dir():
        return ()
    found = (begun(root) for root in folder.iterdir() if not root.name.startswith("."))
    own = [one for one in found if one is not None and same_name(one.presenter, presenter)]
    return tuple(sorted(own, key=lambda one: (one.at, one.id)))


def first_record(root: Path) -> Record:
    """Read the first record of a session, and no other record.

    Raises:
        LedgerCorruptError: The record cannot be read.
        OSError: Too many files are open.
    """
    try:
        with open_regular(root / LEDGER_NAME) as lines:
            return ledger.decode(lines.readline(_MAX_FIRST_BYTES))
    except OSError as error:
        if error.errno in files.NO_DESCRIPTORS:
            raise  # it says nothing of the ledger
        raise LedgerCorruptError(f"{root.name}: its ledger cannot be read: see `greenroom verify`") from error


def begun(root: Path) -> Begun | None:
    """Return the session in the folder *root*, or None if there is none that may be remembered and read.

    A copy of another session's folder does not count as a session: what was said once would be reported as
    said twice.

    Raises:
        OSError: Too many files are open.
    """
    try:
        record = first_record(root)
        value = value_as(record, SessionStarted)
        if value is None or not value.options.remember or value.id != root.name:
            return None
        presenter = checked_presenter(value.presenter)
    except GreenroomError:
        return None
    title = value.deck.title or Path(value.deck.name).stem
    return Begun(root.name, root, record.at, value.date or record.at[:10], presenter, title, _tag_of(title))


def is_read(root: Path, take: Callable[[Record], object], *, only: Callable[[Entry], bool]) -> bool:
    """Pass *take* each record of a session that *only* selects, in order; return whether all were read.

    Return False if the session is gone, or if its ledger cannot be read, is damaged, or was written by a
    later release. The records passed so far are not complete then.
    """
    try:
        with closing(History(root, BOARD)) as history:
            for entry in history.entries():
                if only(entry):
                    take(history.record(entry.seq))
    except (GreenroomError, OSError):
        return False
    return True


def exchanges_of(root: Path) -> tuple[Exchange, ...]:
    """Return the exchanges closed in a session, with people's verdicts, in order; empty if unreadable."""
    closed: list[Exchange] = []
    noted: dict[tuple[str, int], PersonVerdict] = {}

    def take(record: Record) -> None:
        value = value_as(record, ExchangeClosed)
        if value is not None:
            closed.append(value.exchange)
        elif (judged := value_as(record, AnswerJudged)) is not None:
            noted[judged.exchange, judged.turn] = judged.said(record)
        elif (again := value_as(record, ExchangeReopened)) is not None:
            closed[:] = [one for one in closed if one.id != again.exchange]
            for place in [place for place in noted if place[0] == again.exchange]:
                del noted[place]

    whole = is_read(root, take, only=lambda entry: entry.op == "note" or entry.file == HISTORY)
    persons = standing(noted, root)
    return tuple(with_persons(one, persons) for one in closed) if whole else ()


def standing(noted: Persons, root: Path) -> Persons:
    """Return the verdicts on a session's answers: those given after its end override those *noted* in it.

    Verdicts stored beside the session that cannot be read are skipped, because carrying anything over is
    optional.
    """
    with suppress(GreenroomError, OSError):
        return that_stand(noted, Verdicts.beside(root).of(root.name))
    return that_stand(noted)


# ---------------------------------------------------------------------- open points
# Questions that rehearsals of a deck left open: how a memory says so, and what the next rehearsal gets.
#
# Long-term memory says what is still open, so what the presenter edited or forgot, and what was answered
# since, is none; the earlier session's own ledger has the question as it was put.


MAX_OPEN_POINTS: Final = 20
"""Maximum number of open points, the newest: more than a rehearsal has exchanges for."""
MAX_QUESTION_CHARS: Final = 400
"""Maximum number of characters of a question as it was asked: two or three sentences. The session's first
record contains it."""

OPEN: Final = "Left open: "
ANSWERED: Final = "Answered: "
OPEN_TAG: Final = "open"
ANSWERED_TAG: Final = "answered"
_ASKED: Final = ", asked: "
# What `saying` wrote is read back here alone: a presenter may edit a memory, and one that reads otherwise
# since is no open question any more, whatever its tags and its source say.
_QUOTED = re.compile(
    r'(?:Left open|Answered): "(?P<words>.+)"(?P<cut> …)?(?P<about> \([^"]+\)|, asked: [^"]+)?'
)
_MIN_WORDS: Final = 2
"""Minimum number of words by which a quotation says what it is about; a cell of a table often has fewer."""


def left_open(memory: Memory) -> str | None:
    """Return the quotation that a memory says was left open, perhaps shortened, or None if it says none."""
    match = _QUOTED.fullmatch(memory.content)
    is_open = OPEN_TAG in memory.tags and memory.content.startswith(OPEN)
    return match["words"] if match and is_open else None


def saying(how: str, words: str, about: str = "") -> str:
    """Format 'Left open: "…"' for a memory, quoting whole words, masked."""
    shown = masked(one_line(words))
    kept = _shortened(shown, MAX_CONTENT_CHARS - len(how) - len(about) - 4)
    return f'{how}"{kept}"{"" if kept == shown else " …"}{about}'


def saying_of_question(how: str, question: str) -> str:
    """Format a memory's text for a question that is not about words of the deck."""
    return f"{how}{_shortened(masked(one_line(question)), MAX_CONTENT_CHARS - len(how))}"


def of_question(how: str, exchange: Exchange) -> str:
    """Format a memory's text for an exchange's first question, without the words that lead up to it."""
    turn = exchange.turns[0]
    return saying_of_question(how, turn.question.removeprefix(turn.lead_in))


def says_question(memory: Memory, how: str, exchange: Exchange) -> bool:
    """Return whether a memory says *how* of this exchange's question.

    The question must not be about words of the deck.
    """
    whole = saying_of_question(how, exchange.turns[0].question)  # as earlier releases kept it
    return not exchange.quote and memory.content in (of_question(how, exchange), whole)


def says(memory: Memory, how: str, words: str, about: str) -> bool:
    """Return whether a memory says *how* of the same *words*.

    A question is worded anew each time, so for a cell without a label only its words are compared.
    """
    content = saying(how, words, about)
    if not about.startswith(_ASKED):
        return memory.content == content
    return memory.content.startswith(content.removesuffix(about) + _ASKED) or memory.content == content


def about(deck: Deck, exchange: Exchange) -> str:
    """Return what a quotation of fewer than two words is about: its row and column, else the question.

    Return "" for a longer quotation.
    """
    words = one_line(exchange.quote or "")
    if not words or len(words.split()) >= _MIN_WORDS:
        return ""
    turn = exchange.turns[0]
    question = one_line(turn.question.removeprefix(turn.lead_in))
    labels = _labels(deck, exchange, words)
    told = [one for one in labels if one.partition(", ")[0].casefold() in question.casefold()]
    found = list(labels) if len(labels) == 1 else told
    room = MAX_CONTENT_CHARS - len(OPEN) - len(words) - len(_ASKED) - 4
    if len(found) == 1:
        return f" ({_shortened(masked(_plain(found[0])), room)})"
    return f"{_ASKED}{_shortened(masked(_plain(question)), room)}" if room > 0 else ""


def _labels(deck: Deck, exchange: Exchange, words: str) -> set[str]:
    """Return the row and column labels of every cell of the slide that has these words."""
    return {
        ", ".join(label for label in (row[0], table.rows[0][column]) if label.strip())
        for slide in deck.slides
        if slide.number == exchange.slide and exchange.said_at_s is None
        for table in slide.tables
        for row in table.rows[1:]
        for column, cell in enumerate(row[: len(table.rows[0])])
        if column and one_line(cell) == words
    } - {""}


def _plain(text: str) -> str:
    """Return *text* without quotation marks, since these would end the quotation within a memory."""
    return one_line(text.replace('"', "'"))


def _shortened(text: str, most_chars: int) -> str:
    if len(text) <= most_chars:
        return text
    kept, _, rest = text[: most_chars + 1].rpartition(" ")
    return kept.rstrip() if kept and len(rest) < 40 else text[:most_chars]


def open_points(db: MemoryDatabase, presenter: str, deck: Deck) -> tuple[tuple[OpenPoint, Memory], ...]:
    """Return every question about this deck that is still open, with the memory that says so.

    The newest come first, and the same words come once. Nothing is returned without the presenter's consent.
    If the earlier session is gone, the quotation may be shortened, as the memory has it, and there is no
    question. A question that was not about words of the deck is gone with its session.

    Raises:
        MemoryRefusedError: No presenter is named.
        MemoryDatabaseError: The database cannot be read.
    """
    if not consented(db, presenter):
        return ()
    wanted, looked_up = {OPEN_TAG, deck_tag(deck)}, cache(partial(_looked_up, db, presenter))
    found: dict[str, tuple[OpenPoint, Memory]] = {}
    for memory in memories(db, presenter=presenter):
        session, _, exchange_id = (memory.source or "").partition("/")
        if not wanted <= set(memory.tags) or memory.content in found or not exchange_id:
            continue
        words = left_open(memory)
        exchanges, date = looked_up(session)
        exchange = next((one for one in exchanges if one.id == exchange_id), None)
        if words is None and exchange is not None and says_question(memory, OPEN, exchange):
            words = ""  # the question, which is about the whole
        if words is None:
            continue
        found[memory.content] = (_point(memory, words, exchange, date or memory.created_at[:10]), memory)
        if len(found) == MAX_OPEN_POINTS:
            break
    return tuple(found.values())


def _outcome(exchange: Exchange | None) -> str:
    """Return the outcome of an exchange; silence counts as no answer, whether it was judged or not."""
    if exchange is None or exchange.result is None:
        return "unresolved"
    is_silent = exchange.result == "unjudged" and not exchange.answered
    return "unresolved" if is_silent else exchange.result


def _judge(exchange: Exchange | None) -> str:
    """Return who judged the exchange, "Dana; the panel: satisfied", or "" if no person did.

    The panel's outcome is named only if it differs.
    """
    if exchange is None or exchange.person is None:
        return ""
    differs = exchange.outcome not in (exchange.result, "unjudged")
    return masked(one_line(exchange.person.by)) + (f"; the panel: {exchange.outcome}" if differs else "")


def _looked_up(db: MemoryDatabase, presenter: str, session: str) -> tuple[Sequence[Exchange], str | None]:
    """Return a session's exchanges and day if the session is this presenter's.

    A check is needed because a memory's source may name any session.
    """
    if not SESSION_ID.fullmatch(session):
        return (), None
    root = db.path.parent / "sessions" / session
    earlier = begun(root)
    if earlier is None or not same_name(earlier.presenter, presenter):
        return (), None
    return exchanges_of(root), earlier.date


def _point(memory: Memory, words: str, exchange: Exchange | None, asked_on: str) -> OpenPoint:
    session, _, exchange_id = (memory.source or "").partition("/")
    whole = masked(one_line(exchange.quote)) if exchange is not None and exchange.quote else ""
    question = masked(one_line(exchange.turns[0].question)) if exchange is not None else ""
    return OpenPoint(
        session=session,
        exchange=exchange_id,
        agent=memory.agent,
        quote=whole if whole.startswith(words) else words,
        question=question[:MAX_QUESTION_CHARS],
        outcome=_outcome(exchange),
        asked_on=asked_on,
        says=_judge(exchange),
    )
