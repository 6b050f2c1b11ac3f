"""Whether an answer says again what was said already: the slide's own sentence, or an earlier answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.claims.words import word_set
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import Evasion
from orchestrator.engines.reading import Answer
from orchestrator.engines.topics import topic_of

_FEWEST_WORDS: Final = 2
_SLIDE_SHARE: Final = 0.8
"""Of an answer's telling words, those that stand in the quoted words, to call it a repetition."""
_FEWEST_READ_OUT: Final = 3
_ADDED: Final = word_set(
    "as i we said say it is was the that well yes slide says so right exactly indeed have"
)
"""Words that somebody puts around a sentence that they read out."""
_ANSWER_SHARE: Final = 0.9
_LONGEST: Final = 60
"""Words; whoever says more has added something, if only in words that the rules do not weigh."""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+|\d+", text.lower()))


def repeated(answer: Answer, asked: Asked, earlier: Sequence[Answer]) -> Iterator[Evasion]:
    """The answer as a repetition of the words that were asked about, or of an earlier answer."""
    words = answer.topic.words
    if answer.length > _LONGEST:
        return
    said, quoted = _words(answer.text), _words(asked.quote)
    if said - _ADDED and said - _ADDED <= quoted and len(said) >= _FEWEST_READ_OUT:
        yield Evasion("restates", answer.sentences[0].text.rstrip(" .!"))
        return
    if len(words) < _FEWEST_WORDS:
        return
    whole = answer.sentences[0].text.rstrip(" .!")
    known = {quantity.value for quantity in asked.known}
    adds = any(one.value not in known for one in answer.numbers)
    if not adds and len(words & topic_of(asked.quote).words) >= _SLIDE_SHARE * len(words):
        yield Evasion("restates", whole)
        return
    for other in earlier:
        before = {one.value for one in other.numbers}
        adds = any(one.value not in before for one in answer.numbers)
        if not adds and len(words & other.topic.words) >= _ANSWER_SHARE * len(words):
            yield Evasion("again", whole)
            return
