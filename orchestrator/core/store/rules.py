"""The rules of section 3 as functions: may this writer write this text to this file now?

Pure: they look at a row of the layout table, what the ledger says of the file, and the text.
The order of the checks is the caller's (name, immutable, frozen, writer, class, content).

Source: DESIGN.md, section 3.
"""

from __future__ import annotations

from orchestrator.core.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    FileTooLargeError,
    InvalidTextError,
    RevisionLimitError,
    WriterNotAllowedError,
)
from orchestrator.core.table import MAX_APPEND_BYTES, Mutability, SessionFile


def named(row: SessionFile) -> str:
    """A file and its class, as messages begin."""
    return f"{row.path} ({row.mutability})"


def check_writer(row: SessionFile, by: str, writers: tuple[str, ...]) -> None:
    """Raises WriterNotAllowedError unless *by* is one of *writers*."""
    if by not in writers:
        raise WriterNotAllowedError(
            f"{row.path}: {by!r} may not write this {row.mutability} file; "
            f"its writers are {', '.join(writers)}"
        )


def check_create(row: SessionFile, *, is_there: bool) -> None:
    """Raises AlreadyWrittenError if the blueprint is in place already."""
    if is_there:
        raise AlreadyWrittenError(
            f"{row.path}: is {row.mutability} and already there: a blueprint is copied once, at the start"
        )


def check_write(row: SessionFile, *, revisions: int, max_revisions: int) -> str:
    """The ledger's operation for a write of the whole file.

    Raises:
        AppendOnlyError, AlreadyWrittenError, RevisionLimitError: By the file's class.
    """
    if row.mutability is Mutability.APPEND_ONLY:
        raise AppendOnlyError(f"{row.path}: is append-only and cannot be written whole: use append")
    if row.mutability is Mutability.OVERWRITE:
        return "replace"
    if row.mutability is Mutability.WRITE_ONCE:
        if revisions:
            raise AlreadyWrittenError(f"{row.path}: is write-once and has been written: it stays as it is")
        return "write"
    if revisions >= max_revisions:
        raise RevisionLimitError(
            f"{row.path}: is write-few and has had its {max_revisions} revisions: "
            "start a new session, or raise max_revisions in greenroom.yaml before the next one"
        )
    return "revise"


def check_append(row: SessionFile, text: str) -> None:
    """Raises AppendOnlyError for a file of another class, InvalidTextError for no text at all."""
    if row.mutability is not Mutability.APPEND_ONLY:
        raise AppendOnlyError(f"{row.path}: is {row.mutability} and takes no appends: use write")
    if text == "":
        raise InvalidTextError(f"{named(row)}: there is nothing to append: give some text")


def ended(text: str) -> str:
    """*text* with a final newline, if it is text at all; an empty one stays empty."""
    return text + "\n" if isinstance(text, str) and text and not text.endswith("\n") else text


def check_text(row: SessionFile, text: str) -> bytes:
    """The text's bytes.

    Raises:
        TypeError: It is no text.
        InvalidTextError: It is no valid Unicode, or holds NUL.
    """
    if not isinstance(text, str):
        raise TypeError(f"{row.path}: the text is {type(text).__name__}, not str")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidTextError(
            f"{named(row)}: the text is not valid Unicode (position {error.start}): clean it"
        ) from error
    if "\0" in text:
        raise InvalidTextError(f"{named(row)}: the text holds NUL (position {text.index(chr(0))}): remove it")
    return raw


def check_size(row: SessionFile, *, added_bytes: int, size_bytes: int, is_append: bool) -> None:
    """Raises FileTooLargeError if the write, or the file after it, is over the row's limit."""
    if is_append and added_bytes > MAX_APPEND_BYTES:
        raise FileTooLargeError(
            f"{named(row)}: {added_bytes} bytes are over the limit of {MAX_APPEND_BYTES} "
            "for one append: split the text"
        )
    if size_bytes > row.max_bytes:
        raise FileTooLargeError(
            f"{named(row)}: {size_bytes} bytes are over this file's limit of {row.max_bytes}: "
            "shorten the text"
        )
