"""How a question of the bank is said: one of its wordings, with the words of the deck in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeVar

from orchestrator.engines.offline.bank import QUOTE, SLIDE, Entry, bank
from orchestrator.engines.offline.pages import Line

LONGEST_QUOTE: Final = 130
"""Characters of a quote in a question: what can be said in one breath. The whole line is shown beside it."""

LONGEST_PARENT: Final = 60

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")
_BREAK = re.compile(r"[,;:] | [–—] | \(")
_T = TypeVar("_T")


def pick(options: Sequence[_T], *key: str) -> _T:
    """One of the options, the same for the same key, so that two decks need not hear the same."""
    digest = hashlib.sha256("\0".join(key).encode()).digest()
    return options[int.from_bytes(digest[:4], "big") % len(options)]


def sentences(text: str) -> list[str]:
    """The text's sentences, as written."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def said(entry: Entry, key: str, line: Line | None = None, slide: int | None = None) -> str:
    """The question as it is said."""
    text = pick(entry.ask, key, entry.id)
    if line is not None:
        text = text.replace(QUOTE, quoted(line))
    return text.replace(SLIDE, f"slide {slide}")


def quoted(line: Line) -> str:
    """The line's words in quotation marks, with the line that it stands under."""
    text = _quote_marks(shortened(line.text, LONGEST_QUOTE))
    if line.parent is None or len(line.parent) > LONGEST_PARENT:
        return text
    return f"{text}, under {_quote_marks(line.parent.strip().rstrip(':.,;'))}"


def _quote_marks(text: str) -> str:
    inner = text.translate(str.maketrans({"“": "‘", "”": "’", '"': "'"}))
    return f"“{inner}”"


def shortened(text: str, longest: int) -> str:
    """The beginning of a text, whole where it is short enough; cut where a reader would breathe."""
    text = " ".join(text.split())
    first = sentences(text)[0] if len(text) > longest else text
    first = first.rstrip(".;,: ") if not first.endswith("…") else first
    if len(first) <= longest:
        return first
    breaks = [match.start() for match in _BREAK.finditer(first, longest // 3, longest)]
    return f"{first[: breaks[-1]] if breaks else first[:longest].rsplit(' ', 1)[0]} …"


@lru_cache(maxsize=1)
def _asked_forms() -> tuple[tuple[re.Pattern[str], Entry], ...]:
    forms = []
    for entry in bank().entries:
        for ask in entry.ask:
            pattern = re.escape(ask).replace(re.escape(QUOTE), ".+").replace(re.escape(SLIDE), r"slide \d+")
            forms.append((re.compile(pattern, re.DOTALL), entry))
    return tuple(forms)


@lru_cache(maxsize=512)
def entry_of(question: str) -> Entry | None:
    """The entry whose question this is; None: none of the bank's."""
    return next((entry for form, entry in _asked_forms() if form.fullmatch(question)), None)
