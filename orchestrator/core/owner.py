"""Whose a session is: who was signed in when it was started, and the groups of that moment.

It stands in the session's first record under the optional key `owner`, so nobody can change it afterwards. A
session without one was started where nobody has to sign in.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line

MAX_IDENTITY_CHARS: Final = 80
"""Maximum number of characters of an identity: it is the presenter's name as well, and the form for that name
takes as many."""
MAX_GROUPS: Final = 50
"""Maximum number of groups of one session, our own bound: all of them stand in a cookie of 4 kB as well."""
MAX_GROUP_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a session is.

    Args:
        identity: Who started it, as `identity_of` spells it.
        groups: The groups to which that person belonged then.
    """

    identity: str
    groups: tuple[str, ...] = ()


def check_owner(owner: Owner) -> None:
    """Refuse an owner that a first record could not name, or not for good.

    Raises:
        UsageError: The identity is not as `identity_of` spells it, or there are too many groups.
    """
    if not owner.identity or identity_of(owner.identity) != owner.identity:
        shown = owner.identity[:MAX_IDENTITY_CHARS]
        raise UsageError(f"owner {shown!r}: is no identity: write it in small letters, on one line")
    if len(owner.groups) > MAX_GROUPS or any(len(one) > MAX_GROUP_CHARS for one in owner.groups):
        limits = f"at most {MAX_GROUPS} groups of at most {MAX_GROUP_CHARS} characters"
        raise UsageError(f"owner {owner.identity}: has {len(owner.groups)} groups: give {limits}")


def identity_of(text: str) -> str:
    """Return the one spelling of an identity: small letters, on one line, without spaces around it.

    Return "" if *text* names nobody: it is blank or too long, or it only looks like another identity, or
    memory, which compares names more loosely, would take it for another. Else somebody who may choose a name
    at the provider could be whoever they like: by wide letters, letters that nobody sees, or a sharp s.
    """
    given = " ".join(text.split())
    plain = unicodedata.normalize("NFC", given)
    is_as_written = given in (plain, unicodedata.normalize("NFD", given))  # accents apart or not
    looks_like_another = (
        not is_as_written or unicodedata.normalize("NFKC", plain) != plain or one_line(plain) != plain
    )
    folded = plain.lower()
    if looks_like_another or folded != plain.casefold() or unicodedata.normalize("NFKC", folded) != folded:
        return ""
    return folded if folded.isprintable() and len(folded) <= MAX_IDENTITY_CHARS else ""
