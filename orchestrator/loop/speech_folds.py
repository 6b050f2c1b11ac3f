"""How the records of speech, slides and contradictions change the projection: the rows of `folding` for them.

They belong together: a segment may bring a contradiction, and a change of slide makes a look due.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.loop.state import BREATHER_S, Line, Projection, SlideTime
from orchestrator.model.claim import Claim, Tension
from orchestrator.model.segment import Segment
from orchestrator.model.values import from_json
from orchestrator.store.ledger import Record

Value = Mapping[str, Any]


# ---------------------------------------------------------------------- contradictions


def find(projection: Projection, value: Value) -> None:
    projection.find(from_json(tuple[Tension, ...], value.get("tensions", ())))


def tensions(projection: Projection, value: Value, record: Record) -> None:
    find(projection, value)
    if value["upto"] >= projection.look_due_upto:  # else a slide has changed since it was begun
        projection.look_due = None
    projection.suspected.clear()
    if "failed" not in value:  # else the same words are looked through again
        projection.is_deck_looked_at = True
        projection.looked_upto = value["upto"]


def dismissed(projection: Projection, value: Value, record: Record) -> None:
    projection.dismissed.add(value["digest"])


def look_is_due(projection: Projection, occasion: str) -> None:
    projection.look_due, projection.look_due_upto = occasion, len(projection.segments)


# ---------------------------------------------------------------------- speech and slides


def plain(projection: Projection, record: Record) -> None:
    """Text appended without a value counts as a segment of its own, at the clock's time."""
    text = " ".join((record.text or "").split())
    segment = Segment(text, record.clock_s, record.clock_s)
    projection.segments.append(segment)
    voice(projection, segment, record)
    heard(projection, segment)


def segment(projection: Projection, value: Value, record: Record) -> None:
    segment = spoken(projection, value)
    voice(projection, segment, record)
    find(projection, value)
    if value.get("played") is not None:
        projection.played = value["played"]
    if value.get("source") is not None:
        projection.lines_taken.add(Line(*value["source"]))
    heard(projection, segment)


def heard(projection: Projection, segment: Segment) -> None:
    """What the presenter says while a question is open is its answer."""
    if projection.open is not None and segment.speaker in (None, projection.presenter):
        projection.heard.append(segment)


def spoken(projection: Projection, value: Value) -> Segment:
    segment = from_json(Segment, value["segment"])
    projection.segments.append(segment)
    spoken_s = projection.seconds_by_speaker.get(segment.speaker, 0.0)
    projection.seconds_by_speaker[segment.speaker] = spoken_s + segment.end_s - segment.start_s
    of_speaker = projection.claims_by_speaker.setdefault(segment.speaker, [])
    if value["type"] == "segment":  # what is said in an answer is judged there, and not asked about again
        claims = from_json(tuple[Claim, ...], value.get("claims", ()))
        of_speaker.extend(claims)
        projection.claims_by_id.update((claim.id, claim) for claim in claims)
    return segment


def voice(projection: Projection, segment: Segment, record: Record) -> None:
    """Who speaks, and since when, on the session clock."""
    projection.asked_here = False
    from_s = max(0.0, round(record.clock_s - (segment.end_s - segment.start_s), 3))
    if projection.quiet_from_s is None:
        projection.quiet_from_s = from_s
    goes_on = projection.voice_from_s is not None and projection.voice == segment.speaker
    if not goes_on or from_s - projection.voice_until_s >= BREATHER_S:
        projection.voice, projection.voice_from_s, projection.is_pause_suggested = (
            segment.speaker,
            from_s,
            False,
        )
    projection.voice_until_s = record.clock_s


def slide(projection: Projection, value: Value, record: Record) -> None:
    projection.slides.append(SlideTime(value["slide"], value["at_s"], value.get("estimated", False)))
    projection.refresh_due = True
    look_is_due(projection, "slide")
    if value.get("break"):
        projection.break_due = projection.is_to_be_thought_of = True
        look_is_due(projection, "break")


def section_end(projection: Projection, value: Value, record: Record) -> None:
    projection.section_ended = value["slides"]
    projection.break_due = projection.refresh_due = projection.is_to_be_thought_of = True
    look_is_due(projection, "break")


def played_out(projection: Projection, value: Value, record: Record) -> None:
    projection.is_played_out = True
    projection.asked_when_played_out = len(projection.exchanges)
    projection.refresh_due = projection.is_to_be_thought_of = True
    look_is_due(projection, "break")
