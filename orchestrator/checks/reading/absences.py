# ruff: noqa: E501 - a pattern lists its wordings
"""Something of which there is said to be none, and of which a number is told elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.compare import place_words
from orchestrator.checks.reading.mentions import clause_of
from orchestrator.checks.reading.model import ACTUAL, COUNT, PLANNED, Measure, Piece
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.claims.model import Tension

_NONE = re.compile(
    r"\b(?:not(?: \w+ing)? (?:a single|one|a)|(?:have|has|had|is|are|was|were|with|without|'s|saw|made|lost|closed|cut) no(?: single)?|n[o']t (?:\w+ ){0,2}a single|without a single|not any)\s+(?P<what>(?:[a-z-]+\s)?[a-z-]+)",
    re.I,
)
_HARMLESS = re.compile(
    r"\b(?:if|when|until|unless|would|could|should|might|may|more|fewer|less|longer|such|yet|doubt|reason|idea|chance|surprise|secret|exception|longer|way|need|plans?|change|other|else|new|further|bit|lot|little|single (?:biggest|largest)|last|before|earlier|ago|used to)\b",
    re.I,
)
_STEM: Final = 6


def absence_tensions(pieces: Sequence[Piece], measures: Sequence[Measure]) -> Iterator[Tension]:
    """Sentences that say "not one", where a sentence or a cell tells how many."""
    for piece in pieces:
        match = _NONE.search(piece.text) if piece.origin != "row" else None
        if not match:
            continue
        start, end = clause_of(piece.text, *match.span())
        what = terms_of(match["what"])
        if not what or _HARMLESS.search(piece.text[start:end]):
            continue
        said = [t for t in terms_of(piece.text[start:end]) if not t.features & what[-1].features]
        told = [m for m in measures if _is_one(m, piece, what[-1], said)]
        if len(told) == 1 or (told and len({m.piece.text for m in told}) == 1):
            yield _tension(piece, told[0], match)


def _is_one(measure: Measure, piece: Piece, what: Term, said: Sequence[Term]) -> bool:
    """The measure counts what the sentence says there is none of, in the same respect."""
    if measure.piece is piece or (measure.piece.slide, measure.piece.text) == (piece.slide, piece.text):
        return False
    if (
        measure.amount.kind != COUNT
        or measure.amount.low <= 0
        or measure.amount.value != int(measure.amount.value)
    ):
        return False
    if measure.status not in (ACTUAL, PLANNED) or measure.per or measure.rate or measure.names:
        return False
    if not what.features & measure.noun or any(
        w.kind not in ("relative", "rate", "year") for w in measure.when
    ):
        return False
    others = terms_of(measure.piece.text)
    respect = [t for t in said if any(_is_like(t, o) for o in others)]
    return bool(respect) and 2 * len(respect) >= min(len(said), 3)


def _is_like(a: Term, b: Term) -> bool:
    """One word, one group, or one stem: "to report" and "reportable"."""
    return bool(a.features & b.features) or (
        len(a.plain) >= _STEM - 1 and len(b.plain) >= _STEM - 1 and a.plain[:_STEM] == b.plain[:_STEM]
    )


def _tension(piece: Piece, measure: Measure, match: re.Match[str]) -> Tension:
    kind = "speech-vs-deck" if piece.origin == "speech" else "deck-vs-deck"
    number = " ".join(measure.amount.text.split())
    note = f'"{match[0].strip()}" does not go with "{number}" {place_words(measure.place)}.'
    return Tension(kind, measure.place, piece.place, note)
