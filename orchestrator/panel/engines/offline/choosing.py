"""The next question of one panelist: contradictions, then the bank's, nothing that was asked or taken."""

from __future__ import annotations

from collections import Counter
from typing import Final

from orchestrator.material.model.claim import Place, Tension
from orchestrator.panel.bank.bank import bank
from orchestrator.panel.bank.quotable import pages_of
from orchestrator.panel.bank.words import holds, plain
from orchestrator.panel.engines.offline import contradictions
from orchestrator.panel.engines.offline.admitted import all_options, is_answered, speech_of
from orchestrator.panel.engines.offline.already_asked import asked_of
from orchestrator.panel.engines.offline.askable import (
    ADMISSION,
    FIGURE,
    LEFT_OUT,
    WHOLE,
    Option,
    tier_of,
)
from orchestrator.panel.engines.offline.seats import seats_of
from orchestrator.panel.engines.offline.wording import entry_of
from orchestrator.panel.engines.protocol import CandidateRequest, Scene
from orchestrator.panel.model.exchange import Candidate

TURNS: Final = (
    ADMISSION, LEFT_OUT, FIGURE, LEFT_OUT, LEFT_OUT, FIGURE, LEFT_OUT, LEFT_OUT, ADMISSION, LEFT_OUT, WHOLE,
)  # fmt: skip
"""The sorts of one panelist's questions, one after the other: a board does not dwell on one sort.

A plain question of the deck's kind has two turns to one about a line: real boards ask the plain ones first,
and a line is taken up at the price of one of them.
"""

CONTRADICTION: Final = 0.95
RELEVANCE: Final = {ADMISSION: 0.8, LEFT_OUT: 0.7, FIGURE: 0.7, WHOLE: 0.55}
"""By sort, 0 to 1, our own scale: the moderator weighs it against who has been silent."""

FROM_AFAR: Final = 0.15
"""Taken off a question about the whole while slides are still being shown, and off one of another's seat."""

FOCUSED: Final = 20.0
"""Places by which a question on the presenter's focus goes up: as many as a file has questions (12 to 21)."""

LETTERS: Final = 5
"""Of a focus word's beginning that are looked for: "adoption" finds "adopted", "part" not "partner"."""


def candidate(request: CandidateRequest) -> Candidate | None:
    """The question that this panelist would ask now; None: nothing is left in the bank."""
    scene, agent = request.scene, request.seat.persona.id
    asked, shown = asked_of(request), _shown(request)
    for tension in contradictions.in_order(scene.tensions):
        is_shown = all(_is_shown(place.slide, shown) for place in (tension.a, tension.b, *tension.places))
        if is_shown and not asked.has_put(tension):
            return _of_tension(tension, agent, scene)
    speech = speech_of(scene)
    ready = [one for one in all_options(scene) if not asked.has(one) and not is_answered(one, speech)]
    if not ready:
        return None
    mine, turns, focus = seats_of(request.seat), _turns(scene, agent), _focus(scene)

    def rank(one: Option) -> tuple[bool, bool, bool, bool, int, float]:
        is_last = one.tier == WHOLE  # what could be asked of any deck: where nothing else is left
        is_early = shown is not None and one.quote is None
        order = one.order - FOCUSED * _is_about(one, focus)
        is_mine = one.agent is not None or one.is_for(agent, mine)  # what was left open is everybody's
        return not _is_shown(one.slide, shown), is_last, not is_mine, is_early, turns[one.tier], order

    best = min(ready, key=rank)
    _, _, is_others, is_early, *_ = rank(best)
    return _candidate(best, agent, round(RELEVANCE[best.tier] - FROM_AFAR * (is_others + is_early), 2))


def _turns(scene: Scene, agent: str) -> dict[int, int]:
    """When each sort's turn comes, by what this panelist has asked already."""
    entries = (entry_of(one.turns[0].question) for one in scene.exchanges if one.agent == agent and one.turns)
    asked = Counter(tier_of(entry) for entry in entries if entry is not None)
    places = {tier: [at for at, turn in enumerate(TURNS) if turn == tier] for tier in RELEVANCE}
    return {tier: (*at, *[len(TURNS)] * asked[tier])[asked[tier]] for tier, at in places.items()}


def _focus(scene: Scene) -> tuple[str, ...]:
    """The words of what the presenter wants the panel to look at."""
    words = plain(" ".join(scene.focus)).split()
    return tuple(f"{word[:LETTERS]}*" for word in words if len(word) >= LETTERS)


def _is_about(option: Option, focus: tuple[str, ...]) -> bool:
    text = plain(f"{option.question} {option.entry.good} {option.quote or ''}") if focus else ""
    return any(holds(text, word) for word in focus)


def _shown(request: CandidateRequest) -> int | None:
    """The last slide that may be asked about; None: all of them."""
    scene = request.scene
    last = pages_of(scene.deck, scene.deck_claims).last
    is_over = request.may_look_ahead or request.occasion == "end"
    return None if is_over or scene.slide is None or scene.slide >= last else scene.slide


def _is_shown(slide: int | None, shown: int | None) -> bool:
    return slide is None or shown is None or slide <= shown


def _of_tension(tension: Tension, agent: str, scene: Scene) -> Candidate:
    a, why = tension.a, bank().phrases.why
    wording = contradictions.question(tension, scene.deck.sha256)
    return Candidate(
        agent=agent,
        question=wording.question,
        claim=_claim_at(a, scene),
        slide=a.slide,
        said_at_s=a.said_at_s,
        quote=a.quote,
        grounded=True,
        needs=(),
        relevance=CONTRADICTION,
        lead_in="",
        angle=why["contradiction"],
        beside=tension.b,
        bare=wording.bare,
        under=a.under,
        good_answer=why["contradiction_good"],
    )


def _claim_at(place: Place, scene: Scene) -> str | None:
    if place.said_at_s is not None:
        there = [claim for claim in scene.speech_claims if claim.said_at_s == place.said_at_s]
    else:
        there = [claim for claim in scene.deck_claims if claim.slide == place.slide]
    return next((one.id for one in there if one.text in place.quote or place.quote in one.text), None)


def _candidate(option: Option, agent: str, relevance: float) -> Candidate:
    entry, quote = option.entry, option.quote
    needs = {"date": ("date",), None: ()}.get(entry.asks_for, ("number",))
    return Candidate(
        agent=agent,
        question=option.question,
        claim=option.claim,
        slide=option.slide,
        said_at_s=option.line.said_at_s if option.line else None,
        quote=quote,
        grounded=quote is not None,
        needs=needs,
        relevance=relevance,
        lead_in="",
        angle=option.angle or bank().phrases.why[entry.about],
        good_answer=entry.good,
        is_missing=option.page is not None,
        bare=option.wording.bare,
    )
