"""The process in which a deck is parsed: with limits, and with nothing to write to but its output.

Started by `orchestrator.material.deck.read`, which hands it the open file as standard input and one
JSON argument. It prints one JSON object: `{"deck": …}` or `{"error": "is …"}`.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.core.values import to_json
from orchestrator.material.deck.furniture import marked
from orchestrator.material.deck.kind import deck_kind
from orchestrator.material.deck.limits import (
    LIGHTER,
    MIB,
    SHORTER,
    DeckLimits,
    check_lines,
)
from orchestrator.material.model.slide import Deck

Reader = Callable[[BinaryIO, str, str, DeckLimits], Deck]


def main() -> None:
    """Read the deck that standard input is, and print it."""
    job = json.loads(sys.argv[-1])
    limits = DeckLimits(**job["limits"])
    _bound(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1)  # SIGXCPU first, which says why
    # Private memory, since Linux 4.7 however it was got; macOS bounds neither this nor RLIMIT_AS.
    _bound(resource.RLIMIT_DATA, limits.memory_bytes)
    with os.fdopen(os.dup(0), "rb") as file:
        answer = _answer(file, job["name"], limits)
    sys.stdout.buffer.write(json.dumps(answer).encode("ascii"))
    sys.stdout.buffer.flush()
    os._exit(0)  # taking a large deck apart in memory would only cost time


def _answer(file: BinaryIO, name: str, limits: DeckLimits) -> dict[str, Any]:
    try:
        read = _reader(deck_kind(file, name))
        _bound(resource.RLIMIT_CORE, 0)
        _bound(resource.RLIMIT_FSIZE, 0)  # from here on, no file can be written
        plain = to_json(check_lines(marked(read(file, name, _sha256(file), limits)), limits))
        text_bytes = len(json.dumps(plain, ensure_ascii=False).encode())
    except DeckError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"needs more than {limits.memory_bytes // MIB} MiB of memory to read; {LIGHTER}"}
    except RecursionError:
        return {"error": f"is nested too deep to be read; {LIGHTER}"}
    except Exception as error:  # noqa: BLE001 - a broken file may get anything out of a parser: it is refused
        return {"error": f"is damaged and cannot be read ({type(error).__name__}); {LIGHTER}"}
    if text_bytes > limits.text_bytes:
        most = f"at most {limits.text_bytes:,} are read; {SHORTER}"
        return {"error": f"holds {text_bytes:,} bytes of text; {most}"}
    return {"deck": plain}


def _reader(kind: str) -> Reader:
    """The function for decks of *kind*; only its modules are loaded, while compiled forms may be kept."""
    if kind == "pptx":
        from orchestrator.material.deck.pptx import read_pptx

        return read_pptx
    if kind == "pdf":
        from orchestrator.material.deck.pdf import read_pdf

        return read_pdf
    from orchestrator.material.deck.markdown import read_markdown

    return read_markdown


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(MIB):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _bound(kind: int, most: int, at_last: int | None = None) -> None:
    """Bound what this process may use; a system that does not know the bound does without."""
    try:
        resource.setrlimit(kind, (most, most if at_last is None else at_last))
    except (OSError, ValueError):
        return
