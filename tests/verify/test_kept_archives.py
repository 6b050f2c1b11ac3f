"""Archives of earlier releases: every later one verifies them and rebuilds every context in them.

`tests/archives/<release>/` holds one session of the bundled demo as it was archived by that
release, and `contexts.json`, the SHA-256 of the text of each of its contexts. It is made once a
release (the command is in `scripts/keep_archive.py`) and never changed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator import Session
from orchestrator.core.archive.download import list_archives
from tests.helpers.board import fetch, verify_archive

ARCHIVES = Path(__file__).resolve().parents[1] / "archives"
RELEASES = sorted(path.name for path in ARCHIVES.iterdir() if path.is_dir())


@pytest.mark.parametrize("release", RELEASES)
def test_an_archive_of_an_earlier_release_is_verified_and_rebuilt(release: str, tmp_path: Path) -> None:
    url = str(ARCHIVES / release)
    (kept,) = list_archives(url)
    assert verify_archive(url, kept.session).findings == ()
    expected = json.loads((ARCHIVES / release / "contexts.json").read_text("utf-8"))
    with Session.open(None, fetch(kept.session, url, tmp_path)) as session:
        found = {one.id: session.context_at(one.id).sha256 for one in session.receipts()}
        assert len(session.projection.exchanges) == kept.exchanges
    assert found == expected
    assert len(found) > 50


def test_this_release_keeps_one() -> None:
    from orchestrator import __version__

    assert __version__ in RELEASES
