"""The lines above a task that tell a reader where it is: what was shown, what is left, who will sit there.

Fixed words and numbers only; whatever somebody wrote stands as JSON, so that it begins no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.model.framing import as_data
from orchestrator.panel.model.dossier import BoardMember

OCCASIONS = {
    "break": "The talk pauses between two sections, and questions are taken now.",
    "pause": "The presenter pauses, and a question can be put now.",
    "end": "The talk is over; this is the round of questions at its end.",
    "refresh": "The talk goes on. Your question may be put at any moment.",
}


def room_lines(request: protocol.SeatRequest[Any]) -> Iterator[str]:
    """Where the rehearsal stands, a line each, for the one who is asked."""
    scene = request.scene
    if not scene.board_is_filed:
        yield from board_lines(scene.members, scene.kind)
    match request:
        case protocol.FocusBriefRequest():
            yield "The talk has not begun: you have the deck, and nothing has been said yet."
        case protocol.CandidateRequest():
            yield _shown(scene)
            yield OCCASIONS.get(request.occasion, "A question may be put now.")
            yield from _left(request)
            yield _ahead(request)
        case protocol.JudgementRequest():
            yield _shown(scene)
            yield "The presenter has just answered and waits for your word."
        case protocol.ScratchpadRequest() | protocol.DebriefRequest():
            yield "The rehearsal is over."


def members_of(members: Sequence[BoardMember]) -> list[dict[str, Any]]:
    """A board as plain values; what is not known of a person is left out, as are the body's own rules."""
    return [{key: value for key, value in asdict(one).items() if value and key != "rules"} for one in members]


def rules_of(members: Sequence[BoardMember]) -> list[str]:
    """The rules of the whole body, each once: they hold for every member."""
    return list(dict.fromkeys(rule for one in members for rule in one.rules))


def board_lines(members: Sequence[BoardMember], kind: str | None) -> Iterator[str]:
    """Who will decide on the deck, and what kind of deck it is.

    These lines stand in a session's configuration, which agents read, so that they are cached with it. In
    sessions of before, and where a home's own blueprint leaves them out, they stand in each task.
    """
    if members:
        yield f"The real board, as the presenter describes it (data): {as_data(members_of(members))}"
        if rules := rules_of(members):
            yield f"The rules of that board, which hold for every member (data): {as_data(rules)}"
    else:
        yield "Nobody has named the real board: think of the one that this deck is for."
    if kind:
        yield f"Kind of deck, as the presenter says: {as_data(kind)}."


def furthest_shown(scene: protocol.Scene) -> int | None:
    """The last slide of those that were shown; None: the talk is over, or nothing is known."""
    if scene.slide is None:
        return None
    return max([scene.slide, *(one.slide for one in scene.segments if one.slide is not None)])


def _shown(scene: protocol.Scene) -> str:
    furthest, count = furthest_shown(scene), len(scene.deck.slides)
    if furthest is None:
        return f"All {count} slides have been shown."
    return f"Slide {scene.slide} of {count} is on the screen; slides 1 to {furthest} have been shown."


def _left(request: protocol.CandidateRequest) -> Iterator[str]:
    if request.exchanges_left:
        questions = "one question" if request.exchanges_left == 1 else f"{request.exchanges_left} questions"
        minutes = f", and about {request.minutes_left:.0f} minutes" if request.minutes_left >= 1 else ""
        yield f"For the whole panel there is time for {questions} more, each with its follow-ups{minutes}."


def _ahead(request: protocol.CandidateRequest) -> str:
    if request.may_look_ahead or furthest_shown(request.scene) is None:
        return "Every slide of the deck may be asked about."
    return "Ask only about what was shown or said; leave what a later slide answers."
