"""Past sessions of one presenter in a home: which there are, and what was asked in them.

Only sessions whose presenter agreed to be remembered are looked at, and never another presenter's.
Everything is read from the ledgers; nothing is written and no lock is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.errors import GreenroomError, LedgerCorruptError
from orchestrator.core.home.regular import open_regular
from orchestrator.core.store import files, ledger
from orchestrator.core.store.history import LEDGER_NAME, History
from orchestrator.core.store.ledger import Entry, Record
from orchestrator.core.table import HISTORY
from orchestrator.material.model.slide import Deck
from orchestrator.memory.consent import same_name
from orchestrator.memory.model import MAX_TAG_CHARS
from orchestrator.memory.validation import checked_presenter
from orchestrator.panel.comments import Verdicts
from orchestrator.panel.model.exchange import Exchange, Persons, PersonVerdict
from orchestrator.panel.records.exchanges import AnswerJudged, ExchangeClosed
from orchestrator.panel.records.kinds import value_as
from orchestrator.panel.records.start import SessionStarted
from orchestrator.panel.records.taken_back import ExchangeReopened
from orchestrator.panel.records.turns import that_stand, with_persons

_MAX_FIRST_BYTES: Final = 4 * 1024 * 1024
"""Of a session's first record, which holds its deck: a line without an end is not read for ever."""
_TAG: Final = "deck:"


@dataclass(frozen=True, slots=True)
class Begun:
    """A session, by its first record."""

    id: str
    root: Path
    at: str  # when it began, RFC 3339
    date: str  # the rehearsal's, where one was given; else the day on which it began
    presenter: str
    title: str  # of its deck
    tag: str  # of its deck


def deck_tag(deck: Deck) -> str:
    """The tag by which memories name a deck: the same for every version with the same title."""
    return _tag_of(deck.title or Path(deck.name).stem)


def _tag_of(title: str) -> str:
    """ "deck:harbour-ferries-plan-for-2027"; a long title is cut, and told apart by a check sum."""
    words = "".join(char if char.isalnum() else " " for char in title.casefold()).split()
    slug = "-".join(words) or "untitled"
    room = MAX_TAG_CHARS - len(_TAG)
    if len(slug) <= room:
        return f"{_TAG}{slug}"
    digest = hashlib.sha256(slug.encode()).hexdigest()[:6]
    return f"{_TAG}{slug[: room - 7].rstrip('-')}-{digest}"


def sessions_of(home_root: Path, presenter: str) -> tuple[Begun, ...]:
    """The presenter's sessions here that they wanted remembered, in the order of their beginning.

    One whose ledger cannot be read is passed over: what is carried is optional.
    """
    folder = home_root / "sessions"
    if not folder.is_dir():
        return ()
    found = (begun(root) for root in folder.iterdir() if not root.name.startswith("."))
    own = [one for one in found if one is not None and same_name(one.presenter, presenter)]
    return tuple(sorted(own, key=lambda one: (one.at, one.id)))


def first_record(root: Path) -> Record:
    """A session's first record, without reading any other.

    Raises:
        LedgerCorruptError: It cannot be read.
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
    """The session at *root*; None: it is none, cannot be read, or was not to be remembered.

    A copy of another session's folder is none: what was said once would be told as said twice.

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
    """Give *take* each record of a session that *only* wants, in order.

    False where the session is gone, or its ledger cannot be read, is damaged or of a later release: what
    was taken so far is no whole then.
    """
    try:
        with closing(History(root)) as history:
            for entry in history.entries():
                if only(entry):
                    take(history.record(entry.seq))
    except (GreenroomError, OSError):
        return False
    return True


def exchanges_of(root: Path) -> tuple[Exchange, ...]:
    """The exchanges that were closed in a session, in order, with what people say of their answers.

    None where it cannot be read.
    """
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
    """What people say of a session's answers: *noted* in it, and before that what was said after its end.

    What is kept beside it and cannot be read is passed over: what is carried is optional.
    """
    with suppress(GreenroomError, OSError):
        return that_stand(noted, Verdicts.beside(root).of(root.name))
    return that_stand(noted)
