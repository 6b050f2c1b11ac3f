"""How the records of speech, slides and contradictions change the room: the rows of `folding` for them.

They belong together: a segment may bring a contradiction, and a change of slide makes a look due.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.loop.state import BREATHER_S, Room, SlideTime
from orchestrator.model.claim import Claim, Tension
from orchestrator.model.segment import Segment
from orchestrator.model.values import from_json
from orchestrator.store.ledger import Record

Value = Mapping[str, Any]


# ---------------------------------------------------------------------- contradictions


def find(room: Room, value: Value) -> None:
    room.find(from_json(tuple[Tension, ...], value.get("tensions", ())))


def tensions(room: Room, value: Value, record: Record) -> None:
    find(room, value)
    if value["upto"] >= room.look_due_upto:  # else a slide has changed since it was begun
        room.look_due = None
    room.suspected.clear()
    if "failed" not in value:  # else the same words are looked through again
        room.is_deck_looked_at = True
        room.looked_upto = value["upto"]


def dismissed(room: Room, value: Value, record: Record) -> None:
    room.dismissed.add(value["digest"])


def look_is_due(room: Room, occasion: str) -> None:
    room.look_due, room.look_due_upto = occasion, len(room.segments)


# ---------------------------------------------------------------------- speech and slides


def plain(room: Room, record: Record) -> None:
    """Text appended without a value counts as a segment of its own, at the clock's time."""
    text = " ".join((record.text or "").split())
    segment = Segment(text, record.clock_s, record.clock_s)
    room.segments.append(segment)
    voice(room, segment, record)


def segment(room: Room, value: Value, record: Record) -> None:
    segment = spoken(room, value)
    voice(room, segment, record)
    find(room, value)
    if value.get("played") is not None:
        room.played = value["played"]
    if value.get("source") is not None:
        name, line = value["source"]
        room.lines_taken[name] = line
    if room.open is not None and segment.speaker in (None, room.presenter):
        room.heard.append(segment)


def spoken(room: Room, value: Value) -> Segment:
    segment = from_json(Segment, value["segment"])
    room.segments.append(segment)
    spoken_s = room.seconds_by_speaker.get(segment.speaker, 0.0)
    room.seconds_by_speaker[segment.speaker] = spoken_s + segment.end_s - segment.start_s
    of_speaker = room.claims_by_speaker.setdefault(segment.speaker, [])
    if value["type"] == "segment":  # what is said in an answer is judged there, and not asked about again
        claims = from_json(tuple[Claim, ...], value.get("claims", ()))
        of_speaker.extend(claims)
        room.claims_by_id.update((claim.id, claim) for claim in claims)
    return segment


def voice(room: Room, segment: Segment, record: Record) -> None:
    """Who speaks, and since when, on the session clock."""
    room.asked_here = False
    from_s = max(0.0, round(record.clock_s - (segment.end_s - segment.start_s), 3))
    if room.quiet_from_s is None:
        room.quiet_from_s = from_s
    goes_on = room.voice_from_s is not None and room.voice == segment.speaker
    if not goes_on or from_s - room.voice_until_s >= BREATHER_S:
        room.voice, room.voice_from_s, room.is_pause_suggested = segment.speaker, from_s, False
    room.voice_until_s = record.clock_s


def slide(room: Room, value: Value, record: Record) -> None:
    room.slides.append(SlideTime(value["slide"], value["at_s"], value.get("estimated", False)))
    room.refresh_due = True
    look_is_due(room, "slide")
    if value.get("break"):
        room.break_due = room.is_to_be_thought_of = True
        look_is_due(room, "break")


def section_end(room: Room, value: Value, record: Record) -> None:
    room.section_ended = value["slides"]
    room.break_due = room.refresh_due = room.is_to_be_thought_of = True
    look_is_due(room, "break")


def played_out(room: Room, value: Value, record: Record) -> None:
    room.is_played_out = True
    room.asked_when_played_out = len(room.exchanges)
    room.refresh_due = room.is_to_be_thought_of = True
    look_is_due(room, "break")
