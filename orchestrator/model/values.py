"""Typed values ↔ plain JSON: what a ledger record carries beside its text.

A value is a frozen dataclass. On disk it is an object with its fields and a `type`;
fields that equal their default are left out, so a later release may add fields with
defaults and still read old ledgers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """Plain JSON of a frozen dataclass, without fields that equal their default."""
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


def tagged(type_: str, value: Any) -> dict[str, Any]:
    """The value as it stands in a record: its type first, then its fields."""
    return {"type": type_, **to_json(value)}


def from_json(kind: type[T], plain: Any) -> T:
    """The frozen dataclass that `to_json` or `tagged` wrote.

    Raises:
        pydantic.ValidationError: *plain* is not of this shape.
    """
    result: T = _adapter(cast(Hashable, kind)).validate_python(plain)
    return result


@cache
def _adapter(kind: Hashable) -> Any:
    from pydantic import TypeAdapter  # 0.1 s to import: only where values are read

    adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, kind))
    return adapter
