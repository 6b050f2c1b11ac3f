"""Commands for the record of a session of any crew: start, append, write, note.

At the start the home's table, and then the table in the session's first record, says which files there are,
their classes, and who writes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import Name, names_in, option
from orchestrator.cli.screen import Screen
from orchestrator.core.errors import UsageError
from orchestrator.core.store.files import reason

if TYPE_CHECKING:
    from orchestrator.core.store.store import Store

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
    session_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The new session's id; default: one that sorts by time."),
    ] = None,
    file: Annotated[
        list[str] | None,
        option("PATH=FILE", "What it begins with: a file of the table, and where its text is; repeatable."),
    ] = None,
    agents: Annotated[str | None, option("A,B", "Who takes the seats; default: all of this home.")] = None,
    title: Annotated[str, option("TEXT", "What it is about, on one line.")] = "",
    date: Annotated[str | None, option("DAY", "The day that it is about, YYYY-MM-DD.")] = None,
    field: Annotated[
        list[str] | None, option("NAME=VALUE", "What a blueprint of the home names so; repeatable.")
    ] = None,
) -> None:
    """Start a session of this home's crew.

    The crew is the home: `table.yaml` says which files a session has, who writes each and who reads what. A
    rehearsal of the board panel begins with `greenroom start DECK`. FILE may be -, for stdin.
    """
    from orchestrator.documents.opening import is_of_board, start_crew, store_of
    from orchestrator.documents.session import started_json

    screen = Screen.current
    home = screen.open_home()
    if is_of_board(home):
        raise UsageError(
            f"{home.root} is the home of a board panel: begin a rehearsal with `greenroom start DECK`, or "
            "name your crew's home with --home"
        )
    texts = _texts(file or ())
    fields = _fields(field or ())
    seats = names_in(agents)
    with start_crew(
        home, session_id, texts, title=title, agents=seats, date=date, fields=fields, say=screen.warn
    ) as session:
        plain = {"version": 1, **started_json(session), "record": store_of(session).seq}
        name = session.name
    screen.result(
        plain,
        f"{name} is active, with {', '.join(plain['agents'])}: {plain['path']}\n"
        f"Next: {screen.command} session append {name} PATH TEXT --by WRITER",
    )


def append(session: Name, path: FilePath, text: Text, by: Writer, receipt: ReceiptId = None) -> None:
    """Add a text to the end of an append-only file.

    A missing final newline is added.
    """
    words = _given(text)
    with _opened(session) as store:
        number = store.append(path, words, by=by, receipt=receipt)
        _show(store, number, f"appended to {path}")


def write(session: Name, path: FilePath, text: Text, by: Writer, receipt: ReceiptId = None) -> None:
    """Write a whole file: once, a few times or always, by its class.

    The text stands in the file as it is given.
    """
    words = _given(text)
    with _opened(session) as store:
        number = store.write(path, words, by=by, receipt=receipt)
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


def _texts(given: Sequence[str]) -> dict[str, str]:
    """Return the text of each file with which a session begins, by its path.

    Raises:
        UsageError: An argument has no `=`, a path is named twice, or a file cannot be read or is not UTF-8.
    """
    texts: dict[str, str] = {}
    for one in given:
        path, is_there, file = one.partition("=")
        if not is_there or not path or not file:
            raise UsageError(f"--file {one!r}: give PATH=FILE, as in shared/pull-request.md=42.diff")
        if path in texts:
            raise UsageError(f"--file names {path} twice: give each file once")
        if file == "-":
            texts[path] = _given(file)
            continue
        try:
            texts[path] = Path(file).read_bytes().decode()
        except OSError as error:
            raise UsageError(f"--file {one}: {reason(error)}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"--file {one}: is not UTF-8 (byte {error.start}): convert it") from error
    return texts


def _fields(given: Sequence[str]) -> dict[str, str]:
    """Return the values that blueprints may name, by name.

    Raises:
        UsageError: An argument has no `=`, or a name occurs twice.
    """
    fields: dict[str, str] = {}
    for one in given:
        name, is_there, text = one.partition("=")
        if not is_there or not name:
            raise UsageError(f"--field {one!r}: give NAME=VALUE, as in repository=greenroom")
        if name in fields:
            raise UsageError(f"--field names {name} twice: give each once")
        fields[name] = text
    return fields


@contextmanager
def _opened(name: str) -> Iterator[Store]:
    """Open the store of the session that a command names, for writing."""
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


def _show(store: Store, number: int, done: str) -> None:
    Screen.current.result(_plain(store, number), f"record {number}: {done}")


def _plain(store: Store, number: int) -> dict[str, Any]:
    return {"version": 1, "session": store.opening.id or store.root.name, "record": number}


def _given(text: str) -> str:
    """Return the argument itself, or the text on stdin if it is `-`.

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


def _object(text: str) -> dict[str, Any]:
    """Parse the content of a note.

    Raises:
        UsageError: The text is not one JSON object.
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
