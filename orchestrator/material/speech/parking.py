"""Whether an answer asks to come back to the question later in the session.

Only a plain wish counts, said about the question itself, and only where no answer follows it.
"I'll send it to you after the meeting" and "I will get back to you on that" promise something
for another day: they are judged as answers. English only; `parking.yaml` has the words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from orchestrator.material.speech.word_lists import written

# Each wish beside the pattern that makes it one: "returns" needs "back" within itself, the others their
# partner anywhere in the sentence.
_PARTNERS = {"returns": "back", "to you": "within", "parks": "parked for"}
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
# The figure of a slide is no figure of an answer.
_SLIDES = re.compile(r"\bslides? \w+(?: (?:and|or) \w+)?", re.IGNORECASE)
MOST_WORDS_AFTER = 15
"""Words that may follow the wish: an excuse or a thank-you. More, or a figure, is an answer."""


def wish_to_park(text: str) -> str | None:
    """The presenter's words that ask to come back to the question later, or None."""
    words = " ".join(text.split())
    if _patterns()["alone"].search(words):
        return words
    for sentence in _SENTENCE.finditer(words):
        wish = _wish_in(sentence[0])
        if wish is not None and not _is_answer(words[sentence.start() + wish.end() :]):
            return sentence[0].strip()
    return None


def _wish_in(sentence: str) -> re.Match[str] | None:
    patterns = _patterns()
    if patterns["another day"].search(sentence):
        return None
    for name, partner in _PARTNERS.items():
        wish = patterns[name].search(sentence)
        if wish and patterns[partner].search(wish[0] if name == "returns" else sentence):
            return wish
    return None


def _is_answer(rest: str) -> bool:
    if re.match(r"\W*but\b", rest, re.IGNORECASE):
        return True
    figures = _SLIDES.sub("", _patterns()["within"].sub("", rest))
    return bool(re.search(r"\d", figures)) or len(rest.split()) > MOST_WORDS_AFTER


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    pieces: dict[str, str] = {}
    for name, alternatives in written("parking").items():
        piece = "|".join(alternatives)
        for known, pattern in pieces.items():
            piece = piece.replace("{" + known + "}", pattern)
        pieces[name] = f"(?:{piece})"
    return {name: re.compile(piece, re.IGNORECASE) for name, piece in pieces.items()}
