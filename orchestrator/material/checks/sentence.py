"""One sentence with its numbers and dates: what the rules of arithmetic read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrator.material.checks.amount import IN_DAYS, IN_MONTHS
from orchestrator.material.checks.interval import Interval
from orchestrator.material.claims.dates import Date, dates_in
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.sentences import LONGEST_SENTENCE, sentences
from orchestrator.material.model.claim import Place, Tension

_LEFT_OPEN = re.compile(r"\b(?:if|would|could|might|suppose|imagine|assum\w+|e\.g\.|example|say)\b|\?", re.I)
"""The sentence supposes, or asks: nothing is claimed."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, verbatim, with what the two readers find in it."""

    text: str
    place: Place

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return numbers_in(self.text)

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        return dates_in(self.text)

    def tension(self, kind: str, note: str, sum_: str) -> Tension:
        """A contradiction of the sentence with itself."""
        return Tension(kind, self.place, self.place, note, sum=sum_)


def sentences_of(text: str, place: Callable[[str], Place]) -> Iterator[Sentence]:
    """The sentences of *text* that hold figures and claim them."""
    if not any(char.isdecimal() for char in text):
        return
    for start, end in sentences(text):
        sentence = text[start:end]
        if end - start <= LONGEST_SENTENCE and not _LEFT_OPEN.search(sentence):
            yield Sentence(sentence, place(sentence))


def interval_of(number: Number) -> Interval:
    """The values that the wording of *number* allows."""
    return Interval(number.low, number.high)


def is_time(number: Number) -> bool:
    """A length of time, of a day or more."""
    return number.unit in ("day", "week") or number.unit in IN_MONTHS


def is_amount(number: Number) -> bool:
    """Money or a count: neither a share, nor a factor, nor a length of time."""
    return number.unit not in ("%", "pp", "x") and number.unit not in IN_DAYS and number.unit not in IN_MONTHS
