"""Which phrases of the library a session can say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from orchestrator.engines.protocol import PhrasesRequest

_SLOT: Final = re.compile(r"\{(\w+)\}")


def fillable(request: PhrasesRequest) -> Mapping[str, list[str]]:
    """The phrases whose slots can all be filled, by heading, as they stand in the library."""
    slots = request.slots
    return {
        heading: [text for text in options if all(slots.get(slot) for slot in _SLOT.findall(text))]
        for heading, options in request.library.items()
    }


def filled(text: str, slots: Mapping[str, str]) -> str:
    """A phrase with its slots filled."""
    return _SLOT.sub(lambda slot: slots[slot[1]], text)
