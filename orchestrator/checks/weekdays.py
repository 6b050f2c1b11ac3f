"""A day of the week that its own date does not have: "Friday, 18 April 2026" is a Saturday."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.moments import moments
from orchestrator.checks.passages import Passage
from orchestrator.claims.model import Tension

_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT: Final = {name[:3].lower(): at for at, name in enumerate(_NAMES)}
_NAME: Final = r"(?P<name>Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b\.?"
_IN_FRONT = re.compile(rf"\b{_NAME},?\s+(?:the\s+|on\s+)?$")
_BEHIND = re.compile(rf"^\s?[,(]\s?(?:a\s+)?{_NAME}\s?[,)]")


def weekday_tensions(passages: Sequence[Passage]) -> Iterator[Tension]:
    """Each full date, written with its year, beside which another day of the week stands."""
    for passage in passages:
        for moment in moments(passage.text):
            if moment.yearless or moment.first != moment.last or moment.is_range:
                continue
            text = passage.text
            named = _IN_FRONT.search(text[: moment.start]) or _BEHIND.match(text[moment.end :])
            if named is None:
                continue
            said, real = _SHORT[named["name"][:3].lower()], moment.first.weekday()
            if said != real:
                note = f"{moment.text} is a {_NAMES[real]}, not a {_NAMES[said]}."
                yield Tension("date", passage.place, passage.place, note)
