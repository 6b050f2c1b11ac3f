"""Which claims of the deck a panelist goes after, before anything has been said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.engines.angles import PATTERN, angles
from orchestrator.engines.options import Option, option_for, quote_for
from orchestrator.engines.protocol import FocusBriefRequest
from orchestrator.exchange import Target

FEWEST_TARGETS: Final = 3
MOST_TARGETS: Final = 7
"""Three to seven targets for each panelist."""

_LEAST_INTEREST: Final = 0.7
"""Below it a claim is no target, once there are `FEWEST_TARGETS`: a heading, a lone cell."""
_LEFT: Final = 2.0
_SAME_SLIDE: Final = 0.5
_SAME_ANGLE: Final = 0.8

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
    options = [
        replace(option, weight=option.weight - _LEFT * _is_theirs(option, request))
        for claim in request.scene.deck_claims
        if claim.id not in request.taken and (option := option_for(claim, request.seat, request.scene))
    ]
    most = min(MOST_TARGETS, max(FEWEST_TARGETS, len(options) // 3))
    chosen: list[Option] = []
    while options and len(chosen) < most:
        best = max(options, key=lambda option: option.weight - _repetition(option, chosen))
        if len(chosen) >= FEWEST_TARGETS and best.weight < _LEAST_INTEREST:
            break
        options.remove(best)
        chosen.append(best)
    return tuple(_target(option) for option in chosen)


def _is_theirs(option: Option, request: FocusBriefRequest) -> bool:
    """Another panelist has a red flag or benchmark on the claim, and this one only a pattern."""
    return option.angle.kind == PATTERN and any(
        angle.kind != PATTERN for seat in request.others for angle in angles(option.claim, seat)[:1]
    )


def _repetition(option: Option, chosen: Sequence[Option]) -> float:
    same_slide = sum(_SAME_SLIDE for other in chosen if other.claim.slide == option.claim.slide)
    same_angle = sum(_SAME_ANGLE for other in chosen if other.angle.name == option.angle.name)
    return same_slide + same_angle


def _target(option: Option) -> Target:
    claim, angle = option.claim, option.angle
    needs = angle.patterns[0].needs
    return Target(
        claim=claim.id,
        slide=claim.slide,
        said_at_s=claim.said_at_s,
        quote=quote_for(claim, angle),
        angle=angle.words,
        good_answer="; ".join(_NEED_WORDS[need] for need in needs) or "a direct answer in plain words",
    )
