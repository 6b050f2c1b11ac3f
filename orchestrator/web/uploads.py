"""Files that were sent: for one request, or decks to start with, in a folder that is gone with the server."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final

from fastapi import UploadFile

from orchestrator.core.errors import DeckError, GreenroomError
from orchestrator.material.deck.read import read_deck
from orchestrator.material.model.slide import Deck
from orchestrator.panel.loop.plan import Source

MOST_KEPT: Final = 20
"""Dropped decks, the oldest leave first: people try two or three and start with one."""
MAX_NAME_BYTES: Final = 200
"""File systems take 255; the end is kept, for the suffix."""
SUFFIXES: Final = frozenset({".pptx", ".pdf", ".md", ".markdown"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A deck that was dropped or taken from a session, read."""

    deck: Deck
    file: Path | None  # None: its session kept no copy of it


class Uploads:
    """The dropped decks of one server, by their SHA-256. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, Upload] = OrderedDict()

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-decks-", ignore_cleanup_errors=True)

    def take(self, name: str, content: bytes) -> Upload:
        """Keep a deck and read it.

        Raises:
            DeckError: It cannot be read; nothing is kept.
        """
        plain = plain_name(name)
        if Path(plain).suffix.lower() not in SUFFIXES:
            raise DeckError(f"{plain} is no deck that can be read: give a .pptx, .pdf or .md file")
        with self._lock:
            aside = Path(tempfile.mkdtemp(dir=self._folder.name))
        file = aside / plain
        try:
            file.write_bytes(content)
            taken = Upload(read_deck(file), file)
        except BaseException as error:
            _remove(file)
            if isinstance(error, DeckError):
                raise DeckError(str(error).replace(str(file), plain)) from error
            raise
        return self._keep(taken)

    def take_again(self, source: Source) -> Upload:
        """Keep the deck of a session, with a copy of its file where the session has one.

        Raises:
            OSError: The file cannot be copied.
        """
        if source.path is None:
            return self._keep(Upload(source.deck, None))
        with self._lock:
            aside = Path(tempfile.mkdtemp(dir=self._folder.name))
        name = Path(plain_name(source.deck.name)).with_suffix(source.path.suffix).name
        return self._keep(Upload(source.deck, Path(shutil.copyfile(source.path, aside / name))))

    def _keep(self, taken: Upload) -> Upload:
        """Keep it. The very same file stays, as does any where none comes: it may be in use."""
        with self._lock:
            before = self._kept.get(taken.deck.sha256)
            if before is not None and _name_of(taken) in (None, _name_of(before)):
                self._kept.move_to_end(taken.deck.sha256)
                gone, taken = [taken], before
            else:
                self._kept[taken.deck.sha256] = taken
                self._kept.move_to_end(taken.deck.sha256)
                gone = [before] if before is not None else []
            while len(self._kept) > MOST_KEPT:
                gone.append(self._kept.popitem(last=False)[1])
        for one in gone:
            _remove(one.file)
        return taken

    def get(self, sha256: str) -> Upload:
        """The deck that was dropped.

        Raises:
            DeckError: It is not here: the server was started anew since.
        """
        with self._lock:
            found = self._kept.get(sha256)
        if found is None:
            raise DeckError("this deck is not here any more: drop it once more")
        return found

    def close(self) -> None:
        """Remove all of them."""
        if "_folder" in self.__dict__:
            self._folder.cleanup()


@contextmanager
def aside(files: Iterable[UploadFile]) -> Iterator[list[Path]]:
    """Files that were sent, on disk while the block runs; its errors name them as they were sent."""
    with tempfile.TemporaryDirectory(prefix="greenroom-files-") as folder:
        paths = []
        for number, sent in enumerate(files):
            path = Path(folder) / str(number) / plain_name(sent.filename or "file")  # two may have one name
            path.parent.mkdir()
            path.write_bytes(sent.file.read())
            paths.append(path)
        try:
            yield paths
        except GreenroomError as error:
            error.args = (re.sub(rf"{re.escape(folder)}/\d+/", "", str(error)),)
            raise


def plain_name(name: str) -> str:
    """The last part of *name*, safe as a file's own name and short enough to be one."""
    last = re.sub(r"[^\w. -]", "_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")
    return last.encode()[-MAX_NAME_BYTES:].decode(errors="ignore") or "deck"


def _name_of(upload: Upload) -> str | None:
    return upload.file.name if upload.file is not None else None


def _remove(file: Path | None) -> None:
    if file is not None:
        shutil.rmtree(file.parent, ignore_errors=True)
