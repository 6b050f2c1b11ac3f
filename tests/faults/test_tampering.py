"""Hands that meddle: any change to a session or archive is found, with its file; the unchanged is valid.

A whole session that was rolled back, and ended again by the same program, is a session like any other: only
the ledger's head, as `greenroom end` printed it, tells it from the one that was.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.core.archive.freeze import freeze, thaw
from orchestrator.core.errors import ArchiveUnavailableError
from orchestrator.core.store import ledger
from orchestrator.core.store.store import LEDGER_NAME, Store
from orchestrator.core.verify import Verification
from orchestrator.documents.verification import against_head
from tests.helpers.board import archive_session, verify_archive, verify_path, verify_session
from tests.helpers.figures import note, share
from tests.helpers.sessions import PANEL, ended_session, live_session

NOBODY = 65534
CHANGES = {
    "ended session": share(400),
    "live session": share(200),
    "bag": share(350),
    "archive": share(100),
}
UNACCOUNTED = ("debrief.md", "source/")
"""Of a live session: made from the ledger again at any time, or not yet digested."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that any user may enter, as a test's own is not."""
    with tempfile.TemporaryDirectory(prefix="tampering-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def made(kind: str, folder: Path) -> tuple[Path, Callable[[], Verification]]:
    """Something to tamper with, and how it is verified."""
    at = folder / kind.replace(" ", "-")
    sample = live_session(at) if kind == "live session" else ended_session(at)
    if kind.endswith("session"):
        thaw(sample.root)
        root, verify = sample.root, lambda: verify_session(sample.root)
    else:
        archive_session(sample.root, str(at / "archives"))
        thaw(sample.root)
        root = at / "archives" / sample.id
        if kind == "bag":
            verify = lambda: verify_path(root)  # noqa: E731
        else:
            verify = lambda: verify_archive(str(at / "archives"), sample.id)  # noqa: E731
    if os.geteuid() == 0:
        for path in [root, *root.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    return root, verify


@contextmanager
def as_a_user() -> Iterator[None]:
    """Root reads everything: without its rights, what may not be read is seen as others see it."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def contents_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def tamper(root: Path, original: dict[str, bytes], name: str, chance: random.Random) -> tuple[str, set[str]]:
    """One change to the file *name*: what it was, and the names that it touched."""
    content, path = original[name], root / name
    at = chance.randrange(len(content))
    what = chance.choice(
        [
            "edit",
            "insert",
            "cut",
            "grow",
            "zero",
            "delete",
            "swap",
            "add",
            "move",
            "mode",
            "link",
            "second name",
        ]
    )
    path.chmod(0o644)
    if what == "edit":
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :])
    elif what == "insert":
        path.write_bytes(content[:at] + b"x" + content[at:])
    elif what == "cut":
        # Not whole last records of a session: that is a roll-back.
        path.write_bytes(content[:at].removesuffix(b"\n"))
    elif what == "grow":
        path.write_bytes(content + b"more\n")
    elif what == "zero":
        path.write_bytes(bytes(len(content)))
    elif what == "delete":
        path.unlink()
    elif what == "swap":
        other = chance.choice([one for one in sorted(original) if original[one] != content])
        (root / other).chmod(0o644)
        path.write_bytes(original[other])
        (root / other).write_bytes(content)
        return what, {name, other}
    elif what == "add":
        added = f"{name}.{chance.randrange(10**6)}"
        (root / added).write_bytes(content)
        return what, {added}
    elif what == "move":
        path.rename(root / f"{name}.moved")
        return what, {name, f"{name}.moved"}
    elif what == "mode":
        path.chmod(0)
    else:  # of the same content, so that only the kind of file is another
        elsewhere = root.parent / "elsewhere"
        elsewhere.write_bytes(content)
        elsewhere.chmod(0o644)
        path.unlink()
        (path.symlink_to if what == "link" else path.hardlink_to)(elsewhere)
    return what, {name}


def put_back(root: Path, original: dict[str, bytes], touched: set[str]) -> None:
    (root.parent / "elsewhere").unlink(missing_ok=True)
    for name in touched:
        (root / name).unlink(missing_ok=True)
        if name in original:
            (root / name).write_bytes(original[name])
            (root / name).chmod(0o644)


@pytest.mark.parametrize("kind", CHANGES)
def test_any_change_is_found_and_its_file_named(kind: str, folder: Path) -> None:
    chance = random.Random(f"tampering {kind}")  # the same changes in every run
    root, verify = made(kind, folder)
    original = contents_of(root)
    names = sorted(name for name in original if kind != "live session" or not name.startswith(UNACCOUNTED))
    missed: list[str] = []
    for number in range(CHANGES[kind]):
        what, touched = tamper(root, original, chance.choice(names), chance)
        with as_a_user():
            try:
                verified = verify()
                found = {finding.path for finding in verified.findings}
                if kind == "live session":  # a file of somebody's own is left alone there, and listed
                    found |= {path for path in touched - set(original) if path in " ".join(verified.notes)}
            except ArchiveUnavailableError as error:  # no verdict on what may not be read, and its name
                found = {path for path in touched if path in str(error)}
        # Without its ledger nobody knows what else was there, and a tag file that is wrong is named alone.
        is_each_named = kind.endswith("session") and LEDGER_NAME not in touched
        if not (touched <= found if is_each_named else touched & found):
            missed.append(f"{number}, {what}: {sorted(touched)}")
        put_back(root, original, touched)
    note(
        "tampering",
        f"changes to one {kind}",
        count=CHANGES[kind],
        wrong=len(missed),
        told="file named in each",
    )
    assert missed == []
    assert contents_of(root) == original


@pytest.mark.parametrize("kind", CHANGES)
def test_what_is_unchanged_is_valid_whatever_its_times_and_rights(kind: str, folder: Path) -> None:
    root, verify = made(kind, folder / "controls")
    wrong = 0
    for mode in (0o444, 0o640, 0o644, 0o600, 0o755):
        for path in root.rglob("*"):
            if path.is_file():
                path.chmod(mode)
                os.utime(path, (mode, mode))
        with as_a_user():
            wrong += not verify().valid
    note("tampering", f"unchanged controls of one {kind}", count=5, wrong=wrong)
    assert wrong == 0


# ---------------------------------------------------------------------- roll-backs


def rolled_back(ended: Path, to: Path, content: bytes) -> Store:
    """The session at *ended* as it was when its ledger was *content*, with every file as it was then."""
    (to / "ledger").mkdir(parents=True)
    (to / LEDGER_NAME).write_bytes(content)
    for there_from_the_start in ("ledger/templates", "source"):
        shutil.copytree(ended / there_from_the_start, to / there_from_the_start)
    for agent in ("shared", "moderator", *PANEL):
        (to / agent).mkdir()
    thaw(to)
    store = Store(to)
    store.mend()
    return store


def test_every_roll_back_of_an_ended_session_is_found_against_the_printed_head(tmp_path: Path) -> None:
    sample = ended_session(tmp_path / "real")
    thaw(sample.root)
    content = (sample.root / LEDGER_NAME).read_bytes()
    printed = verify_session(sample.root).head
    ends = [end + 1 for end, byte in enumerate(content[:-1]) if byte == 0x0A]
    wrong: list[str] = []
    tried = 0
    for end in ends:
        if (
            ledger.scan(content[:end]).end != end
        ):  # in the middle of a transaction: a torn record, found without a head
            continue
        for ends_again in (False, True):
            root = tmp_path / f"{end}-{ends_again}" / sample.id
            store = rolled_back(sample.root, root, content[:end])
            if ends_again:
                freeze(store, sample.home_templates)
            store.close()
            looks_right = verify_session(root)
            found = verify_session(root, head=printed).findings
            if [(one.path, one.kind) for one in found] != [(LEDGER_NAME, "head")] or not looks_right.valid:
                wrong.append(f"{end}, {ends_again}: {found}")
            tried += 1
            if ends_again:
                archive_session(root, str(root.parent / "archives"))
                archived = verify_archive(str(root.parent / "archives"), sample.id)
                if not archived.valid or against_head(archived, printed).valid:
                    wrong.append(f"{end}, archived")
                tried += 1
            thaw(root)
    note("tampering", "roll-backs against the printed head", count=tried, wrong=len(wrong))
    assert wrong == []
    assert verify_session(sample.root, head=printed).valid
    assert tried > 30
