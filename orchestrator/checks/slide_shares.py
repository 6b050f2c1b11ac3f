"""A whole, a part and a share that stand on different lines of one slide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts, fractions
from orchestrator.checks.events import stem
from orchestrator.checks.passages import Passage, hypothetical, shown, slide_passages
from orchestrator.claims.model import Tension
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck

_IN_TOTAL = re.compile(
    r"\b(?:in total|in all|altogether|overall|total(?: number)?(?: of)?|all)\b", re.IGNORECASE
)
_OF_THE = re.compile(
    r"\s*of\s+(?:(?:the|our|these|those|its|all|all our|all the|them)\s+)+|\s+of\s+(?=[a-z])", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:grew|growth|rose|fell|increase[ds]?|decrease[ds]?|more|less|higher|lower|than|target|goal|plan|"
    r"forecast|last|previous|"
    r"compared|average|by 20\d\d|will|new)\b",
    re.IGNORECASE,
)
_STOP: Final = word_set(
    "a an the this that these our your their its we it is are was were be been has have had and or but of "
    "in on at to for from with "
    "by as all total already now today currently they them who which than so far only just still in-total "
    "overall"
)
_WORD = re.compile(r"[^\W\d_][\w’'-]+")
_SLACK: Final = 2.0  # points: shares in prose are rounded to five or to a word such as "half"


@dataclass(frozen=True, slots=True)
class _Said:
    passage: Passage
    amount: Amount
    what: frozenset[str]  # the things that are counted
    how: frozenset[str]  # what is said of them


def slide_shares(deck: Deck) -> Iterator[Tension]:
    """ "240 buildings in total", "180 of the buildings are renovated", "half of the buildings are renovated".

    Only where whole, part and share are each said once of the same things and in the same words.
    """
    for slide in shown(deck):
        passages = [p for p in slide_passages(slide) if not hypothetical(p.text)]
        wholes = [said for p in passages for said in _whole(p)]
        parts = [said for p in passages for said in _part(p)]
        shares = [said for p in passages for said in _share(p)]
        told = set()
        for share in shares:
            for tension in _against(share, wholes, parts):
                if (tension.a, tension.b) not in told:
                    told.add((tension.a, tension.b))
                    yield tension


def _against(share: _Said, wholes: Sequence[_Said], parts: Sequence[_Said]) -> Iterator[Tension]:
    whole = [w for w in wholes if w.what == share.what]
    part = [p for p in parts if p.what == share.what and _alike(p.how, share.how)]
    if len({w.amount.value for w in whole}) != 1 or len({p.amount.value for p in part}) != 1:
        return
    if part[0].amount.value > whole[0].amount.value:
        return
    ratio = 100 * part[0].amount.value / whole[0].amount.value
    slack = 2 * share.amount.half + _SLACK + (4.0 if share.amount.vague else 0.0)
    if abs(ratio - share.amount.value) > slack:
        note = (
            f"{part[0].amount.text} of {whole[0].amount.text} {' '.join(sorted(share.what))} is "
            f"{ratio:.3g}%, "
            f"not {share.amount.text}."
        )
        yield Tension("share", share.passage.place, part[0].passage.place, note)


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a) and bool(b) and len(a & b) >= 0.6 * max(len(a), len(b))


def _whole(passage: Passage) -> Iterator[_Said]:
    text, found = passage.text, amounts(passage.text)
    if len(found) == 1 and found[0].is_count and not found[0].vague and _IN_TOTAL.search(text):
        if _OF_THE.match(text, found[0].end) and not found[0].noun:
            return
        what = _words(_IN_TOTAL.sub(" ", text[: found[0].start] + text[found[0].end :]))
        if 0 < len(what) <= 4:
            yield _Said(passage, found[0], what, frozenset())


def _part(passage: Passage) -> Iterator[_Said]:
    text, found = passage.text, amounts(passage.text)
    if len(found) == 1 and found[0].is_count and not found[0].vague and not _CHANGE.search(text):
        yield from _of(passage, found[0])


def _share(passage: Passage) -> Iterator[_Said]:
    text = passage.text
    found = [*(a for a in amounts(text) if a.unit == "%"), *fractions(text)]
    if len(found) == 1 and len(amounts(text)) <= 1 and not _CHANGE.search(text):
        yield from _of(passage, found[0])


def _of(passage: Passage, amount: Amount) -> Iterator[_Said]:
    """ "… of the buildings have been renovated", split into the buildings and the rest."""
    text = passage.text
    at = _OF_THE.match(text, amount.end)
    if at is None:
        return
    behind = _WORD.findall(text[at.end() :])
    for length in range(1, min(4, len(behind)) + 1):
        what = _words(" ".join(behind[:length]))
        how = _words(" ".join(behind[length:]) + " " + text[: amount.start])
        if what and len(what) == len([w for w in behind[:length] if w.lower() not in _STOP]):
            yield _Said(passage, amount, what, how)


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(m[0]) for m in _WORD.finditer(text) if m[0].lower() not in _STOP)
