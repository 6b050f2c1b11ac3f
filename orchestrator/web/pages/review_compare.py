"""GET /review/compare: two runs on one deck, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.core import legible
from orchestrator.core.errors import ArchiveError
from orchestrator.core.legible import one_line
from orchestrator.material.speech.delivery import FILLER
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.parts import Debrief, Review
from orchestrator.panel.model.exchange import each_once
from orchestrator.review.catalogue import Row
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

# ---------------------------------------------------------------------- comparison
# Two rehearsals of one deck side by side: what holds now, what still fails, and how it was said.


HELD = frozenset({"satisfied"})
FAILED = frozenset({"unresolved", "silent", "parked", "contradiction"})


@dataclass(frozen=True, slots=True)
class Point:
    """A point that was raised in a run, and its result."""

    about: str  # the words, with their place; of a general question, the question
    result: str  # of OUTCOMES, or "silent", "contradiction", "" where it did not come up
    told: str  # in words


@dataclass(frozen=True, slots=True)
class Pair:
    """The same point in both runs."""

    about: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of delivery in both runs; "" for a run without it."""

    name: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of the earlier run `a` with the later run `b`."""

    holds: tuple[Pair, ...]  # failed in a, and holds in b
    fails: tuple[Pair, ...]  # fails in both
    slipped: tuple[Pair, ...]  # held in a, and fails in b
    new: tuple[Pair, ...]  # fails in b, and did not come up in a
    unjudged: tuple[Pair, ...]  # came up in both, and at least one was judged by nobody
    gone: tuple[Pair, ...]  # failed in a, and did not come up in b
    measures: tuple[Measure, ...]


def comparison(a: Debrief, b: Debrief) -> Comparison:
    """Compare the earlier run *a* with the later run *b*."""
    first, second = dict(_points(a)), dict(_points(b))
    found: dict[str, list[Pair]] = {name: [] for name in Comparison.__slots__ if name != "measures"}
    for key in [*first, *(key for key in second if key not in first)]:
        one, other = first.get(key), second.get(key)
        about = (other or one or Point("", "", "")).about
        kind = _kind(one, other)
        if kind is not None:
            is_found = "contradiction" in (one.result if one else "", other.result if other else "")
            absent = "not found" if is_found else "did not come up"
            found[kind].append(Pair(about, one.told if one else absent, other.told if other else absent))
    return Comparison(
        **{name: tuple(pairs) for name, pairs in found.items()}, measures=tuple(_measures(a, b))
    )


def _kind(one: Point | None, other: Point | None) -> str | None:
    """Return the list to which a point belongs, or None if it held in both runs or nobody judged it."""
    before, now = one.result if one else "", other.result if other else ""
    if one is not None and other is not None and "unjudged" in (before, now):
        return "unjudged"
    if now in FAILED:
        return "fails" if before in FAILED else "slipped" if before in HELD else "new"
    if before in FAILED:
        # A contradiction that is not found any more is gone; a question may only not have come up.
        return "holds" if now in HELD or before == "contradiction" else "gone"
    return None


def _points(debrief: Debrief) -> Iterator[tuple[str, Point]]:
    """Yield every counted contradiction, and every question once, each with the key by which runs are
    matched."""
    for one in debrief.contradictions:
        yield one.digest, Point(phrasing.noted(one), "contradiction", "a contradiction")
    counted = {one.id for one in each_once(debrief.exchanges)}
    for review in debrief.reviews:
        if review.exchange.id in counted:
            yield _key(review), Point(_about(review), _result(review), phrasing.verdict(review))


def _key(review: Review) -> str:
    return one_line(review.exchange.quote or review.asked).casefold()


def _about(review: Review) -> str:
    """Return the question, followed by the words that it is about."""
    return " ".join(
        [review.asked, *([f"On {phrasing.with_place(review.places[0])}"] if review.places else [])]
    )


def _result(review: Review) -> str:
    if review.exchange.result == "unjudged" and review.is_silent:
        return "silent"
    return review.exchange.result or ""


def _measures(a: Debrief, b: Debrief) -> Iterator[Measure]:
    for (name, first), (_, second) in zip(_measured(a), _measured(b), strict=True):
        yield Measure(name, first, second)


def _measured(one: Debrief) -> Iterator[tuple[str, str]]:
    told = one.delivery
    fillers = None if told.said is None or not told.words else 100 * told.count(FILLER) / told.words
    yield "Time used", f"{legible.clock(one.used_s)} of {legible.clock(one.budget_s)}"
    yield "Presenting", legible.clock(one.speech_s)
    yield "Answering", legible.clock(one.answers_s)
    yield "Words a minute", str(told.words_per_minute or "")
    yield "Fillers in 100 words", "" if fillers is None else f"{fillers:.1f}"
    longest = told.monologue
    yield "Longest without another voice", "" if longest is None else legible.clock(longest[1] - longest[0])
    yield "Contradictions", _contradictions(one)
    yield "Questions", phrasing.outcomes(one).rstrip(".")


def _contradictions(one: Debrief) -> str:
    """Return the number of contradictions in words; never one that reads as clean if nobody looked for
    any."""
    if one.tensions is None or not (one.is_read or one.contradictions):
        return "not looked for" if one.tensions is None else "not looked for, but for sums that fail"
    return str(len(one.contradictions)) + ("" if one.is_read else ", by sums alone")


# ---------------------------------------------------------------------- review compare


router = APIRouter()


@router.get("/review/compare", response_class=HTMLResponse)
def compare(a: str, b: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """Return the page that compares two runs, with the earlier run first, in whichever order they are
    named."""
    rows = sorted((site.review.row(a), site.review.row(b)), key=lambda row: row.n)
    compared, why = None, _why_not(*rows)
    if why is None:
        try:
            compared = comparison(*(site.review.session(row).debrief() for row in rows))
        except ArchiveError as error:
            why = str(error)
    return page(
        "review_compare.html",
        200 if why is None else 409,
        has_home=site.home is not None,
        base=site.base,
        a=rows[0],
        b=rows[1],
        why=why,
        compared=compared,
    )


def _why_not(a: Row, b: Row) -> str | None:
    """Return why these two cannot be compared, or None if they can."""
    if a.n == b.n:
        return "These are one and the same session: choose another run to compare it with."
    is_same = a.entry.deck_sha256 == b.entry.deck_sha256
    if not is_same and a.entry.deck != b.entry.deck:  # a revised one keeps its title
        return "These are runs of different decks: what held in one cannot be looked for in the other."
    if a.entry.panel != b.entry.panel:
        return (
            "The panels differ: at least one persona, its knowledge or the rules changed between these runs, "
            "so other questions and verdicts may be the panel's doing and not the presenter's."
        )
    if a.entry.engine != b.entry.engine:
        return f"The panels thought differently: with the engine {a.entry.engine}, then {b.entry.engine}."
    return None
