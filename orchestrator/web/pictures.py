"""Pictures of a deck's slides: a PDF's own pages, and those of a PowerPoint if LibreOffice is installed.

A separate process draws them, because a broken file can crash it. They are stored in a folder that is removed
when the server ends, so nothing of a deck is left when its session is erased.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import OrderedDict
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread
from typing import Final

from orchestrator.material.values import Deck

WIDTH_PX: Final = 1600
"""Width of a picture: sharp on a screen that shows the slide 800 points wide, at two pixels to a point."""
DRAWN_WITHIN_S: Final = 120
"""Maximum seconds to draw a deck, for which the text card stays after that. LibreOffice takes some ten
seconds for fifty slides."""
PICTURE_WITHIN_S: Final = 20
"""Maximum seconds that a page waits for one picture. After that it shows the text card, and the picture at
the next request."""
AT_ONCE: Final = 2
"""Maximum number of decks that are drawn at a time: LibreOffice takes a core and some 300 MB for each."""
MAX_KEPT: Final = 40
"""Maximum number of decks whose pictures are stored; the oldest are removed first and drawn again if
needed. Fifty slides take some 15 MB."""
LOOK_S: Final = 0.05
MEMORY_BYTES: Final = 1_500_000_000
"""Maximum memory of the drawing process; a page of photographs takes some 100 MB at this width."""

_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from orchestrator.web.drawing import main
main()
"""


class Drawing:
    """One deck that is being drawn or has been drawn."""

    def __init__(self, file: Path, kind: str, folder: Path, turns: BoundedSemaphore) -> None:
        self.folder = folder
        self._source = (file, kind)
        self._turns = turns
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._thread = Thread(target=self._run, name="pictures", daemon=True)
        self._thread.start()

    def wait_for(self, page: int) -> Path | None:
        """Return the picture of a page (from 1) as soon as it exists, or None if it does not come in time."""
        picture = self.folder / f"{page}.png"
        waited_s = 0.0
        while not picture.is_file() and self._thread.is_alive() and waited_s < PICTURE_WITHIN_S:
            self._thread.join(LOOK_S)
            waited_s += LOOK_S
        return picture if picture.is_file() else None

    def stop(self) -> None:
        """Stop the drawing process, and remove its pictures."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                _kill(self._process)
        self._thread.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self) -> None:
        """Draw every page; an error only means that pictures are missing."""
        while not self._turns.acquire(timeout=LOOK_S):
            if self._is_stopped:
                return
        try:
            with suppress(OSError), tempfile.TemporaryDirectory(prefix="greenroom-drawing-") as aside:
                self._draw(*self._source, Path(aside))
        finally:
            self._turns.release()

    def _draw(self, file: Path, kind: str, aside: Path) -> None:
        self.folder.mkdir(exist_ok=True)
        source = file if kind == "pdf" else self._as_pdf(file, aside)
        if source is None:
            return
        paths = json.dumps([os.path.abspath(entry) for entry in sys.path if entry])
        job = json.dumps({"folder": str(self.folder), "width_px": WIDTH_PX, "memory_bytes": MEMORY_BYTES})
        with source.open("rb") as given:
            self._carry_out([sys.executable, "-I", "-c", _START, paths, job], stdin=given.fileno())

    def _as_pdf(self, file: Path, aside: Path) -> Path | None:
        program = office()
        if program is None:
            return None
        settings = f"-env:UserInstallation={(aside / 'settings').as_uri()}"  # two at once need one each
        self._carry_out(
            [program, settings, "--headless", "--convert-to", "pdf", "--outdir", str(aside), str(file)]
        )
        return next(aside.glob("*.pdf"), None)

    def _carry_out(self, command: list[str], stdin: int = subprocess.DEVNULL) -> None:
        """Run a program in its own process group, so that everything that it starts ends with it."""
        quiet = subprocess.DEVNULL
        with self._lock:
            if self._is_stopped:
                return
            process = self._process = subprocess.Popen(
                command, stdin=stdin, stdout=quiet, stderr=quiet, cwd="/", start_new_session=True
            )
        try:
            process.wait(DRAWN_WITHIN_S)
        except subprocess.TimeoutExpired:
            _kill(process)  # what was drawn until then is shown
            process.wait()


class Pictures:
    """The pictures that one server has drawn. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._drawn: OrderedDict[str, Drawing] = OrderedDict()  # by the deck's SHA-256
        self._turns = BoundedSemaphore(AT_ONCE)

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-pictures-", ignore_cleanup_errors=True)

    def of(self, deck: Deck, file: Path, number: int) -> Path | None:
        """Return the picture of a slide as a PNG, or None if there is none; the first call for a deck draws
        all.

        Args:
            file: The deck's file, which may have been removed.
            number: 1-based, as the audience counts.
        """
        page = _page_of(deck, number)
        if page is None or not file.is_file() or not can_draw(deck.kind):
            return None
        surplus: list[Drawing] = []
        with self._lock:
            drawing = self._drawn.get(deck.sha256)
            if drawing is None:
                folder = Path(tempfile.mkdtemp(dir=self._folder.name))
                drawing = self._drawn[deck.sha256] = Drawing(file, deck.kind, folder, self._turns)
            self._drawn.move_to_end(deck.sha256)
            while len(self._drawn) > MAX_KEPT:
                surplus.append(self._drawn.popitem(last=False)[1])
        for one in surplus:
            one.stop()
        return drawing.wait_for(page)

    def forget(self, sha256: str) -> None:
        """Remove the pictures of a deck whose session was erased; for another session they are drawn
        again."""
        with self._lock:
            drawing = self._drawn.pop(sha256, None)
        if drawing is not None:
            drawing.stop()

    def close(self) -> None:
        """Remove all pictures, and stop drawing."""
        with self._lock:
            drawings, self._drawn = list(self._drawn.values()), OrderedDict()
        for one in drawings:
            one.stop()
        if "_folder" in self.__dict__:
            self._folder.cleanup()


def can_draw(kind: str) -> bool:
    """Return whether decks of this kind can be drawn on this machine."""
    return kind == "pdf" or (kind == "pptx" and office() is not None)


def office() -> str | None:
    """Return the path of LibreOffice's program, or None if it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def _page_of(deck: Deck, number: int) -> int | None:
    """Return the number (from 1) of the page that shows a slide, or None; LibreOffice leaves out hidden
    slides."""
    shown = [slide.number for slide in deck.slides if not slide.hidden]
    return shown.index(number) + 1 if number in shown else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program's whole process group, unless the program has ended: its number may be in use again."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
