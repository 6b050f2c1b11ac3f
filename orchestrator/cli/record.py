"""Commands of a session's record, whatever its crew: start, append, write, note.

They go through the store alone: the table in the session's first record says which files there are, of which
class, and who writes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import Name, option
from orchestrator.cli.screen import Screen
from orchestrator.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from orchestrator.core.store.store import Store
    from orchestrator.core.store.transaction import Draft

FilePath = Annotated[
    str,
    typer.Argument(metavar="PATH", help="The file, as the session's table names it: shared/meeting.md."),
]
Text = Annotated[
    str, typer.Argument(metavar="TEXT|-", help="The text; - reads it from stdin, byte for byte.")
]
Writer = Annotated[str, option("WRITER", "Who writes: one of the file's writers.")]
ReceiptId = Annotated[str | None, option("ID", "The receipt of the context that the text came from.")]


def start(
    session: Annotated[str, typer.Argument(metavar="ID", help="The new session's id.")],
    file: Annotated[
        list[str] | None,
        option("PATH=FILE", "A file that it begins with, by its path in the table; may be repeated."),
    ] = None,
    agents: Annotated[
        str | None, option("A,B,C", "Who takes the table's seats; default: all of this home.")
    ] = None,
    title: Annotated[str, option("TEXT", "What the session is about.")] = "",
    date: Annotated[str | None, option("DAY", "The day that it is about, YYYY-MM-DD.")] = None,
    field: Annotated[
        list[str] | None,
        option("NAME=TEXT", "What a blueprint of the home names so; may be repeated."),
    ] = None,
) -> None:
    """Start a session of this home's crew, by its own table.

    A rehearsal is started by `greenroom start DECK`. FILE may be -, for stdin.
    """
    from orchestrator.cli.arguments import names_in
    from orchestrator.documents.opening import start_crew
    from orchestrator.documents.session import started_json

    screen = Screen.current
    files = {path: _text_of(source) for path, source in _pairs(file, "--file PATH=FILE")}
    with start_crew(
        screen.open_home(),
        session,
        files,
        title=title,
        agents=names_in(agents),
        date=date,
        fields=dict(_pairs(field, "--field NAME=TEXT")),
        say=screen.warn,
    ) as started:
        plain = started_json(started)
    who = f"{plain['crew']} with {', '.join(plain['agents'])}"
    screen.result({"version": 1, **plain}, f"{plain['session']} is started: {who}\n{plain['path']}")


def append(session: Name, path: FilePath, text: Text, by: Writer, receipt: ReceiptId = None) -> None:
    """Add a text to the end of an append-only file.

    A missing final newline is added.
    """
    words = _given(text)
    with _opened(session) as store:
        store.layout.file(path)  # before the lock is waited for
        with store.transaction() as tx:
            tx.append(path, words, by=by, receipt=receipt)
            number = _last(tx)
        _show(store, number, f"appended to {path}")


def write(session: Name, path: FilePath, text: Text, by: Writer, receipt: ReceiptId = None) -> None:
    """Write a whole file: once, a few times or always, by its class.

    The text stands in the file as it is given.
    """
    words = _given(text)
    with _opened(session) as store:
        store.layout.file(path)
        with store.transaction() as tx:
            tx.write(path, words, by=by, receipt=receipt)
            number = _last(tx)
        _show(store, number, f"{path} is written")


def note(
    session: Name,
    type_: Annotated[
        str,
        typer.Argument(metavar="TYPE", help="Its name, with a prefix of your own: review.finding."),
    ],
    fields: Annotated[
        str, typer.Argument(metavar="JSON|-", help="What it says, as a JSON object; - reads it from stdin.")
    ],
    by: Annotated[str, option("WRITER", "Who decided.")],
) -> None:
    """Record a decision of your own program.

    It has a type and says what you like; it stands in the ledger and in no file.
    """
    value = _object(_given(fields))
    with _opened(session) as store:
        number = store.note(type_, value, by=by)
        _show(store, number, f"{type_} is noted")


@contextmanager
def _opened(name: str) -> Iterator[Store]:
    """Open the record of the session that a command names, for writing."""
    from orchestrator.core.store.store import Store
    from orchestrator.panel.application import BOARD

    screen = Screen.current
    # The panel's values say what is off the record in its sessions; a crew's own types are not among them.
    store = Store(screen.open_home().find(name), application=BOARD, on_repair=screen.repaired)
    try:
        was_degraded = store.is_degraded
        yield store
        if store.is_degraded and not was_degraded:
            screen.warn(
                f"{name} is degraded: a sync failed, so the disk is not to be trusted: check it, then run "
                f"`greenroom verify {name}`"
            )
    finally:
        store.close()


def _last(tx: Draft) -> int:
    """Return the number of the record that was just made."""
    return tx.records[-1].seq


def _show(store: Store, number: int, done: str) -> None:
    session = store.opening.id or store.root.name
    Screen.current.result({"version": 1, "session": session, "record": number}, f"record {number}: {done}")


def _given(text: str) -> str:
    """Return the argument itself, or stdin where it is `-`.

    Raises:
        UsageError: stdin is not UTF-8.
    """
    if text != "-":
        return text
    try:
        # The bytes themselves: the stream would replace what is not UTF-8, and every carriage return.
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"stdin is not UTF-8 (byte {error.start}); nothing was written: convert the text"
        ) from error


def _pairs(given: Sequence[str] | None, form: str) -> list[tuple[str, str]]:
    """Split what was given as NAME=VALUE.

    Raises:
        UsageError: One has no name, or a name comes twice.
    """
    pairs = [tuple(one.partition("=")[::2]) for one in given or ()]
    names = [name for name, _ in pairs]
    for one, name in zip(given or (), names, strict=True):
        if not name or "=" not in one:
            raise UsageError(f"{one[:80]!r}: give it as {form}", value=one)
        if names.count(name) > 1:
            raise UsageError(f"{name!r} is given twice: leave one out", value=name)
    return [(name, value) for name, value in pairs]


def _text_of(source: str) -> str:
    """Read a file, or stdin where it is `-`.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    if source == "-":
        return _given(source)
    try:
        return Path(source).read_bytes().decode()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{source}: {reason}; no session was started", file=source) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: is not UTF-8 (byte {error.start}); no session was started: convert the text",
            file=source,
        ) from error


def _object(text: str) -> dict[str, Any]:
    """Parse what a note says.

    Raises:
        UsageError: It is not one JSON object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" ({error.msg}, line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(
            f"the note is not JSON{where}; nothing was written: give an object, as in "
            '\'{"severity": "high"}\''
        ) from error
    if not isinstance(found, dict):
        raise UsageError(
            'the note is no JSON object; nothing was written: give one, as in \'{"severity": "high"}\''
        )
    return found
