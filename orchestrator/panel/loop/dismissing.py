"""The presenter says that a contradiction is none: it is asked about no more, and leaves every page.

Source: interfaces.md, `dismiss`.
"""

from __future__ import annotations

from orchestrator.core.archive.register import dismissed_of, note_dismissed
from orchestrator.core.errors import InputError, SessionStateError
from orchestrator.core.table import MODERATOR
from orchestrator.material.model.claim import Tension
from orchestrator.panel.home import Home
from orchestrator.panel.loop.contradiction_looks import note_none
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.records.contradictions import Dismissed


def dismiss(rehearsal: Rehearsal, home: Home | None, finding: str) -> Tension:
    """As `Session.dismiss`, but for what the presenter's next rehearsal remembers of it."""
    projection = rehearsal.projection
    tension = _found_as(rehearsal, home, finding)
    if not projection.ended:
        _note(rehearsal, tension)
    elif home is None or not is_held_in(home, rehearsal):
        raise SessionStateError(
            f"{rehearsal.options.id} has ended and lies outside of a home: dismiss it "
            "where the session was held"
        )
    elif tension.digest not in projection.dismissed | dismissed_of(home, rehearsal.options.id):
        note_dismissed(home, rehearsal.options.id, tension.id, tension.digest)
    return tension


def _note(rehearsal: Rehearsal, tension: Tension) -> None:
    """Into a session that goes on, and every panelist's notes; again it changes nothing."""
    with rehearsal.store.transaction() as tx:
        if rehearsal.projection.is_dismissed(tension):
            return
        tx.note(Dismissed(tension.id, tension.digest), by=MODERATOR)
        note_none(rehearsal, tx, [tension], "the presenter says")


def _found_as(rehearsal: Rehearsal, home: Home | None, finding: str) -> Tension:
    """The contradiction with this id, dismissed ones too: twice is no error."""
    for one in rehearsal.projection.found:
        if one.id and one.id == finding:
            return one
    there = ", ".join(one.id for one in standing(rehearsal, home))
    raise InputError(
        f"there is no contradiction {finding[:40]!r}: "
        + (f"there are {there}" if there else "none stands in this session"),
        value=finding[:40],
    )


def standing(rehearsal: Rehearsal, home: Home | None) -> tuple[Tension, ...]:
    """The contradictions that the presenter has not dismissed, not after the end either."""
    later = dismissed_later(rehearsal, home)
    return tuple(one for one in rehearsal.projection.tensions if one.digest not in later)


def dismissed_later(rehearsal: Rehearsal, home: Home | None) -> frozenset[str]:
    """Digests of what the presenter has dismissed since the session's end, as its home knows."""
    if home is None or not (rehearsal.projection.ended and is_held_in(home, rehearsal)):
        return frozenset()
    return dismissed_of(home, rehearsal.options.id)


def is_held_in(home: Home, rehearsal: Rehearsal) -> bool:
    """Whether the session is one of *home*; a copy there, under another name, stands for none of it."""
    root = rehearsal.store.root
    return root.parent == home.sessions and root.name == rehearsal.options.id
