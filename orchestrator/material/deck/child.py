"""The process that parses a deck, within limits and able to write only to its output.

The process is started by `orchestrator.material.deck.read`, which passes the open file as standard input and
one JSON argument. It prints one JSON object: `{"deck": …}` or `{"error": "is …"}`.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import resource
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.core.values import to_json
from orchestrator.material.deck.limits import LIGHTER, MIB, SHORTER, DeckLimits, check_lines
from orchestrator.material.deck.lines import marked
from orchestrator.material.values import Deck

# ---------------------------------------------------------------------- kind
# The kind of file that a deck is, told from its content: names lie.


TEXT_SUFFIXES = (".md", ".markdown", ".txt", "")
_HEAD = 4096
"""Number of bytes that are read to recognise a file: more than any mark below needs, with blank lines before
a web page's."""
_PDF_HEADER_WITHIN = 1024
"""Number of bytes within which a PDF's header may begin: ISO 32000-1, annex H, note 13."""
_GIVE = "give a .pptx, .pdf or .md file"

# The first bytes of files that are given in place of a deck, from each format's specification.
_OTHERS = {
    b"\x7fELF": "is a program (ELF), not a deck",
    b"MZ": "is a program (Windows), not a deck",
    b"\xca\xfe\xba\xbe": "is a program, not a deck",
    b"\xcf\xfa\xed\xfe": "is a program (macOS), not a deck",
    b"\x89PNG": "is a picture (PNG), not a deck",
    b"\xff\xd8\xff": "is a picture (JPEG), not a deck",
    b"GIF8": "is a picture (GIF), not a deck",
    b"RIFF": "is a sound, film or picture (RIFF), not a deck",
    b"{\\rtf": "is a Rich Text file, not a deck",
    b"\x1f\x8b": "is a gzip archive, not a deck",
    b"7z\xbc\xaf\x27\x1c": "is a 7-Zip archive, not a deck",
    b"Rar!": "is a RAR archive, not a deck",
    b"%!PS": "is a PostScript file, not a deck; save it as .pdf",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of old and of encrypted Office files: [MS-CFB] 2.2
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")  # with files, empty, in parts: APPNOTE.TXT 4.3, 8.5
_HTML = (b"<!doctype html", b"<html")


def deck_kind(file: BinaryIO, name: str) -> str:
    """Return the kind of the deck, "pptx", "pdf" or "md", and leave *file* at its beginning.

    Raises:
        DeckError: The file is of another kind. The message is a predicate ("is …").
    """
    head = file.read(_HEAD)
    file.seek(0)
    if not head:
        raise DeckError(f"is empty; {_GIVE}")
    if head.startswith(_ZIP):
        return "pptx"
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return "pdf"
    if head.startswith(_OLE):
        raise DeckError(_ole(file))
    for magic, message in _OTHERS.items():
        if head.startswith(magic):
            raise DeckError(message if ";" in message else f"{message}; {_GIVE}")
    if head.lstrip().lower().startswith(_HTML):
        raise DeckError(f"is a web page, not a deck; {_GIVE}")
    suffix = PurePath(name).suffix.lower()
    if suffix in TEXT_SUFFIXES:
        return "md"
    if suffix in (".pptx", ".pptm", ".ppsx", ".potx", ".ppt"):
        raise DeckError("is not a PowerPoint file, whatever its name says; save the presentation again")
    if suffix == ".pdf":
        raise DeckError("is not a PDF, whatever its name says; export it again")
    raise DeckError(f"is neither PowerPoint, PDF nor Markdown; {_GIVE}")


def _ole(file: BinaryIO) -> str:
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:  # not counted as memory of our own
        if content.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            return "is encrypted; save it without a password"
        if content.find("PowerPoint Document".encode("utf-16-le")) >= 0:
            return "is a presentation in PowerPoint's old format (.ppt); save it as .pptx"
    return f"is an old Office file, not a presentation; {_GIVE}"


# ---------------------------------------------------------------------- child


Reader = Callable[[BinaryIO, str, str, DeckLimits], Deck]


def main() -> None:
    """Read the deck from standard input and print it."""
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
    """Return the reader for decks of *kind*; import only that reader's modules.

    Call it while compiled files may still be written.
    """
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
    """Limit a resource of this process; on a system that does not know the limit, do nothing."""
    try:
        resource.setrlimit(kind, (most, most if at_last is None else at_last))
    except (OSError, ValueError):
        return
