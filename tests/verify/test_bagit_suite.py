"""Bags of other programs, and forms of a bag that Greenroom never writes: each is refused in one line.

The first are the conformance suite of the Library of Congress, 54 bags for every system and 6 for Windows.
None holds a session, so none is an archive of one, valid or not. The second are made from the archives that
are kept for each release; most are valid to the `bagit` library, as the archives themselves are.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.core.archive.unpacked import check_bag
from orchestrator.core.verify.finding import Finding
from tests.helpers.board import verify_path
from tests.helpers.figures import note

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

ARCHIVES = Path(__file__).resolve().parents[1] / "archives"
KEPT = sorted(path.parent for path in ARCHIVES.glob("*/*/bagit.txt"))
FOREIGN = Finding(
    "data", "bag", "a session that Greenroom archived", "none: check another program's bag with a BagIt tool"
)


@pytest.fixture(scope="module")
def suite(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite, unpacked."""
    folder = tmp_path_factory.mktemp("suite")
    with tarfile.open(shared / "bagit" / "bagit-conformance-suite.tar") as packed:
        packed.extractall(folder, filter="data")
    return folder


def library_accepts(path: Path) -> bool:
    """Whether the `bagit` library finds the bag valid."""
    import bagit

    logging.disable()  # it logs what it finds, as well as raising it
    try:
        return bool(bagit.Bag(str(path)).validate())
    except bagit.BagError:
        return False
    finally:
        logging.disable(logging.NOTSET)


def test_every_bag_of_the_suite_is_refused_in_one_line(suite: Path) -> None:
    bags = sorted(suite.glob("v*/*/*/"))
    wrong = [path for path in bags if verify_path(path).findings != (FOREIGN,)]
    note("bags", "bags of the conformance suite, none of them ours", count=len(bags), wrong=len(wrong))
    assert (len(bags), wrong) == (60, [])


@pytest.mark.parametrize("bag", KEPT, ids=lambda bag: bag.parent.name)
def test_the_library_finds_the_kept_archives_valid_and_so_does_verify(bag: Path) -> None:
    assert library_accepts(bag)
    assert check_bag(bag) == ()
    assert verify_path(bag).findings == ()


# ------------------------------------------------------------------ forms that are never written


def replaced(name: str, before: str, after: str) -> Callable[[Path], None]:
    """Replace text of a tag file."""

    def change(bag: Path) -> None:
        text = (bag / name).read_bytes().decode()
        assert before in text
        (bag / name).write_bytes(text.replace(before, after).encode())

    return change


def with_sha512(bag: Path) -> None:
    """Add a payload manifest with another digest, as the `bagit` library does by itself."""
    names = [line.partition("  ")[2] for line in (bag / "manifest-sha256.txt").read_text().splitlines()]
    lines = (f"{hashlib.sha512((bag / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (bag / "manifest-sha512.txt").write_text("".join(lines))


def with_sha512_alone(bag: Path) -> None:
    with_sha512(bag)
    (bag / "manifest-sha256.txt").unlink()


def backwards(bag: Path) -> None:
    """Turn the lines of the manifest round."""
    lines = (bag / "manifest-sha256.txt").read_text().splitlines(keepends=True)
    (bag / "manifest-sha256.txt").write_text("".join(reversed(lines)))


def to_fetch(bag: Path) -> None:
    """Say that a part of the payload is to be fetched."""
    name = next(line.partition("  ")[2] for line in (bag / "manifest-sha256.txt").read_text().splitlines())
    size = (bag / name).stat().st_size
    (bag / "fetch.txt").write_text(f"http://192.0.2.1/x {size} {name}\n")


FORMS: dict[str, tuple[Callable[[Path], None], bool, set[str]]] = {
    # what: the change, whether the library finds such a bag valid, and what is named
    "another digest beside": (with_sha512, True, {"manifest-sha512.txt"}),
    "another digest alone": (with_sha512_alone, True, {"manifest-sha256.txt", "manifest-sha512.txt"}),
    "something to fetch": (to_fetch, True, {"fetch.txt"}),
    "version 0.97": (replaced("bagit.txt", "1.0", "0.97"), True, {"bagit.txt"}),
    "another encoding": (replaced("bagit.txt", "UTF-8", "ISO-8859-1"), True, {"bagit.txt"}),
    "Windows line ends": (replaced("manifest-sha256.txt", "\n", "\r\n"), True, {"manifest-sha256.txt"}),
    "names with ./": (replaced("manifest-sha256.txt", "  ", "  ./"), True, {"manifest-sha256.txt"}),
    "names with *": (replaced("manifest-sha256.txt", "  ", " *"), True, {"manifest-sha256.txt"}),
    "a byte-order mark": (replaced("bagit.txt", "BagIt-", "\ufeffBagIt-"), False, {"bagit.txt"}),
    "another order": (backwards, True, {"manifest-sha256.txt"}),
    "an Oxum of another payload": (
        replaced("bag-info.txt", "Payload-Oxum: ", "Payload-Oxum: 1"),
        False,
        {"bag-info.txt"},
    ),
    "no commit mark": (
        lambda bag: (bag / "tagmanifest-sha256.txt").unlink(),
        True,
        {"tagmanifest-sha256.txt"},
    ),
}


@pytest.mark.parametrize("agent", ["this release's", "another's"])
@pytest.mark.parametrize("what", FORMS)
def test_a_form_that_is_never_written_is_refused_and_its_file_named(
    what: str, agent: str, tmp_path: Path
) -> None:
    change, is_valid, named = FORMS[what]
    bag = tmp_path / KEPT[-1].name
    shutil.copytree(KEPT[-1], bag)
    mark = bag / "tagmanifest-sha256.txt"
    if agent == "another's":  # whose bags are held to their own manifests alone
        replaced("bag-info.txt", "bag 1", "bag 2")(bag)
    change(bag)
    if mark.exists():  # what leads to the changed file fits it
        tags = sorted(path.name for path in bag.iterdir() if path.is_file() and path != mark)
        mark.write_text("".join(f"{sha256(bag / name)}  {name}\n" for name in tags))
    assert library_accepts(bag) == is_valid
    assert {finding.path for finding in verify_path(bag).findings} - {"tagmanifest-sha256.txt"} == (
        named - {"tagmanifest-sha256.txt"}
    )
    assert not verify_path(bag).valid


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_name_that_is_not_utf_8_is_named_and_nothing_breaks(tmp_path: Path) -> None:
    bag = tmp_path / KEPT[-1].name
    shutil.copytree(KEPT[-1], bag)
    with open(os.fsencode(bag) + b"/data/demo/\xff.md", "wb"):
        pass
    assert [(one.path, one.kind) for one in verify_path(bag).findings] == [("data/demo/\\xff.md", "extra")]


@pytest.mark.parametrize("broken", ["a file", "nothing", "an empty folder"])
def test_what_is_no_bag_at_all_is_a_finding(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "bag"
    if broken == "a file":
        path.write_text("no")
    elif broken == "an empty folder":
        path.mkdir()
    assert check_bag(path)
