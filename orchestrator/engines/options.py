"""A claim with one panelist's angles on it, and how much that panelist wants to ask about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from orchestrator.carried import OpenPoint
from orchestrator.claims.kinds import telling_words
from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck
from orchestrator.engines.angles import RED_FLAG, Angle, angles, flag_angles, interest
from orchestrator.engines.contradictions import Unasked, contradiction_angles, unasked
from orchestrator.engines.fitting import presumes_it_exists
from orchestrator.engines.left_open import left_open_angle
from orchestrator.engines.news import Against, against, news_angles
from orchestrator.engines.protocol import Scene
from orchestrator.engines.same import Same
from orchestrator.engines.settling import in_deck, in_speech
from orchestrator.engines.silences import (
    SILENCE,
    Ranked,
    open_rows,
    ranked,
    silence_angles,
    silent_statements,
)
from orchestrator.engines.situating import (
    Open,
    open_numbers,
    open_patterns,
    situation_angles,
    slides_by_number,
    stands_ahead,
)
from orchestrator.engines.standing import slide_standings, standing
from orchestrator.engines.statements import statements
from orchestrator.engines.told import Told, is_told, told_by
from orchestrator.engines.wording import quote_of
from orchestrator.intel.model import IntelItem
from orchestrator.pattern import FINDINGS
from orchestrator.persona import Seat

_VIEWS: Final = 48
"""Views that are remembered: of three panelists in some sessions at once, as speech settles what it does."""
_MOST_KNOWN: Final = 1024
"""Options of one view: those of a deck, and of an hour of speech."""


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
class Made:
    """An option, and what it was made from besides the view."""

    claim: Claim
    contradictions: tuple[Angle, ...]
    option: Option | None

    def is_of(self, claim: Claim, contradictions: tuple[Angle, ...]) -> bool:
        is_same = self.claim is claim or self.claim == claim  # a claim of another session may have the id
        return is_same and self.contradictions == contradictions


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How one panelist sees a deck and what is said of it; made once for as long as nothing of it changes."""

    silences: Ranked  # what is still left unsaid
    slides: Mapping[int, float]  # how much rests on each slide
    patterns: Open  # what may be asked about each sort of sentence
    texts: Mapping[int, tuple[str, str]]  # each slide's title and text
    told: Told  # what the deck answers in some place
    statements: tuple[Claim, ...]  # the deck's sentences that claim nothing
    quiet: tuple[Claim, ...]  # those of them that are worth asking about
    news: Against
    left_open: tuple[OpenPoint, ...]
    focus: tuple[str, ...]
    known: dict[str, Made] = field(default_factory=dict)  # options made already, by the claim's id


@dataclass(frozen=True, slots=True)
class Ground:
    """What all claims of a scene are seen against by one panelist: found once for each request."""

    view: View
    tensions: Unasked

    @property
    def silences(self) -> Ranked:
        return self.view.silences


def ground_of(seat: Seat, scene: Scene) -> Ground:
    deck, said = in_deck(seat, scene.deck), in_speech(seat, scene)
    view = _view(
        seat,
        Same(scene.deck),
        Same(tuple(scene.deck_claims)),
        open_rows(seat, scene, deck, said),
        open_numbers(seat, deck | said),
        Same(tuple(scene.intel)),
        Same(tuple(scene.left_open)),
        tuple(scene.focus),
    )
    return Ground(view, unasked(scene))


@lru_cache(maxsize=_VIEWS)
def _view(
    seat: Seat,
    deck: Same[Deck],
    claims: Same[tuple[Claim, ...]],
    rows: tuple[int, ...],
    numbers: tuple[int, ...],
    intel: Same[tuple[IntelItem, ...]],
    left_open: Same[tuple[OpenPoint, ...]],
    focus: tuple[str, ...],
) -> View:
    silences, patterns = ranked(seat, rows), open_patterns(seat, numbers)
    standings, texts, sentences = _of_deck(deck)
    found = silent_statements(
        deck.value,
        claims.value,
        seat,
        silences,
        lambda statement: any(situation_angles(statement, patterns, texts)),
    )
    quiet, news = tuple(found), against(intel.value)
    return View(
        silences, standings, patterns, texts, told_by(deck), sentences, quiet, news, left_open.value, focus
    )


@lru_cache(maxsize=16)
def _of_deck(
    deck: Same[Deck],
) -> tuple[Mapping[int, float], Mapping[int, tuple[str, str]], tuple[Claim, ...]]:
    return slide_standings(deck.value), slides_by_number(deck.value), statements(deck.value)


def has_situation(claim: Claim, ground: Ground) -> bool:
    """The panelist has a question on what the sentence puts before the board."""
    return any(situation_angles(claim, ground.view.patterns, ground.view.texts))


def option_for(claim: Claim, seat: Seat, scene: Scene, ground: Ground) -> Option | None:
    """The claim as this panelist sees it; None where the persona has no question that fits it."""
    contradictions = contradiction_angles(claim, seat, scene, ground.tensions)
    known = ground.view.known
    made = known.get(claim.id)
    if made is None or not made.is_of(claim, contradictions):
        if len(known) >= _MOST_KNOWN:
            known.clear()
        option = _made(claim, seat, ground.view, contradictions)
        made = known[claim.id] = Made(claim, contradictions, option)
    return made.option


def _made(claim: Claim, seat: Seat, view: View, contradictions: tuple[Angle, ...]) -> Option | None:
    found = [*contradictions, *news_angles(claim, seat, view.news)]
    silences = silence_angles(claim, seat, view.silences)
    if stands_ahead(claim, view.texts):
        silences = (angle for angle in silences if not presumes_it_exists(angle.patterns[0].text))
    found += silences
    found += situation_angles(claim, view.patterns, view.texts)
    if claim.kinds:
        found += angles(claim, seat)
    else:
        found += flag_angles(claim, seat)
    found = [open_one for angle in found if (open_one := _without_told(angle, claim, view.told))]
    if not found:
        return None
    found.sort(key=lambda angle: -angle.weight)
    if (before := left_open_angle(claim, seat, view.left_open, found[0])) is not None:
        found = sorted([before, *found], key=lambda angle: -angle.weight)
    weight = interest(claim, seat, found[0], view.focus) + standing(claim, view.slides)
    return Option(claim, tuple(found), weight)


def _without_told(angle: Angle, claim: Claim, told: Told) -> Angle | None:
    """The angle without the questions that the deck answers elsewhere; None if none is left."""
    if angle.kind in FINDINGS:
        return angle
    patterns = tuple(pattern for pattern in angle.patterns if not is_told(pattern, claim, told))
    if len(patterns) == len(angle.patterns):
        return angle
    return replace(angle, patterns=patterns) if patterns else None


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
