"""Typed values ↔ plain JSON: what a ledger record carries beside its text.

A value is a frozen dataclass. On disk it is an object with its fields and a `type`;
fields that equal their default are left out, so a later release may add fields with
defaults and still read old ledgers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, partial
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

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
    """The frozen dataclass, or tuple of them, that `to_json` or `tagged` wrote; other keys are passed over.

    Plain code and no pydantic: making its validators took 8 % of the processor time of `greenroom list`, and
    11 % of that of `show`.

    Raises:
        ValueError: *plain* is not of this shape.
    """
    return cast(T, _reader(cast(Hashable, kind))(plain))


@cache
def _reader(kind: Hashable) -> Callable[[Any], Any]:
    """Return the function that reads a *kind*: a dataclass, tuple, mapping, `… | None`, or plain type."""
    parts = get_args(kind)
    if kind is Any:
        return _as_it_is
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        fields = dataclasses.fields(kind)  # a constant of the class is a hint and no field
        return partial(_dataclass, kind, {field.name: _reader(hints[field.name]) for field in fields})
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        return partial(_named_tuple, kind, [_reader(hints[name]) for name in kind._fields])
    if get_origin(kind) is Mapping:
        return partial(_mapping, _reader(parts[1]))
    if get_origin(kind) is tuple:
        return partial(_tuple, *map(_reader, parts[:1])) if parts[-1] is ... else partial(_row, parts)
    if get_origin(kind) is UnionType and len(parts) == 2 and parts[1] is NoneType:
        return partial(_optional, _reader(parts[0]))
    if get_origin(kind) is Literal:
        return partial(_one_of, parts)
    if kind in _TAKEN:
        return partial(_scalar, cast(type, kind), _TAKEN[kind])
    raise TypeError(f"no record holds a value of {kind}")


_TAKEN: Final[Mapping[Hashable, tuple[type, ...]]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (float, int),
}
"""The exact types that JSON may give for a plain type: 3 is a `float`, and `true` is no `int`."""


def _dataclass(kind: type, readers: Mapping[str, Callable[[Any], Any]], plain: Any) -> Any:
    if not isinstance(plain, Mapping):
        raise ValueError(f"{kind.__name__} is no object: {type(plain).__name__}")
    try:
        return kind(**{name: readers[name](value) for name, value in plain.items() if name in readers})
    except TypeError as error:  # a field without a default is not there
        raise ValueError(str(error)) from error


def _named_tuple(kind: Any, readers: Sequence[Callable[[Any], Any]], plain: Any) -> Any:
    try:
        return kind(*(reader(one) for reader, one in zip(readers, _listed(plain), strict=False)))
    except TypeError as error:  # one without a default is not there
        raise ValueError(str(error)) from error


def _mapping(reader: Callable[[Any], Any], plain: Any) -> dict[str, Any]:
    if not isinstance(plain, Mapping):
        raise ValueError(f"no object: {type(plain).__name__}")
    return {str(key): reader(value) for key, value in plain.items()}


def _as_it_is(plain: Any) -> Any:
    return plain


def _tuple(reader: Callable[[Any], Any], plain: Any) -> tuple[Any, ...]:
    return tuple(map(reader, _listed(plain)))


def _row(parts: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:
    return tuple(_reader(kind)(one) for kind, one in zip(parts, _listed(plain), strict=True))


def _listed(plain: Any) -> Sequence[Any]:
    if not isinstance(plain, list | tuple):
        raise ValueError(f"no list: {type(plain).__name__}")
    return plain


def _optional(reader: Callable[[Any], Any], plain: Any) -> Any:
    return None if plain is None else reader(plain)


def _one_of(words: tuple[Any, ...], plain: Any) -> Any:
    if plain not in words:
        raise ValueError(f"none of {', '.join(map(str, words))}")
    return plain


def _scalar(kind: type, taken: tuple[type, ...], plain: Any) -> Any:
    if type(plain) not in taken:
        raise ValueError(f"no {kind.__name__}: {type(plain).__name__}")
    if kind is float and not isfinite(plain):  # Python reads a NaN that JSON does not have
        raise ValueError("no finite number")
    return plain if type(plain) is kind else kind(plain)
