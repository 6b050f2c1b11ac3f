"""An answer as the rules read it: its sentences, each with its numbers, its times and its topic.

Sentence by sentence, so that the time it takes grows with the answer's length and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.claims.numerals import Numeral, digit_numerals, spoken_numerals
from orchestrator.claims.periods import Period, find_periods
from orchestrator.claims.quantities import measure
from orchestrator.claims.rejects import rejected
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.engines import number_cues
from orchestrator.engines.topics import Topic, topic_of

MONEY: Final = "money"
SHARE: Final = "%"
TIME: Final = "time"
COUNT: Final = "count"
BARE: Final = "bare"

_LONGEST_SENTENCE: Final = 500
"""Characters; speech-to-text without full stops is read in pieces of this size."""
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|;\s+|\n+")
_WORD = re.compile(r"\w")
_MAY_COUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|hundred|"
    r"thousand|\w*illions?|half|thirds?|quarters?|dozen|zero|nil|doubled|tripled|halved|twice|tenfold)\b",
    re.IGNORECASE,
)
"""What no number goes without; most sentences have none of it, and reading numbers takes time."""
_NO_END = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|No|vs|approx|e\.g|i\.e|[A-Z])\.\s+$")
_LONGEST_WORDS: Final = 14
_FEWEST_WORDS: Final = 4
_FILLED = re.compile(r"\b(?:um+|uh+|er+|you know|i mean)\b[,\s]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that somebody gave, with or without a unit; positions are those of the whole answer."""

    value: float
    sort: str  # MONEY, SHARE, TIME, COUNT or BARE
    noun: str  # what it counts, as said; empty where nothing is named
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer."""

    text: str
    start: int
    numbers: tuple[Stated, ...]
    periods: tuple[Period, ...]  # positions are those of the sentence
    topic: Topic

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Answer:
    """The words of one answer and what was read in them."""

    text: str
    sentences: tuple[Sentence, ...]
    topic: Topic

    @property
    def length(self) -> int:
        """Words."""
        return len(self.text.split())

    @property
    def numbers(self) -> Iterator[Stated]:
        for sentence in self.sentences:
            yield from sentence.numbers


def read_answer(text: str) -> Answer:
    """Read an answer once, for all the rules that ask about it."""
    sentences = tuple(_sentence(text, start, end) for start, end in _spans(text))
    return Answer(text, sentences, topic_of(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        following = text[match.end() : match.end() + 1]
        inside = following.islower() and "\n" not in match[0] and not match[0].startswith(";")
        if inside or _NO_END.search(text[max(start, match.end() - 12) : match.end()]):
            continue
        yield from _pieces(text, start, match.end())
        start = match.end()
    yield from _pieces(text, start, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST_SENTENCE:
        space = text.rfind(" ", start + 1, start + _LONGEST_SENTENCE)
        cut = space if space > start else start + _LONGEST_SENTENCE
        yield start, cut
        start = cut
    if _WORD.search(text, start, end):
        yield start, end


def _sentence(text: str, start: int, end: int) -> Sentence:
    words = text[start:end].rstrip()
    start, words = start + len(words) - len(words.lstrip()), words.lstrip()
    periods = find_periods(words)
    return Sentence(words, start, tuple(_numbers(words, start, periods)), periods, topic_of(words))


def _numbers(sentence: str, offset: int, periods: tuple[Period, ...]) -> Iterator[Stated]:
    if not _MAY_COUNT.search(sentence):
        return
    found: list[Stated] = []
    for one in measure(sentence, periods=periods):
        if not any(period.start <= one.start and one.end <= period.end for period in periods):
            quantity = one.quantity
            sort = sort_of(quantity.unit)
            if sort == SHARE and number_cues.WHOLLY.match(sentence, one.start):
                continue
            noun = (quantity.unit if sort == COUNT else quantity.subject) or ""
            if sort == COUNT and number_cues.FIGURE_OF_SPEECH.fullmatch(noun):
                continue
            found.append(Stated(quantity.value, sort, noun, quantity.text, one.start, one.end))
    for numeral in stated_numerals(sentence, periods):
        words = sentence[numeral.start : numeral.end]
        found.append(Stated(numeral.value, BARE, "", words, numeral.start, numeral.end))
    for match in number_cues.FRACTION.finditer(sentence):
        found.append(Stated(_fraction(match[0]), SHARE, "", match[0], match.start(), match.end()))
    last = -1
    for stated in sorted(found, key=lambda one: (one.start, -one.end)):
        if stated.start >= last:
            last = stated.end
            yield replace(stated, start=stated.start + offset, end=stated.end + offset)


def stated_numerals(text: str, periods: tuple[Period, ...]) -> Iterator[Numeral]:
    """Numerals that somebody gave as an answer, also without a unit; no dates, versions or names."""
    # An answer has no page numbers: "2." is two.
    apart = [(r.start, r.end) for r in rejected(text) if r.kind not in ("page", "numbering")]
    apart += [(p.start, p.end) for p in periods]
    for numeral in (*digit_numerals(text), *spoken_numerals(text)):
        inside = any(start <= numeral.start < end for start, end in apart)
        year = numeral.value in range(1900, 2100) and not numeral.spoken
        one = numeral.spoken and numeral.value == 1 and not number_cues.COUNTED_ONE.match(text, numeral.end)
        if not (inside or year or one or _is_talk(text, numeral)):
            yield numeral


def _is_talk(text: str, numeral: Numeral) -> bool:
    """The number only orders or colours the talk: "two things", "a hundred percent right", "quarter two"."""
    return bool(
        number_cues.WHOLLY.match(text, numeral.start)
        or number_cues.FIGURE_OF_SPEECH.match(text, numeral.end + 1)
        or text[: numeral.start].lower().endswith("quarter ")
    )


def sort_of(unit: str | None) -> str:
    """Which sort of number a unit makes."""
    if unit is None:
        return BARE
    if is_currency(unit):
        return MONEY
    if unit in ("%", "points", "x"):
        return SHARE
    return TIME if unit in TIME_UNITS else COUNT


def _fraction(words: str) -> float:
    low = words.lower()
    return 50.0 if "half" in low else 25.0 if "quarter" in low else 100 / 3


def clause_from(text: str, start: int, end: int) -> str:
    """From *start* to the end of the clause that *end* lies in, verbatim, at most some words."""
    words = text[start : end + 600]
    for stop in re.finditer(r"[.;!?](?:\s|$)|,\s|\n", text[end : end + 600]):
        whole = text[start : end + stop.start()]
        if stop[0][0] != "," or len(_FILLED.sub(" ", whole).split()) >= _FEWEST_WORDS:
            words = whole
            break
    found = list(re.finditer(r"\S+", words))
    if not found:
        return words
    return words[: found[min(len(found), _LONGEST_WORDS) - 1].end()].rstrip(" .,;")


def clause_around(text: str, start: int, end: int) -> str:
    """The clause that start..end stands in, verbatim, with at least a few words and at most some."""
    left = max(0, start - 120)
    opens = [left + match.end() for match in re.finditer(r"[,.;:!?]\s+|\n", text[left:start])]
    opening = opens[-1] if opens else 0 if left == 0 else text.index(" ", left) + 1
    for earlier in reversed(opens[:-1] + ([0] if left == 0 else [])):
        if len(text[opening:end].split()) >= _FEWEST_WORDS or text[earlier:opening].rstrip()[-1:] in ".!?;":
            break
        opening = earlier
    return clause_from(text, opening, end)


def sentence_at(text: str, start: int, end: int) -> str:
    """The beginning of the sentence around start..end, verbatim, at most some words of it."""
    left = max(0, start - 160)
    before = max((match.end() for match in re.finditer(r"[.!?;]\s+|\n", text[left:start])), default=0)
    opening = left + before
    if len(text[opening:start].split()) > _LONGEST_WORDS - 4:
        opening = start
    return clause_from(text, opening, end)
