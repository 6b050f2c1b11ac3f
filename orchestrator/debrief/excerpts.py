"""Words taken out of longer ones, verbatim: the question without its quote, and what decided an answer."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.sentences import sentences
from orchestrator.debrief.model import Source
from orchestrator.model.exchange import Turn

LONGEST: Final = 30
"""Words of a quote in the debrief: what is read at a glance."""
LONGEST_LATE: Final = 20
"""Words to say at the first asking: one breath."""
_LEAD: Final = re.compile(r'(?:[^"“”?]*[.!:] +)?[^"“”.?!]*["“]')
"""Before a quote: a sentence perhaps, and "On slide 3 you say"; not a question, not a quote."""
_END_OF_LEAD: Final = re.compile(r'(?:[.!]["”][.!]?|["”][.!]) +(?=[^\W_a-z]|["“])')
"""The quote's end is the sentence's end, and another sentence begins."""


def bare_question(turn: Turn, quote: str | None) -> str:
    """The question itself, without the lead-in and the quote before or behind it, which stands above it.

    Whole where cutting would leave half a sentence, or take words of the question along.
    """
    question = turn.question.removeprefix(turn.lead_in).lstrip() or turn.question
    if (bare := _beside_quote(question, quote)) is not None:
        return bare
    lead, _, rest = question.partition(quote) if quote else (question, "", "")
    end = _END_OF_LEAD.match(rest)
    if end is None or not _LEAD.fullmatch(lead) or "?" not in rest:
        return question
    return rest[end.end() :]


def _beside_quote(question: str, quote: str | None) -> str | None:
    """ "How many: “We grew”?" is "How many?"; "“We grew”: how many?" is "How many?"; None: it is neither."""
    shown = (quote or "").rstrip(" .")
    for marked in (f"“{shown}”", f'"{shown}"') if shown else ():
        head, colon, rest = question.partition(marked)
        if head.endswith(": ") and rest == "?" and colon:
            return f"{head[:-2]}?"
        if not head and rest.startswith(": ") and rest.endswith("?") and colon:
            return f"{rest[2:3].upper()}{rest[3:]}"
    return None


def deciding_words(answer: str, quote: str | None, most_words: int = LONGEST) -> str:
    """The sentence of an answer that its verdict rests on, verbatim; its beginning where none is named."""
    text = " ".join(answer.split())
    words = " ".join((quote or "").split())
    at = text.find(words) if words else -1
    if at < 0:
        return cut(text, 0, 0, most_words)
    for start, end in sentences(text):
        if start <= at and at + len(words) <= end and len(text[start:end].split()) <= most_words:
            return text[start:end]
    return cut(text, at, at + len(words), most_words)


def short(source: Source) -> Source:
    """The same with its words cut, verbatim, to what is read at a glance."""
    quote = " ".join(source.quote.split())
    return Source(cut(quote, 0, 0, LONGEST), source.slide, source.said_at_s, source.origin, source.exchange)


def cut(text: str, start: int, end: int, most_words: int) -> str:
    """At most so many whole words of *text*, from the first that begins at *start* or holds it.

    What lies between *start* and *end* is there as far as it fits; shorter texts are whole.
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    if len(spans) <= most_words:
        return text.strip()
    first = next((number for number, (_, stop) in enumerate(spans) if stop > start), 0)
    last = next((number for number, (_, stop) in enumerate(spans) if stop >= end), len(spans) - 1)
    first = max(0, min(first, len(spans) - most_words)) if last - first < most_words else first
    return text[spans[first][0] : spans[min(first + most_words, len(spans)) - 1][1]]
