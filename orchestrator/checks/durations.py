"""Durations that their own start and end contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.clocks import clock_tensions
from orchestrator.checks.events import events
from orchestrator.checks.grid import NUMBER, cell
from orchestrator.checks.lengths import length_tensions
from orchestrator.checks.model import Figure
from orchestrator.checks.moments import Moment, moments
from orchestrator.checks.passages import Passage, deck_passages, hypothetical, shown, speech_passages
from orchestrator.checks.spans import END, START, Span, disagree, months, span_of
from orchestrator.checks.stretches import IN_MONTHS
from orchestrator.checks.terms import first_and_last_day, term_tensions
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment

_THINGS: Final = (
    r"pilot|trial|project|programme|program|phase|plan|rollout|roll-out|contract|lease|term|study|campaign|"
    r"migration|"
    r"test|construction|build|transition|period|engagement|agreement|licen[cs]e|option|run|window|strategy|"
    r"closure|"
    r"assignment|residency|apprenticeship|season|tour|grant|sprint|implementation|deployment|roadmap|"
    r"journey|timeline|"
    r"schedule|installation|works?|refurbishment|subscription|warranty|observation|audit|tender|"
    r"procurement|internship|course"
)
_OF_A_THING = re.compile(rf"^(?:[\w’'-]+\s+){{0,3}}?(?P<thing>{_THINGS})s?\b", re.IGNORECASE)
_LASTS = re.compile(
    r"\b(?:lasts?|lasted|takes?|took|runs? (?:for|over)|ran (?:for|over)|over|for|spans?|covers?|"
    r"duration(?: of| is)?|"
    r"length(?: of| is)?|within|:|=|\()\s*(?:a (?:total|period) of |exactly |just |only |a |the |its |all |"
    r"full )*$|[,–—-]\s*(?:a )?$|^\s*$",
    re.IGNORECASE,
)
_NOT_ITS_LENGTH = re.compile(
    r"\b(?:every|each|per|notice|ahead|ago|earlier|later|late|early|delay\w*|behind|old|experience|payback|"
    r"pays? back|runway|before|after|extension|extended|extra|more|another|longer|shorter|further|additional|"
    r"first|last|past|next|previous|remaining|final|faster|saved?|reduc\w+|from .{1,20} to \d+|average|"
    r"month over month|year over year|option to|half of|up to|halfway|into|minimum|left)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"\b(?:duration|length|term|weeks|months|days|years|run ?time|how long)\b", re.IGNORECASE
)
_FOUNDED = re.compile(
    r"\b(?:founded|established|incorporated|set up|started (?:out|trading|the company)|in business since|"
    r"trading since)\b",
    re.I,
)
_AGE = re.compile(
    r"\b(?:(?:we|the company|the firm|the business|the group|us)\b.{0,40}\b(?:for|over|after)|in business "
    r"for|on the market for|"
    r"trading for|operating for|celebrat\w+|our)\s*(?:more than |over |almost |nearly |the past |the last "
    r")?$",
    re.IGNORECASE,
)
_AGE_BEHIND = re.compile(
    r"^\s*(?:old\b|in business|of (?:company )?history|of trading|of operations?|in operation|since (?:we "
    r"were |our )?found|"
    r"anniversary|on the market|in the market|as a company)",
    re.IGNORECASE,
)


def duration_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Every stated duration that does not fit its own start and end, or the years since the founding.

    "March to May" is anything from just over one month to three; a duration may be rounded to
    half its unit.
    """
    passages = (*deck_passages(deck), *speech_passages(speech))
    told: set[Place] = set()
    for passage in passages:
        for tension in _in_sentence(passage):
            told |= {tension.a, tension.b}
            yield tension
    for slide in shown(deck):
        yield from _labelled(slide)
        for table in slide.tables:
            yield from _in_table(slide, table)
    for tension in (
        *length_tensions(passages, events(deck, speech)),
        *clock_tensions(passages),
        *term_tensions(passages),
        *first_and_last_day(tuple(shown(deck)), passages),
    ):
        if not {tension.a, tension.b} & told:
            told |= {tension.a, tension.b}
            yield tension
    yield from _ages(deck, passages)


def _in_sentence(passage: Passage) -> Iterator[Tension]:
    text = passage.text
    span = span_of(text)
    if span is None or hypothetical(text):
        return
    durations = [a for a in amounts(text) if a.unit in IN_MONTHS]
    own = [a for a in durations if _is_length(text, a)]
    if len(own) != 1 or len(durations) != 1 or not _near(text, own[0], span):
        return
    if disagree(own[0], span):
        yield _tension(passage.place, passage.place, own[0], span)


def _near(text: str, amount: Amount, span: Span) -> bool:
    """Nothing between the two but the thing itself, so that the duration is that of the stretch."""
    start, end = span.first.start, span.last.end
    between = text[amount.end : start] if amount.end <= start else text[end : amount.start]
    return len(between.split()) <= 9 and not re.search(r"[;.]|\bwhile\b|\bwhich\b", between)


def _is_length(text: str, amount: Amount) -> bool:
    """The number is how long the thing takes, not a notice, a delay or an age."""
    before, after = text[max(0, amount.start - 40) : amount.start], text[amount.end : amount.end + 40]
    if _NOT_ITS_LENGTH.search(" ".join(before.split()[-2:])) or _NOT_ITS_LENGTH.search(
        " ".join(after.split()[:2])
    ):
        return False
    return (
        bool(_OF_A_THING.match(after.lstrip(" -"))) or bool(_LASTS.search(before)) or after.strip()[:1] == ")"
    )


def _tension(a: Place, b: Place, amount: Amount, span: Span) -> Tension:
    low, high = months(span)
    reach = f"{high:.0f}" if high - low < 1 else f"{max(low, 0):.0f} to {high:.0f}"
    return Tension("duration", a, b, f"{amount.text} is stated, but {span.text} is {reach} months.")


def _labelled(slide: Slide) -> Iterator[Tension]:
    """Lines "Start: …", "End: …" and "Duration: …" of one slide, one of each."""
    starts: list[tuple[str, Moment]] = []
    ends: list[tuple[str, Moment]] = []
    lengths: list[tuple[str, Amount]] = []
    for line in slide.lines:
        label = re.split(r"[:–—|]", line)[0]
        dates, spans = moments(line), [a for a in amounts(line) if a.unit in IN_MONTHS]
        if len(label.split()) > 3 or len(label) == len(line):
            continue
        if len(dates) == 1 and not spans:
            (starts if START.search(label) else ends if END.search(label) else []).append((line, dates[0]))
        if len(spans) == 1 and not dates and _LENGTH.search(label):
            lengths.append((line, spans[0]))
    if len(starts) == len(ends) == len(lengths) == 1:
        span = Span(starts[0][1], ends[0][1])
        if (
            span.first.yearless == span.last.yearless
            and span.first.first < span.last.last
            and disagree(lengths[0][1], span)
        ):
            yield _tension(
                Place(slide.number, None, lengths[0][0]),
                Place(slide.number, None, ends[0][0]),
                lengths[0][1],
                span,
            )


def _in_table(slide: Slide, table: Table) -> Iterator[Tension]:
    """Rows with a column for the start, one for the end, and one for the duration."""
    header = table.rows[0] if table.rows else ()
    start = [i for i, head in enumerate(header) if START.search(head)]
    end = [i for i, head in enumerate(header) if END.search(head) and i not in start]
    length = [i for i, head in enumerate(header) if _LENGTH.search(head) and i not in (*start, *end)]
    if not len(start) == len(end) == len(length) == 1:
        return
    for row in table.rows[1:]:
        if len(row) <= max(start[0], end[0], length[0]):
            continue
        first, last = moments(row[start[0]]), moments(row[end[0]])
        amount = _length(row[length[0]], header[length[0]])
        if len(first) != 1 or len(last) != 1 or amount is None or first[0].yearless != last[0].yearless:
            continue
        if first[0].first < last[0].last and disagree(amount, Span(first[0], last[0])):
            a, b = Place(slide.number, None, row[length[0]]), Place(slide.number, None, row[end[0]])
            yield _tension(a, b, amount, Span(first[0], last[0]))


def _length(text: str, head: str) -> Amount | None:
    found = [a for a in amounts(text) if a.unit in IN_MONTHS]
    if len(found) == 1:
        return found[0]
    single = cell(text)
    unit = next((unit for unit in IN_MONTHS if unit in head.lower()), None)
    if single.sort == NUMBER and single.amount is not None and single.amount.unit is None and unit:
        return replace(single.amount, unit=unit)
    return None


def _ages(deck: Deck, passages: Sequence[Passage]) -> Iterator[Tension]:
    """More years in business than lie between the founding and the latest year that the deck names."""
    founded = [
        (p, m[0])
        for p in passages
        if _FOUNDED.search(p.text) and len(m := moments(p.text)) == 1 and not m[0].yearless
    ]
    years = [m.last.year for p in passages for m in moments(p.text) if not m.yearless]
    if len({m.first.year for _, m in founded}) != 1 or not years:
        return
    passage, moment = founded[0]
    latest = max(years)
    for other in passages:
        for amount in amounts(other.text):
            if amount.unit != "years" or amount.value < 2:
                continue
            aged = _AGE_BEHIND.match(other.text[amount.end :]) or _AGE.search(other.text[: amount.start])
            if aged and amount.value - 1 > latest - moment.first.year and not hypothetical(other.text):
                note = (
                    f"{amount.text} in business do not fit a founding in {moment.first.year}: "
                    f"the latest year that is named is {latest}."
                )
                yield Tension("duration", passage.place, other.place, note)
