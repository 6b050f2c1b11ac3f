"""Text as its reader sees it: without control, direction, zero-width or tag characters.

A terminal obeys control characters, and text that no person can see may contain orders for a model. So text
from outside is cleaned where it comes in (`one_line`, `page`). Text in older sessions was not cleaned, so
when it is printed each such character is replaced by a sign (`printable`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Protocol, TypeVar, runtime_checkable

from orchestrator.core.errors import InvalidTextError

T = TypeVar("T")

INVISIBLE: Final = re.compile(
    "["
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # hyphens, marks, overrides
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # which form of a letter or emoji is meant
    "\ufff9-\ufffb\ufffe\uffff"  # annotation marks, non-characters
    "\U000e0000-\U000e007f"  # tag characters: a way to hide instructions in plain text
    "]"
    "|(?<![\u0590-\u1fff])[\u200c\u200d]"  # joiners, but where scripts need them (Arabic, Indic)
)
"""Characters that take no space on a page."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")  # a bare CR overwrites
UNSEEN: Final = re.compile(f"{_CONTROL.pattern}|{INVISIBLE.pattern}")
"""Characters that may not be in a printed line."""
_HALF: Final = re.compile("[\ud800-\udfff]")  # of a character; JSON can spell one, and UTF-8 has none


ADDRESS_FORMS: Final = "the name of a folder, or s3://bucket/prefix"
"""The addresses of archives, as messages say what to give."""


def one_line(text: str) -> str:
    """Return text from outside as one line with single spaces, so that it cannot start a line of our
    output."""
    return " ".join(page(text).split())


def page(text: str) -> str:
    """Return text from outside with its lines and tabs as they are; a control character becomes a space."""
    if not text.isascii():
        text = INVISIBLE.sub("", _HALF.sub("\ufffd", text))
    return _CONTROL.sub(" ", text)


def text_argument(name: str, value: object, *, max_chars: int | None = None, do: str = "") -> str:
    """Return *value*, which a caller gave as the argument *name*, if it is text that can be recorded.

    Args:
        do: What to give in its place, for the message; "": text.

    Raises:
        TypeError: It is no str.
        InvalidTextError: It is no valid Unicode, or holds NUL.
        ValueError: It has more than *max_chars* characters.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, not str: give {do or 'text'}")
    if _HALF.search(value) or "\0" in value:
        raise InvalidTextError(f"{name} is not valid Unicode text, or holds NUL: write it anew")
    if max_chars is not None and len(value) > max_chars:
        raise ValueError(f"{name} has {len(value):,} characters; at most {max_chars:,} are taken: shorten it")
    return value


def said_argument(name: str, value: object) -> str:
    """Return words passed in as the argument *name*, unchanged; lone surrogates are replaced where they are
    stored.

    Raises:
        TypeError: *value* is not a str.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, not str: give text")
    return value


@runtime_checkable
class HasId(Protocol):
    """A receipt, as far as a write needs to know it."""

    @property
    def id(self) -> str:
        """The receipt's id."""


def receipt_id(given: str | HasId | None) -> str | None:
    """Return the id of a receipt that is passed in as itself or as its id; None if *given* is None.

    Raises:
        TypeError: *given* is neither a receipt nor an id.
        InvalidTextError: The id is not text that can be recorded.
    """
    if given is None:
        return None
    do = "a context's `receipt`, or its id"
    if isinstance(getattr(given, "receipt", None), HasId):  # the context itself
        do = "its `receipt`, as in `receipt=context.receipt`"
    return text_argument("receipt", getattr(given, "id", given), do=do)


def whole_argument(name: str, value: object) -> int:
    """Return *value*, passed in as the argument *name*, if it is a whole number.

    Raises:
        TypeError: *value* is not a whole number.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is {type(value).__name__}, not int: give a whole number")
    return value


def mapping_argument(name: str, value: Mapping[str, T] | None, do: str) -> dict[str, T]:
    """Return a copy of *value*, a mapping by text given as the argument *name*; an empty one for None.

    Args:
        do: Such a mapping, for the message.

    Raises:
        TypeError: It is none, or a key is no str.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {type(value).__name__}, not a mapping: give one, such as {do}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(
                f"{name} has the key {key!r}, which is {type(key).__name__}, not str: "
                f"give keys of text, as in {do}"
            )
    return dict(value)


def number_argument(name: str, value: object, *, most: float) -> float:
    """Return *value*, passed in as the argument *name*, if it is a number from 0 to *most*.

    Raises:
        TypeError: *value* is not a number.
        ValueError: *value* is out of that range, infinite or NaN.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} is {type(value).__name__}, not a number: give one from 0 to {most:g}")
    if not 0 <= value <= most:
        raise ValueError(f"{name} is {value!r}: give a number from 0 to {most:g}")
    return float(value)


def printable(text: str) -> str:
    """Return *text* with "�" for each invisible or control character, so that a terminal obeys none of it.

    Its lines are kept.
    """
    return UNSEEN.sub("�", text)


def clock(seconds: float) -> str:
    """Format session or recording time as minutes and seconds, "3:20"; with hours only from one hour on."""
    hours, rest = divmod(int(seconds), 3600)
    if hours:
        return f"{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{rest // 60}:{rest % 60:02}"


def clipped(text: str, most_chars: int) -> str:
    """Cut *text* to at most *most_chars* characters, with a mark where something is missing."""
    return text if len(text) <= most_chars else text[: most_chars - 1] + "…"


def shown(text: str) -> str:
    """Return text from outside as one line that a terminal shows but does not obey; leading spaces stay."""
    margin = text[: len(text) - len(text.lstrip(" "))]
    return margin + " ".join(printable(text).split())


def counted(number: int, one: str, several: str = "") -> str:
    """Format a number with its noun: "1 slide", "3 slides"; *several* is the plural if it is not *one*
    with an "s"."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
