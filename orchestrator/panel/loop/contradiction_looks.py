"""Looking for contradictions during a rehearsal: when a look is due, what it examines, and what is noted.

An engine that understands speech is asked once about the deck, then about what the presenter has said since,
at each change of slide, break and exchange. Code checks arithmetic within one sentence at once. Words that
were said off the record are sent to nobody.

Source: READING.md, "When it is asked".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.archive.register import dismissed_of, note_dismissed
from orchestrator.core.errors import InputError, SessionStateError
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.material.checks.arithmetic import speech_tensions
from orchestrator.material.checks.grounding import Passage, speech_passages
from orchestrator.material.claim import READ, Tension
from orchestrator.material.values import Segment
from orchestrator.panel import render
from orchestrator.panel.home import Home
from orchestrator.panel.loop.contradictions import Looked, propose
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.records import exchanges as records
from orchestrator.panel.records.exchanges import Dismissed, NoteAdded

# ---------------------------------------------------------------------- contradiction looks


START = "start"
"""The occasion of the one look at the deck alone; its findings are in the focus briefs, not in the notes."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look for contradictions, with its inputs as they were when it began."""

    asked: str  # start, slide, break or exchange
    passages: tuple[Passage, ...]
    new: frozenset[str]
    known: tuple[Tension, ...]
    suspected: tuple[Tension, ...]
    upto: int  # segments that there were
    unsaid: tuple[int, int] = (0, 0)  # as of the projection then


def look_at_deck(rehearsal: OpenRehearsal, tx: Draft) -> None:
    """Ask once for the contradictions within the deck, wait, and write the result with *tx*, the start's."""
    if not rehearsal.reads:
        return
    look = Look(START, rehearsal.deck_passages, frozenset(), tuple(rehearsal.projection.found), (), 0)
    take(rehearsal, look, made(rehearsal, look), tx)


def look_if_due(rehearsal: OpenRehearsal) -> bool:
    """Examine what was said since the last look, and wait for the result; return False if nothing is due."""
    look = due(rehearsal)
    if look is None:
        return False
    take(rehearsal, look, made(rehearsal, look))
    return True


def due(rehearsal: OpenRehearsal) -> Look | None:
    """Return the look that is due now, or None if nothing new was said or the moment is wrong."""
    projection = rehearsal.projection
    if projection.look_due is None or not rehearsal.state().hears_contradictions:
        return None
    spoken = [
        (number, one)
        for number, segment in rehearsal.said()
        for one in speech_passages([segment], start_index=number)
    ]
    new = frozenset(one.id for number, one in spoken if number > projection.looked_upto)
    return Look(
        asked=projection.look_due,
        passages=(*rehearsal.deck_passages, *(one for _, one in spoken)),
        new=new if projection.is_deck_looked_at or not rehearsal.reads else frozenset(),
        known=tuple(projection.found),
        suspected=tuple(projection.suspected),
        upto=len(projection.segments),
        unsaid=projection.unsaid,
    )


def made(rehearsal: OpenRehearsal, look: Look) -> Looked:
    """Carry out the look and return its result.

    It reads and writes nothing of the session, so it may run in a separate thread.
    """
    return propose(rehearsal.engine, look.passages, new=look.new, known=look.known, suspected=look.suspected)


def take(rehearsal: OpenRehearsal, look: Look, looked: Looked, tx: Draft | None = None) -> None:
    """Write the result of a look, with a line in every panelist's notes, since all of them heard the words.

    If words that were examined have since been taken back or corrected, nothing is written, and the look
    stays due.
    """
    rehearsal.note_calls(tx)
    value = records.Looked(
        asked=look.asked,
        by=rehearsal.engine.name,
        tensions=looked.tensions,
        proposed=looked.proposed,
        refused=looked.refused,
        upto=look.upto,
        failed=looked.failed,
    )
    with rehearsal.store.joined(tx) as tx:
        if rehearsal.projection.unsaid != look.unsaid:
            return
        tx.note(value, by=MODERATOR)
        if look.asked != START:  # the deck's own stand in the focus briefs
            note_tensions(rehearsal, tx, looked.tensions)


def tensions_in(rehearsal: OpenRehearsal, segment: Segment) -> tuple[Tension, ...]:
    """Return the miscalculations in one segment of the presenter's speech, or none for another speaker's.

    Contradictions that are already recorded are left out.
    """
    if not rehearsal.is_presenters(segment):
        return ()
    known = {one.digest for one in rehearsal.projection.found}
    return tuple(one for one in speech_tensions(segment) if one.digest not in known)


def note_tensions(rehearsal: OpenRehearsal, tx: Draft, found: Sequence[Tension]) -> None:
    """Add the contradictions that the presenter has not dismissed to every panelist's notes."""
    for tension in (one for one in found if not rehearsal.projection.is_dismissed(one)):
        for agent in rehearsal.options.panel:
            tx.append(
                f"{agent}/exchange-notes.md",
                _line(tension),
                by=agent,
                value=records.FindingNoted(tension),
            )


def note_none(rehearsal: OpenRehearsal, tx: Draft, tensions: Sequence[Tension], why: str) -> None:
    """Write to every panelist's notes that *tensions* are not contradictions."""
    for tension in tensions:
        line = f"- No contradiction, {why} ({tension.kind}): {render.both_sides(tension)}\n"
        for agent in rehearsal.options.panel:
            tx.append(f"{agent}/exchange-notes.md", line, by=agent, value=NoteAdded())


def _line(tension: Tension) -> str:
    found = "To ask about, since no figure decides it" if tension.class_ == READ else "Found while listening"
    return f"- {found} ({tension.kind}): {render.both_sides(tension)}\n"


# ---------------------------------------------------------------------- dismissing
# The presenter says that a contradiction is none: it is asked about no more, and leaves every page.
#
# Source: interfaces.md, `dismiss`.


def dismiss(rehearsal: OpenRehearsal, home: Home | None, finding: str) -> Tension:
    """Dismiss a contradiction as `Session.dismiss` does, but leave the presenter's memory unchanged."""
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


def _note(rehearsal: OpenRehearsal, tension: Tension) -> None:
    """Record the dismissal once, in a running session and in every panelist's notes."""
    with rehearsal.store.transaction() as tx:
        if rehearsal.projection.is_dismissed(tension):
            return
        tx.note(Dismissed(tension.id, tension.digest), by=MODERATOR)
        note_none(rehearsal, tx, [tension], "the presenter says")


def _found_as(rehearsal: OpenRehearsal, home: Home | None, finding: str) -> Tension:
    """Return the contradiction with the id *finding*, even a dismissed one: dismissing twice is not an
    error.
    """
    for one in rehearsal.projection.found:
        if one.id and one.id == finding:
            return one
    there = ", ".join(one.id for one in standing(rehearsal, home))
    raise InputError(
        f"there is no contradiction {finding[:40]!r}: "
        + (f"there are {there}" if there else "none stands in this session"),
        value=finding[:40],
    )


def standing(rehearsal: OpenRehearsal, home: Home | None) -> tuple[Tension, ...]:
    """Return the contradictions that the presenter has not dismissed, during the session or after its end."""
    later = dismissed_later(rehearsal, home)
    return tuple(one for one in rehearsal.projection.tensions if one.digest not in later)


def dismissed_later(rehearsal: OpenRehearsal, home: Home | None) -> frozenset[str]:
    """Return the digests of the contradictions that the presenter has dismissed since the session's end.

    The dismissals are read from the session's home.
    """
    if home is None or not (rehearsal.projection.ended and is_held_in(home, rehearsal)):
        return frozenset()
    return dismissed_of(home, rehearsal.options.id)


def is_held_in(home: Home, rehearsal: OpenRehearsal) -> bool:
    """Return whether the session lies in *home* under its own id.

    A copy under another name does not count.
    """
    root = rehearsal.store.root
    return root.parent == home.sessions and root.name == rehearsal.options.id
