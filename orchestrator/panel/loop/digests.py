"""Digests by which a candidate question's inputs are known again: compared with each other, and shown.

They are no proof of anything (the files' own SHA-256 are), so a record holds the first digits of each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

DIGEST_CHARS: Final = 16
"""Hex digits, 64 bits: a session compares some thousand of them, so that two are equal by chance once in
10^13 sessions; and as many as `candidate-question.md` shows."""


def digest(parts: Iterable[str]) -> str:
    """Return the first digits of the SHA-256 of texts, as one."""
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:DIGEST_CHARS]


def is_same_digest(one: str | None, other: str | None) -> bool:
    """Return whether two digests are of the same texts; one that is missing or empty is of none.

    The longer is compared by as many digits as the shorter has: a session that release 0.1.0 began goes on,
    and its records hold all 64 digits, as does a record's own SHA-256.
    """
    if not one or not other:
        return False
    chars = min(len(one), len(other))
    return one[:chars] == other[:chars]
