"""Reading a table of files from a YAML file, so that each fault is reported with its line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import (
    ConfigurationError,
    HomeError,
    InstallationError,
    names_its_file,
)
from orchestrator.core.home.plain_yaml import (
    ALIAS,
    BROKEN,
    DEPTH,
    EMPTY,
    ENCODING,
    LARGE,
    MISSING,
    NO_FILE,
    NO_TEXT,
    SYNTAX,
    PlainYamlError,
    UnreadableError,
    read_given,
    read_plain_yaml,
)
from orchestrator.core.table import Keys, Table

TABLE_NAME: Final = "table.yaml"
MAX_BYTES: Final = 256 * 1024
"""Maximum size of a table file; our own limit. The board panel's table takes 3 KiB."""

_UNREADABLE: Final = {
    NO_FILE: "is no file: put the table here, or take it away to use the one that Greenroom brings",
    MISSING: "there is no such file",
    BROKEN: "cannot be read: ",
    LARGE: f"is larger than {MAX_BYTES // 1024} KiB: shorten it",
    ENCODING: "is not UTF-8 text: save it as UTF-8",
    EMPTY: "is empty: write the table, or take the file away to use the one that Greenroom brings",
}


@names_its_file
def read_table_file(path: Path) -> Table:
    """Read the table in the YAML file *path*, and check all of it.

    Raises:
        HomeError: The disk cannot read the file.
        ConfigurationError: Something in the table cannot be meant; the message names the line.
    """
    try:
        document, plain = read_plain_yaml(read_given(path, MAX_BYTES), as_written=False)
    except UnreadableError as error:
        # A disk that fails is no wrong table.
        kind = HomeError if error.trouble == BROKEN else ConfigurationError
        raise kind(f"{path}: {_UNREADABLE[error.trouble]}{error.reason.lower()}") from None
    except PlainYamlError as error:
        where = f"{path}, line {error.line or 1}"
        raise ConfigurationError(f"{where}: {_trouble(error)}: correct the line") from None
    lines: dict[Keys, int] = {}
    for keys, line in _lines(document, ()):
        if keys in lines:
            raise ConfigurationError(f"{path}, line {line}: `{keys[-1]}` stands here a second time: keep one")
        lines[keys] = line

    def place(keys: Keys) -> str:
        # The innermost of the keys that the file has: what is missing is named at what lacks it.
        line = next((lines[keys[:count]] for count in range(len(keys), 0, -1) if keys[:count] in lines), 1)
        named = [key for key in keys if key.isprintable()][:2]
        return f"{path}, line {line}" + "".join(f", {key[:140]}" for key in named)

    return Table.read(plain, place)


@cache
def packaged_table_file(path: Path) -> Table:
    """Read a table that comes with the package, once in a process.

    Raises:
        InstallationError: The table is missing or differs from the one that was shipped.
    """
    try:
        return read_table_file(path)
    except (HomeError, ConfigurationError) as error:
        raise InstallationError(
            f"{error} (this file is Greenroom's own): install Greenroom again", file=path
        ) from error


def _lines(node: Any, within: Keys) -> Iterator[tuple[Keys, int]]:
    """Yield the line of each key and of each list entry, with the keys that lead to it."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            keys = (*within, str(key.value))
            yield keys, key.start_mark.line + 1
            yield from _lines(value, keys)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield (*within, str(item.value)), item.start_mark.line + 1


def _trouble(error: PlainYamlError) -> str:
    told = {SYNTAX: f"is not YAML: {error.reason}", ALIAS: f"has an alias (*{error.reason}): write it out"}
    others = {DEPTH: "is nested too deeply", NO_TEXT: "is not YAML: it holds characters that are not text"}
    return (told | others).get(error.trouble, "holds a value that cannot be read")
