"""Memories, scratchpads, consent and goals, and the presenter's control over them.

Reading does not create a database if there is none; every change does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import UsageError
from orchestrator.core.table import MODERATOR
from orchestrator.documents.opening import check_has_panel
from orchestrator.memory import memories as forgetting
from orchestrator.memory import memories as records
from orchestrator.memory import presenter as goal_records
from orchestrator.memory.briefing import Briefing, briefing, drop_briefings
from orchestrator.memory.database import MemoryDatabase, existing
from orchestrator.memory.memories import history, left, memories
from orchestrator.memory.model import Forgotten, Scratchpad, UnknownMemoryError
from orchestrator.memory.notebook import earlier_scratchpads, edit_scratchpad, scratchpads
from orchestrator.memory.past_sessions import begun
from orchestrator.memory.presenter import (
    consented,
    dismissals_json,
    goals,
    name_in,
    presenters,
    same_name,
    set_consent,
)
from orchestrator.memory.validation import check_clean
from orchestrator.panel.home import Home

# ---------------------------------------------------------------------- export
# All that is kept about one presenter, as plain JSON: theirs to read and to take away.


def export(db: MemoryDatabase, presenter: str) -> dict[str, Any]:
    """Return everything about *presenter* in one snapshot, except vectors, which derive from the contents."""
    name = name_in(db, presenter)
    with db.reading():
        pages = scratchpads(db, name)
        return {
            "presenter": name,
            "consented": consented(db, name),
            "memories": [asdict(one) for one in memories(db, presenter=name, include_superseded=True)],
            "left": [{**asdict(one.memory), "left_at": one.left_at} for one in left(db, presenter=name)],
            "scratchpads": [
                {
                    **scratchpad_json(page),
                    "earlier": [
                        {"content": one.content, "updated_at": one.updated_at}
                        for one in earlier_scratchpads(db, page.agent, name)
                    ],
                }
                for page in pages
            ],
            "goals": [asdict(one) for one in goals(db, name)],
            "dismissed": dismissals_json(db, name),
            "history": [asdict(one) for one in history(db, name)],
        }


def scratchpad_json(page: Scratchpad) -> dict[str, Any]:
    """Return one page in the form that commands and tools print."""
    return {**asdict(page), "characters": len(page.content)}


# ---------------------------------------------------------------------- memories


PARTS: Final = ("memories", "left", "scratchpads", "goals")

# ---------------------------------------------------------------------- looking


def memories_json(
    home: Home,
    *,
    agent: str | None,
    presenter: str | None,
    superseded: bool = False,
    left: bool = False,
    type_: str | None = None,
    tag: str | None = None,
) -> dict[str, Any]:
    """Return every memory, newest first, of one presenter or of everybody.

    Args:
        type_: Return only memories of this type.
        tag: Return only memories that have this tag.
        superseded: Whether to include memories that a newer one corrects.
        left: Whether to return, instead, the memories that were dropped because the agent had too many.
    """
    found: list[dict[str, Any]] = []
    with existing(home.root) as db:
        for known, name in each(db, presenter):
            often = records.rehearsals_of(known, name)
            if left:
                gone = records.left(known, presenter=name, agent=agent)
                found += [{**asdict(one.memory), "left_at": one.left_at} for one in gone]
                continue
            kept = records.memories(known, presenter=name, agent=agent, include_superseded=superseded)
            found += [
                {**asdict(one), **({"rehearsals": often[one.id]} if one.id in often else {})} for one in kept
            ]
    wanted = [one for one in found if type_ in (None, one["type"]) and (tag is None or tag in one["tags"])]
    return {"memories": wanted}


def memory_one_json(home: Home, memory_id: str) -> dict[str, Any]:
    """Return one whole memory.

    Raises:
        UnknownMemoryError: There is no memory with this id.
    """
    with existing(home.root) as db:
        if db is None:
            raise UnknownMemoryError(f"there is no memory {memory_id[:40]!r}: nothing is remembered here yet")
        return {"memories": [asdict(records.memory(db, memory_id))]}


def wholes(home: Home, *, agent: str | None, presenter: str | None) -> list[dict[str, Any]]:
    """Return all that is remembered, one document for each presenter; with *agent*, only that agent's
    part."""
    with existing(home.root) as db:
        found = [export(known, name) for known, name in each(db, presenter)]
    for whole in found:
        whole.pop("history")
        for part in ("memories", "left", "scratchpads"):
            whole[part] = [one for one in whole[part] if agent in (None, one["agent"])]
    return found


def wholes_json(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Combine the documents into one: consents, memories, scratchpads and goals of all presenters."""
    plain: dict[str, Any] = {part: [one for whole in found for one in whole[part]] for part in PARTS}
    plain["consents"] = [{key: whole[key] for key in ("presenter", "consented")} for whole in found]
    return plain


def goals_json(home: Home, presenter: str | None) -> dict[str, Any]:
    """Return the goals, and the exchanges about them, of one presenter or of everybody."""
    with existing(home.root) as db:
        return {
            "goals": [
                asdict(one) for known, name in each(db, presenter) for one in goal_records.goals(known, name)
            ]
        }


# ---------------------------------------------------------------------- changing


def edited_memory_json(
    home: Home,
    memory_id: str,
    *,
    content: str | None,
    type: str | None,
    confidence: float | None,
    tags: Sequence[str] | None,
) -> dict[str, Any]:
    """Change the given values of one memory, and wipe its earlier content.

    Raises:
        UsageError: No value is given.
        UnknownMemoryError, MemoryRefusedError
    """
    check_clean("\n".join((content or "", *(tags or ()))), "this memory")
    if content is None and type is None and confidence is None and tags is None:
        raise UsageError("say what changes: --content, --type, --confidence or --tag")
    with MemoryDatabase.open(home.root) as db:
        changed = records.edit_memory(
            db, memory_id, type=type, content=content, confidence=confidence, tags=tags, now=utc_now()
        )
    return {"memories": [asdict(changed)]}


def edited_scratchpad_json(home: Home, agent: str, presenter: str | None, content: str) -> dict[str, Any]:
    """Replace an agent's page; empty text removes it.

    Raises:
        UsageError: This home has neither such an agent nor a page of it, or several presenters could be
            meant.
        MemoryRefusedError
    """
    check_clean(content, "the scratchpad")
    with MemoryDatabase.open(home.root) as db:
        name = the_one(db, presenter)
        known = (MODERATOR, *home.panelists())
        if agent not in known and all(page.agent != agent for page in scratchpads(db, name)):
            raise UsageError(f"there is no agent {agent[:40]!r} here: this home has {', '.join(known)}")
        page = edit_scratchpad(db, agent, name, content, utc_now())
    return {"scratchpads": [scratchpad_json(page)]}


def forget(
    home: Home, memory_ids: Sequence[str] = (), *, presenter: str | None = None, agent: str | None = None
) -> Forgotten:
    """Remove these memories for good. If none is named, remove all of *presenter*, or *agent*'s part of them.

    Raises:
        UnknownMemoryError: There is no memory with one of these ids.
        UsageError: Several presenters could be meant.
    """
    with MemoryDatabase.open(home.root) as db:
        if memory_ids:
            done = forgetting.forget(db, *memory_ids, now=utc_now())
        elif agent is not None:
            done = forgetting.forget_agent(db, the_one(db, presenter), agent, now=utc_now())
        else:
            done = forgetting.forget_presenter(db, the_one(db, presenter))
    drop_briefings(home.root)
    return done


def consent_json(home: Home, presenter: str | None, *, value: bool) -> dict[str, Any]:
    """Record whether a presenter agrees to be remembered; existing memories stay until they are forgotten."""
    with MemoryDatabase.open(home.root) as db:
        name = name_in(db, the_one(db, presenter))
        set_consent(db, name, value, utc_now())
        kept = len(records.memories(db, presenter=name, include_superseded=True))
    if not value:
        drop_briefings(home.root, name)
    return {"presenter": name, "consented": value, "kept": kept}


def added_goal(home: Home, presenter: str | None, text: str) -> tuple[str, dict[str, Any]]:
    """Add a goal, or adopt one that was heard in speech and says the same; the message says which
    happened."""
    with MemoryDatabase.open(home.root) as db:
        name = the_one(db, presenter)
        added = goal_records.add_goal(db, name, text, utc_now())
    return f"{added.id}: {added.state}", goals_json(home, name)


def done_goal(
    home: Home, goal_id: str, presenter: str | None = None, *, command: str = "greenroom"
) -> tuple[str, dict[str, Any]]:
    """Mark a goal as done.

    Args:
        presenter: The presenter whose goal it must be. If None, anybody's.
        command: The words with which the user called this program, for the error's hint.

    Raises:
        UnknownGoalError: There is no goal with this id.
        UsageError: The goal belongs to another presenter than the one that was named.
    """
    with MemoryDatabase.open(home.root) as db:
        _owner(db, goal_id, presenter, command)
        done = goal_records.complete_goal(db, goal_id, utc_now())
    return f"{done.id}: done", goals_json(home, done.presenter)


def dropped_goal(
    home: Home, goal_id: str, presenter: str | None = None, *, command: str = "greenroom"
) -> tuple[str, dict[str, Any]]:
    """Remove a goal for good, proposed or not. Arguments and errors are those of `done_goal`."""
    with MemoryDatabase.open(home.root) as db:
        name = _owner(db, goal_id, presenter, command)
        goal_records.forget_goal(db, goal_id, now=utc_now())
    drop_briefings(home.root)
    return f"{goal_id}: dropped", goals_json(home, name)


# ---------------------------------------------------------------------- whose


def each(db: MemoryDatabase | None, given: str | None) -> list[tuple[MemoryDatabase, str]]:
    """Return the named presenter, or everybody of this home, whose owner is asking, each with the
    database."""
    if db is None:
        return []
    return [(db, name) for name in ((given,) if given is not None else presenters(db))]


def the_one(db: MemoryDatabase, given: str | None) -> str:
    """Return the named presenter, or the only one that is known here.

    Raises:
        UsageError: Nobody is known here, or several are.
    """
    if given is not None:
        return given
    known = presenters(db)
    if len(known) != 1:
        count = f"{len(known)} presenters are" if known else "no presenter is"
        raise UsageError(f"{count} known here: say who is meant with --presenter NAME")
    return known[0]


def _owner(db: MemoryDatabase, goal_id: str, presenter: str | None, command: str) -> str:
    owner = goal_records.goal(db, goal_id).presenter
    if presenter is not None and not same_name(owner, presenter):
        raise UsageError(f"{goal_id} is no goal of {presenter}: `{command} goal list` shows whose")
    return owner


# ---------------------------------------------------------------------- briefing
# The situation as an agent would be told it now.


def briefing_json(home: Home, agent: str, presenter: str | None) -> dict[str, Any]:
    """Return the briefing of *agent*; its text is empty if the presenter is not remembered.

    Args:
        presenter: The presenter. If None, that of the newest session that is to be remembered.

    Raises:
        UsageError: There is no such agent, or no presenter who could be meant.
        OtherCrewError: The home is of a crew without a panel.
    """
    check_has_panel(home, "no agent has a briefing: what it is given is its context")
    known = (MODERATOR, *home.panelists())
    if agent not in known:
        raise UsageError(f"there is no agent {agent!r} here: this home has {', '.join(known)}")
    name = presenter or _newest_presenter(home)
    found = Briefing("", utc_now())
    if MemoryDatabase.exists(home.root):
        with MemoryDatabase.open(home.root) as db:
            found = briefing(db, home.root, agent=agent, presenter=name, now=found.built_at)
    return {
        "text": found.text,
        "built_at": found.built_at,
        "cached": found.cached,
        "agent": agent,
        "presenter": name,
    }


def _newest_presenter(home: Home) -> str:
    """Return the presenter of the newest session that is to be remembered.

    Raises:
        UsageError: There is no such session.
    """
    for session_id in reversed(home.session_ids()):
        found = begun(home.sessions / session_id)
        if found is not None:
            return found.presenter
    raise UsageError("no session here is to be remembered: name whose briefing you want with --presenter")
