"""How long something takes: its own duration, or its start and end; and two of them that differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.events import Event, stem
from orchestrator.checks.moments import moments
from orchestrator.checks.passages import Passage, hypothetical
from orchestrator.checks.spans import Span, disagree, months, span_of, span_words
from orchestrator.checks.stretches import IN_MONTHS, months_of
from orchestrator.claims.model import Tension
from orchestrator.claims.words import word_set

_TAKES: Final = (
    r"(?:takes?|took|lasts?|lasted|needs?|requires?|runs?|ran|goes on|spans?|will take|will last|will run|"
    r"(?:is|are|will be|was) (?:done|finished|completed?|over|ready) (?:in|within|after))"
)
_FORMS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"^(?P<what>.{{3,70}}?)\s+{_TAKES}\s+(?:us |you |them |the team )?(?:for |over )?(?:a total of |"
            rf"just |only |exactly )?$"
        ),
        rf"^(?:it\s+)?{_TAKES}\s+(?:us |you |them |the team )?$",  # "It takes us 29 days to finish the audit"
        (
            r"^(?P<what>[^:]{3,60}?)(?:,?\s*(?:total )?(?:duration|length|time))?\s*(?::|"
            r"\s[–—-])\s*(?:duration |length )?$"
        ),
        r"^(?:the )?(?:duration|length|term) of (?P<what>.{3,60}?)\s*(?:is|:|will be|was)\s*$",
        r"^the time (?:that is )?(?:needed |required |it takes )?for (?P<what>.{3,60}?)\s+(?:is|will be)\s*$",
        r"^(?:for |we need |we plan |we allow |allow |plan )?$",  # "Six months for the audit"
        r"^(?P<what>.{3,70}?)\s+(?:is|was|will be) (?:a|an)\s+$",
    )
)
_BEHIND = re.compile(
    r"^\s*(?:from the (?:first|start)(?: day)? of|to (?:finish|complete|do|run|carry out|get through|build|"
    r"install|deliver)|for)\s+(?P<what>.{3,70}?)(?: to (?:the|its) (?:last|end)(?: day)?)?$",
    re.IGNORECASE,
)
_REST = re.compile(
    r"^\s*(?:$|[,.;:)(–—]|from start to (?:end|finish)|in (?:all|total)|altogether|long\b|overall|to "
    r"(?:finish|complete)\b|from\b|between\b)",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:average|median|mean|per|each|every|notice|target|goal|aim|plan(?:ned)? to|instead|faster|"
    r"earlier|later|delay\w*|last year|before|"
    r"previous(?:ly)?|used to|now|today|competitors?|industry|benchmark|market|reduced?|cut|shorten\w*|"
    r"from (?!start to)\w+ to|up to|at most|at least|"
    r"maximum|minimum|waiting|wait|extended|extension|longer|more|less|original(?:ly)?|initial(?:ly)?|"
    r"formerly|payback|runway|old|ago|experience)\b",
    re.IGNORECASE,
)
_STOP: Final = word_set(
    "a an the this that our your their its we it is was will be of in on for to from with and or by at as "
    "over run runs lasts take takes "
    "need needs month months year years week weeks day days quarter quarters planned full total new whole "
    "entire duration length time "
    "finish complete all about us you see can only"
)
_LEAD_IN = re.compile(
    r"^(?:(?:let me|as you|to be|i will|so|in short|in brief)[^:,]{0,30}[:,]\s*(?=[^:]*:)|"
    r"[^,]{0,60}\b(?:is that|counts is|see|know|said|say|mean|means|point is),?\s+(?:that )?)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w’'&/+.-]*")


@dataclass(frozen=True, slots=True)
class _Length:
    what: frozenset[str]
    amount: Amount
    passage: Passage


def length_tensions(passages: Sequence[Passage], happened: Sequence[Event] = ()) -> Iterator[Tension]:
    """Two durations of one thing that differ, and a duration against the start and end of the same thing."""
    lengths = [length for passage in passages for length in _lengths(passage)]
    spans = [
        (what, span, p)
        for p in passages
        if (span := span_of(p.text)) and (what := _words(span_words(p.text, span)))
    ]
    for index, second in enumerate(lengths):
        like = [other for other in lengths if _same(other.what, second.what)]
        if len({round(_middle(other.amount), 3) for other in like}) != 2:
            continue
        first = next(
            (o for o in lengths[:index] if _same(o.what, second.what) and _differ(o.amount, second.amount)),
            None,
        )
        if first is not None and first.passage.place != second.passage.place:
            note = f"The same thing takes {first.amount.text} here and {second.amount.text} there."
            yield Tension("duration", first.passage.place, second.passage.place, note)
    yield from _against_spans(lengths, [*spans, *_between(happened)])


def _between(happened: Sequence[Event]) -> Iterator[tuple[frozenset[str], Span, Passage]]:
    """From the one start to the one end of a thing, where each is an event of its own."""
    for start in happened:
        if start.name not in ("start", "launch") or not start.words or start.moment.yearless:
            continue
        like = [
            e for e in happened if e.words == start.words and e.marks == start.marks and not e.moment.yearless
        ]
        ends = [e for e in like if e.name in ("end", "close", "complete")]
        if len(like) == 2 and len(ends) == 1 and ends[0].moment.last > start.moment.first:
            place = ends[0].place
            passage = Passage(place.quote, place.slide, place.said_at_s, "line")
            yield start.words, Span(start.moment, ends[0].moment), passage


def _against_spans(
    lengths: Sequence[_Length], spans: Sequence[tuple[frozenset[str], Span, Passage]]
) -> Iterator[Tension]:
    for what, span, passage in spans:
        like = [
            length for length in lengths if _same(length.what, what) and length.passage.place != passage.place
        ]
        others = [other for other, _, _ in spans if _same(other, what)]
        if len({length.amount.value for length in like}) != 1 or len(others) != 1:
            continue
        if disagree(like[0].amount, span):
            low, high = months(span)
            note = (
                f"{like[0].amount.text} is stated, but {span.text} is {max(low, 0):.3g} to {high:.3g} months."
            )
            yield Tension("duration", like[0].passage.place, passage.place, note)


def _lengths(passage: Passage) -> Iterator[_Length]:
    text = re.sub(r"^(?:so|and|now|well|then),?\s+", "", _LEAD_IN.sub("", passage.text), flags=re.IGNORECASE)
    if hypothetical(text) or _OTHER.search(text) or moments(text):
        return
    found = amounts(text)
    durations = [a for a in found if a.unit in IN_MONTHS and not a.vague]
    if len(durations) != 1 or any(not a.is_count or a.value > 9 for a in found if a not in durations):
        return
    amount = durations[0]
    before, after = text[: amount.start].lstrip(), text[amount.end :]
    for form in _FORMS:
        if (match := form.match(before)) is None:
            continue
        what = match.groupdict().get("what")
        behind = _BEHIND.match(after)
        if what is None and behind:
            what = behind["what"]
        elif what is None or not _REST.match(after):
            continue
        if words := _words(what):
            yield _Length(words, amount, passage)
            return


def _words(text: str) -> frozenset[str]:
    return frozenset(
        stem(m[0])
        for m in _WORD.finditer(text)
        if m[0].lower() not in _STOP and not re.fullmatch(r"\d{4}", m[0])
    )


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a) and a == b


def _middle(amount: Amount) -> float:
    return amount.value * IN_MONTHS[amount.unit or ""]


def _differ(a: Amount, b: Amount) -> bool:
    """No length fits both, rounding to half the larger unit included."""
    first, second = months_of(a), months_of(b)
    if first is None or second is None:
        return False
    if a.unit == b.unit:
        return a.value != b.value
    return first[1] < second[0] - 0.1 or second[1] < first[0] - 0.1
