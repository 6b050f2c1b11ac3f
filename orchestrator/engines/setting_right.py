"""When the answer sets the question right: what was held together are two things, or is none of the kind.

The commonest right answer to two figures that seem to contradict each other is "they are two different
things", with what each of them is. To say so without saying what they are settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.model import Quantity
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import refusal
from orchestrator.engines.found import same
from orchestrator.engines.reading import BARE, Answer, Sentence, Stated, sentence_at
from orchestrator.engines.topics import stem, topic_of

_TWO_QUOTES: Final = 2
_FEWEST_NEW: Final = 3
"""Telling words of its own by which an answer says what the two things are."""
_QUOTED = re.compile(r"\"[^\"]+\"")
_APART = re.compile(
    r"\bneither(?: of (?:them|the two|these|those))?\b|\b(?:two|both|quite|completely|entirely) (?:quite |"
    r"very )?"
    r"(?:different|separate|distinct) (?:things|figures|numbers|counts|questions|matters|periods|groups)\b|"
    r"\b(?:have|has) nothing to do with (?:each other|one another|it|that|the other)\b|"
    r"\bnot the same (?:thing|figure|number|people|group|period)\b",
    re.IGNORECASE,
)
_ONE_AND_OTHER = re.compile(r"\bone is\b.{3,120}?\bthe other\b", re.IGNORECASE | re.DOTALL)
_OWNS_UP = re.compile(
    r"\b(?:i|we) (?:misspoke|mixed (?:it|them|that) up|got (?:it|that) wrong|made a (?:mistake|slip))\b|"
    r"\bmy (?:mistake|slip|error)\b|\bslip of the tongue\b|\bshould (?:be|read|say|have been|have said)\b",
    re.IGNORECASE,
)
_SAYS_WHICH = re.compile(
    r"\b(?:it is|it['’]s|it was|is|are|should (?:be|read|say)|holds?|stands?|is right|is correct|"
    r"the slide says)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"^\W*(?:it|that|this|they|there) (?:is|was|are|were)(?: not|n['’]t| no)(?: an?| the|"
    r" any)? (?P<what>[\w-]+)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:is|are|was|were|means?|counts?|with|without|includes?|of|for|in|after|before)\b", re.IGNORECASE
)
_CLAUSES = re.compile(r"[,;:]\s|\s(?:and|but|while|whereas)\s")


def sets_right(answer: Answer, question: str, asked: Asked) -> str | None:
    """The words by which the answer takes the ground from under the question, and says what is so instead."""
    if refusal(answer.text):
        return None
    if len(_QUOTED.findall(question)) >= _TWO_QUOTES:
        return _two_things(answer, asked)
    return _none_of_the_kind(answer, asked)


def _two_things(answer: Answer, asked: Asked) -> str | None:
    telling = answer.topic.words - asked.topic.words
    apart = _APART.search(answer.text) or (_ONE_AND_OTHER.search(answer.text) if _times(answer) else None)
    if apart and len(telling) >= _FEWEST_NEW:
        return sentence_at(answer.text, *apart.span())
    if (owns := _OWNS_UP.search(answer.text)) and _SAYS_WHICH.search(answer.text) and any(_times(answer)):
        return sentence_at(answer.text, *owns.span())
    said = {known for part in answer.sentences for known in _told_of(part, asked)}
    if len(said) >= _TWO_QUOTES and telling:
        return sentence_at(answer.text, answer.sentences[0].start, answer.sentences[0].start + 1)
    return None


def _times(answer: Answer) -> list[object]:
    """The numbers and the times that the answer names."""
    return [*answer.numbers, *(period for part in answer.sentences for period in part.periods)]


def _told_of(part: Sentence, asked: Asked) -> Iterator[float]:
    """Those of the figures that were held together of which a clause of the sentence says what they are."""
    clauses = _CLAUSES.split(part.text)
    at = 0
    for clause in clauses:
        start = part.text.index(clause, at)
        at = start + len(clause)
        inside = [one for one in part.numbers if start <= one.start - part.start < at]
        if len(inside) == 1 and _EACH.search(clause):
            yield from (known.value for known in asked.known if _is_it(inside[0], known))


def _is_it(one: Stated, known: Quantity) -> bool:
    """The figure, with or without its thousands: "the 91" for 91,000 euros."""
    return same(one, known) or (
        one.sort == BARE and any(abs(one.value * scale - known.value) < scale / 2 for scale in (1e3, 1e6))
    )


def _none_of_the_kind(answer: Answer, asked: Asked) -> str | None:
    """ "That is not a ranking. It is …": the thing denied is the question's own word, not the presenter's."""
    denied = _DENIED.match(answer.text)
    if denied is None or len(answer.sentences) < 2:
        return None
    own = topic_of(asked.text).words - topic_of(asked.quote).words
    rest = frozenset(word for part in answer.sentences[1:] for word in part.topic.words)
    if stem(denied["what"].lower()) in own and len(rest - asked.topic.words) >= _FEWEST_NEW:
        return sentence_at(answer.text, *denied.span())
    return None
