"""The catalogue of archives on S3: one listing for each page of folders, and nothing known is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.archive.stores import open_store
from orchestrator.panel.home import Home
from orchestrator.review.catalogue import Catalogue, update
from tests.helpers.homes import new_home
from tests.helpers.reviewed import ended
from tests.helpers.strict_s3 import strict_s3

URL = "s3://bucket/boards"


def test_known_archives_are_not_read_and_one_listing_tells_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-real-secret-key")
    home = Home.open(new_home(tmp_path / "home"))
    catalogue = Catalogue(tmp_path / "review.db")
    with strict_s3() as server:
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        monkeypatch.setenv("GREENROOM_ARCHIVE", URL)
        store = open_store(URL, endpoint_url=server.endpoint_url)
        assert store.folders() == ()
        ended(home, "one", "satisfied")
        server.requests.clear()
        update(catalogue, None, store)
        assert [row.entry.session for row, _ in catalogue.search("estuary")] == ["one"]
        assert [key for _, key in server.requests if key] == [
            "boards/one/tagmanifest-sha256.txt",
            "boards/one/data/one/ledger/ledger.jsonl",
            "boards/one/data/one/debrief.json",
        ]
        server.requests.clear()
        update(catalogue, None, store)
        assert [(method, key) for method, key in server.requests] == [("GET", "")]
