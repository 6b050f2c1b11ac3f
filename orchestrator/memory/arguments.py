"""Arguments of a tool: a pydantic model is their definition, their JSON schema and their check.

A model fills them in, so anything may come. What is wrong with them is said all at once, each with
the argument, what was measured, the limit, and what to do instead.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails

from orchestrator.errors import GreenroomError
from orchestrator.home.user_list import one_line

_SHOWN_CHARS: Final = 60
"""Of a value that is quoted in a message; it may be a whole transcript."""
_IN_WORDS: Final = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "array": "a list of texts",
}
"""The types of a JSON schema."""


class Arguments(BaseModel):
    """What a tool takes; a field's description is for the model that fills it in."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


A = TypeVar("A", bound=Arguments)

ON_ONE_LINE: Final = BeforeValidator(lambda given: one_line(given) if isinstance(given, str) else given)
"""Spacing is not content: it is neither measured nor kept."""
WHOLE: Final = BeforeValidator(
    lambda given: int(given) if isinstance(given, float) and given.is_integer() else given
)
"""JSON knows one kind of number."""


@dataclass(frozen=True, slots=True)
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


def parsed(kind: type[A], given: Mapping[str, Any]) -> A:
    """The arguments as typed values. A null is as good as an argument that is left out.

    Raises:
        ArgumentsRefusedError: Some are missing, unknown, of another type, or over a limit.
    """
    try:
        return kind.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        found = sorted(error.errors(), key=lambda one: not _is_unknown(one))
        raise ArgumentsRefusedError(*(_problem(one, schema_of(kind)) for one in found)) from None


def schema_of(kind: type) -> dict[str, Any]:
    """The JSON schema (2020-12) of a tool's arguments, or of its result; always the same bytes."""
    plain = TypeAdapter(kind).json_schema(schema_generator=_Plain)
    return {key: value for key, value in plain.items() if key not in ("title", "description")}


class _Plain(GenerateJsonSchema):
    """Without titles and empty defaults, and without null: it is left out of what is sent and of results."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        is_empty = schema.get("default") in (None, (), "")
        return self.generate_inner(schema["schema"]) if is_empty else super().default_schema(schema)


def shown(value: Any) -> str:
    """A value as a message may quote it: one line, and not too long."""
    text = one_line(repr(value))
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def hint(name: str, known: Iterable[str], otherwise: str) -> str:
    """The known name that *name* is a slip of, as a question, or what to do *otherwise*."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else otherwise


def _is_unknown(error: ErrorDetails) -> bool:
    # Without a place: a name that is no Unicode.
    return error["type"] in ("extra_forbidden", "invalid_key") or not error["loc"]


def _problem(error: ErrorDetails, schema: Mapping[str, Any]) -> Problem:
    """An error of pydantic's in our words, with what to do instead."""
    known, value, limits = schema["properties"], error["input"], error.get("ctx", {})
    if _is_unknown(error):
        name = str(error["loc"][0] if error["loc"] else value)
        do = hint(name, known, f"leave it out; there are {', '.join(known) or 'none'}")
        return Problem(shown(name), "is no argument of this tool", do)
    name, *places = map(str, error["loc"])
    about = known[name]["items"] if places else known[name]
    name += "".join(f"[{place}]" for place in places)
    found = f"is {shown(value)}"
    match error["type"]:
        case "missing":
            do = f"give {_IN_WORDS[about['type']]} ({about['description']})"
            return Problem(name, "is missing", do)
        case "literal_error" if isinstance(value, str):
            choices = ", ".join(about["enum"])
            return Problem(name, found, f"use one of {choices}", shown(value), choices)
        case "string_too_long":
            size, limit = len(value), limits["max_length"]
            problem = f"has {size:,} characters (limit {limit:,})"
            return Problem(name, problem, f"shorten it by {size - limit:,}", size, limit)
        case "too_long":
            size, limit = len(value), limits["max_length"]
            return Problem(name, f"has {size} entries", f"keep the {limit} that matter most", size, limit)
        case "greater_than_equal":
            return Problem(name, found, f"must be at least {limits['ge']:g}", value, limits["ge"])
        case "less_than_equal":
            return Problem(name, found, f"must be at most {limits['le']:g}", value, limits["le"])
    return Problem(name, found, f"give {_IN_WORDS[about['type']]}", shown(value))
