"""Deck files made by hand, byte for byte, so that a test says what it is about."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

SLIDE = "ppt/slides/slide1.xml"

PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 720 405]/Contents %d 0 R"
    b"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>"
)
HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
COURIER = b"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>"


def pdf(*pages: bytes, page: bytes = PAGE, more: Sequence[bytes] = (), catalog: bytes = b"") -> bytes:
    """A PDF of one page for each content stream; F1 is Helvetica, F2 is Courier.

    *more* are further objects, the first of which is number `5 + 2 * len(pages)`.
    """
    kids = b" ".join(b"%d 0 R" % (5 + 2 * index) for index in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % len(pages),
        HELVETICA,
        COURIER,
    ]
    for index, content in enumerate(pages):
        objects += [page.replace(b"%d", b"%d" % (6 + 2 * index)), stream(content)]
    return assembled([*objects, *more])


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object, compressed."""
    packed = zlib.compress(content, 9)
    head = b"<</Filter/FlateDecode/Length %d" % len(packed)
    return head + entries + b">>stream\n" + packed + b"\nendstream"


def assembled(objects: Sequence[bytes]) -> bytes:
    """A PDF file of *objects*, numbered from 1; the first is the catalog."""
    out = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def saved(presentation: Any) -> bytes:
    """A presentation of python-pptx as it would stand on disk."""
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


def changed(
    package: bytes,
    changes: Mapping[str, Callable[[bytes], bytes]] | None = None,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """*package*, an Office file, with some parts changed and *more* added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            change = (changes or {}).get(member.filename)
            content = old.read(member)
            new.writestr(member.filename, change(content) if change else content)
        for name, content in (more or {}).items():
            new.writestr(name, content)
    return out.getvalue()
