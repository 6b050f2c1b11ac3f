"""The question that a panelist would ask now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.engines.angles import PATTERN, Angle, fit, fits_half, touches
from orchestrator.engines.callbacks import callback
from orchestrator.engines.fitting import is_slight, suits_claim
from orchestrator.engines.lead_ins import lead_in
from orchestrator.engines.left_open import LEFT_OPEN
from orchestrator.engines.options import Ground, Option, ground_of, option_for, quote_for
from orchestrator.engines.protocol import CandidateRequest, Scene
from orchestrator.engines.repeats import Settled, gist
from orchestrator.engines.same import Same
from orchestrator.engines.wording import fill, rotated, sounds_like, was_asked, was_used
from orchestrator.exchange import Candidate
from orchestrator.pattern import ANY, ARITHMETIC, FINDINGS, Pattern
from orchestrator.persona import Seat

RECENT_CLAIMS: Final = 40
"""Claims of speech that are looked at: some five minutes of it, so that a refresh costs the
same after two hours as after ten minutes."""

_RECENT_S: Final = 180.0
"""After so long a spoken claim counts as half forgotten."""

_TELLING_WORDS: Final = 5

_STAGES: Final = ((True, True), (False, True), (True, False))
"""Whether a question was made for the claim's kind, and fits it well: first the best, then those
made for any claim, and at last those made for another kind that this claim also is."""

_ON_LAST_SLIDE: Final = 0.1
_ON_SLIDE_AGAIN: Final = 0.04
_MOST_TIMES: Final = 3
"""What a question loses for each on its slide before it, and for being next to that one: a deck is
seen as a whole, and not one slide of it until nothing is left."""

_OF_A_FINDING: Final = 0.95
"""What cannot be right is asked about before what may be wrong."""
_WHOLE: Final = 6.0
_OF_A_PART: Final = 0.01
"""Of a sum that fails, the total is quoted, and one of its parts only where the total is no claim."""

_TAKES_A_NUMBER = re.compile(
    r"\{number\}|"
    r"\b(?:range|this figure|denominator|percentage points|worse than that|same unit|"
    r"the two figures|at what figure|the figure today)\b"
)
"""A question that presupposes a figure in what it asks about."""

_ANYTHING: Final = {
    "money": "Which statement here are you least sure of, and what would change if it is wrong?",
    "percent": "Which statement here could you not prove today, if we asked for the record behind it?",
    "promise": "If this fails, what will turn out to have been the reason, and who is watching for it now?",
}
"""Asked once, when nothing specific was found; chosen by what the panelist goes after first."""
_MONEY_FIRST: Final = frozenset({"money", "growth", "duration"})
_EVIDENCE_FIRST: Final = frozenset({"percent", "count", "share", "comparison"})


@dataclass(frozen=True, slots=True)
class _Wording:
    """What one attempt to word a question goes by."""

    claim: Claim
    seat: Seat
    scene: Scene
    asked: Sequence[str]
    relevance: float
    fresh: bool
    fitting: bool


def candidate(request: CandidateRequest) -> Candidate | None:
    """The question that the panelist would ask now, or None when nothing is left to ask.

    About a claim that nobody has asked about, said or written, on a slide that has been shown or in what
    was just said; never in words that were used before. Where nothing specific is left,
    once at the end a general question, which says so (`grounded` is False).
    """
    scene, seat = request.scene, request.seat
    wanted = {target.claim: max(0.1, 0.2 - 0.02 * place) for place, target in enumerate(request.targets)}
    asked = [turn.question for exchange in scene.exchanges for turn in exchange.turns]
    slides = tuple(exchange.slide for exchange in scene.exchanges if exchange.said_at_s is None)
    ranked = sorted(
        ((_relevance(option, scene, wanted, slides), option) for option in _open_options(request)),
        key=itemgetter(0),
        reverse=True,  # which keeps the order of those that are alike
    )
    for fresh in (True, False):  # a pattern is used again only where nothing else fits
        for specific, fitting in _STAGES:
            for relevance, option in ranked:
                found = [angle for angle in option.angles if (angle.name != ANY) == specific]
                if not specific and is_slight(option.claim):
                    continue
                wording = _Wording(option.claim, seat, scene, asked, relevance, fresh, fitting)
                if worded := _worded(wording, found):
                    return worded
    return _general(request)


def _open_options(request: CandidateRequest) -> Iterator[Option]:
    scene = request.scene
    everything_shown = scene.slide is None or not scene.segments
    shown = [c for c in scene.deck_claims if everything_shown or (c.slide or 0) <= (scene.slide or 0)]
    ground = ground_of(request.seat, scene)
    quiet = (c for c in ground.view.quiet if everything_shown or (c.slide or 0) <= (scene.slide or 0))
    asked_about = _asked_about(request, ground)
    for claim in (*shown, *quiet, *scene.speech_claims[-RECENT_CLAIMS:]):
        if claim.id in request.taken or asked_about.is_repeated_by(claim):
            continue
        if option := option_for(claim, request.seat, scene, ground):
            yield option


def _asked_about(request: CandidateRequest, ground: Ground) -> Settled:
    scene, taken = request.scene, request.taken
    known = (scene.deck_claims, ground.view.statements, scene.speech_claims) if taken else ()
    return _settled(tuple(Same(claim) for of_kind in known for claim in of_kind if claim.id in taken))


@lru_cache(maxsize=32)
def _settled(asked: tuple[Same[Claim], ...]) -> Settled:
    claims = (one.value for one in asked)
    return Settled(tuple(gist(claim) for claim in claims if claim.kinds or _says_much(claim)))


def _says_much(claim: Claim) -> bool:
    """More than a heading, whose few words every sentence on its subject repeats."""
    return len(gist(claim).words) >= _TELLING_WORDS


def _relevance(
    option: Option, scene: Scene, wanted: Mapping[str, float], asked: Sequence[int | None]
) -> float:
    """0 to 1: how strong the angle is, how recent the words are, and what the presenter asked for.

    Args:
        asked: The slides that were asked about, in this order.
    """
    claim = option.claim
    if claim.said_at_s is not None:
        age_s = max(0.0, scene.clock_s - claim.said_at_s)
        recent = 1.0 / (1.0 + age_s / _RECENT_S)
    elif scene.slide is None or claim.slide is None:
        recent = 0.5
    else:
        recent = max(0.3, 1.0 - 0.1 * abs(scene.slide - claim.slide))
    score = 0.5 * max(0.0, min(1.0, option.weight / 4.0)) + 0.3 * recent
    score += wanted.get(claim.id, 0.0)
    score += 0.1 if touches(claim, scene.focus) else 0.0
    score -= _repetition(claim, asked)
    if option.angle.kind in FINDINGS:
        score = max(score, _OF_A_FINDING) - _OF_A_PART * _is_a_part(option.angle)
    return round(max(0.0, min(1.0, score)), 3)


def _is_a_part(angle: Angle) -> bool:
    return angle.kind == ARITHMETIC and angle.weight < _WHOLE


def _repetition(claim: Claim, asked: Sequence[int | None]) -> float:
    if claim.slide is None or claim.said_at_s is not None or not asked:
        return 0.0
    times = min(_MOST_TIMES, asked.count(claim.slide))
    return _ON_SLIDE_AGAIN * times + _ON_LAST_SLIDE * (asked[-1] == claim.slide)


def _worded(wording: _Wording, found: Sequence[Angle]) -> Candidate | None:
    """The first question that can be filled from the claim and has not been asked; None if there is none."""
    claim, seat = wording.claim, wording.seat
    for angle in found:
        quote = quote_for(claim, angle)
        for pattern in _in_turn(angle, claim, seat, fitting=wording.fitting):
            if wording.fresh and (was_used(pattern, wording.asked) or sounds_like(pattern, wording.asked)):
                continue
            question = fill(pattern, claim, quote, angle.slots)
            if question is None or was_asked(question, wording.asked):
                continue
            earlier = "" if angle.kind in FINDINGS else callback(claim, quote, wording.scene)
            return Candidate(
                agent=seat.persona.id,
                question=f"{earlier} {question}".strip(),
                claim=claim.id,
                slide=claim.slide,
                said_at_s=claim.said_at_s,
                quote=quote,
                grounded=True,
                needs=pattern.needs,
                relevance=wording.relevance,
                lead_in="" if earlier else lead_in(seat, wording.scene, claim, quote),
                angle=angle.words,
            )
    return None


def _in_turn(angle: Angle, claim: Claim, seat: Seat, *, fitting: bool) -> list[Pattern]:
    """The angle's patterns, the fittest first; which of the equally fit ones leads depends on the claim.

    Args:
        fitting: Only patterns that fit at least by half; else only the others.
    """
    by_fit: dict[tuple[float, int, int], list[Pattern]] = {}
    for pattern in angle.patterns:
        if not claim.quantities and _TAKES_A_NUMBER.search(pattern.text):
            continue
        if angle.kind in (PATTERN, LEFT_OPEN) and not suits_claim(pattern.text, claim):
            continue
        if fits_half(pattern, claim) == fitting:
            by_fit.setdefault(fit(pattern, claim, seat.persona), []).append(pattern)
    key = f"{seat.persona.id}:{claim.id}"
    return [pattern for rank in sorted(by_fit) for pattern in rotated(key, by_fit[rank])]


def _general(request: CandidateRequest) -> Candidate | None:
    scene, seat = request.scene, request.seat
    last = max((slide.number for slide in scene.deck.slides), default=0)
    at_end = scene.slide is None or scene.slide >= last
    if not at_end or any(
        exchange.agent == seat.persona.id and not exchange.grounded for exchange in scene.exchanges
    ):
        return None
    first = seat.persona.kinds[0] if seat.persona.kinds else ""
    key = "money" if first in _MONEY_FIRST else "percent" if first in _EVIDENCE_FIRST else "promise"
    asked = [turn.question for exchange in scene.exchanges for turn in exchange.turns]
    general = (_ANYTHING[key], *_ANYTHING.values())
    question = next((text for text in general if not was_asked(text, asked)), None)
    if question is None:
        return None
    return Candidate(
        agent=seat.persona.id,
        question=question,
        claim=None,
        slide=None,
        said_at_s=None,
        quote=None,
        grounded=False,
        needs=(),
        relevance=0.1,
        lead_in="",
        angle="nothing specific was found",
    )
