"""The text of a file that a user gives; whoever reads it says in their own words what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

NO_FILE: Final = "no file"
MISSING: Final = "missing"
BROKEN: Final = "broken"
LARGE: Final = "large"
ENCODING: Final = "encoding"
EMPTY: Final = "empty"


class UnreadableError(Exception):
    """The file gives no text; *trouble* is one of the constants of this module."""

    def __init__(self, trouble: str, reason: str = "") -> None:
        super().__init__(trouble)
        self.trouble = trouble
        self.reason = reason  # of BROKEN, as the system words it


def read_given(path: Path, max_bytes: int) -> str:
    """The file's text, without a byte-order mark.

    Raises:
        UnreadableError: It is no file, cannot be read, is larger than *max_bytes*, empty or no UTF-8 text.
    """
    try:
        if path.exists() and not path.is_file():
            raise UnreadableError(NO_FILE)
        # A pipe or a device was refused above: opening one could wait for ever.
        with path.open("rb") as file:
            raw = file.read(max_bytes + 1)  # one more than allowed tells a file of any size
    except FileNotFoundError:
        raise UnreadableError(MISSING) from None
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no path that can be"
        raise UnreadableError(BROKEN, reason) from None
    if len(raw) > max_bytes:
        raise UnreadableError(LARGE)
    try:
        text = raw.decode("utf-8-sig")  # with the mark that Windows editors put first
    except UnicodeDecodeError:
        raise UnreadableError(ENCODING) from None
    if not text.strip():
        raise UnreadableError(EMPTY)
    return text
