"""A rubric of plain checks, each of which names the words that it rests on, and shows them.

Code counts time, answers and contradictions. An engine judges what needs reading, with a verified quote;
without a quote the check is "not judged". No check says whether a thing is good, only whether it is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core import legible
from orchestrator.material.claim import READ, Tension
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.excerpts import first_words, last_words
from orchestrator.panel.debrief.parts import (
    Check,
    Review,
    Source,
    asked_about,
)
from orchestrator.panel.engines.protocol import Scene
from orchestrator.panel.model.exchange import Exchange, each_once

# Also keys of the request and the reply: a change of wording here is another check to an engine.
FIGURES: Final = "Figures carry their period and source"
RISKS: Final = "Limits and risks are named"
ASK: Final = "The ask is clear"
CHECKS: Final = (FIGURES, RISKS, ASK)
"""Names of the checks that only reading can decide; `DebriefRequest.checks` contains these names."""

_A_LITTLE_OVER: Final = 1.1
"""The factor up to which too much time is "partly": a chair accepts a tenth more."""


@dataclass(frozen=True, slots=True)
class Record:
    """The session's data on which the checks are based."""

    scene: Scene
    reviews: Sequence[Review]
    tensions: Sequence[Tension] | None
    is_read: bool  # an engine that reads has looked for contradictions
    read: Mapping[str, Check]  # the checks that an engine made, by name
    under_questions: Sequence[tuple[float, float]]  # session clock: from and to, for each exchange
    used_s: float
    budget_s: float


def rubric(record: Record) -> tuple[Check, ...]:
    """Return all checks, in the order in which a board would notice their subjects."""
    return (
        _read(FIGURES, record),
        _agreement(record),
        _answers(record),
        _read(RISKS, record),
        _read(ASK, record),
        _time(record),
    )


def _read(name: str, record: Record) -> Check:
    return record.read.get(name) or Check(name, "not judged", "this takes reading, and no model was asked")


def _agreement(record: Record) -> Check:
    name = "Deck and speech are consistent"
    if record.tensions is None:
        return Check(name, "not judged", "contradictions were not looked for")
    found = [one for one in record.tensions if one.class_ != READ]
    if found:
        spoken = (one for one in found if (one.a.said_at_s, one.b.said_at_s) != (None, None))
        first = next(spoken, found[0])
        count = f"{legible.counted(len(found), 'contradiction')}{', one of them' if len(found) > 1 else ''}"
        return Check(name, "no", f"{count}: {first.note}")
    if not record.is_read:
        return Check(
            name, "not judged", "only the arithmetic within one table, chart or sentence was checked"
        )
    if record.tensions:
        return Check(name, "partly", f"no figure contradicts another; {_doubts(record)}")
    return Check(name, "yes", "no contradiction was found")


def _doubts(record: Record) -> str:
    """Return how many pairs of places may not agree, which no figure decides, and how many were asked
    about.
    """
    found = record.tensions or ()
    asked = sum(asked_about(record.reviews, one) is not None for one in found)
    which = legible.counted(len(found), "pair of places", "pairs of places")
    how = "asked about" if asked == len(found) else "not asked about" if not asked else f"{asked} asked about"
    return f"{which} may not agree, {how}"


def _answers(record: Record) -> Check:
    name = "Answers give what was asked"
    judged = [
        one for one in record.reviews if one.exchange.result in ("satisfied", "unresolved") and one.said
    ]
    if not judged:
        if not record.reviews:
            return Check(name, "not judged", "nothing was asked")
        said = any(one.said for one in record.reviews)
        return Check(name, "not judged", "no answer was judged" if said else "no answer was given")
    good = [one for one in judged if one.exchange.result == "satisfied"]
    at_once = [one for one in good if not phrasing.times_asked(one.exchange)]
    state = "yes" if len(at_once) == len(judged) else "partly" if good else "no"
    yours = sum(one.exchange.result == "unjudged" and bool(one.said) for one in record.reviews)
    left = len(each_once([one.exchange for one in record.reviews])) - len(judged) - yours
    judges = phrasing.judges([one.exchange for one in judged])
    by = f" ({judges})" if judges else ""
    why = f"{len(good)} of {len(judged)} judged{by}, {len(at_once)} at the first asking"
    why += f"; {yours} not judged" if yours else ""
    why += f"; {left} without an answer" if left > 0 else ""
    shown, what = _worst_answer(judged)
    source = Source(shown.said or "", origin="answer", exchange=shown.exchange.id)
    return Check(name, state, f"{why}; {what}", source)


def _worst_answer(judged: Sequence[Review]) -> tuple[Review, str]:
    """Return the answer to look at again, and why: one that failed, or one that came late."""
    failed = [(one, one.verdict) for one in judged if one.exchange.result == "unresolved"]
    late = [(one, often) for one in judged if (often := phrasing.times_asked(one.exchange))]
    return (failed + late or [(judged[0], "the first")])[0]


def _time(record: Record) -> Check:
    name = "Within the time"
    if not record.used_s:
        return Check(name, "not judged", "nothing was said")
    share = record.used_s / record.budget_s
    state = "yes" if share <= 1 else "partly" if share <= _A_LITTLE_OVER else "no"
    why = f"{legible.clock(record.used_s)} of {legible.clock(record.budget_s)}"
    spoken = talk_of(record.scene)
    if not spoken and state == "yes":  # how long a talk takes is not told by answers alone
        return Check(name, "not judged", f"nothing was presented; the answers took {why}")
    if not spoken:
        return Check(name, state, why)
    if state == "yes":
        return Check(name, state, f"{why}; your last words", last_words(spoken[-1]))
    up_s, asked = _time_up(record)
    if asked is not None:
        return Check(name, state, f"{why}; when the time was up, {asked.id} was open")
    last = [one for one in spoken if (one.said_at_s or 0.0) <= up_s][-1:]
    if not last:
        return Check(name, state, f"{why}; when the time was up, you had not begun to present")
    return Check(
        name, state, f"{why}; the last words that you began before the time was up", first_words(last[0])
    )


def _time_up(record: Record) -> tuple[float, Exchange | None]:
    """Return the session clock when the time was up, and the exchange that was open then, or None.

    A recording waits while a question is open, so its clock leaves out the time of the answers.
    """
    up_s = record.budget_s
    for one, (from_s, until_s) in zip(record.scene.exchanges, record.under_questions, strict=True):
        if up_s < from_s:
            break
        up_s -= max(0.0, one.spent_s - (until_s - from_s))
        if up_s < until_s or up_s < from_s:
            return up_s, one
    return up_s, None


def talk_of(scene: Scene) -> list[Source]:
    """Return the presenter's own speech without the answers, which the transcript contains as well."""
    answered = " ".join(turn.answer or "" for exchange in scene.exchanges for turn in exchange.turns)
    return [
        Source(segment.text, segment.slide, segment.start_s, "speech")
        for segment in scene.segments
        if segment.speaker in scene.presenter_labels and segment.text not in answered
    ]
