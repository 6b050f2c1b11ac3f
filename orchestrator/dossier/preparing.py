"""How to prepare for a claim: what a good answer contains, what to bring, what the deck has already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.claims.cues import GROWTH_OF_NUMBER
from orchestrator.claims.model import Claim
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import find_quantities
from orchestrator.claims.sentences import sentences
from orchestrator.claims.units import is_currency
from orchestrator.deck.model import Deck
from orchestrator.dossier.model import Support, Weakness
from orchestrator.intel.vocabulary import RARE, Vocabulary, stems

MOST_ANSWERS: Final = 3
MOST_RECORDS: Final = 2
MOST_SUPPORTS: Final = 2
_LONGEST_SUPPORT: Final = 45  # words
_NOTES: Final = 1.6
"""What the presenter noted beside the claim itself counts, with a figure or a word of the claim in it."""
_SAME_UNIT: Final = 0.5

_ANSWER_TO: Final = {
    "tension": "which of the two holds, and why the other one is there",
    "intel": "which figure you stand by, and what the other one measures",
    "benchmark": "why yours lies outside the published range",
    "ask": "what each part buys, what comes back and when, and what you would do with half",
    "base": "the figure before and the figure after, not only {figure}",
    "period": "the months or the year that {figure} holds for",
    "whole": "how many that is, and of how many",
    "source": "who measured it, in which record, on which day",
    "superlative": "who drew up the list, by which measure, and who comes second",
    "absolute": "who pays how much when it fails, and what is excluded",
    "unsigned": "how many have signed, what, and until when",
    "comparison": "both sides measured in the same way, with the figures",
    "cause": "what else changed at the time, and why it was not that",
    "unfinished": "what is missing, who does it, and by when",
    "deadline": "what has to happen before that day, and who sees to it",
    "assumption": "the one assumption it stands or falls with, and the figure if it fails",
    "number": "how much, in figures, with the unit",
    "date": "the day on which it is due, and what happens if it slips",
    "owner": "the one person who answers for it",
}
_ANSWER_OF_NEED: Final = {
    "number": "how much, in figures, with the unit",
    "period": "the months or the year that it holds for",
    "source": "who measured it, in which record, on which day",
    "base": "how many that is, and of how many",
    "owner": "the one person who answers for it",
    "date": "the day on which it is due or ends",
    "cause": "what brings it about, and what would have to be true",
    "comparison": "the same figure for the others, or without it",
}
"""For a red flag: what its own question asks for."""


_I: Final = re.IGNORECASE


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", _I)


_RECORDS: Final = (
    (
        _words(r"tranches?\b|we ask for|ask for\b"),
        "the offers behind each line of the sum, and the same plan at half of it",
    ),
    (
        _words(r"churn|retention|renewal"),
        "the customer list at the start and the end of the year, with who left",
    ),
    (
        _words(r"pilots?\b|trials?\b|proofs? of concept"),
        "each pilot's agreement: price, end date, what is signed for afterwards",
    ),
    (
        _words(r"option\b|lease\b|contracts?\b|licen[cs]e|agreement|letters? of intent"),
        "the signed paper, open at its dates",
    ),
    (
        _words(r"guarante\w+|risk-free|no (?:cost|risk|downtime)"),
        "the clause that says who pays, how much, and what is excluded",
    ),
    (
        _words(r"savings?\b|cost reductions?|costs? reduction|spend less|hosting costs"),
        "the budget line before and after, and who gives it up",
    ),
    (
        _words(r"will (?:bring|reach|earn|cover)|forecast|conservative|expected to"),
        "the model behind it, with the case in which the main assumption fails",
    ),
    (
        _words(r"ebitda|profit|margin|operating loss"),
        "the income statement down to that line, with what was adjusted",
    ),
    (_words(r"revenues?\b|sales\b|turnover|arr\b|mrr\b"), "the accounts of both periods, side by side"),
    (
        _words(r"costs?\b|spend\w*|budget|expenses?|paid\b"),
        "the ledger account or the offers behind the figure",
    ),
    (
        _words(r"on time|uptime|availability|late\b|within \w+ hours"),
        "the log it was counted from: how many, of how many, on which days",
    ),
    (
        _words(r"predict\w*|accura\w*|faster|baseline|benchmark|improvement|model"),
        "the test itself: data, size, baseline, and a case where it failed",
    ),
    (
        _words(r"recommend|satisf\w+|nps\b|survey"),
        "the questionnaire, how many were asked and how many answered",
    ),
    (_words(r"capacity|utili[sz]ation|occupancy"), "the daily readings: peak, average, and the worst day"),
    (
        _words(r"secur\w+|vulnerab\w+|patch\w*|complian\w+|privacy"),
        "the last audit or test report with its open findings",
    ),
    (
        _words(r"hir(?:e|ing)|recruit\w*|headcount|employees|staff"),
        "the list of posts with months and yearly cost",
    ),
    (
        _words(r"contribut\w+|commits|maintainers?|committers?"),
        "the count by organisation for the last twelve months",
    ),
    (
        _words(r"interested|in (?:talks|discussions) with|partnerships?|collaboration|expressed"),
        "the names, the last date of contact, and what each has put in writing",
    ),
    (_words(r"market\b|competit\w+"), "the market report: its year, its definition, the page"),
    (
        _words(r"customers?|clients?|users?|members?|subscribers?|passengers|attendees"),
        "the dated list or report that counts them, and what counts as one",
    ),
    (
        _words(r"migrat\w+|roll-?out|launch\w*|deploy\w*|releas\w+"),
        "the plan: stages, owner, next milestone, way back",
    ),
    (
        _words(r"deadline|submission|draft|rescheduled"),
        "the plan with the next milestone and whom it waits for",
    ),
)
_BY_KIND: Final = (
    ("superlative", "the comparison itself: who, by which measure, by whom, when"),
    ("comparison", "both measurements, with how they were taken"),
    ("promise", "the plan with one name, the next milestone, and what it waits for"),
    ("causal", "the figures before and after, and what else changed in that time"),
    ("date", "the plan with the next milestone and whom it waits for"),
    ("future", "the assumptions on one page, with the one that matters most marked"),
)
_ANY_RECORD: Final = "the record behind it, open at the page"


def good_answer(claim: Claim, weaknesses: Sequence[Weakness]) -> tuple[str, ...]:
    """What an answer would have to give, the most wanted first."""
    figure = next((f'"{quantity.text.strip()}"' for quantity in claim.quantities), "it")
    found: list[str] = []
    for weakness in weaknesses:
        if weakness.kind in _ANSWER_TO:
            found.append(_ANSWER_TO[weakness.kind])
        else:
            found += [_ANSWER_OF_NEED[need] for need in weakness.needs]
    return tuple(answer.format(figure=figure) for answer in dict.fromkeys(found))[:MOST_ANSWERS]


def records_for(claim: Claim) -> tuple[str, ...]:
    """What to have at hand: one or two records that somebody else could open."""
    found = [record for words, record in _RECORDS if words.search(claim.text)]
    if not any(record.startswith("the plan") for record in found):
        found += [record for kind, record in _BY_KIND if kind in claim.kinds][:1]
    return tuple(dict.fromkeys(found or [_ANY_RECORD]))[:MOST_RECORDS]


def supports_for(claim: Claim, deck: Deck, words: Vocabulary) -> tuple[Support, ...]:
    """Lines, cells and notes elsewhere in the deck that bear on the claim, verbatim, the nearest first."""
    subjects = stems(" ".join(quantity.subject or "" for quantity in claim.quantities))
    title = stems(deck.title)  # what the whole deck is about ties nothing to anything
    own = (stems(claim.text) | subjects) - title
    found = []
    for support in _sentences(deck):
        if support.quote in claim.text or claim.text in support.quote:
            continue
        figures = find_quantities(support.quote)
        shared = words.shared(support.quote, own)
        weight = sum(shared.values())
        units = {quantity.unit for quantity in figures} & {quantity.unit for quantity in claim.quantities}
        if support.origin == "notes" and support.slide == claim.slide:
            money = any(is_currency(quantity.unit) for quantity in figures)
            grows = "growth" in claim.kinds and (money or GROWTH_OF_NUMBER.search(support.quote))
            if weight >= RARE or (figures and (units or grows)):
                found.append((weight + _NOTES, support))
        elif weight < RARE or not (figures or _is_dated(support.quote)):
            continue
        elif len(shared) > 1 or not subjects.isdisjoint(shared):
            found.append((weight + _SAME_UNIT * bool(units), support))
    found.sort(key=lambda pair: (-pair[0], abs(pair[1].slide - (claim.slide or 0))))
    best = [support for weight, support in found[:1]]
    return (*best, *(support for weight, support in found[1:MOST_SUPPORTS] if weight > 2 * RARE))


def _is_dated(text: str) -> bool:
    return any(period.kind == "calendar" for period in find_periods(text))


def _sentences(deck: Deck) -> Iterator[Support]:
    for slide in deck.slides:
        if slide.hidden:
            continue
        texts = [("title", slide.title), *(("line", line) for line in slide.lines)]
        texts += [("notes", paragraph) for paragraph in slide.notes.split("\n")]
        for origin, text in texts:
            for start, end in sentences(text):
                if 2 < len(text[start:end].split()) <= _LONGEST_SUPPORT:
                    yield Support(slide.number, origin, text[start:end])
