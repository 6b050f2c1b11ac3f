"""Which facts are kept of those that rules or a model propose: the ones that stand, and are new.

The quote must stand in the passage, word for word, and the content must hold no figure and no
name that the passage does not have, hardly a word of another matter, and no "not" too many or
too few. That stops inventions with a true quote beside them; it does not understand.
In doubt a fact is refused: better to miss one than to make one up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from orchestrator.checks.grounding import figures, found_in
from orchestrator.claims.sentences import sentences
from orchestrator.memory.fact_log import FactLog, is_sound
from orchestrator.memory.names import large
from orchestrator.memory.telling_words import english, stems
from orchestrator.model.fact import FactDraft, Passage, key_of
from orchestrator.render import one_line

_FEWEST_LETTERS: Final = 6
"""Letters and digits: a shorter quote stands anywhere, and says nothing."""

_WORDS = re.compile(r"[\w’'-]+")
_FEWEST_SHARED: Final = 0.5
"""Share of the content's telling words that the passage must have."""


def sieved(
    drafts: Sequence[FactDraft],
    passages: Sequence[Passage],
    log: FactLog,
    alike: Callable[[str, Sequence[str]], bool] | None,
) -> tuple[list[FactDraft], int, int]:
    """The drafts that are kept; how many *log* had already; how many do not stand, or are to stay.

    Args:
        alike: Whether a fact says what one of those of its type says, in other words; None: only the
            words themselves count.
    """
    by_seq = {passage.seq: passage for passage in passages}
    known: dict[str, list[str]] = {}
    for old in log.facts:
        known.setdefault(old.type, []).append(old.content)
    keys, kept, skipped, refused = set(log.keys), list[FactDraft](), 0, 0
    for draft in drafts:
        passage = by_seq.get(draft.source)
        fact = grounded(draft, passage) if passage is not None else None
        if fact is None or log.stays(f"{fact.content}\n{fact.quote}"):
            refused += 1
            continue
        same_type = known.setdefault(fact.type, [])
        if key_of(fact.content) in keys or (alike is not None and alike(fact.content, same_type)):
            skipped += 1
            continue
        kept.append(fact)
        keys.add(key_of(fact.content))
        same_type.append(fact.content)
    return kept, skipped, refused


def grounded(draft: FactDraft, passage: Passage) -> FactDraft | None:
    """*draft* with the passage's own words as its quote; None: it does not stand on them."""
    content = one_line(draft.content)
    quote = _standing_in(draft.quote, passage.text)
    if quote is None or "\n" in quote or draft.source != passage.seq:  # or of two questions
        return None
    fact = replace(draft, content=content, quote=quote)
    if not is_sound(fact):
        return None
    if content not in passage.text and not _says_the_same(content, quote, passage):
        return None
    if draft.type != "open_thread" and _sentence_around(quote, passage.text).rstrip("\"'”’)").endswith("?"):
        return None  # a question states nothing
    return fact


def _standing_in(quote: str, text: str) -> str | None:
    """The stretch of *text* that *quote* gives, letter by letter; None: it does not stand there."""
    found = found_in(quote, text)
    letters = [char for char in quote if char.isalnum()]
    if found is None or len(letters) < _FEWEST_LETTERS:
        return None
    return found if letters == [char for char in found if char.isalnum()] else None


def _says_the_same(content: str, quote: str, passage: Passage) -> bool:
    """As far as words can tell: figures, names, negation, and what it is about."""
    said = " ".join([passage.text, passage.speaker or "", passage.exchange or ""])
    if not figures(content) <= figures(said):
        return False
    if not large(content) <= {word.casefold() for word in _WORDS.findall(said)}:
        return False
    around = _sentence_around(quote, passage.text)
    if is_negated(content) != is_negated(around):
        return False
    telling, there = stems(content), stems(passage.text)
    if not telling:
        return quote in content  # "Parked: How many?"
    return len(telling & there) >= _FEWEST_SHARED * len(telling)


def is_negated(text: str) -> bool:
    """Whether a text holds a "not", in whatever words."""
    return _negation().search(text) is not None


@cache
def _negation() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(english('negation')))})\b|n['’]t\b", re.IGNORECASE)


def _sentence_around(quote: str, text: str) -> str:
    """The sentences of *text* that *quote* lies in."""
    start = text.find(quote)
    end = start + len(quote)
    return " ".join(text[a:b] for a, b in sentences(text) if a < end and start < b) or quote
