"""Conversion between typed values and plain JSON, for what a ledger record carries beside its text.

A value is a frozen dataclass. On disk it is an object with its fields and a `type`;
fields that equal their default are left out, so a later release may add fields with
defaults and still read old ledgers.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")

_known: set[type] = set()
"""Classes that have been read once."""
_first = RLock()
"""Held while a class is read for the first time. msgspec keeps what it knows of a class at that class, and
puts it there before it is whole; another thread that reads the same class then ends the process (0.22.0)."""


def to_json(value: Any) -> Any:
    """Return a frozen dataclass as plain JSON, without fields that equal their default."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_json(item)
            for field in dataclasses.fields(value)
            # A field whose default is made anew (a list) has none to compare with here, and is written.
            if (item := getattr(value, field.name)) != field.default
        }
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    return value


def from_json(kind: type[T], plain: Any) -> T:
    """Return the dataclass, or tuple of dataclasses, from what `to_json` wrote; other keys are skipped.

    This uses msgspec and not pydantic, whose validators took 8 % of the processor time of `greenroom list`
    and 11 % of that of `show` to build. A reader of our own took three to six times as long for a rehearsal's
    records (`scripts/bench records`).

    Raises:
        ValueError: *plain* does not have the shape of *kind*.
    """
    import msgspec  # 0.03 s to import: only where a record is read

    try:
        if kind in _known:
            return msgspec.convert(plain, kind)
        with _first:
            made = msgspec.convert(plain, kind)
            _known.add(kind)  # a value that is refused may have been refused early
            return made
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
