"""The wording of a question of the bank, with the deck's words inserted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from orchestrator.panel.bank.bank import (
    QUOTE,
    SUBJECT,
    Entry,
    bank,
)
from orchestrator.panel.bank.deck import Line

MAX_QUOTE: Final = 160
"""Maximum number of characters of a quote in a question: what can be said in one breath.

The whole line is shown beside the question.
"""

MAX_PARENT: Final = 48
"""Maximum number of characters of the line above a quote, which only says what the quote belongs to.

A longer one is left out.
"""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")
_BREAK = re.compile(r"[,;:] | [–—] | \(")
_SLOT = re.compile(f"{re.escape(QUOTE)}|{re.escape(SUBJECT)}")
_A_SUBJECT: Final = r"\S+(?: \S+){0,2}"  # names and nouns have three words at most
_T = TypeVar("_T")
YOU_SAY: Final = f"You say {QUOTE}"
SLIDE_SAYS: Final = f"The slide says {QUOTE}"
"""Replaces `YOU_SAY` if nobody has spoken the words."""
_INNER: Final = str.maketrans('“”"', "‘’'")


def number_of(*key: str) -> int:
    """Return a number that is equal for equal keys and spread evenly over different ones."""
    return int.from_bytes(hashlib.sha256("\0".join(key).encode()).digest()[:4], "big")


def pick(options: Sequence[_T], *key: str) -> _T:
    """Return one of the options, always the same for the same key, so that decks can differ."""
    return options[number_of(*key) % len(options)]


def sentences(text: str) -> list[str]:
    """Return the text's sentences as written; the full stop of an abbreviation does not end a sentence."""
    found: list[str] = []
    start = 0
    for end in _SENTENCE.finditer(text):
        if bank().phrases.abbreviations.search(text[start : end.start()]) is None:
            found.append(text[start : end.start()])
            start = end.end()
    return [part.strip() for part in (*found, text[start:]) if part.strip()]


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as it is asked of the presenter."""

    question: str
    bare: str | None = ""  # as `Turn.bare`


def said(entry: Entry, key: str, intensity: str, subject: str, line: Line | None = None) -> Wording:
    """Return the entry's question about the *subject*, with the words of *line* inserted."""
    text = pick(entry.wordings(intensity), key, entry.id).replace(SUBJECT, subject)
    text = text[0].upper() + text[1:]
    if line is None:
        return Wording(text)
    if line.said_at_s is None:
        text = _of_slide(text)
    quote = quoted(line)
    return Wording(text.replace(QUOTE, quote), without(text, QUOTE) if is_whole(quote, line.text) else "")


def _of_slide(ask: str) -> str:
    """Return the wording with the slide, instead of the presenter, as the one that says the words."""
    return ask.replace(YOU_SAY, SLIDE_SAYS, 1)


def is_whole(quote: str, text: str) -> bool:
    """Return whether a quote in a question is the whole line shown above it, and nothing more."""
    return quote == f"“{text.rstrip(' .')}”"


def without(text: str, slot: str) -> str:
    """Return a wording without the slot before or after its question, or "" if the slot is part of the
    question.
    """
    head, _, tail = text.partition(slot)
    if tail == "?" and head.endswith(": "):
        return f"{head[:-2]}?"
    if not head and tail.startswith(": "):
        return f"{tail[2:3].upper()}{tail[3:]}"
    return tail[2:] if "?" not in head and tail.startswith(". ") else ""


def quoted(line: Line) -> str:
    """Return the line's words in quotation marks, with the line under which they are."""
    text = in_quotes(shortened(line.text, MAX_QUOTE))
    if line.parent is None or len(line.parent) > MAX_PARENT or line.parent.rstrip().endswith("?"):
        return text
    return f"{text}, under {in_quotes(line.parent.strip().rstrip(':.,;'))}"


def in_quotes(text: str) -> str:
    """Return the text in quotation marks; quotation marks within it become single ones."""
    return f"“{text.translate(_INNER)}”"


def shortened(text: str, longest: int) -> str:
    """Return the text, or its beginning if it is longer than *longest*, cut where a reader would pause."""
    text = " ".join(text.split())
    first = sentences(text)[0] if len(text) > longest else text
    first = first.rstrip(".;,: ") if not first.endswith("…") else first
    if len(first) <= longest:
        return first
    # From a third on: before it a break would leave too little to know the line by.
    breaks = [match.start() for match in _BREAK.finditer(first, longest // 3, longest)]
    return f"{first[: breaks[-1]] if breaks else first[:longest].rsplit(' ', 1)[0]} …"


@lru_cache(maxsize=1)
def _asked_forms() -> tuple[tuple[str, str, Entry], ...]:
    """Return each wording of the bank, with the words with which it begins and with its entry."""
    said = ((ask, entry) for entry in bank().entries for ask in (*entry.ask, *entry.firm, *entry.soft))
    asks = [(form, entry) for ask, entry in said for form in _forms(ask)]
    return tuple((_SLOT.split(ask, maxsplit=1)[0], ask, entry) for ask, entry in asks)


@lru_cache(maxsize=512)
def _pattern(ask: str) -> re.Pattern[str]:
    form = re.escape(ask).replace(re.escape(QUOTE), ".+").replace(re.escape(SUBJECT), _A_SUBJECT)
    return re.compile(form, re.DOTALL)


def _forms(ask: str) -> tuple[str, ...]:
    """Return a wording's form for spoken words, and its form for a slide if that differs."""
    return tuple(dict.fromkeys((ask, _of_slide(ask))))


def wants_fact(entry: Entry, question: str) -> bool:
    """Return whether an answer to this question must contain a figure, a date, a name, or a yes or no."""
    asks = (ask for wording in entry.wants_fact for ask in getattr(entry, wording))
    return any(_pattern(form).fullmatch(question) for ask in asks for form in _forms(ask))


@lru_cache(maxsize=512)
def entry_of(question: str) -> Entry | None:
    """Return the entry that contains this question, or None if the question is not the bank's."""
    # By how it begins first: to compile all wordings takes longer than the panel's first questions.
    return next(
        (
            entry
            for begins, ask, entry in _asked_forms()
            if question.startswith(begins) and _pattern(ask).fullmatch(question)
        ),
        None,
    )
