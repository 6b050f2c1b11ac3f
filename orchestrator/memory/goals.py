"""Rehearsal goals: what a presenter wants to get right, and the exchanges that moved it.

A goal that was typed is open at once. One that was heard in speech is proposed, and becomes open when
the presenter takes it up. Goals are the presenter's own words, so typing one needs no other consent.

Whatever takes a goal's id raises `UnknownGoalError` where there is none with it.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.memory.consent import name_in, require
from orchestrator.memory.database import MemoryDatabase, new_id, note
from orchestrator.memory.errors import MemoryRefusedError, UnknownGoalError
from orchestrator.memory.model import MAX_GOALS, Goal
from orchestrator.memory.validation import checked_goal, checked_source, checked_time, normalised

_ACTS: Final = {"proposed": "goal proposed", "open": "goal added", "done": "goal done"}
"""By the state that a goal comes to; as the history tells it."""
_GOAL: Final = (
    "SELECT *, (SELECT json_group_array(exchange) FROM (SELECT exchange FROM goal_moves WHERE goal = goals.n "
    "ORDER BY at, rowid)) AS moved_by FROM goals "
)
"""Every query of goals begins with this; what it reads, `_goal_of` makes a value."""


def goals(db: MemoryDatabase, presenter: str, *, include_done: bool = True) -> tuple[Goal, ...]:
    """A presenter's goals, oldest first."""
    rows = db.rows(f"{_GOAL} WHERE presenter = ? ORDER BY n", name_in(db, presenter))
    return tuple(_goal_of(row) for row in rows if include_done or row["state"] != "done")


def add_goal(
    db: MemoryDatabase, presenter: str, text: str, now: str, *, state: str = "open", source: str | None = None
) -> Goal:
    """Add a goal, or give back the one that says the same and is not done, or has the same source.

    A proposed one becomes open when it is added as open.

    Args:
        state: `open`, or `proposed` where it was heard in speech and nobody has taken it up.
        source: Where it was said, "<session>/<record>".

    Raises:
        NotConsentedError: It was heard, and the presenter did not agree to be remembered.
        MemoryRefusedError: It is empty or too long, or there are 50 that are not done.
    """
    if state not in ("open", "proposed"):
        raise ValueError(f"a new goal is open or proposed, not {state!r}")
    presenter, text, at = name_in(db, presenter), checked_goal(text), checked_time(now)
    source = checked_source(source)
    with db.transaction():
        if source is not None:
            require(db, presenter)
        same = f"{_GOAL} WHERE presenter = ? AND (source = ? OR normalised = ? AND state != 'done')"
        if (row := db.row(same, presenter, source, normalised(text))) is not None:
            known = _goal_of(row)
            is_taken_up = known.state == "proposed" and state == "open"
            return _set_state(db, known, "open", at) if is_taken_up else known
        waiting = len(goals(db, presenter, include_done=False))
        if waiting >= MAX_GOALS:
            raise MemoryRefusedError(f"{presenter} has {waiting} goals that are not done: finish some first")
        goal_id = new_id("g")
        db.write(
            "INSERT INTO goals (id, presenter, text, normalised, state, created_at, source) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(goal_id, presenter, text, normalised(text), state, at, source),
        )
        note(db, at, _ACTS[state], presenter, goal_id, None)
        return goal(db, goal_id)


def goal(db: MemoryDatabase, goal_id: str) -> Goal:
    """One goal."""
    row = db.row(f"{_GOAL} WHERE id = ?", goal_id)
    if row is None:
        raise UnknownGoalError(
            f"there is no goal {one_line(goal_id)[:40]!r}: `greenroom goal list` shows their ids"
        )
    return _goal_of(row)


def complete_goal(db: MemoryDatabase, goal_id: str, now: str) -> Goal:
    """A goal is reached; one that is done already stays as it is."""
    with db.transaction():
        known = goal(db, goal_id)
        return known if known.state == "done" else _set_state(db, known, "done", checked_time(now))


def move_goal(db: MemoryDatabase, goal_id: str, exchange: str, now: str) -> Goal:
    """Note that an exchange, "<session>/<exchange>", moved a goal; each is noted once.

    Raises:
        NotConsentedError: The presenter did not agree to be remembered.
    """
    at = checked_time(now)
    with db.transaction():
        known = goal(db, goal_id)
        require(db, known.presenter)
        added = db.write(
            "INSERT OR IGNORE INTO goal_moves (goal, exchange, at) SELECT n, ?, ? FROM goals WHERE id = ?",
            one_line(exchange),
            at,
            goal_id,
        )
        if added.rowcount:
            note(db, at, "goal moved", known.presenter, goal_id, None)
        return goal(db, goal_id)


def forget_goal(db: MemoryDatabase, goal_id: str, *, now: str) -> bool:
    """Remove a goal for good; whether no byte of it is left, as `MemoryDatabase.wipe` says."""
    with db.transaction():
        known = goal(db, goal_id)
        db.write("DELETE FROM goals WHERE id = ?", goal_id)
        note(db, checked_time(now), "forgotten", known.presenter, goal_id, None)
    return db.wipe()


def _goal_of(row: sqlite3.Row) -> Goal:
    known = {one.name: row[one.name] for one in fields(Goal)}
    return Goal(**{**known, "moved_by": tuple(json.loads(row["moved_by"]))})


def _set_state(db: MemoryDatabase, known: Goal, state: str, at: str) -> Goal:
    done_at = at if state == "done" else None
    db.write("UPDATE goals SET state = ?, done_at = ? WHERE id = ?", state, done_at, known.id)
    note(db, at, _ACTS[state], known.presenter, known.id, None)
    return goal(db, known.id)
