"""Storage of files that were sent: for one request, or until the server ends, as decks and materials.

Several processes of one server share a folder (`Shared`): what one was sent, another starts a session with.
"""

from __future__ import annotations

import fcntl
import json
import os
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
from time import time
from typing import Any, Final, Literal

from fastapi import UploadFile

from orchestrator.core.errors import DeckError, GreenroomError, InputError
from orchestrator.core.legible import clock, counted
from orchestrator.core.values import from_json, to_json
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
DROPPED: Final = "dropped"
"""The folder of a home for what was sent to servers with several processes."""
FOLDER_MODE: Final = 0o700
MAX_SHARED: Final = 1_000
"""Maximum number of files of a server with several processes: three decks of three hundred people at once,
each with what is known of it."""
MAX_SHARED_BYTES: Final = 8_000_000_000
"""Maximum size of all together: 160 decks of the largest size."""
MAX_AGE_S: Final = 24 * 3600.0
"""Seconds for which one lies there: who drops a deck begins within minutes."""
DIGEST: Final = re.compile(r"[0-9a-f]{64}(?:-read)?")
SUFFIXES: Final = frozenset({".pptx", ".pdf", ".md", ".markdown"})


class Shared:
    """A folder of the home in which the processes of one server lay what they were sent, by its digest.

    Each server has one of its own below `dropped/`, which only its user can read. It is removed when the
    server ends; that of a server that was killed is removed when the next one starts.
    """

    def __init__(self, folder: Path) -> None:
        """Use the folder that `Shared.make` has made."""
        self.folder = folder

    @classmethod
    @contextmanager
    def make(cls, home: Path) -> Iterator[Shared]:
        """Make the folder of a server that starts, for the block, after removing those of killed ones.

        Raises:
            OSError: The disk refused.
        """
        all_of_them = home / DROPPED
        all_of_them.mkdir(FOLDER_MODE, exist_ok=True)
        for left in all_of_them.iterdir():
            if (fd := _held(left)) is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(fd)
        folder = Path(tempfile.mkdtemp(dir=all_of_them))  # for its user alone
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield cls(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(fd)
            with suppress(OSError):  # another server's lies there
                all_of_them.rmdir()

    def keep(self, name: str, told: Any) -> None:
        """Write what is known of a file, whole or not at all.

        Raises:
            OSError: The disk refused.
        """
        fd, written = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(told, file)
        os.replace(written, self.folder / f"{name}.json")

    def read(self, name: str) -> Any:
        """Return what `keep` wrote under this name, or None."""
        if DIGEST.fullmatch(name) is None:  # before it becomes a path
            return None
        try:
            return json.loads((self.folder / f"{name}.json").read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def aside(self) -> Path:
        """Return a new folder for one file."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def sweep(self) -> None:
        """Remove the oldest files, beyond a number, a size and an age of all together."""
        found = []
        for one in self.folder.iterdir():
            with suppress(OSError):
                files = one.iterdir() if one.is_dir() else (one,)  # a folder's own size differs by the disk
                found.append((one.stat().st_mtime, sum(file.stat().st_size for file in files), one))
        now, total = time(), 0
        for number, (at, size, one) in enumerate(sorted(found, reverse=True)):
            total += size
            if number < MAX_SHARED and total <= MAX_SHARED_BYTES and now - at < MAX_AGE_S:
                continue
            if one.is_dir():
                shutil.rmtree(one, ignore_errors=True)
            else:
                one.unlink(missing_ok=True)


def _held(folder: Path) -> int | None:
    """Return a descriptor that holds the lock of a folder, or None if its server is still there."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


@dataclass(frozen=True, slots=True)
class Upload:
    """A deck that was dropped or copied from a session, with its content."""

    deck: Deck
    file: Path | None  # None: its session kept no copy of it


class Uploads:
    """The dropped decks of one server, by their SHA-256. Safe to use from many threads."""

    def __init__(self, shared: Shared | None = None) -> None:
        """Store decks in a folder of this process's own, or in one that other processes read as well."""
        self._lock = Lock()
        self._shared = shared
        self._kept: OrderedDict[str, Upload] = OrderedDict()

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-decks-", ignore_cleanup_errors=True)

    def _aside(self) -> Path:
        """Return a new folder for one deck."""
        if self._shared is not None:
            return self._shared.aside()
        with self._lock:
            return Path(tempfile.mkdtemp(dir=self._folder.name))

    def take(self, name: str, content: bytes) -> Upload:
        """Store a deck and read it.

        Raises:
            DeckError: The deck cannot be read; nothing is stored.
        """
        plain = plain_name(name)
        if Path(plain).suffix.lower() not in SUFFIXES:
            raise DeckError(f"{plain} is no deck that can be read: give a .pptx, .pdf or .md file")
        file = self._aside() / plain
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
        aside = self._aside()
        name = Path(plain_name(source.deck.name)).with_suffix(source.path.suffix).name
        return self._keep(Upload(source.deck, Path(shutil.copyfile(source.path, aside / name))))

    def _keep(self, taken: Upload) -> Upload:
        """Store a deck.

        A deck that is already stored stays if its file is the same or the new one has none.
        """
        shared = self._shared
        earlier = self._from_other(taken.deck.sha256) if shared is not None else None
        with self._lock:
            before = self._kept.get(taken.deck.sha256) or earlier
            if before is not None and _name_of(taken) in (None, _name_of(before)):
                self._kept[taken.deck.sha256] = before
                self._kept.move_to_end(taken.deck.sha256)
                gone, taken = [taken], before
            else:
                self._kept[taken.deck.sha256] = taken
                self._kept.move_to_end(taken.deck.sha256)
                gone = [before] if before is not None else []
            while len(self._kept) > MAX_KEPT:
                last = self._kept.popitem(last=False)[1]
                if shared is None:  # else another process may begin with it
                    gone.append(last)
        if shared is not None:
            file = str(taken.file.relative_to(shared.folder)) if taken.file is not None else None
            shared.keep(taken.deck.sha256, {"deck": to_json(taken.deck), "file": file})
            shared.sweep()
        for one in gone:
            _remove(one.file)
        return taken

    def _from_other(self, digest: str) -> Upload | None:
        """Return a deck as another process of this server has stored it, or None."""
        if self._shared is None or (told := self._shared.read(digest)) is None:
            return None
        file = self._shared.folder / told["file"] if told["file"] is not None else None
        if file is not None and not file.is_file():
            return None
        return Upload(from_json(Deck, told["deck"]), file)

    def get(self, sha256: str) -> Upload:
        """Return a deck that was dropped earlier, by its SHA-256.

        Raises:
            DeckError: The deck is not stored here, for example because the server was restarted.
        """
        with self._lock:
            found = self._kept.get(sha256)
            if found is not None and found.file is not None and not found.file.is_file():
                found = None  # another process has removed it, as one of the oldest
        if found is None and (found := self._from_other(sha256)) is not None:
            with self._lock:
                self._kept[sha256] = found
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

    def __init__(self, shared: Shared | None = None) -> None:
        """Store materials as `Uploads` does decks."""
        self._lock = Lock()
        self._shared = shared
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
            shared = self._shared
            aside = shared.aside() if shared is not None else Path(tempfile.mkdtemp(dir=self._folder.name))
        taken = Material(digest, kind, plain, aside / plain)
        try:
            taken.file.write_bytes(content)
            if shared is not None:
                shared.keep(digest, {"kind": kind, "name": plain, "file": f"{aside.name}/{plain}"})
                shared.sweep()
            if kind == "speech" and is_sound(taken.file):
                recogniser_of(config.stt_model, config.stt_language)  # refused now, where there is none
                lock = os.open(
                    aside, os.O_RDONLY | os.O_CLOEXEC
                )  # who finds it free knows that nobody does it
                fcntl.flock(lock, fcntl.LOCK_EX)
                Thread(target=self._recognise, args=(taken, config, deck, lock), daemon=True).start()
            else:
                _read(taken, config, deck)
                self._tell(taken)
        except BaseException as error:
            rmtree(aside, ignore_errors=True)
            if isinstance(error, GreenroomError):
                error.args = (_told(taken, error),)
            raise
        with self._lock:
            self._kept[digest] = taken
            gone = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - MAX_KEPT)]
        for one in gone if shared is None else ():
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
        if found is None or not found.file.is_file():
            found = self._from_other(digest)
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

    def _from_other(self, digest: str) -> Material | None:
        """Return a material as another process of this server knows it now, or None."""
        shared = self._shared
        if shared is None or (told := shared.read(digest)) is None:
            return None
        found = Material(digest, told["kind"], told["name"], shared.folder / told["file"])
        if not found.file.is_file():
            return None
        read = shared.read(f"{digest}-read")
        if read is not None:
            found.says, found.speakers, found.refused = read["says"], tuple(read["speakers"]), read["refused"]
            if read["recording"] is not None:
                found.recording = from_json(Recording, read["recording"])
        elif (fd := _held(found.file.parent)) is not None:
            os.close(fd)
            if shared.read(f"{digest}-read") is None:  # else it was told in this very moment
                found.refused = f"{found.name}: who recognised it has ended: choose it once more"
        return found

    def _tell(self, taken: Material) -> None:
        """Write for other processes how a file was understood."""
        if self._shared is not None:
            known = {"says": taken.says, "speakers": taken.speakers, "refused": taken.refused}
            recording = to_json(taken.recording) if taken.recording is not None else None
            self._shared.keep(f"{taken.id}-read", {**known, "recording": recording})

    def _recognise(self, taken: Material, config: Config, deck: Deck | None, lock: int) -> None:
        try:
            self._recognise_alone(taken, config, deck)
            with suppress(OSError):  # a full disk: whoever asks another process is told to choose it anew
                self._tell(taken)
        finally:
            os.close(lock)

    def _recognise_alone(self, taken: Material, config: Config, deck: Deck | None) -> None:
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
