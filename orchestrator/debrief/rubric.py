"""A rubric of plain checks: each says what it counted and shows the words that it rests on.

A check that cannot be made is "not judged". None of them says whether a thing is good, only
whether it is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator import render
from orchestrator.claims.model import Claim, Tension
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import find_quantities
from orchestrator.claims.units import is_currency
from orchestrator.debrief import words
from orchestrator.debrief.model import Check, Review, Source
from orchestrator.debrief.stronger import short
from orchestrator.deck.texts import slide_texts
from orchestrator.engines.asked import Asked
from orchestrator.engines.evidence import Found, evidence_for
from orchestrator.engines.protocol import Scene
from orchestrator.engines.reading import read_answer
from orchestrator.engines.topics import topic_of
from orchestrator.exchange import each_once

_NOTHING: Final = Asked("", "", topic_of(""), (), frozenset(), frozenset())
_FIGURES: Final = frozenset({"money", "percent", "growth", "share", "count"})
_A_LITTLE_OVER: Final = 1.1
"""Up to a tenth over the time is "partly": a chair lets that pass."""

_I: Final = re.IGNORECASE
_RISK = re.compile(
    r"\b(?:risks?|downsides?|worst[- ]case|limitations?|uncertain(?:ty|ties)?|threats?|weakness(?:es)?|"
    r"could fail|may not|might not|not good|we do not know|we don['’]t know|vulnerab\w+|drawbacks?)\b",
    _I,
)
_ASK = re.compile(
    r"\b(?:we|i)(?:['’]re| are| am)? (?:ask|asking|request|requesting|seek|seeking|propose|recommend)\b|"
    r"\bdecision (?:today|needed|requested|required|i ask|we ask)\b|\bapproval (?:of|for|to)\b|\bapprove\b|"
    r"\bthe ask\b|\bwhat we (?:ask|need)\b|\bwe need your\b|\bask(?:s)? (?:for|of) the board\b",
    _I,
)
_NO_RISK = re.compile(
    r"\b(?:no|without|zero|low|de-?)[ -]?(?:risks?|downsides?)\b|\bfree of (?:any )?risks?\b|"
    r"\brisk[- ](?:free|management|factors)\b|"
    r"\b(?:forward[- ]looking|description of (?:these|the|our) risks|press release)\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Record:
    """What the checks look at."""

    scene: Scene
    reviews: Sequence[Review]
    tensions: Sequence[Tension] | None
    material: Sequence[Source]
    speech_s: float
    used_s: float
    budget_s: float


def rubric(record: Record) -> tuple[Check, ...]:
    """Every check, in the order in which a board would notice."""
    return tuple(check(record) for check in _CHECKS)


def _figures(record: Record) -> Check:
    name = "Figures carry their period and source"
    claims = [
        claim
        for claim in record.scene.deck_claims
        if claim.origin in ("title", "line") and claim.quantities and _FIGURES & set(claim.kinds)
    ]
    if not claims:
        return Check(name, "not judged", "no figure stands in the text of a slide")
    sourced = {slide.number for slide in record.scene.deck.slides if _names_source(slide_texts(slide))}
    dated = [claim for claim in claims if find_periods(claim.text) or any(q.period for q in claim.quantities)]
    told = [claim for claim in claims if claim.slide in sourced or _says_source(claim)]
    both = [claim for claim in dated if claim in told]
    state = "yes" if len(both) == len(claims) else "partly" if dated or told else "no"
    lacking = next((c for c in claims if c not in dated and c not in told), None)
    lacking = lacking or next((c for c in claims if c not in both), claims[0])
    of = f"of {len(claims)} figures on the slides"
    return Check(
        name, state, f"{of}, {len(dated)} say their period and {len(told)} their source", _of_claim(lacking)
    )


def _names_source(pieces: Iterable[tuple[str, str]]) -> bool:
    return any(text.lower().startswith(("source:", "sources:", "source ", "* source")) for _, text in pieces)


def _says_source(claim: Claim) -> bool:
    return evidence_for("source", read_answer(claim.text), _NOTHING).found is Found.GIVEN


def _agreement(record: Record) -> Check:
    name = "Deck and speech are consistent"
    if record.tensions is None:
        return Check(name, "not judged", "contradictions were not looked for")
    if record.tensions:
        spoken = (one for one in record.tensions if (one.a.said_at_s, one.b.said_at_s) != (None, None))
        first = next(spoken, record.tensions[0])
        count = len(record.tensions)
        found = "1 contradiction" if count == 1 else f"{count} contradictions, one of them"
        return Check(name, "no", f"{found}: {first.note}")
    same = next(_said_and_shown(record.scene), None)
    if same is None:
        return Check(name, "not judged", "no figure was both said and shown")
    return Check(name, "yes", "no figure that was said differs from the slides", _of_claim(same))


def _said_and_shown(scene: Scene) -> Iterator[Claim]:
    shown = {(q.value, q.unit) for claim in scene.deck_claims for q in claim.quantities}
    return (
        claim for claim in scene.speech_claims if any((q.value, q.unit) in shown for q in claim.quantities)
    )


def _answers(record: Record) -> Check:
    name = "Answers give what was asked"
    judged = [
        one for one in record.reviews if one.exchange.outcome in ("satisfied", "unresolved") and one.said
    ]
    if not judged:
        return Check(name, "not judged", "no answer was given" if record.reviews else "nothing was asked")
    good = [one for one in judged if one.exchange.outcome == "satisfied"]
    at_once = [one for one in good if len(one.exchange.turns) == 1]
    state = "yes" if len(at_once) == len(judged) else "partly" if good else "no"
    left = len(each_once([one.exchange for one in record.reviews])) - len(judged)
    why = f"{len(good)} of {len(judged)} judged, {len(at_once)} at the first asking"
    why += f"; {left} not judged" if left else ""
    shown, what = _worst_answer(record.reviews, judged)
    source = Source(shown.said or "", origin="answer", exchange=shown.exchange.id)
    return Check(name, state, f"{why}; {what}" if what else why, source)


def _worst_answer(reviews: Sequence[Review], judged: Sequence[Review]) -> tuple[Review, str]:
    """The answer to look at again, and what it is: one that failed, was not judged, or came late.

    "" for one that was not judged: how many were not stands just before it.
    """
    failed = [(one, one.verdict) for one in judged if one.exchange.outcome == "unresolved"]
    unjudged = [(one, "") for one in reviews if one.exchange.outcome == "unjudged" and one.said]
    late = [(one, words.times_asked(one.exchange)) for one in judged if len(one.exchange.turns) > 1]
    return (failed + unjudged + late or [(judged[0], "the first")])[0]


def _risks(record: Record) -> Check:
    name = "Limits and risks are named"
    named = [one for one in record.material if _RISK.search(one.quote) and not _NO_RISK.search(one.quote)]
    if not record.material:
        return Check(name, "not judged", "there is no text to look at")
    by_origin = {
        origin: next((s for s in named if s.origin == origin), None)
        for origin in ("line", "speech", "answer")
    }
    if by_origin["line"] is not None:
        return Check(
            name,
            "yes",
            "on a slide; whether it is the right one, rules cannot tell",
            short(by_origin["line"]),
        )
    if by_origin["speech"] is not None:
        return Check(name, "partly", "said aloud, on no slide", short(by_origin["speech"]))
    if by_origin["answer"] is not None:
        return Check(name, "partly", "only when asked", short(by_origin["answer"]))
    heading = next((s for s in record.scene.deck.slides if _RISK.search(s.title)), None)
    if heading is not None:
        return Check(
            name, "partly", "in a heading, with none named under it", Source(heading.title, heading.number)
        )
    return Check(name, "no", "no sentence of deck or speech speaks of one")


def _ask(record: Record) -> Check:
    name = "The ask is clear"
    own = [one for one in record.material if one.origin in ("line", "speech") and _ASK.search(one.quote)]
    titles = [
        Source(slide.title, slide.number) for slide in record.scene.deck.slides if _ASK.search(slide.title)
    ]
    for one in (*own, *titles):
        if any(is_currency(quantity.unit) for quantity in find_quantities(one.quote)):
            return Check(name, "yes", "it is asked for with its amount", short(one))
    if own or titles:
        found = (own or titles)[0]
        return Check(name, "partly", "the sentence that asks names no amount", short(found))
    if not record.material:
        return Check(name, "not judged", "there is no text to look at")
    return Check(name, "no", "no sentence asks the board for a decision")


def _time(record: Record) -> Check:
    name = "Within the time"
    if not record.used_s:
        return Check(name, "not judged", "nothing was said")
    share = record.used_s / record.budget_s
    state = "yes" if share <= 1 else "partly" if share <= _A_LITTLE_OVER else "no"
    why = f"{render.clock(record.used_s)} of {render.clock(record.budget_s)}"
    spoken = [one for one in record.material if one.origin == "speech" and one.said_at_s is not None]
    if state != "yes":
        late = [
            one
            for one in spoken
            if (one.said_at_s or 0.0) >= record.budget_s - (record.used_s - record.speech_s)
        ]
        return Check(
            name,
            state,
            f"{why}; when the time was up, you were still saying",
            short((late or spoken)[0]) if spoken else None,
        )
    return Check(name, state, f"{why}; the last words of the speech", short(spoken[-1]) if spoken else None)


def _of_claim(claim: Claim) -> Source:
    return short(Source(claim.text, claim.slide, claim.said_at_s, claim.origin))


_CHECKS: Final[tuple[Callable[[Record], Check], ...]] = (_figures, _agreement, _answers, _risks, _ask, _time)
