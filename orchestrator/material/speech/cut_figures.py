"""Figures that the end of a caption cuts in two: "4.2 | million", "twenty | two percent", "two | years"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.model.segment import LiveSegment

_EDGE_CHARS: Final = 60  # on either side of a cut: longer than any figure with its unit
_MAX_GAP_S: Final = 2.0  # a longer silence ends a sentence


def with_whole_figures(pieces: Sequence[LiveSegment]) -> list[LiveSegment]:
    """Give the words of a figure that is cut to the piece where it begins; all else stays as it is.

    "… to 4.2 | million in 2025" becomes "… to 4.2 million | in 2025": the words stay in their order,
    and each piece keeps its times. A piece of which nothing is left ends the one before.
    """
    whole: list[LiveSegment] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        length = _cut_off(last, piece) if last is not None else 0
        if last is not None and length:
            rest = piece.text[length:].lstrip()
            whole[-1] = replace(
                last, text=f"{last.text} {piece.text[:length]}", end_s=last.end_s if rest else piece.end_s
            )
            piece = replace(piece, text=rest)
        if piece.text:
            whole.append(piece)
    return whole


def _cut_off(last: LiveSegment, piece: LiveSegment) -> int:
    """How many characters of a piece belong to a figure that begins in the one before.

    None between two digits: "we hired 12 | 300 of them left" are two figures.
    """
    if (last.speaker, last.slide) != (piece.speaker, piece.slide):
        return 0
    if last.text[-1:].isdigit() and piece.text[:1].isdigit():
        return 0
    if last.end_s is not None and piece.start_s is not None and piece.start_s - last.end_s > _MAX_GAP_S:
        return 0
    before, after = last.text[-_EDGE_CHARS:], piece.text[:_EDGE_CHARS]
    cut = len(before)
    end = next((one.end for one in numbers_in(f"{before} {after}") if one.start < cut < one.end - 1), None)
    if end is None:
        return 0
    behind = piece.text[end - cut - 1 :]
    return end - cut - 1 + len(behind) - len(behind.lstrip(".,;:!?%)"))
