"""A claim with one panelist's angles on it, and how much that panelist wants to ask about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.claims.kinds import telling_words
from orchestrator.claims.model import Claim
from orchestrator.engines.angles import RED_FLAG, Angle, angles, flag_angles, interest
from orchestrator.engines.contradictions import contradiction_angles
from orchestrator.engines.fitting import presumes_it_exists
from orchestrator.engines.left_open import left_open_angle
from orchestrator.engines.news import news_angles
from orchestrator.engines.protocol import Scene
from orchestrator.engines.silences import SILENCE, Ranked, open_silences, silence_angles
from orchestrator.engines.situating import (
    Open,
    open_patterns,
    situation_angles,
    slides_by_number,
    stands_ahead,
    told_in,
)
from orchestrator.engines.standing import slide_standings, standing
from orchestrator.engines.wording import quote_of
from orchestrator.persona import Seat


@dataclass(frozen=True, slots=True)
class Option:
    """A claim that may be asked about; `angles` are the panelist's, the most specific first."""

    claim: Claim
    angles: tuple[Angle, ...]
    weight: float

    @property
    def angle(self) -> Angle:
        return self.angles[0]


@dataclass(frozen=True, slots=True)
class Ground:
    """What all claims of a scene are seen against by one panelist: found once for each request."""

    silences: Ranked  # what is still left unsaid
    slides: Mapping[int, float]  # how much rests on each slide
    patterns: Open  # what may be asked about each sort of sentence
    texts: Mapping[int, tuple[str, str]]  # each slide's title and text


def ground_of(seat: Seat, scene: Scene) -> Ground:
    return Ground(
        open_silences(seat, scene),
        slide_standings(scene.deck),
        open_patterns(seat, told_in(scene)),
        slides_by_number(scene.deck),
    )


def has_situation(claim: Claim, ground: Ground) -> bool:
    """The panelist has a question on what the sentence puts before the board."""
    return any(situation_angles(claim, ground.patterns, ground.texts))


def option_for(claim: Claim, seat: Seat, scene: Scene, ground: Ground) -> Option | None:
    """The claim as this panelist sees it; None where the persona has no question that fits it."""
    found = [*contradiction_angles(claim, seat, scene), *news_angles(claim, seat, scene)]
    silences = silence_angles(claim, seat, ground.silences)
    if stands_ahead(claim, ground.texts):
        silences = (angle for angle in silences if not presumes_it_exists(angle.patterns[0].text))
    found += silences
    found += situation_angles(claim, ground.patterns, ground.texts)
    if claim.kinds:
        found += angles(claim, seat)
    else:
        found += flag_angles(claim, seat)
    if not found:
        return None
    found.sort(key=lambda angle: -angle.weight)
    if (before := left_open_angle(claim, seat, scene, found[0])) is not None:
        found = sorted([before, *found], key=lambda angle: -angle.weight)
    weight = interest(claim, seat, found[0], scene.focus) + standing(claim, ground.slides)
    return Option(claim, tuple(found), weight)


def quote_for(claim: Claim, angle: Angle) -> str:
    """The claim's words that are read out: they hold what the angle is about.

    That is the words of a flag or of what brings up a silence, else the first number, else the
    words that make it a claim.
    """
    own = [quantity.text for quantity in claim.quantities[:1]]
    if telling := telling_words(claim.text, claim.kinds):
        own.append(telling)
    return quote_of(
        claim, (*angle.around, *own) if angle.kind in (RED_FLAG, SILENCE) else (*own, *angle.around)
    )
