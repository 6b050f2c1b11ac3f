"""Reasons that come without "because": the argument that was asked for, the part, the plain concession.

"What is the best argument against that?" is answered by "That we would miss the date again", and "why should
the others think the same?" by "I cannot say that they do: the small ones hardly answered".
"""

from __future__ import annotations

import re
from typing import Final

from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import puts_off
from orchestrator.engines.reading import Answer, Sentence, clause_from

_FEWEST_NEW: Final = 2
"""Telling words by which an answer goes on and says more."""
_FEWEST_WORDS: Final = 6
_ARGUMENT_ASKED = re.compile(
    r"\b(?:what|which) (?:is|was|were|are) (?:the|their|your) (?:best )?(?:argument|reason|objection)s?\b",
    re.IGNORECASE,
)
_ARGUMENT_IS = re.compile(
    r"^\W*(?:(?:the|their|our|its|one|my) )?(?:(?:best|strongest|main|only|real|first) )?(?:argument|reason|"
    r"objection|point|case|worry)s?(?: against (?:it|that|this))?(?:, [^,]+,)? (?:is|was|are|were)\b|"
    r"^\W*that (?:we|it|they|the|our|a|an|nobody|no|this|you|i|people|there)\b",
    re.IGNORECASE,
)
_PRAISES = re.compile(
    r"\b(?:keen|excited|great|excellent|happy|glad|proud|believe|supports?|supportive|welcome[sd]?|"
    r"right thing|"
    r"no (?:real |good )?(?:argument|reason|objection)|none|success\w*|convinced|confident)\b",
    re.IGNORECASE,
)
_PART_ASKED = re.compile(
    r"\bwhich (?:assumption|part|step|piece|one|of (?:the|those|these))\b", re.IGNORECASE
)
_FIRST_WORDS: Final = 8
_CAUSED = re.compile(
    r"\bwhat (?:caused|made|drove|brought|was behind|is behind|led to|would have prevented)\b|"
    r"\bargument against\b",
    re.IGNORECASE,
)
_IS_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|be|have|has|had|do|does|did|will|would|can|could|should|may|might|we|they|i|it|"
    r"none|nothing|no|not|yes)\b|['’](?:re|ve|ll|m)\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"\b(?:series|circumstances?|events?|factors?|reasons?|things?|luck|various|several|many|combination|mix|"
    r"situation|market|everything|anything|complex|complicated)\b",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(
    r"\b(?:said|says?|saying|told|tells?|telling|wrote|writes?|argued?s?|argues|warned|warns?|made|makes?|"
    r"raised|raises|put) (?:\w+ ){0,2}?(?:it|so|that|this|exactly|as much|the same)\b",
    re.IGNORECASE,
)
_WOULD_HAVE_TO = re.compile(r"\b(?:would|must|has|have) (?:have )?to\b", re.IGNORECASE)
_WHY_SHOULD = re.compile(r"\bwhy (?:should|would|are|do)\b", re.IGNORECASE)
_CONCEDES = re.compile(
    r"\b(?:i|we) (?:cannot|can['’]t|could not|couldn['’]t|would not|wouldn['’]t) (?:say|claim|promise|"
    r"prove|swear)"
    r" (?:that )?(?:they|it|so|this|that)\b|^\W*(?:they|it|you|we) (?:may|might|should|need|do|does|would|"
    r"probably)"
    r"(?: well| probably)?(?: not|n['’]t)\b|\bno reason (?:to|why)\b|^\W*(?:perhaps|probably|maybe) not\b",
    re.IGNORECASE,
)


def reason_in_other_words(answer: Answer, asked: Asked) -> str | None:
    """The words that give what the question asks for in a form of its own; None where there are none."""
    if not answer.sentences or puts_off(answer.sentences[0].text):
        return None
    first = answer.sentences[0]
    if _ARGUMENT_ASKED.search(asked.text) and _ARGUMENT_IS.match(first.text) and _is_new(first, asked):
        return clause_from(answer.text, first.start, first.start + 1)
    if _ARGUMENT_ASKED.search(asked.text) and _is_said_so(answer) and _is_new(first, asked):
        return clause_from(answer.text, first.start, first.start + 1)
    if (
        _CAUSED.search(asked.text)
        and _is_named(first, asked)
        and (_goes_on(answer, asked) or _is_said_so(answer))
    ):
        return first.text.rstrip(". ")
    if asked.is_condition and (must := _WOULD_HAVE_TO.search(first.text)) and _is_new(first, asked):
        return clause_from(answer.text, first.start, first.start + must.end())
    if _PART_ASKED.search(asked.text) and _names_part(first, answer, asked):
        return clause_from(answer.text, first.start, first.start + 1)
    if (
        _WHY_SHOULD.search(asked.text)
        and (granted := _CONCEDES.search(answer.text))
        and _goes_on(answer, asked)
    ):
        return clause_from(answer.text, granted.start(), granted.end())
    return None


def _is_said_so(answer: Answer) -> bool:
    """A later sentence says that somebody holds just that: "Ada Lind keeps telling us so"."""
    return any(_SAYS_SO.search(part.text) for part in answer.sentences[1:])


def _is_named(first: Sentence, asked: Asked) -> bool:
    """A thing and no sentence, in answer to "what caused it": "A seal in the pump"."""
    return (
        len(first.text.split()) <= _FIRST_WORDS
        and not _IS_SENTENCE.search(first.text)
        and not _SAYS_NOTHING.search(first.text)
        and bool(first.topic.words - asked.topic.words)
    )


def _is_new(part: Sentence, asked: Asked) -> bool:
    if _PRAISES.search(part.text):
        return False
    return len(part.text.split()) >= _FEWEST_WORDS and bool(part.topic.words - asked.topic.words)


def _names_part(first: Sentence, answer: Answer, asked: Asked) -> bool:
    """It opens with what or whom it is, and goes on to say more about that."""
    opens = len(first.text.split()) <= _FIRST_WORDS and bool(first.topic.words - asked.topic.words)
    return opens and _goes_on(answer, asked)


def _goes_on(answer: Answer, asked: Asked) -> bool:
    rest = frozenset(word for part in answer.sentences[1:] for word in part.topic.words)
    return len(rest - asked.topic.words) >= _FEWEST_NEW
