"""Sentences of speech, whole: captions cut them into pieces of a few words, each in a record of its own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
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
    _text: str = ""  # the pieces that wait for an end, joined
    _starts: list[tuple[int, int]] = field(default_factory=list)  # where each begins in it, and its record

    def add(self, text: str, seq: int, speaker: str | None) -> Iterator[Sentence]:
        """The sentences that are whole now that *text* was said."""
        if speaker != self.speaker or len(self._text) > LONGEST_TAIL_CHARS:
            yield from self.rest()
        self.speaker = speaker
        self._starts.append((len(self._text), seq))
        self._text += f"{text} "
        bounds = list(sentences(self._text))
        tail = len(self._text)
        if bounds and not _STOP.search(self._text[slice(*bounds[-1])]):
            tail = bounds.pop()[0]
        found = [
            Sentence(self._text[start:end], self._seq_at(start), self._seq_at(end - 1))
            for start, end in bounds
        ]
        waiting = [(start, seq) for start, seq in self._starts if start > tail]
        if tail < len(self._text):
            waiting.insert(0, (tail, self._seq_at(tail)))
        self._text, self._starts = self._text[tail:], [(start - tail, seq) for start, seq in waiting]
        yield from found

    def rest(self) -> Iterator[Sentence]:
        """What waits for its end and will not get one: each piece as it is."""
        whole, starts = self._text, self._starts
        self.drop()
        for (begin, seq), (after, _) in pairwise([*starts, (len(whole), 0)]):
            piece = whole[begin:after]
            for start, end in sentences(piece):
                yield Sentence(piece[start:end], seq, seq)

    def drop(self) -> None:
        """Forget what waits."""
        self._text, self._starts = "", []

    def _seq_at(self, place: int) -> int:
        return self._starts[bisect_right(self._starts, place, key=itemgetter(0)) - 1][1]
