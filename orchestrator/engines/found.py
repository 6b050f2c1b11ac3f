"""What is found in an answer for one need, and what every search for it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from orchestrator.claims.model import Quantity
from orchestrator.engines import answer_cues as cues
from orchestrator.engines import number_cues
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import refusal
from orchestrator.engines.reading import BARE, Answer, Sentence, Stated, clause_from, sort_of

SHORT_ANSWER: Final = 14
"""Words; in a shorter answer, what has none of the usual words for a thing does not give it."""
LONG_ANSWER: Final = 40
"""Words; in a longer answer one "we will see" is an aside, and "it" may be anything."""
_REACH: Final = 70  # characters before a number in which a hedge speaks of it


class Found(Enum):
    """Whether an answer gives what was asked for."""

    GIVEN = "given"
    MISSING = "missing"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for one need; `words` are the presenter's, verbatim.

    Of what is given they are the words that give it; of what is missing, where `because` is
    set, the words that stand in its place.
    """

    need: str
    found: Found
    words: str | None = None
    because: str = ""  # of `BECAUSE`: why words that look like an answer are none
    admits: str | None = None  # the presenter's words, verbatim, that there is nothing of the kind
    called: str = ""  # the need as the question calls it: a "condition" is asked for as a cause

    @property
    def what(self) -> str:
        return self.called or self.need


BECAUSE: Final = {
    "repeats": 'it repeats the {need} that was asked about ("{words}")',
    "hedged": 'the {need} is hedged ("{words}")',
    "elsewhere": 'the {need} it gives is of something else ("{words}")',
    "another time": 'the {need} it gives is of another time ("{words}")',
    "in words": 'it says the size only in words ("{words}")',
    "vague": '"{words}" fixes no {need}',
    "wrong way": '"{words}" is not the {need} that was asked for',
    "no record": '"{words}" is no record that somebody else could open',
    "group": '"{words}" is nobody who could be asked',
    "nobody": 'it says that nobody does ("{words}")',
    "empty": '"{words}" would be said of any claim',
}


def same(one: Stated, known: Quantity) -> bool:
    alike = BARE in (one.sort, sort_of(known.unit)) or one.sort == sort_of(known.unit)
    return alike and abs(one.value - known.value) <= 1e-9 * max(abs(one.value), abs(known.value), 1.0)


def hedged_words(answer: Answer, part: Sentence, start: int, end: int) -> str | None:
    """The words around start..end with the hedge that takes them back, or None."""
    text = answer.text
    left = max(part.start, start - _REACH)
    if mild := list(number_cues.MILD_HEDGE.finditer(text, left, start)):
        return clause_from(text, mild[-1].start(), end)
    if strong := number_cues.STRONG_HEDGE.search(text, part.start, part.end):
        return clause_from(text, min(strong.start(), start), max(strong.end(), end))
    following = next((other for other in answer.sentences if other.start > start), None)
    if following and (strong := number_cues.STRONG_HEDGE.search(following.text)) and strong.start() < 30:
        return clause_from(text, following.start, following.start + strong.end())
    return None


# -- times


def cued(pattern: re.Pattern[str], answer: Answer) -> Iterator[tuple[Sentence, re.Match[str]]]:
    for part in answer.sentences:
        for match in pattern.finditer(part.text):
            if not cues.NEGATED.search(part.text[max(0, match.start() - 40) : match.start()]):
                yield part, match


def not_cued(need: str, answer: Answer, asked: Asked) -> Evidence:
    if answer.length <= LONG_ANSWER and refusal(answer.text):
        return Evidence(need, Found.MISSING)
    # A figure beside another, or beside the one that was asked about, may well be the comparison.
    new = [one for one in answer.numbers if not any(same(one, known) for known in asked.known)]
    beside = any(one.sort == sort_of(known.unit) or one.sort == BARE for one in new for known in asked.known)
    telling = need in ("base", "comparison") and (beside or len(new) > 1)
    unclear = telling or answer.length >= SHORT_ANSWER or _is_fragment(need, answer, asked)
    return Evidence(need, Found.UNCLEAR if unclear else Found.MISSING)


_FEWEST_NEW: Final = 2  # telling words that the question did not have
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|have|has|had|do|does|did|will|would|can|could|should|may|might|must|"
    r"go|goes|went|grow|grows|grew|make|makes|made|think|know|see|say|take|get|put|like|need|"
    r"want|"
    r"sell|buy|said|told|knows?|says?|shows?|tells?|tracks?|counts?|comes?|keeps?|works?|uses?|gets?|"
    r"happens?|they|we|i|it)\b|['’](?:s|re|ve|ll|m|d)\b",
    re.IGNORECASE,
)


_CASE = re.compile(
    r"\b(?:if|when|once|unless|should|would|could|proof|evidence|learn\w*|find\w*|see\w*)\b", re.IGNORECASE
)


def _is_fragment(need: str, answer: Answer, asked: Asked) -> bool:
    """A bare noun phrase, as people give in answer to "which" and "what": "The price of steel." """
    new = answer.topic.words - asked.topic.words
    if asked.is_condition and not _CASE.search(answer.text) and not answer.topic.meets(asked.topic):
        return False  # nothing that could happen, and nothing of what was asked about
    told = need == "cause" or (need == "comparison" and asked.wants_alternative)
    if told and len(new) >= _FEWEST_NEW:
        return True  # "We replaced the compressors" needs no "because" after "why"
    if need not in ("cause", "comparison", "base", "source") or answer.length < 2:
        return False
    return bool(new) and not _VERB.search(answer.text) and not number_cues.SIZE_IN_WORDS.search(answer.text)
