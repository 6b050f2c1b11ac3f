"""Words that a recogniser is caught in and writes again and again: said once, as far as anybody knows."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.core.legible import clock
from orchestrator.material.model.segment import LiveSegment
from orchestrator.material.speech.doubt import MOST_COMPRESSED

MIN_TIMES: Final = 4
"""People say a sentence twice, and three times for effect; Whisper's loops go on to the end of its window."""
MIN_TIMES_OF_FEW_WORDS: Final = 10
"""Of one or two words: "No. No. No. No." is said, and "Thank you." through a silence is not."""
_FEW_WORDS: Final = 2
_MAX_PIECES: Final = 4  # of a loop that goes through several sentences
_MAX_WORDS: Final = 40  # of one within a piece
_WORD: Final = re.compile(r"\S+")


def without_loops(pieces: Sequence[LiveSegment]) -> tuple[list[LiveSegment], list[str]]:
    """The pieces with each loop once, at its own time, and a notice for each; all others as they are."""
    kept: list[LiveSegment] = []
    notices: list[str] = []
    said = [(one.speaker, " ".join(one.text.casefold().split())) for one in pieces]
    at = 0
    while at < len(pieces):
        size, times = _loop(said, at)
        until = at + size * times
        for piece in pieces[at : at + size]:
            text, inner = _once(piece.text)
            kept.append(replace(piece, text=text))
            times = max(times, inner)
        if times > 1:
            kept[-1] = replace(kept[-1], end_s=pieces[until - 1].end_s)
            which = f"piece {at + 1}" if until - at == 1 else f"pieces {at + 1} to {until}"
            when = "" if pieces[at].start_s is None else f" ({clock(pieces[at].start_s or 0.0)})"
            notices.append(
                f"{which}{when}: the same words {times} times in a row, "
                "as a recogniser that loops writes them; counted once"
            )
        at = until
    return kept, notices


def _loop(said: Sequence[tuple[str | None, str]], at: int) -> tuple[int, int]:
    """How many pieces from *at* on are said again and again, and how often; (1, 1): none."""
    for size in range(1, min(_MAX_PIECES, (len(said) - at) // MIN_TIMES) + 1):
        times = 1
        while said[at + times * size : at + (times + 1) * size] == said[at : at + size]:
            times += 1
        words = sum(len(text.split()) for _, text in said[at : at + size])
        if times >= (MIN_TIMES if words > _FEW_WORDS else MIN_TIMES_OF_FEW_WORDS):
            return size, times
    return 1, 1


def _once(text: str) -> tuple[str, int]:
    """The text with what it says again and again once, and how often it says it."""
    plain = text.encode()
    if len(plain) <= MOST_COMPRESSED * len(zlib.compress(plain)):
        return text, 1
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].casefold().strip(".,;:!?…") for start, end in spans]
    for at in range(len(words)):
        for size in range(_FEW_WORDS + 1, min(_MAX_WORDS, (len(words) - at) // MIN_TIMES) + 1):
            times = 1
            while words[at + times * size : at + (times + 1) * size] == words[at : at + size]:
                times += 1
            if times >= MIN_TIMES:
                end = at + times * size
                rest = text[spans[end][0] :] if end < len(words) else ""
                return f"{text[: spans[at + size - 1][1]]} {rest}".strip(), times
    return text, 1
