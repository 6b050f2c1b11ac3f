"""What a deck says without claiming anything: sentences at which a board still misses something.

A licence, a name, "the protocol is being implemented by …" measure and promise nothing, so they
are no claims; yet they bring up what a board expects to hear (`silences`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from orchestrator.claims.boilerplate import claims_nothing, is_boilerplate, lists_criteria
from orchestrator.claims.extract import LONGEST_HEADING, footers
from orchestrator.claims.model import Claim
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.deck.model import Deck, Slide

_FEWEST_WORDS: Final = 3
_WORD = re.compile(r"[^\W\d_]{2,}")
_TO_THE_AUTHOR = re.compile(
    r"^\W*(?:please|provide|pull|insert|describe|detail|list|use this|see|visit|contact|note that)\b|"
    r"\b(?:if available|if applicable|remove (?:this )?slide)\b",
    re.IGNORECASE,
)
"""Instructions to whoever fills in a template, or directions to a reader: nobody said that of the matter."""


@lru_cache(maxsize=4)
def statements(deck: Deck) -> tuple[Claim, ...]:
    """The sentences of the slides that are shown, as claims of no kind, with ids d<slide>.t<n>.

    Each text comes once, where it comes first; no footers, questions, code, criteria or contacts.
    """
    repeated = footers(deck)
    seen: set[str] = set()
    found: list[Claim] = []
    for slide in deck.slides:
        if slide.hidden or claims_nothing(slide.title) or _lists_criteria(slide):
            continue
        for number, (origin, text) in enumerate(_sentences(slide, repeated), 1):
            key = " ".join(text.casefold().split())
            if key not in seen:
                seen.add(key)
                found.append(Claim(f"d{slide.number}.t{number}", (), text, slide.number, None, origin=origin))
    return tuple(found)


def _lists_criteria(slide: Slide) -> bool:
    headings = [slide.title, *(line for line in slide.lines if len(line.split()) <= LONGEST_HEADING)]
    return any(lists_criteria(heading) for heading in headings)


def _sentences(slide: Slide, repeated: frozenset[str]) -> Iterator[tuple[str, str]]:
    for origin, line in (("title", slide.title), *(("line", line) for line in slide.lines)):
        if line.strip() in repeated or is_boilerplate(line):
            continue
        for start, end in sentences(line):
            text = without_final_stop(line[start:end])
            is_question = line[start:end].rstrip("\"'”’)").endswith("?")
            if is_question or end - start > LONGEST_SENTENCE or _TO_THE_AUTHOR.search(text):
                continue
            if len(_WORD.findall(text)) >= _FEWEST_WORDS or len(text.split()) > _FEWEST_WORDS:
                yield origin, text
