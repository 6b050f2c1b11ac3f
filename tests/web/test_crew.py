"""The whole life of a session of a crew that Greenroom has never heard of, over HTTP and in the review."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.crews import AGENTS, DIFF, OTHER_CREW, TABLE, crew_home, file_row, steady
from tests.helpers.described import HeldClient

SESSIONS = "/api/v1/sessions"
REVIEW = f"{SESSIONS}/pr-42"
MEETING = "# Meeting on PR 42\n\nAlice: simpler.\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    home = Home.open(crew_home(tmp_path / "crew"))
    made = Site(home, str(home.archives), OpenSessions(home))
    yield made
    made.close()


@pytest.fixture
def api(site: Site) -> Iterator[TestClient]:
    """The application in the test's own process; each of its replies is held to the API's description."""
    with HeldClient(application(site), base_url="http://127.0.0.1") as client:
        yield client


def done(api: TestClient, method: str, address: str, status: int = 200, **given: Any) -> Any:
    answer = api.request(method, address, **given)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.fixture
def receipt(api: TestClient) -> str:
    """A review that goes on: one thing said, one question from the context of this receipt, one note."""
    begun = {"id": "pr-42", "title": "PR 42", "files": {"shared/pull-request.md": DIFF}}
    done(api, "POST", "/api/v1/crew/sessions", 201, json=begun)
    said = {"text": "Alice: simpler.", "by": "minutes"}
    assert done(api, "POST", f"{REVIEW}/files/shared/meeting.md", json=said) == {
        "path": "shared/meeting.md",
        "bytes": len(MEETING),
        "record": 4,
    }
    given = str(api.get(f"{REVIEW}/contexts/tester").headers["greenroom-receipt"])
    asked = {"text": "Which test fails?", "by": "tester", "receipt": given}
    written = done(api, "PUT", f"{REVIEW}/files/tester/question.md", json=asked)
    assert written == {"path": "tester/question.md", "revision": 1, "record": 6}
    found = {"type": "review.finding", "fields": {"severity": "high"}, "by": "coordinator"}
    assert done(api, "POST", f"{REVIEW}/notes", 201, json=found) == {"record": 7}
    return given


def seen(api: TestClient, address: str, status: int = 200) -> str:
    """The words of a page that a browser opens."""
    answer = api.get(address, headers={"accept": "text/html"}, follow_redirects=False)
    assert answer.status_code == status, answer.text[:500]
    main = answer.text[answer.text.index("<main") :]
    return " ".join(html.unescape(re.sub(r"<script.*?</script>|<[^>]+>", " ", main)).split())


def test_it_is_started_listed_and_shown(api: TestClient, site: Site, receipt: str) -> None:
    row = {
        "session": "pr-42",
        "title": "PR 42",
        "crew": "code-review",
        "state": "active",
        "deck": None,
        "date": None,
        "day": "…",
        "presenter": None,
        "exchanges": 0,
        "archive": None,
    }
    assert steady(done(api, "GET", SESSIONS)) == {"sessions": [row]}
    assert steady(done(api, "GET", f"{SESSIONS}?search=simpler")) == {"sessions": [row]}
    assert steady(done(api, "GET", REVIEW)) == {
        **row,
        "exchanges": [],
        "path": str(site.own.sessions / "pr-42"),
        "table": TABLE,
        "agents": AGENTS,
        "tensions": [],
        "said": [],
        "files": [
            file_row("shared/pull-request.md", "write-once", "start", DIFF, 1),
            file_row("shared/meeting.md", "append-only", "minutes", MEETING, 0),
            file_row("shared/findings.md", "append-only", "coordinator", "", 0),
            file_row("architect/question.md", "overwrite", "architect", "", 0),
            file_row("security/question.md", "overwrite", "security", "", 0),
            file_row("tester/question.md", "overwrite", "tester", "Which test fails?", 1),
        ],
        "notes": [
            {
                "record": 7,
                "type": "review.finding",
                "by": "coordinator",
                "at": "…",
                "fields": {"severity": "high"},
            }
        ],
        "receipts": [{"receipt": "RECEIPT", "agent": "tester", "purpose": "context", "seq": 4}],
        "took_over": None,
        "warnings": [],
        "usage": None,
        "records": 7,
        "ledger_head": "…",
    }


def test_its_files_contexts_and_records_are_read(api: TestClient, receipt: str) -> None:
    assert api.get(f"{REVIEW}/files/shared/meeting.md").text == MEETING
    then = api.get(f"{REVIEW}/contexts/tester", params={"at": receipt})
    assert then.text.startswith("^^^ file 1 of 5: templates/tester/role.md (immutable)\n# Tester\n")
    assert then.headers["greenroom-receipt"] == receipt
    assert api.get(f"{REVIEW}/contexts/tester", params={"at": 4}).text == then.text
    now = api.get(f"{REVIEW}/contexts/tester")
    assert ("Which test fails?" in now.text, "Which test fails?" in then.text) == (True, False)
    same = api.get(f"{REVIEW}/contexts/tester", headers={"if-none-match": now.headers["etag"]})
    assert same.status_code == 304
    for form in ("messages", "receipt"):
        done(api, "GET", f"{REVIEW}/contexts/tester?as={form}")
    done(api, "GET", f"{REVIEW}/contexts/skeptic", 422)
    lines = api.get(f"{REVIEW}/records", headers={"accept": "application/x-ndjson"}).text.splitlines()
    records = [json.loads(line) for line in lines]
    assert [(one["op"], one.get("file")) for one in records[:7]] == [
        ("open", None),
        ("create", "shared/meeting.md"),
        ("write", "shared/pull-request.md"),
        ("append", "shared/meeting.md"),
        ("receipt", None),
        ("replace", "tester/question.md"),
        ("note", None),
    ]
    assert records[5]["receipt"] == receipt


def test_what_is_asked_again_by_its_id_counts_once(api: TestClient) -> None:
    def twice(method: str, address: str, body: dict[str, Any], key: str, status: int = 200) -> Any:
        first, second = (
            done(api, method, address, status, json=body, headers={"idempotency-key": key}) for _ in range(2)
        )
        assert first == second
        return first

    started = twice("POST", "/api/v1/crew/sessions", {"files": {}, "title": "PR 7"}, "k0", 201)
    own = f"{SESSIONS}/{started['session']}"
    said = {"text": "Alice: simpler.", "by": "minutes"}
    twice("POST", f"{own}/files/shared/meeting.md", said, "k1")
    twice("PUT", f"{own}/files/tester/question.md", {"text": "Why?", "by": "tester"}, "k2")
    twice("POST", f"{own}/notes", {"type": "review.finding", "by": "coordinator"}, "k3", 201)
    shown = done(api, "GET", own)
    assert (len(shown["notes"]), shown["files"][1]["bytes"]) == (
        1,
        len("# Meeting on PR 7\n\nAlice: simpler.\n"),
    )
    assert [one["session"] for one in done(api, "GET", SESSIONS)["sessions"]] == [started["session"]]


@pytest.mark.parametrize(
    ("method", "address", "body", "status", "code"),
    [
        ("POST", "/files/shared/meeting.md", {"text": "x", "by": "alice"}, 403, "writer_not_allowed"),
        ("PUT", "/files/shared/meeting.md", {"text": "x", "by": "minutes"}, 409, "append_only"),
        ("PUT", "/files/shared/plan.md", {"text": "x", "by": "start"}, 404, "unknown_file"),
        ("PUT", "/files/templates/tester/role.md", {"text": "x", "by": "tester"}, 403, "immutable_file"),
        ("POST", "/notes", {"type": "finding", "by": "coordinator"}, 422, "usage"),
        (
            "PUT",
            "/files/tester/question.md",
            {"text": "x", "by": "tester", "receipt": "r9"},
            404,
            "receipt",
        ),
    ],
)
def test_what_the_crews_table_forbids_is_refused(
    api: TestClient, receipt: str, method: str, address: str, body: dict[str, str], status: int, code: str
) -> None:
    before = done(api, "GET", REVIEW)["ledger_head"]
    assert done(api, method, f"{REVIEW}{address}", status, json=body)["code"] == code
    assert done(api, "GET", REVIEW)["ledger_head"] == before


ONLY_OF_A_REHEARSAL: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "room", None),
    ("GET", "room/events", None),
    ("GET", "again", None),
    ("GET", "debrief", None),
    ("GET", "delivery", None),
    ("GET", "intel", None),
    ("GET", "recap", None),
    ("GET", "sound", None),
    ("GET", "slides/1.png", None),
    ("POST", "drive", None),
    ("POST", "pause", None),
    ("POST", "segments", {"text": "We grew."}),
    ("PUT", "slide", {"slide": 1}),
    ("POST", "ask", {}),
    ("POST", "answer", {"text": "Yes."}),
    ("POST", "park", None),
    ("POST", "questions", {}),
    ("POST", "dismiss", {"finding": "c1"}),
    ("POST", "judge", {"exchange": "x1", "verdict": "given"}),
]


@pytest.mark.parametrize(("method", "address", "body"), ONLY_OF_A_REHEARSAL)
def test_what_only_a_rehearsal_has_says_what_this_is(
    api: TestClient, receipt: str, method: str, address: str, body: dict[str, Any] | None
) -> None:
    given = {} if body is None else {"json": body}
    refused = done(api, method, f"{REVIEW}/{address}", 409, **given)
    assert (refused["code"], refused["detail"], refused["value"]) == ("other_crew", OTHER_CREW, "pr-42")


@pytest.mark.parametrize(
    "address",
    [
        "/room/pr-42",
        "/room/pr-42/audience",
        "/room/pr-42/presenter",
        "/room/pr-42/devices",
        "/debrief/pr-42",
        "/dossier/of/pr-42",
        "/review/pr-42/export",
        "/review/pr-42/redacted",
        "/review/pr-42/questions/x1",
    ],
)
def test_a_page_of_a_rehearsal_says_what_this_is_and_leads_to_it(
    api: TestClient, receipt: str, address: str
) -> None:
    told = f"This is no rehearsal {OTHER_CREW[0].upper()}{OTHER_CREW[1:]}."
    assert seen(api, address, 409).startswith(f"{told} Show the session To the first page")


def test_a_rehearsal_is_not_begun_in_such_a_home(api: TestClient) -> None:
    told = "the crew of this home is code-review, which holds no rehearsals"
    assert told[1:] in seen(api, "/new", 409)
    refused = done(api, "POST", SESSIONS, 409, json={"sample": True})
    assert (refused["code"], refused["detail"].startswith(told)) == ("other_crew", True)
    assert done(api, "GET", SESSIONS) == {"sessions": []}


def test_the_review_lists_it_and_finds_its_words(api: TestClient, receipt: str) -> None:
    row = r"PR 42 under way \d{4}-\d\d-\d\d \d\d:\d\d UTC · crew code-review"
    assert re.search(f"{row} Greenroom", seen(api, "/review"))
    assert re.search(
        f"{row} File shared/meeting.md # Meeting on PR 42 Alice: simpler ?. ", seen(api, "/review?q=simpler")
    )
    assert "Nothing was found" in seen(api, "/review?q=nowhere")
    done(api, "PUT", f"{REVIEW}/title", json={"title": "The totals"})
    assert "The totals under way" in seen(api, "/review")
    assert "PR 42" not in seen(api, "/")


def test_the_review_shows_what_was_written_and_the_context_that_it_came_from(
    api: TestClient, receipt: str
) -> None:
    shown = seen(api, "/review/pr-42")
    assert "a session of the crew code-review: coordinator, architect, security, tester" in shown
    assert "shared/meeting.md append-only by minutes 36 bytes # Meeting on PR 42 Alice: simpler." in shown
    assert re.search(
        r"Record When Who What Words Came from "
        r"2 \S+ start create shared/meeting.md # Meeting on PR 42 "
        r"3 \S+ start write shared/pull-request.md .*? "
        r"4 \S+ minutes append shared/meeting.md Alice: simpler. "
        r"6 \S+ tester replace tester/question.md Which test fails\? what it was given "
        r'7 \S+ coordinator note review.finding \{"severity": "high"\} '
        r"Contexts that were given tester, at record 4 ",
        shown,
    )
    head = done(api, "GET", REVIEW)["ledger_head"]
    assert f"7 records, each with the hash of the one before; ledger head {head} ." in shown
    assert f"by the table code-review, version 1, SHA-256 {TABLE['sha256']} ," in shown
    page = api.get("/review/pr-42").text
    assert f'href="/review/pr-42/contexts/{receipt}">what it was given' in page
    given = seen(api, f"/review/pr-42/contexts/{receipt}")
    assert "What tester was given These 5 files, as they were at record 4." in given
    assert "Alice: simpler." in given
    assert f"no receipt 'r{'0' * 12}' in pr-42" in seen(api, f"/review/pr-42/contexts/r{'0' * 12}", 404)


def test_words_that_look_like_a_page_are_words(api: TestClient, receipt: str) -> None:
    text = "<script>alert(1)</script>"
    done(api, "POST", f"{REVIEW}/files/shared/findings.md", json={"text": text, "by": "coordinator"})
    done(api, "POST", f"{REVIEW}/notes", 201, json={"type": "a.b", "fields": {"x": text}, "by": text})
    assert text not in api.get("/review/pr-42").text


def test_it_ends_is_archived_proved_and_erased(api: TestClient, site: Site, receipt: str) -> None:
    live = done(api, "GET", f"{REVIEW}/verify")
    assert (live["valid"], live["ended"], live["table"]) == (True, False, TABLE)
    done(api, "POST", f"{REVIEW}/archive", 409, json={})
    bag = str(site.own.archives / "pr-42")
    ended = done(api, "POST", f"{REVIEW}/end", json={})
    assert ended == {"state": "ended", "ledger_head": ended["ledger_head"], "archive": bag, "warnings": []}
    assert done(api, "POST", f"{REVIEW}/end", json={}) == ended
    late = {"text": "x", "by": "minutes"}
    assert done(api, "POST", f"{REVIEW}/files/shared/meeting.md", 409, json=late)["code"] == "session_frozen"
    for where in ("", "&archive=true"):
        proof = done(api, "GET", f"{REVIEW}/verify?head={ended['ledger_head']}{where}")
        assert (proof["valid"], proof["ended"], proof["table"]) == (True, True, TABLE)
    (archived,) = done(api, "GET", f"{SESSIONS}?archive=true")["sessions"]
    assert (archived["session"], archived["crew"], archived["title"]) == ("pr-42", "code-review", "PR 42")
    sent = done(api, "POST", f"{REVIEW}/archive", json={})
    assert (sent["archive"], sent["sent"]) == (bag, 0)
    assert "verified the folder in this home" in seen(api, "/review/pr-42?check=true")

    preview = done(api, "GET", f"{REVIEW}/erasure")
    assert (preview["archives"], preview["memories"]) == ([bag], 0)
    gone = done(api, "DELETE", REVIEW)
    assert gone == {"removed": [str(site.own.sessions / "pr-42")], "archives": [bag], "stays": {}}
    done(api, "GET", REVIEW, 404)
    kept = seen(api, "/review/pr-42")
    assert f"What you see is its archive, at {bag}." in kept
    assert "Which test fails? what it was given" in kept
    assert "What tester was given" in seen(api, f"/review/pr-42/contexts/{receipt}")
    assert done(api, "DELETE", f"{REVIEW}?archives=true")["removed"] == [bag]
    done(api, "GET", "/review/pr-42", 404)


def test_a_damaged_one_is_told_as_damaged(api: TestClient, site: Site, receipt: str) -> None:
    """It is not its crew that keeps it from being read."""
    site.sessions.forget("pr-42")
    ledger = site.own.sessions / "pr-42" / "ledger" / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([lines[0], b"{}\n", *lines[2:]]))
    assert done(api, "GET", REVIEW, 500)["code"] == "ledger_corrupt"
    proof = done(api, "GET", f"{REVIEW}/verify")
    assert (proof["valid"], proof["table"]) == (False, TABLE)
    assert done(api, "GET", SESSIONS)["sessions"][0]["state"] == "damaged"
