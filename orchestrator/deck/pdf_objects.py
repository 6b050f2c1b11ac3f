"""Objects of a PDF, followed to where they are and looked into, whatever a broken file put there."""

from __future__ import annotations

from typing import Any


def resolved(value: Any) -> Any:
    """The object that a reference refers to; anything else as it is, operands of a content stream too."""
    return value.get_object() if hasattr(value, "get_object") else value


def entry(dictionary: Any, *keys: Any) -> Any:
    """What dictionaries within dictionaries hold under *keys*; None where one does not or is none."""
    for key in keys:
        dictionary = resolved(dictionary)
        dictionary = dictionary.get(key) if isinstance(dictionary, dict) and key is not None else None
    return resolved(dictionary)
