"""The debrief as plain JSON: a superset of what interfaces.md promises."""

from __future__ import annotations

import json
from typing import Any, Final

from orchestrator.material.claim import Tension
from orchestrator.material.speech.delivery import FILLER, HEDGE, Delivery
from orchestrator.material.speech.times import Stretch
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.exchange_json import (
    exchange_json,
    picked,
    plain,
    tension_json,
)
from orchestrator.panel.debrief.parts import (
    Debrief,
    Fix,
    OpenPoint,
    Review,
    Stronger,
    asked_about,
    bill_json,
)

_DEBRIEF: Final = (
    "deck", "presenter", "speaker", "date", "day", "promises", "still_wanted", "slides", "speech_s",
    "answers_s", "budget_s", "engine", "took_over", "failed", "language", "withdrawn", "unread",
)  # fmt: skip
"""Fields of the debrief that the JSON contains unchanged."""


def as_json(debrief: Debrief) -> dict[str, Any]:
    """Return the debrief as plain JSON."""
    fix = debrief.fix
    return {
        **picked(debrief, _DEBRIEF),
        "fix_first": None if fix is None else fix.what,
        "fix_first_why": None if fix is None else fix.why,
        "fix_first_do": None if fix is None else _do(fix),
        "fix_first_say": None if fix is None else _of_lines(fix, "Say"),
        "fix_first_bring": None if fix is None else _bring(fix),
        "fix_first_exchange": None if fix is None else fix.exchange,
        "exchanges": [exchange_json(review.exchange) for review in debrief.reviews],
        "reviews": [_review(review) for review in debrief.reviews],
        "tensions": None
        if debrief.tensions is None
        else [_tension(debrief, one) for one in debrief.tensions],
        "open": [open_point(point) for point in debrief.homework],
        "homework": [
            {**picked(one, ("exchange", "about", "why", "question")), "stronger": _stronger(one.stronger)}
            for one in debrief.homework
        ],
        "not_put": [picked(one, ("text", "slide", "agent", "written_by")) for one in debrief.not_put],
        "observed": [picked(one, ("text", "quote")) for one in debrief.observed],
        "delivery": {**_delivery(debrief.delivery), **_habits(debrief)},
        "rubric": [
            {"check": one.name, "state": one.state, "why": one.why, "quote": plain(one.source)}
            for one in debrief.rubric
        ],
        "usage": bill_json(debrief.bill),
        **_workers(debrief),
    }


def _workers(debrief: Debrief) -> dict[str, Any]:
    """Return who drove it in a cluster; nothing elsewhere, so that what is written there stays as it is."""
    if not debrief.workers:
        return {}
    drove = [{"worker": one.worker, "after_gone": one.is_left} for one in debrief.workers]
    return {"workers": drove, "driven": phrasing.driven(debrief)}


def _do(fix: Fix) -> str | None:
    """Return everything that corrects the finding as one text, in the form that releases before 0.3 used."""
    if fix.better is not None:
        return " ".join(phrasing.stronger(fix.better)) or None
    return " ".join(text for label, text in phrasing.fix_lines(fix) if label != "Why") or None


def _bring(fix: Fix) -> list[str] | None:
    if fix.better is not None and fix.better.bring:
        return list(fix.better.bring)
    return None if fix.bring is None else [fix.bring]


def _of_lines(fix: Fix, label: str) -> str | None:
    return " ".join(text for name, text in phrasing.fix_lines(fix) if name == label) or None


def json_text(debrief: Debrief) -> str:
    """Return the debrief as the text of debrief.json."""
    return json.dumps(as_json(debrief), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def open_point(point: OpenPoint) -> str:
    """Return an open point in one line: the words it is about, its question, and why it is open."""
    about = point.about
    where = point.origin or phrasing.GENERAL if about is None else f'{phrasing.place(about)}, "{about.quote}"'
    if about is not None and not about.quote:
        where = phrasing.lacking(about.slide)
    return f"{point.exchange} ({where}): {point.question} {point.why}"


def _review(review: Review) -> dict[str, Any]:
    names = ("asked", "said", "verdict", "came_back_as", "reason", "still_open")
    gone = {"dismissed": True} if review.is_dismissed else {}
    heard = {"heard_as": list(review.heard_as)} if review.heard_as else {}
    more = {
        "would_hold": review.would_hold if review.exchange.outcome == "satisfied" else None,
        "before": None if review.before is None else exchange_json(review.before),
        "better_than_before": list(phrasing.better_than_before(review)),
        "stronger": _stronger(review.stronger),
    }
    return {"exchange": review.exchange.id, **picked(review, names), **heard, **gone, **more}


def _stronger(better: Stronger | None) -> dict[str, Any] | None:
    if better is None:
        return None
    text = " ".join(phrasing.stronger(better))
    return {**picked(better, ("first", "rests_on", "bring")), "text": text}


def _tension(debrief: Debrief, one: Tension) -> dict[str, Any]:
    asked = asked_about(debrief.reviews, one)
    more = {**picked(one, ("id", "places")), "asked_in": None if asked is None else asked.exchange.id}
    return {**tension_json(one), **more}


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
        "pauses": plain(told.pauses),
        "monologue": None
        if told.monologue is None
        else {"from_s": told.monologue[0], "to_s": told.monologue[1]},
        "talk_share": told.talk_share,
    }


def _habits(debrief: Debrief) -> dict[str, Any]:
    return {
        "repeated": [{**picked(one, ("words", "times")), "at_s": list(one.at_s)} for one in debrief.repeated],
        "read_aloud": [picked(one, ("slide", "share", "words")) for one in debrief.read_aloud],
    }


def _stretch(one: Stretch) -> dict[str, Any]:
    return {"from_s": one.start_s, "to_s": one.end_s, "words_per_minute": one.words_per_minute}
