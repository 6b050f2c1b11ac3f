"""Pictures of a deck's slides: a PDF's own pages, and a PowerPoint's where LibreOffice is installed.

Drawn by a process of its own, because a broken file can crash what draws it, and kept in a folder
that is gone with the server: nothing of a deck stays behind when its session is erased.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from orchestrator.model.slide import Deck

WIDTH_PX: Final = 1600
"""Sharp on a screen that shows the slide 800 points wide with two dots to a point."""
DRAWN_WITHIN_S: Final = 120
"""LibreOffice takes some ten seconds for a deck of fifty slides; then the text card stays."""
PICTURE_WITHIN_S: Final = 20
"""A page that waits longer for one picture shows the text card, and the picture when it is asked again."""
MEMORY_BYTES: Final = 1_500_000_000
"""Of the drawing process; a page of photographs takes some 100 MB at this width."""

_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from orchestrator.web.drawing import main
main()
"""


class Pictures:
    """The pictures that one server has drawn. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._drawn: dict[str, Thread] = {}  # by the deck's SHA-256

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-pictures-", ignore_cleanup_errors=True)

    def of(self, deck: Deck, file: Path, number: int) -> Path | None:
        """The picture of a slide as a PNG; None where there is none. The first call for a deck draws all.

        Args:
            file: The deck as it was given; it may be gone.
            number: 1-based, as the audience counts.
        """
        page = _page_of(deck, number)
        if page is None or not file.is_file() or not can_draw(deck.kind):
            return None
        with self._lock:
            folder = Path(self._folder.name) / deck.sha256
            if deck.sha256 not in self._drawn:
                drawing = Thread(target=_draw, args=(file, deck.kind, folder), daemon=True)
                self._drawn[deck.sha256] = drawing
                drawing.start()
            drawing = self._drawn[deck.sha256]
        picture = folder / f"{page}.png"
        waited_s = 0.0
        while not picture.is_file() and drawing.is_alive() and waited_s < PICTURE_WITHIN_S:
            drawing.join(0.05)
            waited_s += 0.05
        return picture if picture.is_file() else None

    def forget(self, sha256: str) -> None:
        """Remove a deck's pictures: its session was erased."""
        with self._lock:
            if self._drawn.pop(sha256, None) is not None:
                shutil.rmtree(Path(self._folder.name) / sha256, ignore_errors=True)

    def close(self) -> None:
        """Remove all of them."""
        if "_folder" in self.__dict__:
            self._folder.cleanup()


def can_draw(kind: str) -> bool:
    """Whether decks of this kind can be drawn on this machine."""
    return kind == "pdf" or (kind == "pptx" and office() is not None)


def office() -> str | None:
    """LibreOffice's program, where it is installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def _page_of(deck: Deck, number: int) -> int | None:
    """The page, from 1, that shows a slide: LibreOffice leaves hidden slides out of its PDF."""
    shown = [slide.number for slide in deck.slides if not slide.hidden]
    return shown.index(number) + 1 if number in shown else None


def _draw(file: Path, kind: str, folder: Path) -> None:
    """Draw every page into *folder*; whatever goes wrong, there are fewer pictures and nothing else."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="greenroom-drawing-") as aside:
        source = file if kind == "pdf" else _as_pdf(file, Path(aside))
        if source is None:
            return
        paths = json.dumps([os.path.abspath(entry) for entry in sys.path if entry])
        job = json.dumps({"folder": str(folder), "width_px": WIDTH_PX, "memory_bytes": MEMORY_BYTES})
        with source.open("rb") as given:
            _run([sys.executable, "-I", "-c", _START, paths, job], stdin=given.fileno())


def _as_pdf(file: Path, aside: Path) -> Path | None:
    program = office()
    if program is None:
        return None
    settings = f"-env:UserInstallation={(aside / 'settings').as_uri()}"  # two at once need one each
    _run([program, settings, "--headless", "--convert-to", "pdf", "--outdir", str(aside), str(file)])
    return next(aside.glob("*.pdf"), None)


def _run(command: list[str], stdin: int = subprocess.DEVNULL) -> None:
    quiet = subprocess.DEVNULL
    try:
        subprocess.run(
            command, stdin=stdin, stdout=quiet, stderr=quiet, timeout=DRAWN_WITHIN_S, check=False, cwd="/"
        )
    except (subprocess.TimeoutExpired, OSError):
        return  # what was drawn until then is shown
