"""Sentences of speech, whole: captions cut them into pieces of a few words, each in a record of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from orchestrator.claims.sentences import sentences

LONGEST_TAIL_CHARS: Final = 500
"""A sentence that goes on for longer has no stops: then each piece stands for itself."""
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
    _pieces: list[tuple[str, int]] = field(default_factory=list)

    def add(self, text: str, seq: int, speaker: str | None) -> Iterator[Sentence]:
        """The sentences that are whole now that *text* was said."""
        held = sum(len(piece) + 1 for piece, _ in self._pieces)
        if speaker != self.speaker or held > LONGEST_TAIL_CHARS:
            yield from self.rest()
        self.speaker = speaker
        self._pieces.append((text, seq))
        whole = " ".join(piece for piece, _ in self._pieces)
        bounds = list(sentences(whole))
        if bounds and not _STOP.search(whole[slice(*bounds[-1])]):
            tail = bounds.pop()[0]
        else:
            tail = len(whole)
        found = [
            Sentence(whole[start:end], self._seq_at(start), self._seq_at(end - 1)) for start, end in bounds
        ]
        self._pieces = list(self._behind(tail))
        yield from found

    def rest(self) -> Iterator[Sentence]:
        """What waits for its end and will not get one: each piece as it is."""
        pieces, self._pieces = self._pieces, []
        for text, seq in pieces:
            for start, end in sentences(text):
                yield Sentence(text[start:end], seq, seq)

    def drop(self) -> None:
        """Forget what waits."""
        self._pieces = []

    def _seq_at(self, place: int) -> int:
        for text, seq in self._pieces:
            if place <= len(text):
                return seq
            place -= len(text) + 1
        return self._pieces[-1][1]

    def _behind(self, place: int) -> Iterator[tuple[str, int]]:
        """The pieces from *place* on."""
        for text, seq in self._pieces:
            if place < len(text):
                yield text[max(0, place) :], seq
            place -= len(text) + 1
