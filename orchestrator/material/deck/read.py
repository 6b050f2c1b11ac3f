"""Read a deck from a file, parsed in its own process, or from Markdown text."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

from orchestrator.core.errors import DeckError, names_its_file
from orchestrator.core.values import from_json
from orchestrator.material.deck.limits import (
    DEFAULT_LIMITS,
    LIGHTER,
    MIB,
    DeckLimits,
    check_lines,
)
from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Deck

_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from orchestrator.material.deck.child import main
main()
"""
"""The program that an isolated interpreter runs (-I: nothing of the environment or the working folder
counts). It looks for modules where this process does, so that an installed copy and a checkout both find
their own."""


@names_its_file
def read_deck(path: Path, limits: DeckLimits = DEFAULT_LIMITS) -> Deck:
    """Read the deck in the file *path*: PowerPoint, PDF or Markdown, recognised by its content.

    The deck is parsed in a child process that keeps to *limits*, writes no file, and has ended when this
    function returns or raises, even by Ctrl-C. The file is opened once, so that what is hashed is what is
    read. A part that cannot be read is left out and named in `Deck.notices`.

    Raises:
        DeckError: The file is missing, or cannot be read as a deck: it is of another kind, encrypted, broken,
            empty, or over a limit. The message is one line that begins with the path.
    """
    name = _one_line(path)
    file = _opened(path, name, limits)
    try:
        return _decoded(_run_child(file, shown(path.name), name, limits), name)
    finally:
        os.close(file)


def read_deck_text(text: str, name: str = "deck.md") -> Deck:
    """Read *text* as a Markdown deck (see `orchestrator.material.deck.markdown`).

    Raises:
        DeckError: The text is empty, too long, or has no slide.
    """
    from orchestrator.material.deck.lines import marked
    from orchestrator.material.deck.markdown import read_markdown_text

    try:
        return check_lines(marked(read_markdown_text(text, name, DEFAULT_LIMITS)), DEFAULT_LIMITS)
    except DeckError as error:
        raise DeckError(f"{name} {error}") from error


def _opened(path: Path, name: str, limits: DeckLimits) -> int:
    """Open the file at *path*, which must be a regular file: a pipe or device is never waited for."""
    try:
        _check_regular(os.stat(path), name, limits)
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise DeckError(f"{name} does not exist; check the path") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise DeckError(f"{name} cannot be opened: {reason or 'not a path'}") from error
    try:
        _check_regular(os.fstat(file), name, limits)
    except DeckError:
        os.close(file)
        raise
    return file


def _check_regular(status: os.stat_result, name: str, limits: DeckLimits) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise DeckError(f"{name} is a folder; give a .pptx, .pdf or .md file")
    if not stat.S_ISREG(status.st_mode):
        raise DeckError(f"{name} is a pipe or device, not a file; give a .pptx, .pdf or .md file")
    if status.st_size == 0:
        raise DeckError(f"{name} is empty; give a .pptx, .pdf or .md file")
    if status.st_size > limits.file_bytes:
        most = limits.file_bytes // MIB
        raise DeckError(
            f"{name} is {status.st_size // MIB:,} MiB large; at most {most:,} MiB are read; {LIGHTER}"
        )


def _run_child(file: int, file_name: str, name: str, limits: DeckLimits) -> bytes:
    job = json.dumps({"name": file_name, "limits": dataclasses.asdict(limits)})
    paths = json.dumps([os.path.abspath(entry) for entry in sys.path if entry])
    with subprocess.Popen(
        [sys.executable, "-I", "-c", _START, paths, job],
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
    ) as child:
        try:
            answer, _ = child.communicate(timeout=limits.wall_s)
        except subprocess.TimeoutExpired:
            child.kill()
            raise DeckError(f"{name} takes more than {limits.wall_s:g} s to read; {LIGHTER}") from None
        except BaseException:
            child.kill()
            child.wait()  # `with` would not wait at Ctrl-C, and leave what is dead unburied
            raise
    if child.returncode == -signal.SIGXCPU:
        raise DeckError(f"{name} takes more than {limits.cpu_s} s to read; {LIGHTER}")
    if child.returncode < 0:  # a library in C fell over the file: pdfium aborts where it gets no more memory
        raise DeckError(f"{name} is damaged or needs too much memory: reading it broke off; {LIGHTER}")
    if child.returncode:
        raise DeckError(f"{name} cannot be read: its reader stopped ({child.returncode}); {LIGHTER}")
    return answer


def _decoded(answer: bytes, name: str) -> Deck:
    try:
        found = json.loads(answer)
        if "deck" in found:
            return from_json(Deck, found["deck"])
        error = found["error"]
    except (ValueError, KeyError, TypeError) as problem:
        raise DeckError(f"{name} cannot be read: its reader gave no answer; {LIGHTER}") from problem
    raise DeckError(f"{name} {_one_line(error)}")  # it may name a part of the file, in the file's words


def _one_line(text: object) -> str:
    return "".join(character if character.isprintable() else "�" for character in str(text))
