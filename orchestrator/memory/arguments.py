"""Arguments of a tool: a frozen dataclass is their definition, their JSON schema and their check.

A model fills them in, so anything may come. What is wrong with them is said all at once, each with
the argument, what was measured, the limit, and what to do instead.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

from orchestrator.entries import one_line
from orchestrator.errors import GreenroomError

T = TypeVar("T")

_SHOWN_CHARS: Final = 60
"""Of a value that is quoted in a message; it may be a whole transcript."""
_JSON_TYPES: Final = {str: "string", float: "number", int: "integer", bool: "boolean"}
_IN_WORDS: Final = {str: "a text", float: "a number", int: "a whole number", bool: "true or false"}


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """What an argument may be, beyond its type."""

    about: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    max_chars: int | None = None  # of a text, or of each of a list's
    max_items: int | None = None
    is_line: bool = False  # spacing is not content: it is taken as one line with single spaces


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the arguments of a call."""

    argument: str
    problem: str
    do: str
    measured: float | str | None = None
    limit: float | str | None = None

    def __str__(self) -> str:
        return f"{self.argument} {self.problem}: {self.do}"


class ArgumentsRefusedError(GreenroomError):
    """A tool was called with arguments that cannot be meant; nothing was done."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(f"{'; '.join(map(str, problems))}. Nothing was done")
        self.problems = problems


def argument(about: str, *, default: Any = dataclasses.MISSING, **limits: Any) -> Any:
    """A field of an arguments class: what it is for, in words for a model, and its `Limits`."""
    return dataclasses.field(default=default, metadata={"limits": Limits(about, **limits)})


def schema_of(kind: type) -> dict[str, Any]:
    """The JSON schema (2020-12) of an arguments class, or of a class of results."""
    properties, required = {}, []
    for field, hint, limits in _fields(kind):
        properties[field.name] = _schema(hint, limits)
        if field.default is dataclasses.MISSING:
            required.append(field.name)
        elif field.default not in (None, (), ""):
            properties[field.name]["default"] = field.default
    plain: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        plain["required"] = required
    if any("limits" in field.metadata for field in dataclasses.fields(kind)) or not properties:
        plain["additionalProperties"] = False  # arguments; results may grow with a later release
    return plain


def parsed(kind: type[T], given: Mapping[str, Any]) -> T:
    """The arguments as typed values. A null is as good as an argument that is left out.

    Raises:
        ArgumentsRefusedError: Some are missing, unknown, of another type, or over a limit.
    """
    fields = {field.name: (field, hint, limits) for field, hint, limits in _fields(kind)}
    problems = [_unknown(str(name), tuple(fields)) for name in given if name not in fields]
    values: dict[str, Any] = {}
    for name, (field, hint, limits) in fields.items():
        value = given.get(name)
        if value is None:
            if field.default is dataclasses.MISSING:
                problems.append(Problem(name, "is missing", f"give {_in_words(hint)} ({limits.about})"))
            continue
        values[name], found = _checked(name, value, _bare(hint), limits)
        problems += found
    if problems:
        raise ArgumentsRefusedError(*problems)
    return kind(**values)


def _fields(kind: type) -> tuple[tuple[dataclasses.Field[Any], Any, Limits], ...]:
    """Each field with its type and limits."""
    found: tuple[tuple[dataclasses.Field[Any], Any, Limits], ...] = _read_fields(cast(Hashable, kind))
    return found


@cache
def _read_fields(hashable: Hashable) -> tuple[tuple[dataclasses.Field[Any], Any, Limits], ...]:
    kind = cast(type, hashable)  # a cache takes only what is hashable, and mypy asks for its word
    hints = get_type_hints(kind)
    return tuple(
        (field, hints[field.name], field.metadata.get("limits", Limits()))
        for field in dataclasses.fields(kind)
    )


def _bare(hint: Any) -> Any:
    """The type itself where it may also be None."""
    if get_origin(hint) is UnionType:
        return next(one for one in get_args(hint) if one is not NoneType)
    return hint


def _schema(hint: Any, limits: Limits) -> dict[str, Any]:
    kind = _bare(hint)
    if get_origin(kind) is tuple:
        item = dataclasses.replace(limits, about="", max_items=None)
        plain: dict[str, Any] = {"type": "array", "items": _schema(get_args(kind)[0], item)}
    elif dataclasses.is_dataclass(kind) and isinstance(kind, type):
        plain = schema_of(kind)
    else:
        plain = {"type": _JSON_TYPES[kind]}
        pairs = {"minimum": limits.low, "maximum": limits.high, "maxLength": limits.max_chars}
        plain |= {key: value for key, value in pairs.items() if value is not None}
        if limits.choices:
            plain["enum"] = list(limits.choices)
    if limits.max_items is not None:
        plain["maxItems"] = limits.max_items
    return {"description": limits.about, **plain} if limits.about else plain


def _unknown(name: str, known: tuple[str, ...]) -> Problem:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    do = f"did you mean {near[0]}?" if near else f"leave it out; there are {', '.join(known) or 'none'}"
    return Problem(_shown(name), "is no argument of this tool", do)


def _in_words(hint: Any) -> str:
    kind = _bare(hint)
    return "a list of texts" if get_origin(kind) is tuple else _IN_WORDS[kind]


def _checked(name: str, value: Any, kind: Any, limits: Limits) -> tuple[Any, list[Problem]]:
    if get_origin(kind) is tuple:
        return _checked_list(name, value, limits)
    is_bool = isinstance(value, bool)
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number
    fits = isinstance(value, int | float) and isfinite(value) if kind is float else isinstance(value, kind)
    if not fits or is_bool != (kind is bool):
        return value, [Problem(name, f"is {_shown(value)}", f"give {_in_words(kind)}", _shown(value))]
    if kind is str:
        value = one_line(value) if limits.is_line else value
        return value, list(_text_problems(name, value, limits))
    return value, list(_number_problems(name, value, limits))


def _checked_list(name: str, value: Any, limits: Limits) -> tuple[Any, list[Problem]]:
    if not isinstance(value, list | tuple):
        return value, [Problem(name, f"is {_shown(value)}", "give a list of texts", _shown(value))]
    problems = []
    if limits.max_items is not None and len(value) > limits.max_items:
        do = f"keep the {limits.max_items} that matter most"
        problems.append(Problem(name, f"has {len(value)} entries", do, len(value), limits.max_items))
    texts = []
    for number, one in enumerate(value):
        text, found = _checked(f"{name}[{number}]", one, str, limits)
        texts.append(text)
        problems += found
    return tuple(texts), problems


def _text_problems(name: str, text: str, limits: Limits) -> Iterator[Problem]:
    if limits.choices and text not in limits.choices:
        choices = ", ".join(limits.choices)
        yield Problem(name, f"is {_shown(text)}", f"use one of {choices}", _shown(text), choices)
    if limits.max_chars is not None and len(text) > limits.max_chars:
        over = len(text) - limits.max_chars
        problem = f"has {len(text):,} characters (limit {limits.max_chars:,})"
        yield Problem(name, problem, f"shorten it by {over:,}", len(text), limits.max_chars)


def _number_problems(name: str, number: float, limits: Limits) -> Iterator[Problem]:
    low, high = limits.low, limits.high
    if low is not None and number < low:
        yield Problem(name, f"is {number:g}", f"must be at least {low:g}", number, low)
    if high is not None and number > high:
        yield Problem(name, f"is {number:g}", f"must be at most {high:g}", number, high)


def _shown(value: Any) -> str:
    """A value as a message may quote it: one line, and not too long."""
    text = one_line(repr(value))
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
