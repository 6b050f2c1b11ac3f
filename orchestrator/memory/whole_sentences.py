"""Sentences of speech, whole: captions cut them into pieces of a few words, each in a record of its own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from orchestrator.material.claims.sentences import sentences

LONGEST_TAIL_CHARS: Final = 500
"""A sentence that goes on for longer, some 80 words, comes of speech without stops, such as captions in
capitals: then each piece stands for itself."""
_STOP = re.compile(r"[.!?…][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, word for word (pieces joined by a space), and the records that it stands in."""

    text: str
    seq: int  # where it begins
    last_seq: int  # where it ends


@dataclass(slots=True)
class Joining:
    """Puts pieces together, of one speaker at a time; what it holds is bounded."""

    speaker: str | None = None
    _pieces: list[tuple[str, int]] = field(default_factory=list)  # that wait for an end, and their records

    def add(self, text: str, seq: int, speaker: str | None) -> Iterator[Sentence]:
        """The sentences that are whole now that *text* was said."""
        if speaker != self.speaker or sum(len(piece) for piece, _ in self._pieces) > LONGEST_TAIL_CHARS:
            yield from self.rest()
        self.speaker = speaker
        pieces = [*self._pieces, (f"{text} ", seq)]
        whole = "".join(piece for piece, _ in pieces)
        bounds, tail = list(sentences(whole)), len(whole)
        if bounds and not _STOP.search(whole[slice(*bounds[-1])]):
            tail = bounds.pop()[0]
        starts = list(accumulate((len(piece) for piece, _ in pieces), initial=0))
        self._pieces = [
            (piece[max(0, tail - start) :], seq)
            for start, (piece, seq) in zip(starts, pieces, strict=False)
            if start + len(piece) > tail
        ]
        for start, end in bounds:
            first, last = (pieces[bisect_right(starts, place) - 1][1] for place in (start, end - 1))
            yield Sentence(whole[start:end], first, last)

    def rest(self) -> Iterator[Sentence]:
        """What waits for its end and will not get one: each piece as it is."""
        pieces = self._pieces
        self.drop()
        for piece, seq in pieces:
            for start, end in sentences(piece):
                yield Sentence(piece[start:end], seq, seq)

    def drop(self) -> None:
        """Forget what waits."""
        self._pieces = []
