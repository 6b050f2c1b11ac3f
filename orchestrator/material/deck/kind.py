"""The kind of file that a deck is, told from its content: names lie."""

from __future__ import annotations

import mmap
from pathlib import PurePath
from typing import BinaryIO

from orchestrator.core.errors import DeckError

TEXT_SUFFIXES = (".md", ".markdown", ".txt", "")
_HEAD = 4096
"""Bytes that are looked at: more than any mark below needs, with blank lines before a web page's."""
_PDF_HEADER_WITHIN = 1024
"""Bytes in which a PDF's header may stand: ISO 32000-1, annex H, note 13."""
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
    """ "pptx", "pdf" or "md"; *file* is left at its beginning.

    Raises:
        DeckError: It is something else. The message is a predicate ("is …").
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
