"""Finding a quote in a rehearsal: the same words in the same order, or it is no quote.

`checks.grounding` says which words are the same. This module decides where to look, and who may see the
result: speaker notes inform a question and are never quoted to the board. What is kept is always the
source's own text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.core.errors import EngineError
from orchestrator.material.checks.grounding import (
    Broken,
    deck_passages,
    find_quote,
    first_place,
    found_in,
    place_in,
    speech_passages,
)
from orchestrator.material.claim import Passage, Place
from orchestrator.panel.engines.protocol import Scene
from orchestrator.panel.model.exchange import Exchange

# ---------------------------------------------------------------------- outcomes
# What verifying a reply gives: what of it holds, and what is wrong with it.


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a reply: `reason` contains nothing of what was said, and `told` is only for the
    model.
    """

    reason: str
    told: str = ""

    @property
    def sent(self) -> str:
        """Return the fault as text for the model, which may repeat the model's own words."""
        return f"{self.reason}. {self.told}".rstrip(" .") if self.told else self.reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a reply, or the error if it has no result; a reply with a `fault` is sent back once."""

    result: Any  # as the request asks for it, or an EngineError
    fault: Fault | None = None


def unusable(fault: Fault) -> Outcome:
    """Return the outcome of a reply that cannot be used."""
    return Outcome(EngineError(f"the reply could not be used: {fault.reason}"), fault)


def fault_in(holding: Iterable[object], why: str) -> Fault | None:
    """Return a fault that tells the model which parts in *holding* are None or False, or None if none is."""
    wrong = [str(number) for number, one in enumerate(holding, 1) if not one]
    return Fault(f"{len(wrong)} of the {why}", f"Counted from 1: {', '.join(wrong)}") if wrong else None


# ---------------------------------------------------------------------- quoting


IN_NOTES: Final = (
    "the quote stands in speaker notes or on a hidden slide, which are never quoted to the board"
)
IN_OTHERS: Final = "the quote was not said by the presenter but by somebody else"
NOT_VERBATIM: Final = "the quote does not stand, word for word, in the deck or the transcript"
CUT: Final = "the quote is cut out of a longer word or number"


@dataclass(frozen=True, slots=True)
class Standing:
    """The place where a quote was found; `claim` is the id of the claim extracted there, if any."""

    quote: str  # the source's own words; of several lines joined by " … ", of cells by " | "
    slide: int | None
    said_at_s: float | None
    claim: str | None = None

    @property
    def place(self) -> Place:
        """Return the place without the claim."""
        return Place(self.slide, self.said_at_s, self.quote)


def in_answers(quote: str, exchange: Exchange) -> str | None:
    """Return *quote* in the presenter's own words from this exchange's answers, or None if it is in none.

    The last answer is searched first.
    """
    answers = [turn.answer for turn in reversed(exchange.turns) if turn.answer]
    return next((words for answer in answers if (words := found_in(quote, answer))), None)


# ---------------------------------------------------------------------- a rehearsal


def said(scene: Scene) -> list[Passage]:
    """Return the passages that the presenter said, the latest first."""
    whole = speech_passages(scene.segments)
    own = [one for one in whole if scene.segments[int(one.id[1:]) - 1].speaker in scene.presenter_labels]
    return own[::-1]


def standing(quote: str, scene: Scene, slide: int | None = None, *, speech: bool = True) -> Standing | None:
    """Return the place where a board sees or hears *quote*, or None if it is nowhere.

    This searches *slide* first, then what the presenter said, the latest first, then all slides.
    """
    deck = deck_passages(scene.deck)
    named = [one for one in deck if one.slide == slide]
    found = first_place(quote, (*named, *(said(scene) if speech else ()), *deck))
    if found is None:
        return None
    place, passage = found
    return Standing(place.quote, place.slide, place.said_at_s, _claim(place, passage, scene))


def why_not(quote: str, scene: Scene, slide: int | None = None) -> Fault:
    """Return which rule a quote that was not found breaks: on *slide*, or anywhere if *slide* is None."""
    deck = deck_passages(scene.deck)
    if place_in(quote, deck, notes=True):
        return Fault(IN_NOTES)
    if any(found_in(quote, segment.text) for segment in scene.segments):
        return Fault(IN_OTHERS)
    shown = [one for one in deck if one.origin != "notes"]
    named = [one for one in shown if one.slide == slide]
    broken = find_quote(quote, [one.text for one in named or (*said(scene), *shown)])
    if not isinstance(broken, Broken):
        return Fault(f"{NOT_VERBATIM}: it runs over texts that do not adjoin")
    return Fault(CUT if broken.rule == "cut" else NOT_VERBATIM, broken.told)


def _claim(place: Place, passage: str, scene: Scene) -> str | None:
    """Return the claim that shares most with the quote, or None.

    Either the claim contains the quote, or the quote contains the claim.
    """
    spoken = place.said_at_s is not None
    quote = place.quote
    sharing = [
        claim
        for claim in (scene.speech_claims if spoken else scene.deck_claims)
        if (claim.id.startswith(f"{passage}.") if spoken else claim.slide == place.slide)
        and (quote in claim.text or claim.text in quote)
    ]
    best = min(sharing, key=lambda claim: abs(len(claim.text) - len(quote)), default=None)
    return best.id if best is not None else None
