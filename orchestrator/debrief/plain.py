"""The debrief as plain JSON: a superset of what interfaces.md promises."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.debrief import words
from orchestrator.debrief.linking import asked_about
from orchestrator.debrief.model import Debrief, OpenPoint, Review, Source, Stronger
from orchestrator.engines.bill import bill_json
from orchestrator.model.claim import Place
from orchestrator.model.exchange import Exchange
from orchestrator.speech.delivery import Delivery
from orchestrator.speech.fillers import FILLER, HEDGE
from orchestrator.speech.pace import Stretch


def exchange_json(exchange: Exchange) -> dict[str, Any]:
    """An exchange as interfaces.md promises it."""
    return {
        "id": exchange.id,
        "agent": exchange.agent,
        "claim": exchange.claim,
        "slide": exchange.slide,
        "said_at_s": exchange.said_at_s,
        "quote": exchange.quote,
        "grounded": exchange.grounded,
        "why_this_agent": exchange.why_this_agent,
        "turns": [
            {
                "question": turn.question,
                "answer": turn.answer,
                "verdict": turn.verdict,
                "reason": turn.reason,
                "quote": turn.quote,
            }
            for turn in exchange.turns
        ],
        "outcome": exchange.outcome,
        "comes_back_to": exchange.comes_back_to,
    }


def as_json(debrief: Debrief) -> dict[str, Any]:
    """The debrief as plain JSON."""
    fix = debrief.fix
    return {
        "deck": debrief.deck,
        "presenter": debrief.presenter,
        "speaker": debrief.speaker,
        "date": debrief.date,
        "fix_first": None if fix is None else fix.what,
        "fix_first_why": None if fix is None else fix.why,
        "fix_first_do": None if fix is None else fix.do,
        "fix_first_exchange": None if fix is None else fix.exchange,
        "exchanges": [exchange_json(review.exchange) for review in debrief.reviews],
        "reviews": [_review(review) for review in debrief.reviews],
        "tensions": None
        if debrief.tensions is None
        else [
            {
                "kind": one.kind,
                "class": one.class_,
                "a": _place(one.a),
                "b": _place(one.b),
                "places": [_place(place) for place in one.places],
                "note": one.note,
                "sum": one.sum,
                "subject": one.subject,
                "by": one.by,
                "asked_in": None
                if (asked := asked_about(debrief.reviews, one)) is None
                else asked.exchange.id,
            }
            for one in debrief.tensions
        ],
        "open": [open_point(point) for point in debrief.homework],
        "homework": [
            {
                "exchange": one.exchange,
                "about": _source(one.about),
                "why": one.why,
                "stronger": _stronger(one.stronger),
            }
            for one in debrief.homework
        ],
        "promises": [_source(one) for one in debrief.promises],
        "observed": [{"text": one.text, "quote": one.quote} for one in debrief.observed],
        "still_wanted": list(debrief.still_wanted),
        "slides": [
            {
                "slide": span.slide,
                "title": span.title,
                "seconds": span.seconds,
                "estimated": span.estimated,
                "budget_s": span.budget_s,
            }
            for span in debrief.slides
        ],
        "speech_s": debrief.speech_s,
        "answers_s": debrief.answers_s,
        "budget_s": debrief.budget_s,
        "delivery": _delivery(debrief.delivery),
        "rubric": [
            {"check": one.name, "state": one.state, "why": one.why, "quote": _source(one.source)}
            for one in debrief.rubric
        ],
        "engine": debrief.engine,
        "took_over": debrief.took_over,
        "failed": debrief.failed,
        "language": debrief.language,
        "usage": bill_json(debrief.bill),
    }


def json_text(debrief: Debrief) -> str:
    """The debrief as the text of debrief.json."""
    return json.dumps(as_json(debrief), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def open_point(point: OpenPoint) -> str:
    """An open point in one line: the words it is about, and why it is open."""
    about = "general" if point.about is None else f'{words.place(point.about)}, "{point.about.quote}"'
    return f"{point.exchange} ({about}): {point.why}"


def _review(review: Review) -> dict[str, Any]:
    return {
        "exchange": review.exchange.id,
        "asked": review.asked,
        "said": review.said,
        "verdict": review.verdict,
        "came_back_as": review.came_back_as,
        "reason": review.reason,
        "stronger": _stronger(review.stronger),
        "still_open": list(review.still_open),
    }


def _stronger(better: Stronger | None) -> dict[str, Any] | None:
    if better is None:
        return None
    return {
        "first": _source(better.first),
        "rests_on": [_source(one) for one in better.rests_on],
        "bring": list(better.bring),
        "text": " ".join(words.stronger(better)),
    }


def _place(place: Place) -> dict[str, Any]:
    return {"slide": place.slide, "said_at_s": place.said_at_s, "quote": place.quote}


def _source(source: Source | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {
        "quote": source.quote,
        "slide": source.slide,
        "said_at_s": source.said_at_s,
        "origin": source.origin,
        "exchange": source.exchange,
    }


def _delivery(told: Delivery) -> dict[str, Any]:
    return {
        "words": told.words,
        "spoken_s": told.spoken_s,
        "words_per_minute": told.words_per_minute,
        "minutes": [_stretch(one) for one in told.minutes],
        "slow": [_stretch(one) for one in told.slow],
        "fast": [_stretch(one) for one in told.fast],
        "fillers": None if told.said is None else dict(told.common(FILLER)),
        "hedges": None if told.said is None else dict(told.common(HEDGE)),
        "pauses": None
        if told.pauses is None
        else [{"at_s": one.at_s, "length_s": one.length_s} for one in told.pauses],
        "monologue": None
        if told.monologue is None
        else {"from_s": told.monologue[0], "to_s": told.monologue[1]},
        "talk_share": told.talk_share,
    }


def _stretch(one: Stretch) -> dict[str, Any]:
    return {"from_s": one.start_s, "to_s": one.end_s, "words_per_minute": one.words_per_minute}
