"""A deck's prepared dossier in its home: which questions are prepared, and the presenter's own answers.

    <home>/dossiers/<SHA-256 of the deck>/dossier.json
                                          deck.pptx        the deck's file, where it may be kept

The file names its version. It is not part of any session, archive or export, and is deleted with its folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import HomeError, InputError, UsageError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import page
from orchestrator.core.store import files
from orchestrator.core.values import from_json, to_json
from orchestrator.material.values import DOSSIER, BroughtQuestion, Deck
from orchestrator.panel.home import Home
from orchestrator.panel.model.reply import Attack, Dossier

VERSION: Final = 1
"""Version of the file; a file with a later version is refused and never overwritten."""
FILE: Final = "dossier.json"
MAX_ANSWER_CHARS: Final = 4_000
"""Maximum number of characters of one answer, two pages; a longer text is a talk."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Preparation:
    """The presenter's progress with one question."""

    is_prepared: bool = False
    answer: str = ""  # in the presenter's own words


@dataclass(frozen=True, slots=True)
class Prepared:
    """A dossier with its deck, and the presenter's preparations."""

    deck: Deck
    dossier: Dossier
    made_at: str = field(default_factory=utc_now)  # RFC 3339
    notices: tuple[str, ...] = ()
    preparations: Mapping[str, Preparation] = field(default_factory=dict)  # by question, word for word
    version: int = field(default_factory=lambda: VERSION)

    def of(self, attack: Attack) -> Preparation:
        """Return the presenter's progress with the question of *attack*."""
        return self.preparations.get(attack.question, Preparation())

    @property
    def unticked(self) -> tuple[Attack, ...]:
        """Return the questions that are not prepared yet, the likeliest first."""
        return tuple(one for one in self.dossier.attacks if not self.of(one).is_prepared)


def read_prepared(home: Home, sha256: str, whose: str = "") -> Prepared | None:
    """Return the dossier that is stored for a deck, or None.

    Args:
        whose: Where people sign in, the identity of the person whose dossier it is; each has an own one.

    Raises:
        HomeError: The file is not one that Greenroom wrote, or a later release wrote it.
    """
    path = _folder(home, sha256, whose) / FILE
    try:
        plain = json.loads(read_regular(path))
        version = plain["version"]
        if version == VERSION:
            return from_json(Prepared, plain)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        raise HomeError(f"{path}: is not a dossier: remove it, and have it made again", file=path) from None
    raise HomeError(f"{path}: a later release wrote it (version {version}): use that one", file=path)


def keep_prepared(home: Home, made: Prepared, file: Path | None = None, whose: str = "") -> Prepared:
    """Store a dossier in place of the deck's earlier one, with the answers to questions that it asks again.

    Args:
        file: The deck's own file, which is stored beside the dossier. If None, it is not stored.
        whose: As at `read_prepared`.
    """
    with _alone(home, made.deck.sha256, whose):
        before = read_prepared(home, made.deck.sha256, whose)
        if before is not None:
            made = replace(made, preparations={**before.preparations, **made.preparations})
        _write(home, made, whose)
    if file is not None:
        folder = _folder(home, made.deck.sha256, whose)
        name = f"deck{file.suffix.lower()}"
        if not (folder / name).exists():
            _put(folder, name, file.read_bytes())
    return made


def prepare(home: Home, sha256: str, number: int, now: Preparation, whose: str = "") -> Prepared:
    """Store the presenter's progress with question *number*, counted from 1; *whose* is as at
    `read_prepared`.

    Raises:
        InputError: This deck has no dossier, or the dossier has no such question.
        UsageError: The answer is too long.
    """
    if len(now.answer) > MAX_ANSWER_CHARS:
        raise UsageError(f"the answer has {len(now.answer):,} characters (limit {MAX_ANSWER_CHARS:,})")
    _kept(home, sha256, whose)
    with _alone(home, sha256, whose):  # two questions are ticked at one time
        return _prepare(home, sha256, number, now, whose)


def _prepare(home: Home, sha256: str, number: int, now: Preparation, whose: str) -> Prepared:
    made = _kept(home, sha256, whose)
    if not 1 <= number <= len(made.dossier.attacks):
        raise InputError(f"there is no question {number}: the dossier has {len(made.dossier.attacks)}")
    question = made.dossier.attacks[number - 1].question
    kept = {**made.preparations, question: replace(now, answer=page(now.answer).strip())}
    made = replace(made, preparations=kept)
    _write(home, made, whose)
    return made


def deck_file(home: Home, sha256: str, whose: str = "") -> Path | None:
    """Return the path of the deck's own file, or None if it was not stored."""
    return next(iter(sorted(_folder(home, sha256, whose).glob("deck.*"))), None)


def forget_prepared(home: Home, sha256: str, whose: str = "") -> None:
    """Remove a deck's dossier with all answers, and the deck's file beside it."""
    shutil.rmtree(_folder(home, sha256, whose), ignore_errors=True)


def brought_of(attack: Attack, panel: tuple[str, ...]) -> BroughtQuestion:
    """Turn a question of the dossier into the presenter's own, for a rehearsal with this panel."""
    about = attack.about
    return BroughtQuestion(
        text=attack.question,
        slide=about.slide if about is not None else None,
        agent=attack.agent if attack.agent in panel else None,
        written_by=DOSSIER,
        quote=about.quote if about is not None and not attack.is_missing else None,
        is_missing=attack.is_missing,
        good_answer=attack.good_answer,
    )


def _alone(home: Home, sha256: str, whose: str) -> AbstractContextManager[bool]:
    """Hold the lock on this deck's dossier, so that nobody else writes it in the block."""
    folder = _folder(home, sha256, whose)
    folder.mkdir(0o700, parents=True, exist_ok=True)
    return files.held(folder, wait=True)


def _kept(home: Home, sha256: str, whose: str) -> Prepared:
    made = read_prepared(home, sha256, whose)
    if made is None:
        raise InputError("there is no dossier of this deck: have one made first")
    return made


def _folder(home: Home, sha256: str, whose: str) -> Path:
    if not _SHA256.fullmatch(sha256):
        raise InputError(f"{sha256[:70]!r} is not the SHA-256 of a deck")
    folder = home.root / "dossiers"
    if whose:  # under a name that any file system takes
        folder = folder / "of" / hashlib.sha256(whose.encode()).hexdigest()[:32]
    return folder / sha256


def _write(home: Home, made: Prepared, whose: str) -> None:
    raw = json.dumps(to_json(made), ensure_ascii=False, indent=1).encode()
    _put(_folder(home, made.deck.sha256, whose), FILE, raw)


def _put(folder: Path, name: str, raw: bytes) -> None:
    """Write a file atomically and durably, readable only by its owner.

    A presenter's words are stored nowhere else.
    """
    fd = os.open(folder, files.FOLDER)
    try:
        files.replace_file(fd, name, raw, mode=0o600, is_synced=True)
        files.sync_folder(fd)
    finally:
        os.close(fd)
