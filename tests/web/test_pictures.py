"""Pictures of slides: whatever a file does to the process that draws it, a text card stands in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from orchestrator.material.values import Deck, Slide
from orchestrator.web import pictures
from orchestrator.web.pictures import Pictures
from tests.helpers.live_feeds import until

CRASHES = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
HANGS = """
import json, os, pathlib, sys, time
(pathlib.Path(json.loads(sys.argv[2])["folder"]) / "pid").write_text(str(os.getpid()))
time.sleep(600)
"""


@pytest.fixture
def drawn() -> Iterator[Pictures]:
    made = Pictures()
    yield made
    made.close()


def pdf(*boxes: str) -> bytes:
    """A PDF with an empty page for each box."""
    out, offsets = BytesIO(), []
    kids = " ".join(f"{number + 3} 0 R" for number in range(len(boxes)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(boxes)} >>"]
    objects += [f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] >>" for box in boxes]
    out.write(b"%PDF-1.7\n")
    for number, words in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{words}\nendobj\n".encode())
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{at:010} 00000 n \n" for at in offsets).encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def deck_of(file: Path, pages: int, sha256: str = "a" * 64) -> Deck:
    slides = tuple(Slide(number=number + 1, title="") for number in range(pages))
    return Deck(name=file.name, sha256=sha256, kind="pdf", title="", slides=slides)


def written(folder: Path, content: bytes) -> Path:
    file = folder / "deck.pdf"
    file.write_bytes(content)
    return file


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_page_becomes_a_picture(drawn: Pictures, tmp_path: Path) -> None:
    file = written(tmp_path, pdf("0 0 960 540"))
    picture = drawn.of(deck_of(file, 1), file, 1)
    assert picture is not None
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert drawn.of(deck_of(file, 1), file, 2) is None


def test_a_hostile_page_takes_no_other_with_it(drawn: Pictures, tmp_path: Path) -> None:
    file = written(tmp_path, pdf("0 0 1 100000000", "0 0 0.0000001 0.0000001", "0 0 960 540"))
    deck = deck_of(file, 3)
    assert drawn.of(deck, file, 3) is not None
    assert drawn.of(deck, file, 1) is None


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"\x00" * 4096, pdf("0 0 960 540")[:-200]])
def test_a_broken_file_has_no_pictures(drawn: Pictures, tmp_path: Path, content: bytes) -> None:
    file = written(tmp_path, content)
    drawn.of(deck_of(file, 1), file, 1)  # pdfium mends some of what is broken; none of it ends the server


def test_a_crash_ends_the_drawing_process_alone(
    drawn: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, pdf("0 0 960 540"))
    monkeypatch.setattr(pictures, "_START", CRASHES)
    assert drawn.of(deck_of(file, 1), file, 1) is None
    monkeypatch.undo()
    assert drawn.of(deck_of(file, 1, "b" * 64), file, 1) is not None


@pytest.mark.parametrize("end", ["forget", "close", "timeout"])
def test_what_hangs_is_ended_and_leaves_nothing(
    drawn: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    file = written(tmp_path, pdf("0 0 960 540"))
    monkeypatch.setattr(pictures, "_START", HANGS)
    monkeypatch.setattr(pictures, "PICTURE_WITHIN_S", 0.1)
    if end == "timeout":
        monkeypatch.setattr(pictures, "DRAWN_WITHIN_S", 1.0)
    deck = deck_of(file, 1)
    assert drawn.of(deck, file, 1) is None
    folder = drawn._drawn[deck.sha256].folder
    pid = int(until("the process", lambda: (folder / "pid").exists() and (folder / "pid").read_text()))
    if end == "forget":
        drawn.forget(deck.sha256)
    elif end == "close":
        drawn.close()
    until("its end", lambda: not is_alive(pid))
    assert end == "timeout" or not folder.exists()


def test_pictures_of_an_erased_session_are_gone_and_drawn_anew(drawn: Pictures, tmp_path: Path) -> None:
    file = written(tmp_path, pdf("0 0 960 540"))
    deck = deck_of(file, 1)
    before = drawn.of(deck, file, 1)
    assert before is not None
    drawn.forget(deck.sha256)
    assert not before.exists()
    assert drawn.of(deck, file, 1) is not None


def test_the_oldest_decks_pictures_leave_first(
    drawn: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_KEPT", 1)
    file = written(tmp_path, pdf("0 0 960 540"))
    first = drawn.of(deck_of(file, 1), file, 1)
    second = drawn.of(deck_of(file, 1, "b" * 64), file, 1)
    assert first is not None
    assert second is not None
    assert not first.exists()
    assert second.exists()
