"""The Library of Congress conformance suite: 54 bags for every system, and 6 for Windows.

The verdict on each is the suite's. The `bagit` library judges four of the 54 differently, which
is why it is not what verifies our archives:

- v1.0/invalid/bagit-with-invalid-whitespace: it takes white space that version 1.0 forbids.
- v0.97/warning/duplicate-file-with-different-case, .../special-system-files and
  .../same-filename-listed-twice-with-different-normalization: the suite calls these valid, with
  a warning, though a listed name is missing: a system without that difference, or one that
  hides such files, has lost nothing. It calls them invalid.

Two bags that the suite calls valid get a warning here too (`./` before a name), as the suite
itself has it for the same fault under `warning`.
"""

from __future__ import annotations

import logging
import tarfile
from pathlib import Path

import pytest

from orchestrator.core.archive.unpacked import check_bag
from tests.helpers.figures import note

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

LIBRARY_DIFFERS = {
    "v1.0/invalid/bagit-with-invalid-whitespace",
    "v0.97/warning/duplicate-file-with-different-case",
    "v0.97/warning/same-filename-listed-twice-with-different-normalization",
    "v0.97/warning/special-system-files",
}
WARNED_THOUGH_VALID = {
    "v0.96/valid/bag-with-leading-dot-slash-in-manifest",
    "v0.97/valid/bag-with-leading-dot-slash-in-manifest",
}


@pytest.fixture(scope="module")
def suite(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite, unpacked."""
    folder = tmp_path_factory.mktemp("suite")
    with tarfile.open(shared / "bagit" / "bagit-conformance-suite.tar") as packed:
        packed.extractall(folder, filter="data")
    return folder


def _bags(suite: Path) -> dict[str, Path]:
    return {str(path.relative_to(suite)): path for path in sorted(suite.glob("v*/*/*/"))}


def _is_invalid(name: str) -> bool:
    category = name.split("/")[1]
    return category == "invalid" or category.endswith("-only")


def test_every_bag_is_judged_as_the_suite_judges_it(suite: Path) -> None:
    bags = _bags(suite)
    for_all = [name for name in bags if "/windows-only/" not in name]
    refused = {name for name, path in bags.items() if check_bag(path).findings}
    wrong = [name for name in for_all if (name in refused) != _is_invalid(name)]
    note("bags", "bags of the conformance suite for every system", count=len(for_all), wrong=len(wrong))
    assert len(for_all) == 54
    assert refused == set(filter(_is_invalid, bags))


def test_every_bag_to_warn_of_has_a_warning(suite: Path) -> None:
    warned = {name for name, path in _bags(suite).items() if check_bag(path).warnings}
    expected = {name for name in _bags(suite) if "/warning/" in name} | WARNED_THOUGH_VALID
    assert {name for name in warned if not _is_invalid(name)} == expected


def test_the_bagit_library_differs_on_four(suite: Path) -> None:
    logging.disable()  # it logs what it finds, as well as raising it
    try:
        differs = {
            name
            for name, path in _bags(suite).items()
            if "/windows-only/" not in name and _library_accepts(path) == _is_invalid(name)
        }
    finally:
        logging.disable(logging.NOTSET)
    assert differs == LIBRARY_DIFFERS


def _library_accepts(path: Path) -> bool:
    import bagit

    try:
        return bool(bagit.Bag(str(path)).validate())
    except bagit.BagError:
        return False


@pytest.mark.parametrize("broken", ["a file", "nothing", "an empty folder"])
def test_what_is_no_bag_at_all_is_a_finding(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "bag"
    if broken == "a file":
        path.write_text("no")
    elif broken == "an empty folder":
        path.mkdir()
    assert check_bag(path).findings
