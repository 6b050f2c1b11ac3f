"""Making a session's folder: aside, completely, and only then under its name. A failed start leaves nothing.

Source: DESIGN.md, section 6.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.core.errors import HomeError, SessionExistsError
from orchestrator.core.home.folder import UNFINISHED, Home
from orchestrator.core.home.regular import read_regular
from orchestrator.core.home.unnamed import blueprint_of
from orchestrator.core.legible import one_line
from orchestrator.core.store import files
from orchestrator.core.store.files import held, made_aside
from orchestrator.core.table import SeatedTable

if TYPE_CHECKING:
    from jinja2 import Environment


def make_session(home: Home, session_id: str, make: Callable[[Path], None]) -> Path:
    """Make a session's folder in *home* and return it.

    Args:
        make: Makes the whole folder at the path that it is given and puts it on the disk. The folder is not
            seen as a session yet.

    Raises:
        SessionExistsError: The home has a session with this id, or with an id that differs only in case.
        HomeError: The disk refused to write; nothing is left behind.
    """
    target = home.sessions / session_id
    try:
        home.sessions.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
        with made_aside(home.sessions, UNFINISHED) as folder:  # of this start alone
            _refuse_twins(home, session_id)
            aside = folder / target.name
            make(aside)
            # Others are made at the same time: the last look and the name are one step.
            with held(home.sessions, wait=True):
                if not target.exists():  # else the rename refuses
                    _refuse_twins(home, session_id)
                os.rename(aside, target)
            try:
                sync_folder(home.sessions)
            except OSError:  # nobody was told of it yet
                os.rename(target, aside)
                raise
    except OSError as error:
        if target.exists():  # somebody else has just made one of this id
            raise SessionExistsError(f"{session_id}: a session with this id is already there") from error
        why = (
            f"{target}: {files.reason(error)}; no session was made: check the disk and the rights, "
            "then try again"
        )
        raise HomeError(files.explain(error, session_id, why)) from error
    return target


def _refuse_twins(home: Home, wanted: str) -> None:
    """Refuse an id that differs from an existing one only in case or in how a letter is composed.

    Some disks treat two such names as one.
    """
    for folder in home.sessions.iterdir():
        if _folded(folder.name) == _folded(wanted):
            raise SessionExistsError(
                f"{wanted}: a session with the id {folder.name} is already there: choose another id"
            )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def blueprints(
    home: Home, layout: SeatedTable, fields: Mapping[str, Any], agents: Mapping[str, Any], given: str = ""
) -> Callable[[str], str]:
    """Return a function from a session file's path to its rendered blueprint.

    Only blueprints are compiled as templates, never a text that a session is given.

    Args:
        fields: The values that every blueprint may name.
        agents: The value of `agent` in a blueprint in an agent's folder, by the agent's id.
        given: The argument by which a caller gives fields of their own, for the message; "": there is none.
    """
    from jinja2 import TemplateError, UndefinedError

    environment = _environment()

    def rendered(path: str) -> str:
        own = blueprint_of(home, layout, path)
        folder = path.partition("/")[0]
        known = {**fields, **({"agent": agents[folder]} if folder in agents else {})}
        try:
            return environment.from_string(read_regular(own).decode()).render(known)
        except UndefinedError as error:
            do = f"use one, or give it in {given}" if given else "use one of them"
            why = f"{one_line(str(error))}; the names known here are {', '.join(sorted(known))}: {do}"
        except (OSError, UnicodeDecodeError, TemplateError) as error:
            why = str(getattr(error, "strerror", None) or error)
        # Whatever an expression of the blueprint's raises, as Python does: `{{ title + 1 }}`.
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            why = str(error)
        raise HomeError(f"{own}: this blueprint cannot be rendered: {one_line(why)}", file=own)

    return rendered


def names_in(home: Home, layout: SeatedTable, path: str) -> frozenset[str]:
    """Return the names that the blueprint of a session file needs to be given.

    Raises:
        HomeError: It cannot be read, or is no template.
    """
    from jinja2 import TemplateError, meta

    own = blueprint_of(home, layout, path)
    try:
        return frozenset(meta.find_undeclared_variables(_environment().parse(read_regular(own).decode())))
    except (OSError, UnicodeDecodeError, TemplateError, RecursionError) as error:
        why = str(getattr(error, "strerror", None) or error)
        raise HomeError(f"{own}: this blueprint cannot be rendered: {one_line(why)}", file=own) from error


def _environment() -> Environment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )


def keep_copy(path: Path, raw: bytes) -> None:
    """Write a copy that the session keeps at *path*; it is on the disk when this returns, and read-only.

    So an office program that opens a deck stored here offers no "save" that would change it.

    Raises:
        OSError: The disk refused.
    """
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o440)
    try:
        files.write_all(fd, raw)
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: Path) -> None:
    """Put the entries of the folder at *path* on the disk.

    Raises:
        OSError: The disk refused.
    """
    fd = os.open(path, files.FOLDER)
    try:
        files.sync_folder(fd)
    finally:
        os.close(fd)
