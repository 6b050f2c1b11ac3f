"""A drill's origin: the question of an earlier session that it puts again, kept in its first record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

KEY: Final = "drill"
"""In the value of a session's first record; absent where the session is no drill."""


@dataclass(frozen=True, slots=True)
class Drilled:
    """One question of an earlier session."""

    session: str
    exchange: str  # its id there

    def value(self) -> dict[str, str]:
        """As it stands in the first record."""
        return asdict(self)


def drilled_of(opened: Mapping[str, Any]) -> Drilled | None:
    """The question that a session was begun to put again, from the value of its first record."""
    plain = opened.get(KEY)
    return Drilled(plain["session"], plain["exchange"]) if plain is not None else None
