"""Presenters: consent, goals and dismissals (contradictions that a presenter has dismissed as none).

Only the digest of each dismissed contradiction is stored (`Tension.digest`), with the session in which it was
dismissed. No words are stored.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from contextlib import suppress
from dataclasses import fields
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.memory.database import MemoryDatabase, new_id, note
from orchestrator.memory.model import MAX_GOALS, Goal, MemoryRefusedError, NotConsentedError, UnknownGoalError
from orchestrator.memory.validation import (
    checked_goal,
    checked_presenter,
    checked_source,
    checked_time,
    normalised,
)

# ---------------------------------------------------------------------- consent
# Consent: who presents, and whether they agreed to be remembered. Nobody is unless they said so.
#
# It is asked inside the transaction of every write about them, so that nothing is kept after they have
# said no, whatever was under way.
#
# One presenter has one name in a home. Letter case, spaces and how accents are written do not make another
# person; the name that was given first is the one that is kept and shown. Whatever takes a name and a
# database raises `MemoryRefusedError` where nobody can be named so.


def same_name(one: str, other: str) -> bool:
    """Return whether two spellings are the same presenter's name."""
    return _folded(one) == _folded(other)


def presenters(db: MemoryDatabase) -> tuple[str, ...]:
    """Return everybody about whom something is stored or who has given or refused consent.

    Only the owner of the home may see this list.
    """
    rows = db.rows(
        "SELECT presenter FROM scopes UNION SELECT presenter FROM goals "
        "UNION SELECT presenter FROM consents ORDER BY 1"
    )
    return tuple(str(row["presenter"]) for row in rows)


def name_in(db: MemoryDatabase, presenter: str) -> str:
    """Return the spelling under which the database knows this presenter, or else the given one."""
    given, known = checked_presenter(presenter), presenters(db)
    if given in known:
        return given
    return next((name for name in known if same_name(name, given)), given)


def consented(db: MemoryDatabase, presenter: str) -> bool:
    """Return whether this presenter has consented and not withdrawn the consent since."""
    return bool(is_given(db, name_in(db, presenter)))


def set_consent(db: MemoryDatabase, presenter: str, value: bool, now: str) -> None:
    """Record whether this presenter agrees to be remembered: *value* is False if they no longer do.

    After a refusal, nothing more is stored or recalled. What is already stored stays until it is forgotten.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        if is_given(db, name) == value:
            return
        db.write("INSERT OR REPLACE INTO consents VALUES (?, ?, ?)", name, value, at)
        note(db, at, "consented" if value else "refused", name, name, None)


def refusal(presenter: str) -> str:
    """Return the reason why nothing about a presenter without consent is read or stored."""
    try:
        name = checked_presenter(presenter)
    except MemoryRefusedError as error:  # one that nobody can be remembered by
        return str(error)
    return (
        f"{name} has not agreed to be remembered, so nothing is read or kept: go on without; only they can "
        "say yes, with --remember or `greenroom memory on`"
    )


def silence(db: MemoryDatabase | None, presenter: str) -> str | None:
    """Return the reason why nothing about this presenter may be read or stored, or None if they agreed."""
    with suppress(MemoryRefusedError):
        if db is not None and consented(db, presenter):
            return None
    return refusal(presenter)


def require(db: MemoryDatabase, presenter: str) -> None:
    """Raise NotConsentedError if *presenter* did not agree to be remembered, or no longer does."""
    if not is_given(db, presenter):
        raise NotConsentedError(refusal(presenter))


def is_given(db: MemoryDatabase, presenter: str) -> bool | None:
    """Return the presenter's last consent decision, or None if there never was one."""
    row = db.row("SELECT is_given FROM consents WHERE presenter = ?", presenter)
    return None if row is None else bool(row["is_given"])


def _folded(name: str) -> str:
    return one_line(unicodedata.normalize("NFKC", name)).casefold()


# ---------------------------------------------------------------------- goals
# Rehearsal goals: what a presenter wants to get right, and the exchanges that moved it.
#
# A goal that was typed is open at once. One that was heard in speech is proposed, and becomes open when
# the presenter takes it up. Goals are the presenter's own words, so typing one needs no other consent.
#
# Whatever takes a goal's id raises `UnknownGoalError` where there is none with it.


_ACTS: Final = {"proposed": "goal proposed", "open": "goal added", "done": "goal done"}
"""The act that the history names when a goal comes to a state."""
_GOAL: Final = (
    "SELECT *, (SELECT json_group_array(exchange) FROM (SELECT exchange FROM goal_moves WHERE goal = goals.n "
    "ORDER BY at, rowid)) AS moved_by FROM goals "
)
"""The beginning of every query of goals; `_goal_of` turns a row that it reads into a value."""


def goals(db: MemoryDatabase, presenter: str, *, include_done: bool = True) -> tuple[Goal, ...]:
    """Return a presenter's goals, oldest first; leave out those that are done unless *include_done*."""
    rows = db.rows(f"{_GOAL} WHERE presenter = ? ORDER BY n", name_in(db, presenter))
    return tuple(_goal_of(row) for row in rows if include_done or row["state"] != "done")


def add_goal(
    db: MemoryDatabase, presenter: str, text: str, now: str, *, state: str = "open", source: str | None = None
) -> Goal:
    """Add a goal, or return the goal with the same source, or with the same text and not done.

    A proposed goal becomes open when the same goal is added as open.

    Args:
        state: `open`, or `proposed` if the goal was heard in speech and nobody has taken it up yet.
        source: Where the goal was said, "<session>/<record>", or None if it was not heard in speech.

    Raises:
        NotConsentedError: The goal was heard in speech, and the presenter did not agree to be remembered.
        MemoryRefusedError: The goal is empty or too long, or there are already 50 that are not done.
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
    """Return the goal with this id."""
    row = db.row(f"{_GOAL} WHERE id = ?", goal_id)
    if row is None:
        raise UnknownGoalError(
            f"there is no goal {one_line(goal_id)[:40]!r}: `greenroom goal list` shows their ids"
        )
    return _goal_of(row)


def complete_goal(db: MemoryDatabase, goal_id: str, now: str) -> Goal:
    """Mark a goal as done; a goal that is already done stays as it is."""
    with db.transaction():
        known = goal(db, goal_id)
        return known if known.state == "done" else _set_state(db, known, "done", checked_time(now))


def move_goal(db: MemoryDatabase, goal_id: str, exchange: str, now: str) -> Goal:
    """Record once that an exchange, "<session>/<exchange>", was about a goal.

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
    """Remove a goal for good; return whether every byte was overwritten, as `MemoryDatabase.wipe` does."""
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


# ---------------------------------------------------------------------- dismissals


MAX: Final = 1_000
"""Maximum number of dismissals that a session carries over, the newest; a digest takes 64 bytes of its first
record."""


def keep_dismissal(db: MemoryDatabase, presenter: str, digest: str, *, session: str, now: str) -> None:
    """Store a dismissal if the presenter agreed to be remembered.

    Raises:
        MemoryDatabaseError: The disk refused; nothing has changed.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        if is_given(db, name):
            db.write("INSERT OR IGNORE INTO dismissed VALUES (?, ?, ?, ?)", name, digest, session, at)


def dismissals(db: MemoryDatabase, presenter: str) -> tuple[str, ...]:
    """Return the digests of a presenter's newest `MAX` dismissals, each once, sorted."""
    rows = db.rows(
        "SELECT digest FROM dismissed WHERE presenter = ? "
        "GROUP BY digest ORDER BY max(at) DESC, digest LIMIT ?",
        name_in(db, presenter),
        MAX,
    )
    return tuple(sorted(row["digest"] for row in rows))


def dismissals_json(db: MemoryDatabase, presenter: str) -> list[dict[str, str]]:
    """Return everything that is stored about a presenter's dismissals, for an export."""
    query = "SELECT digest, session, at FROM dismissed WHERE presenter = ? ORDER BY at, digest, session"
    return [dict(row) for row in db.rows(query, name_in(db, presenter))]
