"""The review's pages: the list, a session, what a panelist knew, two runs, progress, comments and exports."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from orchestrator.core.archive.freeze import thaw
from orchestrator.material.values import Segment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.reviewed import begun, ended
from tests.web.browser import Web, violations_of_axe
from tests.web.conftest import Served


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home with two ended runs of one deck and one session under way; nothing here changes it."""
    home = Home.open(new_home(tmp_path_factory.mktemp("review") / "home"))
    ended(home, "first", "unjudged")
    ended(home, "second", "satisfied", speech="Good evening, <script>alert(1)</script>.")
    begun(home, "live").close()
    yield home
    for name in ("first", "second"):
        thaw(home.sessions / name)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def home(made: Home, tmp_path: Path) -> Home:
    """A copy that a test may change."""
    shutil.copytree(made.root, tmp_path / "home", symlinks=True)
    return Home.open(tmp_path / "home")


def opened(home: Home | None, archives: str) -> TestClient:
    site = Site(home, archives, OpenSessions(home))
    return TestClient(application(site), base_url="http://127.0.0.1")


@pytest.fixture(params=["home", "archives alone"])
def client(request: pytest.FixtureRequest, made: Home) -> Iterator[TestClient]:
    """A server with a home, and one that has its archives alone."""
    with opened(made if request.param == "home" else None, str(made.archives)) as client:
        yield client


def text_of(answer: httpx2.Response, status: int = 200) -> str:
    """The page as a reader sees it, tags left out."""
    assert answer.status_code == status, answer.text
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())


def test_the_list_says_what_is_there_and_what_was_verified(client: TestClient) -> None:
    page = text_of(client.get("/review"))
    assert page.index("Where we stand") < page.rindex("Where we stand")
    assert "Ines Kroll" in page
    client.get("/review/first")
    client.get("/review/second")
    assert text_of(client.get("/review")).count("verified") >= 2


def test_nothing_is_called_verified_before_it_was_looked_at(home: Home) -> None:
    with opened(None, str(home.archives)) as client:
        assert text_of(client.get("/review")).count("not verified yet") == 2
        client.get("/review/first")
        assert text_of(client.get("/review")).count("not verified yet") == 1


def test_hits_lead_to_their_place(client: TestClient) -> None:
    page = client.get("/review", params={"q": "harbour authority"})
    assert 'href="/review/second#x1"' in page.text
    assert "<mark>harbour</mark>" in page.text
    session = client.get("/review/second").text
    assert 'id="x1"' in session
    assert "Nothing was found" in text_of(client.get("/review", params={"q": "zeppelin"}))


def test_a_session_is_told_in_order(client: TestClient) -> None:
    page = text_of(client.get("/review/second"))
    told = [
        "Slide 1",
        "Good evening",
        "Leading by which measure?",
        "By passengers",
        "it names the count",
        "Slide 2",
    ]
    assert [page.index(one) for one in told] == sorted(page.index(one) for one in told)
    assert "ledger head" in page


def test_a_drill_says_which_question_it_puts_again(home: Home) -> None:
    with Session.open(home, "second") as session, session.drill("x1") as drill:
        drill.answer("By passengers.")
        while drill.projection.open is not None:
            drill.answer("By passengers.")
        drill.end()
    with opened(home, str(home.archives)) as client:
        page = client.get(f"/review/{drill.id}")
        assert '<a href="/review/second#x1">question x1 of the session of 20' in page.text
        assert "puts question x1 of second again" in client.get(f"/review/{drill.id}/export").text
        assert "A drill" not in client.get("/review/second").text
        assert text_of(client.get("/review")).count("drill archived") == 1
        progress = text_of(client.get("/review/progress?presenter=Ines+Kroll"))
        assert "2 ended sessions, not counting 1 drill, oldest first" in progress
        assert text_of(client.get("/review/second")).count("(a drill)") == 1
        thaw(home.sessions / "second")
        for folder in (home.sessions / "second", home.archives / "second"):
            shutil.rmtree(folder)
    with opened(home, str(home.archives)) as client:
        client.get("/review")
        page_text = text_of(client.get(f"/review/{drill.id}"))
        assert "A drill: it puts question x1 of second, which is not here, again." in page_text
    thaw(home.sessions / drill.id)


def test_what_was_said_is_text_and_no_markup(client: TestClient) -> None:
    for address in ("/review/second", "/review?q=evening", "/review/second/export?format=html"):
        assert "<script>alert" not in client.get(address).text


def test_what_a_panelist_knew_is_its_eleven_files(client: TestClient, made: Home) -> None:
    with Session.open(made, "second") as session:
        exchanges = session.projection.exchanges
        receipts = {one.id: one for one in session.receipts()}
    assert len(exchanges) == 2
    page = client.get(f"/review/second/questions/{exchanges[1].id}")
    assert page.text.count('<span class="file-name">') == 11
    plain = text_of(page)
    receipt = receipts[re.findall(r"what receipt <code>(r[0-9a-f]{12})", page.text)[0]]
    assert receipt.agent == exchanges[1].agent
    for path, _, sha256 in receipt.files:
        assert path in plain
        assert sha256[:16] in plain
    assert "append-only" in plain
    assert "private" in plain
    assert "No model has read anything for this question: rules took it from the bank" in plain
    assert "and from nothing else" not in plain
    by_hand = text_of(client.get("/review/second/questions/x1"))
    assert "No receipt names this question" in by_hand
    assert client.get("/review/second/questions/x99").status_code == 422


def test_two_runs_of_one_deck_are_compared(home: Home) -> None:
    with opened(home, str(home.archives)) as client:
        page = text_of(client.get("/review/compare", params={"a": "second", "b": "first"}))
        assert "Judged by nobody 1" in page
        ended(home, "third", "follow_up")
        page = text_of(client.get("/review/compare", params={"a": "second", "b": "third"}))
        assert "Slipped 1" in page
        ended(home, "fourth", "satisfied")
        page = text_of(client.get("/review/compare", params={"a": "fourth", "b": "third"}))
        assert "Holds now 1" in page
        assert "leading ferry operator" in page
        thaw(home.sessions / "third")
        thaw(home.sessions / "fourth")


def test_runs_before_other_panels_are_not_compared(home: Home) -> None:
    persona = home.templates / "skeptic" / "domain-knowledge.md"
    persona.write_text(persona.read_text("utf-8") + "\nOne more thing.\n", "utf-8")
    ended(home, "other", "satisfied")
    with opened(home, str(home.archives)) as client:
        assert "The panels differ" in text_of(client.get("/review/compare?a=first&b=other"), 409)
        assert "one and the same" in text_of(client.get("/review/compare?a=first&b=first"), 409)
    thaw(home.sessions / "other")


def test_archives_are_reviewed_without_a_home(
    serve: Callable[..., Served], made: Home, tmp_path: Path
) -> None:
    served = serve(new_home(tmp_path / "home"), "--archive", f"file://{made.archives}", command="review")
    with served.client() as client:
        page = client.get("/review")
        assert page.text.count("/review/second") == 1
        assert "/new" not in page.text
        assert "Good evening" in text_of(client.get("/review/second"))


def test_progress_is_a_plot_without_any_style(client: TestClient) -> None:
    page = client.get("/review/progress", params={"presenter": "Ines Kroll"})
    assert page.text.count("<svg") >= 2
    assert "style=" not in page.text
    assert "2 ended sessions" in text_of(page)
    assert "has ended no session" in text_of(client.get("/review/progress", params={"presenter": "Nobody"}))


def test_presenters_who_gave_no_name_are_not_taken_for_one_person(home: Home) -> None:
    for _ in range(2):
        Session.start(home, deck_text="# Ferries").close()
    with opened(home, str(home.archives)) as client:
        assert text_of(client.get("/review")).count("Ferries") == 2
        page = client.get("/review/progress").text
    assert '<option value="Ines Kroll"' in page
    assert '<option value="Presenter"' not in page


def test_a_comment_is_kept_beside_the_session_and_never_in_it(home: Home) -> None:
    before = {path: path.read_bytes() for path in sorted(home.archives.rglob("*")) if path.is_file()}
    for site in (home, None):
        with opened(site, str(home.archives)) as client:
            sent = {"author": "A. Reviewer", "text": "Bring <b>the</b> count.", "about": "x1"}
            assert client.post("/api/v1/sessions/second/comments", json=sent).status_code == 201
            assert client.get("/api/v1/sessions/second/comments").json()[0]["text"] == sent["text"]
            assert "Bring &lt;b&gt;the&lt;/b&gt; count." in client.get("/review/second").text
            assert (
                client.post("/api/v1/sessions/second/comments", json={**sent, "text": " "}).status_code == 422
            )
            assert (
                client.post("/api/v1/sessions/second/comments", json={**sent, "about": "../x"}).status_code
                == 422
            )
            assert client.post("/api/v1/sessions/nowhere/comments", json=sent).status_code == 404
    assert (home.sessions / ".records" / "second" / "comments.jsonl").is_file()
    assert before == {path: path.read_bytes() for path in sorted(home.archives.rglob("*")) if path.is_file()}


def test_an_export_says_of_which_records_it_was_made(client: TestClient, made: Home) -> None:
    with Session.open(made, "second") as session:
        head = session.ledger_head
    answer = client.get("/review/second/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="second.md"'
    assert answer.text.startswith("# Where we stand\n")
    assert "**Question:** Leading by which measure?" in answer.text
    assert head in answer.text
    assert "<h1>" in client.get("/review/second/export?format=html").text


def test_a_redacted_copy_names_nobody_who_spoke(home: Home) -> None:
    speech = "Call Ines on +49 30 1234567. Off the record, Borrowdale will be closed."
    with begun(home, "shared", speech=speech) as session:
        session.add_segment(Segment("Thank you, kroll.", 7.0, 9.0, "Tobias Marlowe", 1))
    with opened(home, str(home.archives)) as client:
        for form in ("md", "html"):
            answer = client.get("/review/shared/redacted", params={"format": form})
            text = answer.text + str(answer.headers)
            for word in ("ines", "kroll", "tobias", "marlowe", "1234567", "borrowdale"):
                assert word not in text.lower()
            assert "[speaker 1]" in text
            assert "leading ferry operator" in text


def test_a_changed_archive_is_refused_and_marked(home: Home) -> None:
    notes = home.archives / "second" / "data" / "second" / "debrief.md"
    notes.chmod(0o644)
    notes.write_text(notes.read_text("utf-8") + "x", "utf-8")
    with opened(None, str(home.archives)) as client:
        page = text_of(client.get("/review/second"), 409)
        assert "debrief.md" in page
        assert "not right" in text_of(client.get("/review"))
        assert client.get("/review/second/export").status_code == 502


def test_a_session_under_way_grows_in_the_review(home: Home) -> None:
    with opened(home, str(home.archives)) as client, Session.open(home, "live") as session:
        assert "under way" in text_of(client.get("/review/live"))
        session.ask("analyst", question="And the tide?")
        assert "And the tide?" in text_of(client.get("/review/live"))


def test_off_the_record_is_not_shown(home: Home) -> None:
    ended(home, "quiet", "satisfied", speech="Off the record, Borrowdale will be closed.")
    with opened(home, str(home.archives)) as client:
        for address in ("/review/quiet", "/review/quiet/export"):
            assert "Borrowdale" not in client.get(address).text
            assert "off the record" in client.get(address).text
        assert "Nothing was found" in text_of(client.get("/review?q=Borrowdale"))
    thaw(home.sessions / "quiet")


@pytest.mark.parametrize("name", ["nowhere", "%2e%2e%2fetc", ".records"])
def test_what_is_no_session_is_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/review/{name}").status_code == 404


@pytest.mark.slow
def test_a_comment_is_added_and_pages_are_accessible_in_a_browser(
    serve: Callable[..., Served], web: Web, home: Home
) -> None:
    served = serve(home.root)
    page = web.open(f"{served.url}/review/second", viewport={"width": 390, "height": 800})
    page.fill("#author", "A. Reviewer")
    page.select_option("#about", "x1")
    page.fill("#text", "Bring the count.")
    with page.expect_navigation():
        page.click("#commenting button")
    assert "Bring the count." in page.inner_text("#x1")
    page.click("[data-exchange=x1] [data-verdict=partly]")
    page.wait_for_selector("[data-exchange=x1] [data-verdict=partly][aria-pressed=true]")
    assert "gave it in part, says A. Reviewer" in page.inner_text("#x1")
    for address in ("", "/second", "/second/questions/x1", "/compare?a=first&b=second", "/progress"):
        page.goto(f"{served.url}/review{address}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations_of_axe(page) == []
