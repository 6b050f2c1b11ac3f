"""Whether an answer asks to come back to the question later in the session.

Only a plain wish counts, said about the question itself, and only where no answer follows it.
"I'll send it to you after the meeting" and "I will get back to you on that" promise something
for another day: they are judged as answers. English only.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE
_ASIDE = r"(?:,? ?(?:please|just|maybe|perhaps|possibly|quickly|all|then|take a (?:moment|minute) and))?"
_WISH = (
    r"(?:let me|let us|let['’]s|(?:can|could|may|might|shall|should|will|would) (?:i|we|you)|"
    r"(?:i|we)(?: will|['’]ll| would like to|['’]d like to|['’]d rather| would rather| want to| can| could|"
    r"['’]m going to|['’]re going to)|please|happy to)"
)
_IT = (
    r"(?:that|this|it|(?:that|this|your|the) (?:one|question|point|figure|number|item|topic|issue))"
    r"(?= ?(?:[.,;:!?–—-]|$)|,? (?:later|in|at|when|after|before|once|if|please|on|during|and|but|because|"
    r"since|as|then|for|aside|until|till|again|towards?|toward|though|now|shortly|soon|with)\b)"
)
_PARKS = re.compile(rf"\b{_WISH}{_ASIDE} (?:park|leave|set|put) {_IT}(?! (?:with|in|on|at)\b)", _I)
_PARKED_FOR = re.compile(r"\b(?:park|for later|for the end|until (?:the end|later)|aside|for now)\b", _I)
_RETURNS = re.compile(
    rf"\b{_WISH}{_ASIDE} (?:come|go|circle|get|return|turn)(?: back)?(?: again)? to {_IT}", _I
)
_TO_YOU = re.compile(rf"\b{_WISH}{_ASIDE} (?:come|get|circle) back to you(?:,? (?:on|about|with) {_IT})?", _I)
_WITHIN = re.compile(
    r"\b(?:later (?:in|on in|during) (?:the|this|my|our) (?:session|meeting|presentation|talk|deck|hour)|"
    r"(?:in|on) (?:a|one|two|three|a few|a couple of|the next) (?:more )?(?:moment|minutes?|slides?|section)|"
    r"(?:at|before|towards?) the (?:very )?end|before we (?:finish|close|end)|"
    r"when (?:i|we) (?:get|come|reach|are) (?:to )?(?:slide|the|that|my)\b|on slide \w+|during the q ?& ?a)",
    _I,
)
"""Words that place the return within this session."""

_ANOTHER_DAY = re.compile(
    r"\bafter (?:the|this|our|today['’]s) (?:meeting|session|call|presentation)|"
    r"\b(?:tomorrow|tonight|offline|afterwards?|separately|in writing|another (?:time|day)|"
    r"by (?:e-?mail|mail|letter|post|phone)|"
    r"next (?:week|month|quarter|year|time|meeting|board|session|call)|"
    r"(?:by|on|until|before|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:in|by|until|before|next) (?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|q[1-4])|in the (?:follow-?up|minutes))\b|\bwith (?:the|a|an|some|more|exact|my|our) ",
    _I,
)
_ALONE = re.compile(
    r"\W*(?:park|parked|park (?:it|this|that)|later|come back(?: to (?:it|this|that))?)\W*", _I
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
MOST_WORDS_AFTER = 15
"""What may follow the wish: an excuse or a thank-you. More, or a figure, is an answer."""


def wish_to_park(text: str) -> str | None:
    """The presenter's words that ask to come back to the question later, or None."""
    words = " ".join(text.split())
    if _ALONE.fullmatch(words):
        return words
    for sentence in _SENTENCE.finditer(words):
        wish = _wish_in(sentence[0])
        if wish is not None and not _is_answer(words[sentence.start() + wish.end() :]):
            return sentence[0].strip()
    return None


def _wish_in(sentence: str) -> re.Match[str] | None:
    if _ANOTHER_DAY.search(sentence):
        return None
    if (wish := _RETURNS.search(sentence)) and re.search(r"back|return|circle", wish[0], _I):
        return wish
    if (wish := _TO_YOU.search(sentence)) and _WITHIN.search(sentence):
        return wish
    if (wish := _PARKS.search(sentence)) and _PARKED_FOR.search(sentence):
        return wish
    return None


def _is_answer(rest: str) -> bool:
    if re.match(r"\W*but\b", rest, _I):
        return True
    figures = re.sub(rf"{_WITHIN.pattern}|\bslides? \w+(?: (?:and|or) \w+)?", "", rest, flags=_I)
    return bool(re.search(r"\d", figures)) or len(rest.split()) > MOST_WORDS_AFTER
