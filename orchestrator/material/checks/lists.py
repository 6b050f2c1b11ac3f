"""A list and its total in one sentence: "3.1M for A, 2.4M for B, 5.8M in all"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.material.checks.comparable import are_comparable
from orchestrator.material.checks.interval import Interval
from orchestrator.material.checks.rounding import is_explained, is_rounded, slack_of
from orchestrator.material.checks.sentence import Sentence, interval_of
from orchestrator.material.checks.tables import FARTHEST
from orchestrator.material.checks.written import number_text
from orchestrator.material.claims.numbers import Number
from orchestrator.material.model.claim import Tension

_BEHIND = re.compile(r"\s*(?:\w+\s+)?(?:in all|in total|altogether|all told)\s*[.;)]?\s*$", re.IGNORECASE)
"""After the total, at the end of the sentence, with at most the word that is counted between."""

_BEFORE = re.compile(
    r"(?:\bin total|\bin all|\baltogether|\ba total of|\btotal(?:ling|ing)?|\bmakes|\bmake|=)[\s:,]*$",
    re.IGNORECASE,
)
"""Before the total, which is then the last number of the sentence."""

_NO_LIST = re.compile(
    r"\b(?:of which|of (?:these|those|them)|including|per|each|from|to|between|than|against|instead|not|"
    r"less|minus|remain\w*|left|another|every|versus|vs|times|about)\b|[×*/–]| x ",
    re.IGNORECASE,
)
"""Words that tie two figures together in another way than side by side."""


def list_tensions(sentence: Sentence) -> Iterator[Tension]:
    """The sentence lists amounts of one unit and ends with a total that they do not add up to."""
    numbers = sentence.numbers
    if len(numbers) < 3 or sentence.dates:
        return
    *parts, total = numbers
    behind = sentence.text[total.end :]
    # 30 characters: the noun that is counted and a word or two; with more, the sentence goes on.
    if not (_BEHIND.fullmatch(behind) or (_BEFORE.search(sentence.text[: total.start]) and len(behind) < 30)):
        return
    if _NO_LIST.search(sentence.text) or min(number.value for number in parts) <= 0:
        return
    if not are_comparable(sentence.text, numbers, whole=True):
        return
    if (sum_ := _wrong(parts, total, sentence.text)) is not None:
        yield sentence.tension("sum", f"the list does not add up to its total: {sum_}", sum_)


def _wrong(parts: Sequence[Number], total: Number, text: str) -> str | None:
    """The sum as people write it, if it fails and cannot be meant in another way."""
    values = [number.value for number in parts]
    value = sum(values)
    worst = sum((number.high - number.low) / 2 for number in (*parts, total))
    if _may_hold(parts, total, text) or is_explained(values, total.value, worst):
        return None
    if not max(values) < total.value < FARTHEST * value or value > FARTHEST * total.value:
        return None
    if _is_partial(parts, total):
        return None
    return f"{' + '.join(number.text for number in parts)} = {number_text(value)}, not {total.text}"


def _may_hold(parts: Sequence[Number], total: Number, text: str) -> bool:
    """The total may be that of the parts, as they are worded, or rounded alone."""
    allowed = Interval(sum(number.low for number in parts), sum(number.high for number in parts))
    if not allowed.may_equal(interval_of(total)):
        return False
    if not all(is_rounded(number, text) for number in (*parts, total)):
        return True
    slack = slack_of([number.half for number in (*parts, total)])
    return abs(sum(number.value for number in parts) - total.value) <= slack * (1 + 1e-9)


def _is_partial(parts: Sequence[Number], total: Number) -> bool:
    """The list may name only the largest of what the total counts, or other things than the total does."""
    rest = total.value - sum(number.value for number in parts)
    if total.noun is not None and any(number.noun not in (None, total.noun) for number in parts):
        return True
    return rest > 0 and (len(parts) < 3 or rest >= min(number.value for number in parts))
