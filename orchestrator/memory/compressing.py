"""Compression: what is left of entries that are no longer recent, in a few verbatim sentences.

By extraction: of all that was said, the sentences that tell most (figures, names) are
kept, word for word, and of everything else only how much there was. So nothing is made up, and the
digest is as small after a million entries as after a hundred. An engine may write the prose instead
(`Condense`); what it writes is cut at the same bound, and where it fails the extraction stands.

Source: the seed of the Scribe (000), "Compression is mandatory"; DESIGN.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Final

from orchestrator.claims.numbers import numbers_in
from orchestrator.memory.scribe_notes import SessionEntry, cut

MAX_RECENT: Final = 10
COMPRESS_PAST: Final = 20
"""Both are the seed's: `max_recent_entries` and `summarize_threshold`."""

MAX_LINES: Final = 5
MAX_LINE_BYTES: Final = 240
MAX_PROSE_BYTES: Final = 1_200
_FEWEST_WORDS: Final = 6

Condense = Callable[[str, Sequence[SessionEntry]], str]
"""Gives the new prose, from the prose so far and the entries that leave."""

_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that was said, and how much it tells."""

    score: int
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What is left of the entries that were compressed."""

    entries: int = 0
    lines: tuple[Line, ...] = ()  # in the order in which they were said
    prose: str = ""  # an engine's, where there is one


def compressed(digest: Digest, leaving: Sequence[SessionEntry], lines: Sequence[Line]) -> Digest:
    """The digest with these entries in it as well, and the sentences of what was said."""
    return replace(digest, entries=digest.entries + len(leaving), lines=most_telling([*digest.lines, *lines]))


def most_telling(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The few that tell most, in the order in which they were said; of equal ones the first."""
    found = nsmallest(MAX_LINES, lines, key=lambda one: (-one.score, one.seq))
    return tuple(sorted(found, key=lambda one: one.seq))


def line_of(words: str, seq: int) -> Line | None:
    """A sentence that may be kept; None: it tells nothing, or is too long to be kept whole."""
    spoken = words.casefold().split()
    if len(spoken) < _FEWEST_WORDS or len(words.encode()) > MAX_LINE_BYTES or words.endswith("?"):
        return None
    score = 3 * min(2, len(numbers_in(words))) + bool(_NAME.search(words))
    return Line(score, seq, words) if score else None


def told(digest: Digest, leaving: Sequence[SessionEntry], condense: Condense) -> Digest:
    """The digest with an engine's prose.

    Raises whatever the engine raises.
    """
    return replace(digest, prose=cut(" ".join(condense(digest.prose, leaving).split()), MAX_PROSE_BYTES))
