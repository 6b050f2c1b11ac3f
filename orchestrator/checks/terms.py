"""A start and a term against the end that another line gives; first and last day against a length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.moments import Moment, moments
from orchestrator.checks.passages import Passage, hypothetical
from orchestrator.checks.roots import roots
from orchestrator.checks.spans import Span, disagree, months
from orchestrator.checks.stretches import IN_MONTHS
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Slide

_FOR = re.compile(
    r"\b(?:for|term of|period of|over|valid|validity of|lasting|runs|running|duration of|limited to)\s+"
    r"(?:(?:a|an|the|another|full|fixed|total|term|period|of|for)\s+)*$",
    re.IGNORECASE,
)
_TERM_NOUN = re.compile(
    r"^[- ](?:[a-z]+ )?(?:lease|contract|term|concession|licen[cs]e|permit|loan|agreement|deal|mandate|"
    r"guarantee|"
    r"warranty|bond|framework|tenancy|franchise|grant|subscription)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"\b(?:in|from|since|on|starting|began|begins|starts?|of|dated|as of|effective|signed|with effect "
    r"from)\s+"
    r"(?:the\s+|early\s+|late\s+)?$",
    re.IGNORECASE,
)
_TERM_LABEL = re.compile(
    r"(?:(?:fixed|total|contract|lease) )?(?:term|duration|validity|maturity|runs|run ?time|period)\b", re.I
)
_END = re.compile(
    r"\b(?:until|till|through|expir\w+|ends?|ending|ended|runs? (?:out|to|until)|over|up|terminat\w+|"
    r"matur\w+|lapses?|falls? due|back|last day|vacate\w*)\b[^.;]{0,25}$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:exten\w+|renew\w*|prolong\w*|option\w*|new (?:lease|contract|term)|second|notice|earlier|early|"
    r"break clause|originally|instead|delay\w*|postpon\w+|amend\w*|moved|after that|then)\b",
    re.IGNORECASE,
)
_FIRST_DAY = re.compile(
    r"\b(?:first (?:day|night|show)|start\w*|begin\w*|began|open(?:ing|ed|s)|launch\w*|kick-?off|from)\b",
    re.I,
)
_LAST_DAY = re.compile(
    r"\b(?:last (?:day|night|show)|end\w*|clos(?:ing|ed|es|e)|finish\w*|finale|until)\b", re.I
)
_LASTED = re.compile(
    r"\b(?:open|ran|runs?|lasts?|lasted|took|takes|on show|on view|went on|closed|shown|played|stayed|"
    r"spanned)\b"
    r"[^.;:]{0,25}$|\b(?:length|duration)\b[^.;]{0,20}$",
    re.IGNORECASE,
)
_OPEN_OR_NOT = re.compile(r"\b(?:open|closed|shut|out of (?:service|use)|on show)\b", re.IGNORECASE)
_SHUTS = re.compile(r"\b(?:clos\w+|shuts?|shut down|stops?)\b", re.IGNORECASE)
_REOPENS = re.compile(r"\b(?:re-?opens?|reopened|open again|starts? again|resum\w+)\b", re.IGNORECASE)
_OTHER_LENGTH = re.compile(
    r"\b(?:before|after|average|longer|shorter|more|less|than|earlier|later|late|early|delay\w*|plan\w*|"
    r"every|"
    r"each|per|first|last|within|ago|next|instead|of which|previous\w*|target|old)\b",
    re.IGNORECASE,
)
_SLACK: Final = 1.5  # months: a term counts from a day that is not always given
_DULL: Final = roots("year years month months term fixed until valid january february march april may june "
                     "july august september october november december date since")  # fmt: skip
_EDGES: Final = roots("first last day start end opening closing begin launch finish")
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class _Term:
    start: Moment
    amount: Amount
    passage: Passage  # what it is a term of
    source: Passage  # what says how long

    @property
    def words(self) -> frozenset[str]:
        return roots(self.passage.text) - _DULL


def term_tensions(passages: Sequence[Passage]) -> Iterator[Tension]:
    """ "For 15 years from January 2012" against "until January 2032", of what two words or more name."""
    plain = [p for p in passages if not hypothetical(p.text) and not _CHANGED.search(p.text)]
    terms = [term for p in plain if (term := _term(p)) is not None]
    terms += _labelled_terms(plain)
    ends = [(p, moment) for p in plain if (moment := _end(p)) is not None]
    for term in terms:
        linked = [
            (p, moment)
            for p, moment in ends
            if p != term.passage and len(term.words & (roots(p.text) - _DULL)) >= _FEWEST
        ]
        rivals = [t for t in terms if t is not term and len(t.words & term.words) >= _FEWEST]
        if rivals or len({moment.last for _, moment in linked}) != 1:
            continue
        passage, moment = linked[0]
        if _ends_elsewhere(term, moment):
            low = _plus(term.start.last, term.amount)
            note = f"{term.amount.text} from {_bare(term.start)} end in {low:%B %Y}, not in {_bare(moment)}."
            yield Tension("duration", term.source.place, passage.place, note)


def _term(passage: Passage) -> _Term | None:
    text, found = passage.text, moments(passage.text)
    lengths = [
        a
        for a in amounts(text)
        if a.unit in ("years", "months") and (_FOR.search(text[: a.start]) or _TERM_NOUN.match(text[a.end :]))
    ]
    if len(found) != 1 or len(lengths) != 1 or found[0].yearless or found[0].is_range or lengths[0].vague:
        return None
    lead = _lead(text, found[0])
    if _END.search(lead) or not _START.search(lead):
        return None
    return _Term(found[0], lengths[0], passage, passage) if lengths[0].value >= 1 else None


def _labelled_terms(plain: Sequence[Passage]) -> Iterator[_Term]:
    """ "Term: 15 years" beside the one line of its slide that says when it began."""
    for passage in plain:
        lengths = [a for a in amounts(passage.text) if a.unit in ("years", "months") and not a.vague]
        if len(lengths) != 1 or moments(passage.text) or not _TERM_LABEL.match(passage.text):
            continue
        begun = [(p, found[0]) for p in plain if p.slide == passage.slide and p.origin == passage.origin
                 and len(found := moments(p.text)) == 1 and not found[0].yearless]  # fmt: skip
        if len(begun) == 1 and _START.search(_lead(begun[0][0].text, begun[0][1])):
            yield _Term(begun[0][1], lengths[0], begun[0][0], passage)


def _end(passage: Passage) -> Moment | None:
    text, found = passage.text, moments(passage.text)
    if (
        len(found) != 1
        or found[0].yearless
        or found[0].is_range
        or any(a.unit in IN_MONTHS for a in amounts(text))
    ):
        return None
    return found[0] if _END.search(_lead(text, found[0])) else None


def _bare(moment: Moment) -> str:
    """The date without its preposition."""
    return re.sub(r"^(?:[a-z]+ )+", "", moment.text)


def _lead(text: str, moment: Moment) -> str:
    """What stands before the date, with the preposition that belongs to it."""
    own = re.match(r"(?:[a-z]+ )*", moment.text)
    return text[: moment.start] + (own[0] if own else "")


def _ends_elsewhere(term: _Term, moment: Moment) -> bool:
    low, high = _plus(term.start.first, term.amount), _plus(term.start.last, term.amount)
    slack = _SLACK if term.start.exact and moment.exact else 2 * _SLACK
    if (moment.last - moment.first).days > 300 or (term.start.last - term.start.first).days > 300:
        slack = 12.0
    gap = max((moment.first - high).days, (low - moment.last).days) / 30.44
    return gap > slack and moment.last > term.start.first


def _plus(day: date, amount: Amount) -> date:
    return date.fromordinal(day.toordinal() + round(amount.value * IN_MONTHS[amount.unit or ""] * 30.44))


def first_and_last_day(slides: Sequence[Slide], passages: Sequence[Passage]) -> Iterator[Tension]:
    """ "First day: 3 March", "Last day: 27 April" against "the exhibition was open for twelve weeks"."""
    for slide in slides:
        own = [p for p in passages if p.slide == slide.number and p.origin == "line"]
        for span, about, passage in (*_labelled_days(slide, own), *_closed_days(slide, own)):
            lengths = [
                (p, amount) for p in passages if p.slide is not None and p != passage
                for amount in _lengths(p) if (about - _DULL - _EDGES) & roots(p.text)
            ]  # fmt: skip
            different = {amount.value * IN_MONTHS[amount.unit or ""] for _, amount in lengths}
            if len(different) == 1 and disagree(lengths[0][1], span):
                low, high = months(span)
                note = (
                    f"{lengths[0][1].text} is stated, but {_bare(span.first)} to {_bare(span.last)} is "
                    f"{max(low, 0):.3g} to {high:.3g} months."
                )
                yield Tension("duration", passage.place, lengths[0][0].place, note)


def _labelled_days(slide: Slide, own: Sequence[Passage]) -> Iterator[tuple[Span, frozenset[str], Passage]]:
    labelled = [
        (p, p.text.partition(":")[0], found[0]) for p in own
        if ":" in p.text and len(found := moments(p.text)) == 1 and not found[0].is_range
    ]  # fmt: skip
    firsts = [one for one in labelled if _FIRST_DAY.search(one[1])]
    lasts = [one for one in labelled if _LAST_DAY.search(one[1]) and one not in firsts]
    if len(firsts) == 1 and len(lasts) == 1:
        (passage, label, start), (_, _, end) = firsts[0], lasts[0]
        if start.yearless == end.yearless and end.last > start.first:
            yield Span(start, end), roots(f"{slide.title} {label}"), passage


def _closed_days(slide: Slide, own: Sequence[Passage]) -> Iterator[tuple[Span, frozenset[str], Passage]]:
    """ "The bridge closes on 7 April and reopens on 20 June"."""
    for passage in own:
        found = moments(passage.text)
        if len(found) != 2 or any(m.is_range for m in found) or hypothetical(passage.text):
            continue
        first, last = found
        shut = _SHUTS.search(passage.text[: first.start])
        opened = _REOPENS.search(passage.text[first.end : last.start])
        if shut and opened and first.yearless == last.yearless and last.last > first.first:
            yield Span(first, last), roots(passage.text), passage


def _lengths(passage: Passage) -> Iterator[Amount]:
    text = passage.text
    if hypothetical(text) or moments(text):
        return
    for amount in amounts(text):
        before = text[: amount.start]
        lasted = _LASTED.search(before) or (_FOR.search(before) and _OPEN_OR_NOT.search(text))
        near = f"{' '.join(text[: amount.start].split()[-6:])} {' '.join(text[amount.end :].split()[:3])}"
        if lasted and amount.unit in IN_MONTHS and not amount.vague and not _OTHER_LENGTH.search(near):
            yield amount
