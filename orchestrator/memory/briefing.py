"""The briefing: what has happened lately, as one agent has to know it, in one short block.

It tells of one presenter's own sessions in this home, of nobody else's, and of nothing unless they
agreed to be remembered. It is kept for five minutes for each agent, in a small file in the home that
only its owner can read, and made anew as soon as a goal, a memory or a session that it tells of has
changed. The file is replaced whole, so any number of processes may ask at once; one that is damaged
is as good as none.

Source: the seed of the briefing (001); DESIGN.md, section 9.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from orchestrator.memory.consent import consented, name_in
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.derived import derived_folder
from orchestrator.memory.goals import goals
from orchestrator.memory.memories import last_change
from orchestrator.memory.model import Goal
from orchestrator.memory.past_sessions import Begun
from orchestrator.memory.record_types import counted
from orchestrator.memory.session_context import cut
from orchestrator.memory.situation import WINDOW_HOURS, Lately, lately, recent_roots, stamp_of
from orchestrator.memory.validation import checked_agent, checked_time
from orchestrator.privacy.masking import masked
from orchestrator.store.files import replace_file

HEADER: Final = "═══ CURRENT SITUATION ═══"
KEPT_S: Final = 300
MAX_ITEMS: Final = 5
"""Of each kind: as many as the seed recalls memories (three by relevance and two by recency)."""
MAX_ITEM_BYTES: Final = 200
FOLDER_NAME: Final = ".briefings"
_OUTCOMES: Final = {
    "satisfied": "answered",
    "unresolved": "not answered",
    "parked": "parked",
    "unjudged": "not judged",
}


@dataclass(frozen=True, slots=True)
class Briefing:
    """The block, when it was made, and whether it is one that was made before."""

    text: str  # "" where there is nothing to tell
    built_at: str
    cached: bool = False


Reader = Callable[[Begun, str], Lately | None]
"""Reads what happened in a session; as `situation.lately`."""


def briefing(
    db: MemoryDatabase, home_root: Path, *, agent: str, presenter: str, now: str, read: Reader = lately
) -> Briefing:
    """The situation as *agent* would be told it now; empty without the presenter's consent.

    Args:
        read: Where several agents are told at once, one that reads each session once.

    Raises:
        MemoryRefusedError: Nobody is named as the presenter, or the agent can be none.
        MemoryDatabaseError: The database cannot be read.
    """
    agent, name, at = checked_agent(agent), name_in(db, presenter), checked_time(now)
    if not consented(db, name):
        drop_briefings(home_root, name)
        return Briefing("", at)
    recent, more = recent_roots(home_root, name, at)
    stamp = [last_change(db, name), more, *map(stamp_of, recent)]
    kept = _kept(home_root, name, agent, stamp, at)
    if kept is not None:
        return kept
    made = Briefing(_text(db, name, agent, [read(one, at) for one in recent], more), at)
    _keep(home_root, name, agent, stamp, made)
    return made


def drop_briefings(home_root: Path, presenter: str | None = None) -> None:
    """Remove the briefings that are kept of a presenter, or of everybody; none there is no error."""
    pattern = "*" if presenter is None else f"{_key(presenter)}-*"
    for path in (home_root / FOLDER_NAME).glob(pattern):
        with suppress(OSError):
            path.unlink()


def _text(db: MemoryDatabase, presenter: str, agent: str, told: Sequence[Lately | None], more: int) -> str:
    sessions = [one for one in told if one is not None]
    parts = [
        _part(f"Last {WINDOW_HOURS} hours:", [_event(one) for one in sessions], more),
        _part("Goals:", [_goal(one) for one in _shown_goals(goals(db, presenter))]),
        _part("Questions of others:", _asked_by_others(sessions, agent)),
        _part("Your questions still waiting:", _waiting(sessions, agent)),
    ]
    lines = [line for part in parts for line in part]
    return "\n".join([HEADER, *lines]) if lines else ""


def _part(title: str, items: Iterable[str], more: int = 0) -> list[str]:
    lines = list(items)
    left = len(lines[MAX_ITEMS:]) + more
    shown = [f"- {cut(line, MAX_ITEM_BYTES)}" for line in lines[:MAX_ITEMS]]
    if left:
        shown.append(f"- and {left} more")
    return [title, *shown] if shown else []


def _event(one: Lately) -> str:
    """ "2026-11-22 08:14 Harbour ferries (s1): began, 12 pieces of speech, 1 question (1 parked), ended"."""
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
    if not one.asked:
        return ""
    counts = {word: sum(asked.outcome == key for asked in one.asked) for key, word in _OUTCOMES.items()}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"{counted(len(one.asked), 'question')} ({told})" if told else counted(len(one.asked), "question")


def _shown_goals(found: Sequence[Goal]) -> list[Goal]:
    """Open ones first, then proposed, then done; the newest of each first."""
    order = {"open": 0, "proposed": 1, "done": 2}
    newest_first = list(reversed(found))
    return sorted(newest_first, key=lambda goal: order[goal.state])


def _goal(goal: Goal) -> str:
    moved = f" (moved by {', '.join(goal.moved_by[-3:])})" if goal.moved_by else ""
    return f'{goal.state}: "{cut(masked(goal.text), 120)}"{moved}'


def _asked_by_others(sessions: Sequence[Lately], agent: str) -> list[str]:
    return [
        f'{one.session}/{one.exchange} {one.agent}, {_OUTCOMES.get(one.outcome, one.outcome)}: "{one.quote}"'
        for told in sessions
        for one in reversed(told.asked)
        if one.agent != agent
    ]


def _waiting(sessions: Sequence[Lately], agent: str) -> list[str]:
    newest = {told.waiting[agent]: told.begun.id for told in reversed(sessions) if agent in told.waiting}
    return [f"{session}: {question}" for question, session in reversed(newest.items())]


def _key(presenter: str) -> str:
    """A presenter's name, as a file name that does not tell it."""
    return hashlib.sha256(presenter.encode()).hexdigest()[:16]


def _kept(home_root: Path, presenter: str, agent: str, stamp: list[Any], now: str) -> Briefing | None:
    try:
        plain = json.loads((home_root / FOLDER_NAME / f"{_key(presenter)}-{agent}").read_text("utf-8"))
        made_at = datetime.fromisoformat(plain["built_at"])
        age = datetime.fromisoformat(now) - made_at
        is_fresh = timedelta(0) <= age < timedelta(seconds=KEPT_S)
        if not is_fresh or plain["stamp"] != stamp or plain["presenter"] != presenter:
            return None
        return Briefing(str(plain["text"]), str(plain["built_at"]), cached=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(home_root: Path, presenter: str, agent: str, stamp: list[Any], made: Briefing) -> None:
    """Keep a briefing for the next who asks; a disk that refuses costs only the time to make it again."""
    plain = {"presenter": presenter, "built_at": made.built_at, "stamp": stamp, "text": made.text}
    with suppress(OSError):
        (home_root / FOLDER_NAME).mkdir(mode=0o700, exist_ok=True)
        with derived_folder(home_root, FOLDER_NAME, make=False) as fd:
            text = json.dumps(plain, ensure_ascii=False).encode()
            replace_file(fd, f"{_key(presenter)}-{agent}", text, mode=0o600)
