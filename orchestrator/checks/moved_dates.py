"""A date that has moved: which of the dates of a sentence holds now, and which no longer does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.checks.moments import Moment

_MOVES: Final = (
    r"moved?|moves|moving|postpon\w+|delay\w*|deferred|push(?:ed|es)?|shift(?:ed|s)?|slip(?:s|ped|ping)?|"
    r"reschedul\w+|re-schedul\w+|put (?:back|off)|brought forward|bring\w* forward|pulled (?:in|forward)|"
    r"chang(?:ed|es?)|"
    r"extended|prolonged|set back|corrected|revised|updated"
)
_MOVED_TO = re.compile(
    rf"\b(?:{_MOVES})\b[^.;]*?\b(?:to|until|till|for|into)\s+(?:the\s+)?\W*$", re.IGNORECASE
)
_FROM = re.compile(rf"\b(?:{_MOVES})\b[^.;]*?\bfrom\s+(?:the\s+)?\W*$", re.IGNORECASE)
_OLD = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|previous(?:ly)?|formerly|first planned|at first|instead of|"
    r"rather than|"
    r"no longer|not(?: in| on| by)?|was to|were to|was (?:due|planned|scheduled|expected|meant|supposed|set)|"
    r"had planned|had been|would have|used to|(?<!no )(?<!not )(?:earlier|later) than|old (?:date|plan)|"
    r"not before)\b[^,;.]*$",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|but|new date|instead|is|will be|therefore|becomes|today)\b[^,;.]*$", re.IGNORECASE
)
_CUE = re.compile(
    rf"\b(?:{_MOVES}|original(?:ly)?|initial(?:ly)?|previous(?:ly)?|formerly|instead of|rather than|no "
    rf"longer|"
    r"was to|were to|was (?:due|planned|scheduled|expected|meant|supposed)|had planned|(?<!no )(?<!not "
    r")(?:earlier|later) "
    r"than|ahead of (?:plan|schedule)|behind (?:plan|schedule)|new date|replaces|baseline|old plan|sooner|"
    r"missed|one (?:year|month|quarter) (?:early|late)|(?:weeks?|months?) (?:early|late|earlier|later))\b",
    re.IGNORECASE,
)


def speaks_of_moving(text: str) -> bool:
    """The sentence says that a date is not what it was."""
    return _CUE.search(text) is not None


def moved(text: str, found: Sequence[Moment]) -> tuple[Moment, ...] | None:
    """The dates of *text* that hold, the others being old; None where the words do not say which."""
    new, old = [], []
    for moment in found:
        prefix = re.match(r"(?:[a-z]+\s+)*", moment.text)
        before = text[: moment.start] + (prefix[0] if prefix else "")
        bare = re.sub(r"\b(?:on|in|by|late|early|mid|the|end of)\s*$", "", before, flags=re.IGNORECASE)
        lead = bare[-90:]
        if _FROM.search(lead) or _OLD.search(lead) or re.search(r"\bfrom\s*$", lead, re.IGNORECASE):
            old.append(moment)
        elif _MOVED_TO.search(lead) or re.search(r"\bto\s+(?:the\s+)?$", lead) or _NOW.search(lead):
            new.append(moment)
    if len(new) + len(old) != len(found) or len(new) > 1:
        return None
    return tuple(new)
