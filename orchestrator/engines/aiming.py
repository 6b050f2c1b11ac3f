"""Which claims of the deck a panelist goes after, before anything has been said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.engines.angles import BENCHMARK, PATTERN, RED_FLAG, Angle, angles
from orchestrator.engines.contradictions import angle_words, is_side
from orchestrator.engines.options import Option, ground_of, has_situation, option_for, quote_for
from orchestrator.engines.protocol import FocusBriefRequest
from orchestrator.engines.silences import (
    SILENCE,
    Ranked,
    open_silences,
    silence_angles,
    silent_statements,
)
from orchestrator.engines.situating import SITUATION
from orchestrator.engines.sorts import FACT
from orchestrator.exchange import Target
from orchestrator.pattern import CONTRADICTION, FINDINGS, NEWS
from orchestrator.persona import Seat

FEWEST_TARGETS: Final = 3
MOST_TARGETS: Final = 7
"""Three to seven targets for each panelist."""

_LEAST_INTEREST: Final = 0.7
"""Below it a claim is no target, once there are `FEWEST_TARGETS`: a heading, a lone cell."""
_LEFT: Final = 2.0
_MORE_THEIRS: Final = 0.6
"""What a claim loses if another panelist, still to be asked, has a question of the table's on it and this
one only a pattern, or has one that it would sooner ask."""
_SAME_SLIDE: Final = 0.5
_SAME_ANGLE: Final = 0.8

_END_OF_QUOTE: Final = '{quote}". '
"""After it, a pattern asks."""

_NEED_WORDS: Final = {
    "number": "the figure itself, with its unit",
    "period": "the months or the year that it holds for",
    "source": "the record or the measurement that it comes from",
    "base": "what it is measured against: the whole, or the figure before",
    "owner": "the one person who answers for it",
    "date": "the day on which it is due or was taken",
    "cause": "what brought it about, and how that is known",
    "comparison": "the same figure somewhere else, or without it",
}


def targets(request: FocusBriefRequest) -> tuple[Target, ...]:
    """Three to seven claims of the deck for this panelist, the most wanted first.

    Fewer only where the deck has fewer. A third of what is left is the most that one
    panelist takes from a small deck, so that the others find targets too; a claim on which
    only one of `request.others` has a red flag or a benchmark is left to them. Slides and
    angles vary; claims in `request.taken` are left alone.
    """
    scene = request.scene
    ground = ground_of(request.seat, scene)
    others = [(seat, open_silences(seat, scene)) for seat in request.others]
    quiet = silent_statements(
        scene.deck,
        scene.deck_claims,
        request.seat,
        ground.silences,
        lambda statement: has_situation(statement, ground),
    )
    options = [
        replace(option, weight=option.weight - _left_to_others(option, others))
        for claim in (*scene.deck_claims, *quiet)
        if claim.id not in request.taken and (option := option_for(claim, request.seat, scene, ground))
    ]
    options = [option for option in options if not _is_raised(option, request)]
    telling = [option for option in options if option.angle.name != FACT]
    options = telling if len(telling) >= FEWEST_TARGETS else options
    most = min(MOST_TARGETS, max(FEWEST_TARGETS, len(options) // 3))
    chosen: list[Option] = []
    while options and len(chosen) < most:
        best = max(options, key=lambda option: option.weight - _repetition(option, chosen))
        if len(chosen) >= FEWEST_TARGETS and best.weight < _LEAST_INTEREST:
            break
        left = (_without(option, best.angle) for option in options if option is not best)
        options = [option for option in left if option and not _is_twin(option, best)]
        chosen.append(best)
    return tuple(_target(option) for option in chosen)


def _without(option: Option, chosen: Angle) -> Option | None:
    """The option without a silence that stands in the brief already; None if nothing is left of it."""
    if chosen.kind != SILENCE or chosen.name not in {angle.name for angle in option.angles}:
        return option
    angles_left = tuple(
        angle for angle in option.angles if (angle.kind, angle.name) != (SILENCE, chosen.name)
    )
    if not angles_left:
        return None
    lost = option.angle.weight - angles_left[0].weight
    return replace(option, angles=angles_left, weight=option.weight - lost)


def _is_twin(option: Option, chosen: Option) -> bool:
    """The other side of the same contradiction."""
    return option.angle.kind in FINDINGS and option.angle.words == chosen.angle.words


def _is_raised(option: Option, request: FocusBriefRequest) -> bool:
    """Another panelist has made a side of the same contradiction its own."""
    scene = request.scene
    return option.angle.kind in FINDINGS and any(
        is_side(place, claim)
        for tension in scene.tensions
        if angle_words(tension) == option.angle.words
        for place in (tension.a, tension.b)
        for claim in scene.deck_claims
        if claim.id in request.taken
    )


def _left_to_others(option: Option, others: Sequence[tuple[Seat, Ranked]]) -> float:
    """What the claim weighs less because it is more another panelist's."""
    own, least = option.angle, 0.0
    for seat, silences in others:
        theirs = [
            *silence_angles(option.claim, seat, silences),
            *angles(option.claim, seat)[: len(option.claim.kinds)],
        ]
        best = max((angle for angle in theirs if angle.kind != PATTERN), key=lambda a: a.weight, default=None)
        if best is not None and own.kind == PATTERN:
            return _LEFT
        if best is not None and best.weight > own.weight:
            least = _MORE_THEIRS
    return least


def _repetition(option: Option, chosen: Sequence[Option]) -> float:
    same_slide = sum(_SAME_SLIDE for other in chosen if other.claim.slide == option.claim.slide)
    same_angle = sum(_SAME_ANGLE for other in chosen if other.angle.name == option.angle.name)
    return same_slide + same_angle


def _target(option: Option) -> Target:
    claim, angle = option.claim, option.angle
    return Target(
        claim=claim.id,
        slide=claim.slide,
        said_at_s=claim.said_at_s,
        quote=quote_for(claim, angle),
        angle=angle.words,
        good_answer=_good_answer(option),
    )


def _good_answer(option: Option) -> str:
    """What would settle it: what its question needs, and what this angle in particular asks."""
    angle = option.angle
    pattern = angle.patterns[0]
    needs = "; ".join(_NEED_WORDS[need] for need in pattern.needs) or "a direct answer in plain words"
    slots = dict(angle.slots)
    if angle.kind == NEWS:
        return f'why the deck is right and "{slots["other_quote"]}" is not, or the corrected words; {needs}'
    if angle.kind in FINDINGS:
        other = f': these words, or "{slots["other_quote"]}" {slots["other_place"]}' * (
            angle.kind == CONTRADICTION
        )
        return f"which of them holds and why the other one stands there{other}; {needs}"
    if angle.kind in (RED_FLAG, SILENCE, SITUATION, BENCHMARK):
        return f"{pattern.text.rpartition(_END_OF_QUOTE)[2]} It takes {needs}."
    return needs
