"""Data as it stands in a prompt: JSON on one line, in which nothing begins a line or a frame."""

from __future__ import annotations

import json


def as_data(value: object) -> str:
    """*value* as JSON, equal for equal values, framed."""
    return framed(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(", ", ": ")))


def framed(text: str) -> str:
    """JSON in which no character begins a line or a frame, whatever separates lines for who reads it."""
    for character in ("^", "\u0085", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
