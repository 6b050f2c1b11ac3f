"""What a record carries beside its text: one frozen dataclass for each type, and JSON on the disk.

On the disk a value is an object with a `type`, a version `v` where that is above 1, and the fields of its
class; fields that equal their default are left out. A field that no class has is passed over, and a type or
version without a class is `Unread`: a later release, or another program, wrote it, and it stays as it is.
"""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, TypeVar

from orchestrator.core.errors import FileTooLargeError, UsageError
from orchestrator.core.legible import mapping_argument
from orchestrator.core.values import from_json, to_json

V = TypeVar("V", bound="Value")


@dataclass(frozen=True, slots=True)
class Bearing:
    """A record's bearing on who may hear what was said off the record."""

    exchange: str | None = None  # the one that it belongs to
    words: str | None = None  # what was said aloud, where the record's text holds more than that
    speaker: str | None = None
    opens: bool = False  # an exchange, with which what was said off the record before is over
    closes: bool = False  # the exchange
    moves_on: bool = False  # the talk does: nobody is off the record any more
    is_answer: bool | None = None  # it is about an exchange's answer; None: if it is appended somewhere


_NO_BEARING: Final = Bearing()


class Value:
    """The base class of all values of records: a frozen dataclass with the name and version of its type."""

    __slots__ = ()
    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1

    @property
    def type(self) -> str:
        """The name of the value's type, as it stands on the disk."""
        return self.TYPE

    @property
    def bearing(self) -> Bearing:
        """The value's bearing on who may hear what was said off the record."""
        return _NO_BEARING

    def plain(self) -> dict[str, Any]:
        """Return the value as JSON has it: the type, the version above 1, the fields."""
        version = {"v": self.VERSION} if self.VERSION != 1 else {}
        return {"type": self.TYPE, **version, **to_json(self)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        """Return the value that `plain` wrote; keys that are no field are passed over.

        Raises:
            ValueError: It is not of this shape.
        """
        return from_json(cls, plain)


@dataclass(frozen=True, slots=True)
class Unread(Value):
    """A value whose type or version this release has no class for, as it is; or a program's own note."""

    fields: Mapping[str, Any]

    @property
    def type(self) -> str:
        return str(self.fields.get("type"))

    def plain(self) -> dict[str, Any]:
        return dict(self.fields)


MAX_NOTE_BYTES: Final = 1024 * 1024
"""Maximum size of a program's own note, as JSON: as much as one append takes."""
_OWN = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9._-]+")


def own_note(type_: str, fields: Mapping[str, Any]) -> Unread:
    """Return a program's own note, which this package carries along unread.

    Args:
        type_: A name with a prefix of the program's own: "review.finding".
        fields: What it says, as JSON; not `type`, which is the first argument.

    Raises:
        UsageError: The name has no such prefix, or the fields have a `type`.
        TypeError: The fields are no mapping.
        FileTooLargeError: They are longer than `MAX_NOTE_BYTES`.
    """
    if not isinstance(type_, str) or not _OWN.fullmatch(type_):
        raise UsageError(
            f"{str(type_)[:40]!r} is no type for a note of your own: give it a prefix that is yours, as in "
            "review.finding; names without one are the core's and the board panel's",
            value=str(type_)[:40],
        )
    said = mapping_argument("fields", fields, '{"severity": "high"}')
    if "type" in said:
        raise UsageError(
            f"the fields of {type_} have a `type`, which is taken: the note's own type stands there: use "
            "another name, as in `kind`",
            value="type",
        )
    note = Unread({"type": type_, **said})
    size = _length(note)
    if size > MAX_NOTE_BYTES:
        raise FileTooLargeError(
            f"{type_}: {size} bytes are over the limit of {MAX_NOTE_BYTES} for one note; "
            "nothing was written: write the text to a file, and name that in the note"
        )
    return note


def _length(note: Unread) -> int:
    """Return the bytes of a note as JSON; what is not JSON is refused where it is written."""
    try:
        return len(json.dumps(note.fields, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError):
        return 0


Kinds = Mapping[tuple[str, int], type[Value]]
"""The classes that a reader knows, by type and version."""


def kinds_of(*classes: type[Value]) -> Kinds:
    """Return *classes* by their types and versions."""
    return {(one.TYPE, one.VERSION): one for one in classes}


class Held:
    """A record's value as it stands in the ledger, and as the class that a reader asked for."""

    __slots__ = ("_as", "fields")

    def __init__(self, fields: Mapping[str, Any], value: Value | None = None) -> None:
        self.fields: Final = fields
        self._as = value

    @property
    def written(self) -> Value | None:
        """The value that it was made of, where it was not read."""
        return self._as

    @property
    def is_sensitive(self) -> bool:
        """Whether a program noted (`"sensitive": true`) that what stands here is to stay in the session."""
        return bool(self.fields.get("sensitive"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]  # what it holds has none either

    def __repr__(self) -> str:
        return f"Held({self.fields!r})"

    @property
    def type(self) -> str:
        """The name of its type; "" where it has none."""
        found = self.fields.get("type")
        return found if isinstance(found, str) else ""

    def among(self, kinds: Kinds) -> Value:
        """Return the value as one of *kinds*, else as `Unread`.

        Raises:
            ValueError: It is not of the shape that its class has.
        """
        version = self.fields.get("v", 1)
        kind = kinds.get((self.type, version)) if isinstance(version, int) else None
        return self.read(kind) if kind is not None else Unread(self.fields)

    def read(self, kind: builtins.type[V]) -> V:
        """Return the value as a *kind*.

        Raises:
            ValueError: It is not of that shape.
        """
        if not isinstance(self._as, kind):
            self._as = kind.read(self.fields)
        return self._as


def held(value: Value | None) -> Held | None:
    """Return a value as a record carries it.

    Raises:
        TypeError: It is a mapping, or whatever else a program gives that reads no types.
    """
    if value is None:
        return None
    if not isinstance(value, Value):
        raise TypeError(
            f"a record's value is a {type(value).__name__}: give a value of a class of its own; "
            "for a note of your own its type and its fields"
        )
    return Held(value.plain(), value)
