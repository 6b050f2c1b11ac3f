"""Storage of files that were sent: for one request, or until the server ends, as decks and materials."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from threading import Lock, Thread
from typing import Final, Literal

from fastapi import UploadFile

from orchestrator.core.errors import DeckError, GreenroomError, InputError
from orchestrator.core.legible import clock, counted
from orchestrator.material.deck.read import read_deck
from orchestrator.material.intel.findings import read_intel
from orchestrator.material.speech.read import Recording, read_speech
from orchestrator.material.speech.recognition import recogniser_of
from orchestrator.material.speech.sound import is_sound
from orchestrator.material.speech.speakers import UNCLEAR, presenter_of
from orchestrator.material.values import Deck
from orchestrator.memory.english import names_in
from orchestrator.panel.config.config import Config
from orchestrator.panel.dossier.brought import read_board
from orchestrator.panel.loop.plan import Source

# ---------------------------------------------------------------------- uploads


MAX_KEPT: Final = 20
"""Maximum number of dropped decks that are stored; the oldest are removed first. People try two or three
and start with one."""
MAX_NAME_BYTES: Final = 200
"""Maximum length of a file's name. File systems accept 255 bytes; the end is kept, because of the suffix."""
SUFFIXES: Final = frozenset({".pptx", ".pdf", ".md", ".markdown"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A deck that was dropped or copied from a session, with its content."""

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
        """Store a deck and read it.

        Raises:
            DeckError: The deck cannot be read; nothing is stored.
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
        """Store the deck of a session, with a copy of its file if the session has the file.

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
        """Store a deck.

        A deck that is already stored stays if its file is the same or the new one has none.
        """
        with self._lock:
            before = self._kept.get(taken.deck.sha256)
            if before is not None and _name_of(taken) in (None, _name_of(before)):
                self._kept.move_to_end(taken.deck.sha256)
                gone, taken = [taken], before
            else:
                self._kept[taken.deck.sha256] = taken
                self._kept.move_to_end(taken.deck.sha256)
                gone = [before] if before is not None else []
            while len(self._kept) > MAX_KEPT:
                gone.append(self._kept.popitem(last=False)[1])
        for one in gone:
            _remove(one.file)
        return taken

    def get(self, sha256: str) -> Upload:
        """Return a deck that was dropped earlier, by its SHA-256.

        Raises:
            DeckError: The deck is not stored here, for example because the server was restarted.
        """
        with self._lock:
            found = self._kept.get(sha256)
        if found is None:
            raise DeckError("this deck is not here any more: drop it once more")
        return found

    def close(self) -> None:
        """Remove all dropped decks."""
        if "_folder" in self.__dict__:
            self._folder.cleanup()


@contextmanager
def aside(files: Iterable[UploadFile]) -> Iterator[list[Path]]:
    """Write files that were sent to the disk and yield their paths; errors in the block name them as they
    were sent."""
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
    """Return the last part of *name*, changed so that it is a safe and short enough file name."""
    last = re.sub(r"[^\w. -]", "_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")
    return last.encode()[-MAX_NAME_BYTES:].decode(errors="ignore") or "deck"


def _name_of(upload: Upload) -> str | None:
    return upload.file.name if upload.file is not None else None


def _remove(file: Path | None) -> None:
    if file is not None:
        shutil.rmtree(file.parent, ignore_errors=True)


# ---------------------------------------------------------------------- materials
# What is brought beside a deck: a recorded talk, a board, news; in a folder that is gone with the server.
#
# Each is read as soon as it comes, so that what is wrong with it is said beside its field. Sound takes
# minutes to recognise: that goes on in a thread, and whoever asks is told how far it is.


Kind = Literal["speech", "board", "intel"]

"""As of decks: the oldest leave first."""


@dataclass
class Material:
    """One file that was sent besides a deck, and how it was understood."""

    id: str
    kind: Kind
    name: str
    file: Path
    says: str = ""  # what was understood, in words
    speakers: tuple[str, ...] = ()  # the labels in a recording
    recording: Recording | None = None  # None: it is no speech, or is still being recognised
    refused: str = ""  # why its sound was not recognised

    @property
    def is_read(self) -> bool:
        """Whether a session can be started with the file."""
        return self.kind != "speech" or self.recording is not None


class Materials:
    """The materials of one server, by id. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._recognising = Lock()  # one at a time: each takes all cores
        self._kept: OrderedDict[str, Material] = OrderedDict()

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-material-", ignore_cleanup_errors=True)

    def take(self, kind: Kind, name: str, content: bytes, config: Config, deck: Deck | None) -> Material:
        """Store a file and read it; sound is recognised in the background.

        Args:
            deck: The deck whose names the recognition of sound listens for.

        Raises:
            InputError: The file cannot be read as *kind*; nothing is stored.
        """
        plain = plain_name(name)
        digest = sha256(f"{kind}\0{plain}\0".encode() + content).hexdigest()
        with suppress(InputError):
            if not (before := self.get(digest)).refused:
                return before
        with self._lock:
            aside = Path(tempfile.mkdtemp(dir=self._folder.name))
        taken = Material(digest, kind, plain, aside / plain)
        try:
            taken.file.write_bytes(content)
            if kind == "speech" and is_sound(taken.file):
                recogniser_of(config.stt_model, config.stt_language)  # refused now, where there is none
                Thread(target=self._recognise, args=(taken, config, deck), daemon=True).start()
            else:
                _read(taken, config, deck)
        except BaseException as error:
            rmtree(aside, ignore_errors=True)
            if isinstance(error, GreenroomError):
                error.args = (_told(taken, error),)
            raise
        with self._lock:
            self._kept[digest] = taken
            gone = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - MAX_KEPT)]
        for one in gone:
            rmtree(one.file.parent, ignore_errors=True)
        return taken

    def get(self, digest: str) -> Material:
        """Return the material with this id.

        Raises:
            InputError: The material is not stored here: the server was restarted, or newer materials replaced
                it.
        """
        with self._lock:
            found = self._kept.get(digest)
            if found is not None:
                self._kept.move_to_end(digest)
        if found is None:
            raise InputError("this file is not here any more: choose it once more")
        return found

    def file(self, kind: Kind, digest: str) -> Path:
        """Return the path of the file that was sent as *kind*.

        Raises:
            InputError: The file is not stored here, or was sent as another kind.
        """
        found = self.get(digest)
        if found.kind != kind:
            raise InputError(f"{found.name} was brought as {found.kind}, not as {kind}: choose it there")
        return found.file

    def recording(self, digest: str) -> Recording:
        """Return the talk in a recording that was sent.

        Raises:
            InputError: The recording is not stored here, is of another kind, or is still being recognised.
        """
        self.file("speech", digest)
        found = self.get(digest)
        if found.recording is None:
            raise InputError(found.refused or f"{found.name} is still being recognised: wait for it")
        return found.recording

    def close(self) -> None:
        """Remove all materials."""
        if "_folder" in self.__dict__:
            self._folder.cleanup()

    def _recognise(self, taken: Material, config: Config, deck: Deck | None) -> None:
        with self._recognising:
            refused = f"{taken.name}: cannot be recognised"  # where a decoder fails in a way of its own
            try:
                _read(taken, config, deck)
            except (GreenroomError, OSError) as error:
                refused = _told(taken, error)
            finally:
                if not taken.is_read:  # else whoever asks would be told for ever to wait
                    taken.refused = refused


def _read(taken: Material, config: Config, deck: Deck | None) -> None:
    """Read the file as its kind, and record how it was understood."""
    if taken.kind == "board":
        members = read_board(taken.file)
        taken.says = f"{counted(len(members), 'member')}: {', '.join(one.name for one in members)}"
    elif taken.kind == "intel":
        taken.says = counted(len(read_intel((taken.file,))), "finding")
    else:
        recording = read_speech(
            taken.file,
            stt_model=config.stt_model,
            stt_language=config.stt_language,
            names=lambda: names_in(deck) if deck is not None else (),
        )
        taken.speakers = _labels(recording)
        taken.says = _of_speech(recording, taken.speakers)
        taken.recording = recording  # last: from now on it counts as read


def _labels(recording: Recording) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.speaker for one in recording.segments if one.speaker is not None))


def _of_speech(recording: Recording, speakers: Sequence[str]) -> str:
    words = sum(len(one.text.split()) for one in recording.segments)
    parts = [f"{clock(recording.segments[-1].end_s)} minutes", counted(words, "word")]
    if recording.times_estimated:
        parts[0] = f"about {parts[0]}, as it has no times"
    if speakers:
        parts.append(counted(len(speakers), "speaker"))
    presents = presenter_of(recording.segments)
    unclear = [f"who presents is not clear: {presents.question}: choose, else nobody is judged"]
    return "; ".join([", ".join(parts), *recording.notices, *(unclear if presents.how == UNCLEAR else [])])


def _told(taken: Material, error: Exception) -> str:
    """Return an error's message, in which the file has the name under which it was sent."""
    return str(error).replace(str(taken.file), taken.name)
