"""Which facts are kept of those that rules or a model propose: the ones that stand, and are new.

The quote must stand in the passage, word for word, and the content must hold no figure and no
name that the passage does not have, hardly a word of another matter, and no "not" too many or
too few. That stops inventions with a true quote beside them; it does not understand.
In doubt a fact is refused: better to miss one than to make one up. Goals, decisions and blockers
that a model reads for the Scribe are grounded in the same way.

A fact is known by its letters and digits, and where the home has embeddings on, by its meaning.
Vectors tell what a sentence is about, and hardly what it says of it: with a small model "churn fell in
the second quarter" lies closer to "in the third quarter" than to most of its own paraphrases. So only
facts are compared that agree in all that can be read: figures, times, order, names, and a "not". And two
sentences of which one has other words in the very places of the other's are told apart by those words.
In doubt both are kept: a fact twice does less harm than a fact that is missing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import figures, found_in
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.claims.sentences import sentences
from orchestrator.memory.embedding import Embedder, similarity
from orchestrator.memory.english import english, is_negated, large, stems
from orchestrator.memory.errors import EmbeddingError
from orchestrator.memory.facts import FactLog, is_sound
from orchestrator.memory.session_context import DECISION, KINDS
from orchestrator.panel.model.fact import FactDraft, Passage, key_of
from orchestrator.panel.model.reply import Remembered
from orchestrator.panel.records.memory import Kept

_FEWEST_LETTERS: Final = 6
"""Letters and digits: a shorter quote stands anywhere, and says nothing."""

_WORDS = re.compile(r"[\w’'-]+")
_FEWEST_SHARED: Final = 0.5
"""Share of the content's telling words that the passage must have: plain language may word half of it
anew, and a content of other words is about another matter."""
AS_GOOD_AS_SAME: Final = 0.9
"""Cosine above which two sentences that agree count as one fact; our own measure, on the careful side."""
MOST_READ: Final = 1_000
"""Facts whose figures, times and names are remembered: several sessions'."""

_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+")
"""Letters and digits in one word: Q3, FY2027, 3rd, T4."""


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


def verified(said: Sequence[Remembered], passages: Sequence[Passage]) -> Iterator[Kept]:
    """Those of a model's goals, decisions and blockers that stand on the passages that it was given."""
    by_seq = {passage.seq: passage for passage in passages}
    for one in said:
        passage = by_seq.get(one.seq)
        kind = next((kind for kind in KINDS if kind == one.kind), None)
        if passage is None or kind is None:
            continue
        draft = grounded(FactDraft(DECISION, one.text, "high", one.seq, one.quote), passage)
        if draft is not None:
            who = (passage.speaker, passage.exchange)
            yield Kept(kind, draft.content, draft.quote, one.seq, *who)


def grounded(draft: FactDraft, passage: Passage) -> FactDraft | None:
    """*draft* with the passage's own words as its quote; None: it does not stand on them."""
    content = one_line(draft.content)
    quote = _standing_in(draft.quote, passage.text)
    is_seen = content == " ".join(draft.content.split())  # a fact with characters that no reader sees is none
    if quote is None or "\n" in quote or draft.source != passage.seq or not is_seen:  # or of two questions
        return None
    fact = replace(draft, content=content, quote=quote)
    if not is_sound(fact):
        return None
    if draft.type == "number" and not (figures(quote) or numbers_in(quote)):
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


def _sentence_around(quote: str, text: str) -> str:
    """The sentences of *text* that *quote* lies in."""
    start = text.find(quote)
    end = start + len(quote)
    return " ".join(text[a:b] for a, b in sentences(text) if a < end and start < b) or quote


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a sentence must be equal, and its words."""

    words: tuple[str, ...]
    exact: tuple[object, ...]  # figures, quantities, times, order and codes, and whether there is a "not"
    names: frozenset[str]

    def agrees_with(self, other: Reading) -> bool:
        """Whether nothing that can be read sets them apart."""
        return (
            self.exact == other.exact
            and self.names <= frozenset(other.words)
            and other.names <= frozenset(self.words)
            and not _in_the_same_places(self.words, other.words)
        )


@dataclass(slots=True)
class AlikeByMeaning:
    """Compares a fact with those of its type that are known."""

    embed: Embedder
    _vectors: dict[str, array[float]] = field(default_factory=dict)

    def __call__(self, content: str, known: Sequence[str]) -> bool:
        """Whether one of *known* says what *content* says; False where no vectors can be made."""
        own = _read(content)
        others = [one for one in known if own.agrees_with(_read(one))]
        if not others:
            return False
        missing = [one for one in (content, *others) if one not in self._vectors]
        try:
            if missing:
                self._vectors.update(zip(missing, self.embed.embed(missing), strict=True))
        except EmbeddingError:
            return False
        vector = self._vectors[content]
        return any(similarity(vector, self._vectors[one]) >= AS_GOOD_AS_SAME for one in others)


@lru_cache(maxsize=MOST_READ)
def _read(content: str) -> Reading:
    """What a sentence says, as far as it can be read."""
    words = tuple(word.casefold() for word in _WORDS.findall(content))
    exact = (
        frozenset(figures(content)),
        frozenset((one.value, one.unit) for one in numbers_in(content)),
        frozenset((one.first, one.last) for one in dates_in(content)),
        frozenset(words) & english("order"),
        frozenset(code.casefold() for code in _CODE.findall(content)),
        is_negated(content),
    )
    return Reading(words, exact, large(content))


def _in_the_same_places(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether they are one sentence with other words in the places of some: "gross margin", "net margin"."""
    if len(one) != len(other):
        return False
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return any(step[0] != "equal" for step in steps) and all(
        kind == "equal" or (kind == "replace" and to - start == end - begin)
        for kind, start, to, begin, end in steps
    )
