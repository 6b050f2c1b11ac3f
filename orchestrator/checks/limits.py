"""Numbers that do not say what is: targets, limits, another's, another time's, or suppositions."""

from __future__ import annotations

import re

from orchestrator.checks.amounts import Amount
from orchestrator.checks.hedged import is_bound
from orchestrator.checks.passages import hypothetical

_LIMITED = re.compile(
    r"\b(?:target|goal|aim\w*|plans? (?:for|to)|planned|budget(?:ed)?|forecast|will|expect\w*|hope|want to|"
    r"next|last (?:year|season|month|week|quarter)|previous|prior|before|formerly|until now|against|compared|"
    r"versus|vs|peers?|comparable|competitors?|industry|neighbour\w*|national\w*|nationwide|elsewhere|others|"
    r"instead|than|capacity|record|peak|best|worst|longest|shortest|busiest|maximum|minimum|limit|allowed|"
    r"remaining|missed|wasted|saved?|up from|was (?=\S+$)|used to|would|both|combined)\b",
    re.IGNORECASE,
)
_LIMITED_BEHIND = re.compile(
    r"\b(?:target|goal|planned|budgeted|forecast|expected|less|more|fewer|instead|left|remain\w*|missed|"
    r"wasted|up from|down from|instead of|last (?:year|season|month|week)|a year (?:ago|earlier)|"
    r"previous\w*|from both|combined)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"[\s,]*(?:up|down|rising|falling|growing|instead|compared|against)\b", re.IGNORECASE)
_PART = re.compile(r"^\W*(?:new|extra|additional|first|more|fewer|other|further)\b", re.IGNORECASE)
_WOULD = re.compile(
    r"\bwould (?=(?:also |always |not |rather )?(?:recommend|like|prefer|choose|buy|vote|use|pay|come|"
    r"welcome|"
    r"support|return|visit|work|move)\b)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"\b(?:would|could|might)\b", re.IGNORECASE)


def is_supposed(text: str) -> bool:
    """The sentence gives an example or a condition; what people say they would do is a fact."""
    return hypothetical(_SUPPOSED.sub(" ", text))


def is_limited(text: str, amount: Amount, start: int, end: int) -> bool:
    """A target, a limit, another's or another time's, or a part that says so."""
    if is_bound(text, amount) or _SUPPOSED.search(_WOULD.sub("", text[start:end])):
        return True
    head = text.split(":")[0] if ":" in text[: amount.start] else ""
    behind = " ".join(text[amount.end : end].split()[:5])
    if _MOVED.match(text, end):
        return True
    return bool(
        _LIMITED.search(f"{head} {text[start : amount.start]}")
        or _LIMITED_BEHIND.search(behind)
        or _PART.match(behind)
        or _PART.match(head)
    )
