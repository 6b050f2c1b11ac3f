"""The ledger as a stream: every record once, in order, also after a break."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from threading import Timer

import httpx2
from starlette.testclient import TestClient

from orchestrator.web.site import Site
from tests.web.conftest import Served

RECORDS = "/api/v1/sessions/s1/records"
LINES = {"accept": "application/x-ndjson"}


def events(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Number and data of each event."""
    number = 0
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "id":
            number = int(value)
        elif key == "data":
            yield number, value


def test_lines_are_the_ledgers_own(api: TestClient, site: Site, session: str) -> None:
    ledger = (site.own.sessions / session / "ledger" / "ledger.jsonl").read_bytes()
    answer = api.get(RECORDS, headers=LINES)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.content == ledger
    assert api.get(RECORDS, params={"after": 3}, headers=LINES).content == b"".join(
        ledger.splitlines(keepends=True)[3:]
    )
    assert api.get(RECORDS, params={"after": 10**9}, headers=LINES).content == b""


def test_the_stream_of_an_ended_session_ends_with_its_last_record(
    api: TestClient, site: Site, session: str
) -> None:
    api.post(f"/api/v1/sessions/{session}/end", json={})
    ledger = (site.own.sessions / session / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
    assert list(events(iter(api.get(RECORDS).text.splitlines()))) == list(enumerate(ledger, start=1))
    rest = api.get(RECORDS, headers={"last-event-id": str(len(ledger) - 1)})
    assert [number for number, _ in events(iter(rest.text.splitlines()))] == [len(ledger)]
    assert api.get(RECORDS, headers={"last-event-id": str(len(ledger))}).status_code == 204


def test_what_comes_later_is_sent_as_it_comes_and_goes_on_after_a_break(
    serve: Callable[..., Served],
) -> None:
    with serve().client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        known = len(client.get(RECORDS, headers=LINES).text.splitlines())
        for slide, last in ((2, known), (3, known + 1)):
            moved = Timer(0.3, move, (client, slide))
            moved.start()
            with client.stream("GET", RECORDS, headers={"last-event-id": str(last)}) as stream:
                number, data = next(events(stream.iter_lines()))
            moved.join()
            assert (number, json.loads(data)["seq"]) == (last + 1, last + 1)


def move(client: httpx2.Client, slide: int) -> None:
    client.put("/api/v1/sessions/s1/slide", json={"slide": slide})
