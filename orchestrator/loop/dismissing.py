"""The presenter says that a contradiction is none: it is asked about no more, and leaves every page.

Source: interfaces.md, `dismiss`.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import render
from orchestrator.archive.register import dismissed_of
from orchestrator.errors import InputError
from orchestrator.home.folder import Home
from orchestrator.layout import MODERATOR
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.model.claim import Tension


def dismiss(rehearsal: Rehearsal, tension: Tension) -> None:
    """Note it in a session that goes on, and in every panelist's notes; again it changes nothing."""
    with rehearsal.store.transaction():
        if rehearsal.room.is_dismissed(tension):
            return
        value = {"type": "dismissed", "finding": tension.id, "digest": tension.digest}
        rehearsal.store.note(value, by=MODERATOR)
        for agent in rehearsal.options.panel:
            line = f"- No contradiction, the presenter says ({tension.kind}): {render.both_sides(tension)}\n"
            rehearsal.store.append(f"{agent}/exchange-notes.md", line, by=agent, value={"type": "notes"})


def found_as(known: Sequence[Tension], finding: str, standing: Sequence[Tension]) -> Tension:
    """The contradiction with this id.

    Args:
        known: All of the session, dismissed ones too.
        standing: Those that an error names.

    Raises:
        InputError: There is none.
    """
    for one in known:
        if one.id and one.id == finding:
            return one
    there = ", ".join(one.id for one in standing)
    raise InputError(
        f"there is no contradiction {finding[:40]!r}: "
        + (f"there are {there}" if there else "none stands in this session"),
        value=finding[:40],
    )


def standing(rehearsal: Rehearsal, home: Home | None) -> tuple[Tension, ...]:
    """The contradictions that the presenter has not dismissed, not after the end either."""
    later = dismissed_later(rehearsal, home)
    return tuple(one for one in rehearsal.room.tensions if one.digest not in later)


def dismissed_later(rehearsal: Rehearsal, home: Home | None) -> frozenset[str]:
    """Digests of what the presenter has dismissed since the session's end, as its home knows."""
    if home is None or not (rehearsal.room.ended and is_held_in(home, rehearsal)):
        return frozenset()
    return dismissed_of(home, rehearsal.options.id)


def is_held_in(home: Home, rehearsal: Rehearsal) -> bool:
    return rehearsal.store.root.parent == home.sessions
