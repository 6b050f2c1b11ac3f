"""The briefing: recent events that an agent has to know, in one short block.

The briefing tells of one presenter's own sessions in this home, and of nobody else's. It is empty unless the
presenter agreed to be remembered. It is read from the sessions' ledgers, bounded and masked. It is cached for
five minutes for each agent, in a small file in the home that only its owner can read, and it is made anew as
soon as a goal, a memory or a session that it tells of has changed. The file is replaced whole, so any number
of processes may ask at once. A damaged file counts as a missing one.

Source: the seed of the briefing (001); DESIGN.md, section 9.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import counted, one_line
from orchestrator.core.privacy.masking import masked
from orchestrator.core.store.files import replace_file
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import Entry, Record
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.table import HISTORY, TRANSCRIPT
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.facts import derived_folder
from orchestrator.memory.memories import last_change
from orchestrator.memory.model import Goal
from orchestrator.memory.past_sessions import Begun, is_read, sessions_of, standing
from orchestrator.memory.presenter import consented, goals, name_in
from orchestrator.memory.scribe import cut
from orchestrator.memory.validation import checked_agent, checked_time
from orchestrator.panel.comments import Verdicts
from orchestrator.panel.model.exchange import PARTLY, PersonVerdict, result_of
from orchestrator.panel.records.exchanges import AnswerJudged, CandidateWritten, ExchangeClosed
from orchestrator.panel.records.kinds import KINDS, is_spoken, value_as
from orchestrator.panel.records.taken_back import AnswerTakenBack
from orchestrator.panel.render import COUNTED_WORDS, OUTCOME_WORDS, PARTLY_WORDS, SILENT

HEADER: Final = "═══ CURRENT SITUATION ═══"
WINDOW_HOURS: Final = 6
KEPT_S: Final = 300
"""Seconds for which a briefing is cached. The header, the window and this time are the seed's."""
MAX_SESSIONS: Final = 5
"""Maximum number of sessions that a briefing lists: the newest. Further ones in the window are only
counted."""
MAX_ITEMS: Final = 5
"""Maximum number of items of each kind: as many as the seed recalls memories (three by relevance, two by
recency)."""
MAX_ITEM_BYTES: Final = 200
"""Maximum size of an item: a sentence. All four kinds together then take under 5 KB of every agent's
context."""
FOLDER_NAME: Final = ".briefings"
_CANDIDATE: Final = "/candidate-question.md"
_STATES: Final = ("open", "proposed", "done")
"""The states of goals that a briefing lists, in the order in which it lists them."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """A briefing: its text, the time when it was made, and whether it comes from the cache."""

    text: str  # "" where there is nothing to tell
    built_at: str
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """An exchange closed within the window."""

    exchange: str
    agent: str
    quote: str  # masked; of a general question, the question
    outcome: str
    turn: int = 0  # the last that was answered, from 1
    says: str = ""  # the person whose verdict the outcome is, with the panel's if another; "": the panel's
    is_partly: bool = False  # a person says so; it counts as unresolved

    @property
    def word(self) -> str:
        """The outcome of the exchange, in words."""
        return PARTLY_WORDS if self.is_partly else OUTCOME_WORDS.get(self.outcome, self.outcome)


@dataclass(slots=True)
class Lately:
    """The events of one session within the window."""

    begun: Begun
    last_at: str = ""
    has_begun: bool = False  # in the window
    has_ended: bool = False  # in the window
    is_frozen: bool = False
    spoken: int = 0
    asked: list[Asked] = field(default_factory=list)
    persons: dict[tuple[str, int], PersonVerdict] = field(default_factory=dict)  # as noted in the session
    waiting: dict[str, str] = field(default_factory=dict)  # the question of each agent, masked


def lately(begun: Begun, now: str) -> Lately | None:
    """Return a session's events within the window, or None if it has none or its ledger cannot be read."""
    since = _window_start(now).strftime("%Y-%m-%dT%H:%M:%S")
    told, off_record = Lately(begun), OffRecord(kinds=KINDS)

    def take(record: Record) -> None:
        _take(told, off_record, record, is_recent=record.at >= since)

    if not is_read(begun.root, take, only=_tells) or not told.last_at:
        return None
    persons = standing(told.persons, begun.root)
    told.asked = [_judged(one, persons.get((one.exchange, one.turn))) for one in told.asked]
    return told


def _judged(asked: Asked, said: PersonVerdict | None) -> Asked:
    """Return *asked* with a person's judgement of its last answer, if *said* is not None."""
    if said is None:
        return asked
    differs = asked.outcome not in (result_of(said), "unjudged")
    panel = f"; the panel: {OUTCOME_WORDS.get(asked.outcome, asked.outcome)}" if differs else ""
    says, is_partly = f"{masked(one_line(said.by))}{panel}", said.verdict == PARTLY
    return replace(asked, outcome=result_of(said), says=says, is_partly=is_partly)


def briefing(
    db: MemoryDatabase,
    home_root: Path,
    *,
    agent: str,
    presenter: str,
    now: str,
    read: Callable[[Begun, str], Lately | None] = lately,
) -> Briefing:
    """Return the briefing for *agent* as of *now*; it is empty without the presenter's consent.

    Args:
        read: Reads the events of one session. A caller that asks for several agents gives a function that
            reads each session once.

    Raises:
        MemoryRefusedError: No presenter is named, or *agent* is not a valid name of an agent.
    """
    agent, name, at = checked_agent(agent), name_in(db, presenter), checked_time(now)
    if not consented(db, name):
        drop_briefings(home_root, name)
        return Briefing("", at)
    own = {one: _size_and_time(one) for one in reversed(sessions_of(home_root, name))}
    since_ns = _window_start(at).timestamp() * 1e9
    recent = [one for one, (_, written_ns) in own.items() if written_ns >= since_ns]
    recent, more = recent[:MAX_SESSIONS], len(recent[MAX_SESSIONS:])
    stamp = [last_change(db, name), more, *([one.id, *own[one]] for one in recent)]
    file = f"{_key(name)}-{agent}"
    kept = _kept(home_root / FOLDER_NAME / file, name, stamp, at)
    if kept is not None:
        return kept
    sessions = [told for one in recent if (told := read(one, at)) is not None]
    made = Briefing(_text(goals(db, name), agent, sessions, more), at)
    plain = {"presenter": name, "built_at": at, "stamp": stamp, "text": made.text}
    with suppress(OSError):  # a disk that refuses costs only the time to make it again
        (home_root / FOLDER_NAME).mkdir(mode=0o700, exist_ok=True)
        with derived_folder(home_root, FOLDER_NAME, make=False) as fd:
            replace_file(fd, file, json.dumps(plain, ensure_ascii=False).encode(), mode=0o600)
    return made


def drop_briefings(home_root: Path, presenter: str | None = None) -> None:
    """Remove the cached briefings of *presenter*, or of everybody if it is None, if there are any."""
    pattern = "*" if presenter is None else f"{_key(presenter)}-*"
    for path in (home_root / FOLDER_NAME).glob(pattern):
        with suppress(OSError):
            path.unlink()


def _key(presenter: str) -> str:
    """Return the part of a file name that stands for *presenter*, without revealing the name."""
    return hashlib.sha256(presenter.encode()).hexdigest()[:16]


def _kept(path: Path, presenter: str, stamp: Sequence[Any], now: str) -> Briefing | None:
    try:
        plain = json.loads(read_regular(path))
        age = datetime.fromisoformat(now) - datetime.fromisoformat(plain["built_at"])
        is_fresh = timedelta(0) <= age < timedelta(seconds=KEPT_S)
        if not is_fresh or plain["stamp"] != stamp or plain["presenter"] != presenter:
            return None
        return Briefing(str(plain["text"]), str(plain["built_at"]), cached=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _window_start(now: str) -> datetime:
    return datetime.fromisoformat(now) - timedelta(hours=WINDOW_HOURS)


def _size_and_time(begun: Begun) -> tuple[int, int]:
    """Return the size in bytes and the last write time (ns) of a session's ledger and verdicts together.

    The size or the time changes with every write to either file. The verdicts are stored beside the session.
    """
    size_bytes = written_ns = 0
    for path in (begun.root / LEDGER_NAME, Verdicts.beside(begun.root).file(begun.id)):
        with suppress(OSError):
            status = path.stat()
            size_bytes, written_ns = size_bytes + status.st_size, max(written_ns, status.st_mtime_ns)
    return size_bytes, written_ns


def _tells(entry: Entry) -> bool:
    file = entry.file or ""
    return (
        entry.op in ("open", "freeze", "note") or file in (TRANSCRIPT, HISTORY) or file.endswith(_CANDIDATE)
    )


def _take(told: Lately, off_record: OffRecord, record: Record, *, is_recent: bool) -> None:
    judged = value_as(record, AnswerJudged)
    if judged is not None:
        told.persons[judged.exchange, judged.turn] = judged.said(record)
    if record.op == "note":  # of all others nothing is told
        return
    told.last_at = record.at if is_recent else told.last_at
    off_record.take(record)
    if record.op == "open":
        told.has_begun = is_recent
    elif record.op == "freeze":
        told.is_frozen, told.has_ended = True, is_recent
    elif is_spoken(record):
        told.spoken += is_recent
    elif (back := value_as(record, AnswerTakenBack)) is not None:
        told.asked = [one for one in told.asked if one.exchange != back.exchange]
        told.persons = {place: one for place, one in told.persons.items() if place[0] != back.exchange}
    elif (closed := value_as(record, ExchangeClosed)) is not None:
        done, before = closed.exchange, closed.exchange.comes_back_to
        told.asked = [one for one in told.asked if one.exchange != (before or "")]  # it is one question
        words = done.quote or done.turns[0].question
        if is_recent and not off_record.touches(words):
            quote, outcome = masked(one_line(words)), done.outcome or "open"
            is_silent = outcome == "unjudged" and not done.answered
            outcome = SILENT if is_silent else outcome
            last = max((n for n, turn in enumerate(done.turns, start=1) if turn.answer), default=0)
            told.asked.append(Asked(done.id, done.agent, quote, outcome, last))
    elif (written := value_as(record, CandidateWritten)) is not None:
        told.waiting.pop(record.by, None)
        question = written.waiting.candidate.question
        is_ready = written.waiting.status == "ready" and question
        if is_recent and is_ready and not off_record.touches(question):
            told.waiting[record.by] = masked(one_line(question))


def _text(wanted: Sequence[Goal], agent: str, sessions: Sequence[Lately], more: int) -> str:
    shown = [goal for state in _STATES for goal in reversed(wanted) if goal.state == state]
    others = [
        f"{told.begun.id}/{one.exchange} {one.agent}, {one.word}"
        f"{f', says {one.says}' if one.says else ''}: "
        f'"{one.quote}"'
        for told in sessions
        for one in reversed(told.asked)
        if one.agent != agent
    ]
    # Each question once, under the newest session that has it.
    waiting = {told.waiting[agent]: told.begun.id for told in reversed(sessions) if agent in told.waiting}
    parts = (
        (f"Last {WINDOW_HOURS} hours:", list(map(_event, sessions)), more),
        ("Goals:", list(map(_goal, shown)), 0),
        ("Questions of others:", others, 0),
        ("Your questions still waiting:", [f"{waiting[one]}: {one}" for one in reversed(waiting)], 0),
    )
    lines = [line for part in parts for line in _part(*part)]
    return "\n".join([HEADER, *lines]) if lines else ""


def _part(title: str, lines: Sequence[str], more: int) -> Iterable[str]:
    shown = [f"- {cut(line, MAX_ITEM_BYTES)}" for line in lines[:MAX_ITEMS]]
    if left := len(lines[MAX_ITEMS:]) + more:
        shown.append(f"- and {left} more")
    return [title, *shown] if shown else []


def _event(one: Lately) -> str:
    """Format what happened in a session as one line.

    For example "2026-11-22 08:14 Harbour ferries (s1): began, 12 pieces of speech, 1 question (1 parked)".
    """
    happened = [
        "began" if one.has_begun else "",
        f"{counted(one.spoken, 'piece')} of speech" if one.spoken else "",
        _outcomes(one),
        "ended" if one.has_ended else "" if one.is_frozen else "going on",
    ]
    title = cut(masked(one.begun.title), 60)
    when = f"{one.last_at[:10]} {one.last_at[11:16]}"
    return f"{when} {title} ({one.begun.id}): {', '.join(word for word in happened if word) or 'written to'}"


def _outcomes(one: Lately) -> str:
    counts = Counter(asked.word for asked in one.asked)
    told = ", ".join(f"{counts[word]} {word}" for word in COUNTED_WORDS.values() if counts[word])
    asked = counted(len(one.asked), "question") if one.asked else ""
    return f"{asked} ({told})" if told else asked


def _goal(goal: Goal) -> str:
    moved = f" (moved by {', '.join(goal.moved_by[-3:])})" if goal.moved_by else ""
    return f'{goal.state}: "{cut(masked(goal.text), 120)}"{moved}'
