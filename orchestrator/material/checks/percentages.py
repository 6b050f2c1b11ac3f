"""A part of a whole with its share: "48 of 120 sites (45 %)", "48 of 120 sites, or 45 %, …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.material.checks.comparable import all_known, are_comparable, is_far
from orchestrator.material.checks.interval import Interval, IntervalError, point
from orchestrator.material.checks.sentence import Sentence, interval_of, is_amount
from orchestrator.material.checks.written import number_text
from orchestrator.material.claims.numbers import Number
from orchestrator.material.model.claim import Tension

_OF = re.compile(r"\s*(?:\w+ )?(?:out )?of (?:the |our |all |its |their )?\s*", re.IGNORECASE)
_OPENS = re.compile(r"\s*[\w-]*\s*\((?:or |that is |i\.e\. |about |some |~)?\s*", re.IGNORECASE)
_CLOSES = re.compile(r"\s*\)")
_OR = re.compile(r"\s*[\w-]*\s*, or (?:about |some )?", re.IGNORECASE)
_COMMA = re.compile(r"\s*,")  # "or 45 %," and no longer clause


def share_tensions(sentence: Sentence) -> Iterator[Tension]:
    """A count out of a count, and directly behind it a percentage by itself that is not theirs."""
    numbers = sentence.numbers
    for part, whole, share in zip(numbers, numbers[1:], numbers[2:], strict=False):
        if not _is_share(sentence, part, whole, share) or _fits(part, whole, share):
            continue
        value = 100 * part.value / whole.value
        is_known = are_comparable(sentence.text, (part, whole)) and all_known(sentence.text, (share,))
        if is_known and not is_far(value, share.value):
            sum_ = f"{part.text} of {whole.text} is {number_text(value)} %, not {share.text}"
            yield sentence.tension("share", sum_, sum_)


def _is_share(sentence: Sentence, part: Number, whole: Number, share: Number) -> bool:
    text = sentence.text
    return (
        is_amount(part)
        and share.unit == "%"
        and 0 < part.value <= whole.value
        and _OF.fullmatch(text[part.end : whole.start]) is not None
        and any(
            opens.fullmatch(text[whole.end : share.start]) and closes.match(text[share.end :])
            for opens, closes in ((_OPENS, _CLOSES), (_OR, _COMMA))
        )
    )


def _fits(part: Number, whole: Number, share: Number) -> bool:
    """The share is that of the part, or of what is left, or a change of one against the other."""
    try:
        ratio = interval_of(part) / interval_of(whole) * point(100)
    except IntervalError:
        return True
    said = interval_of(share)
    half = Interval(said.low - 0.5, said.high + 0.5)  # a share is cut as often as it is rounded
    return ratio.may_equal(half) or (point(100) - ratio).may_equal(half)
