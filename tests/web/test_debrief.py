"""The debrief in a browser: it reads as the Markdown page does, is exported, corrected and drilled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path

import httpx2
import pytest

from orchestrator import Home, Session
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.debrief.page import as_markdown
from orchestrator.panel.debrief.printing import find_browser
from tests.helpers.ferries import DECK, QUESTION, QUOTE
from tests.helpers.homes import new_home
from tests.helpers.pdf_pages import read_pdf
from tests.web.browser import Web, faults_of_axe
from tests.web.conftest import Serve

prints = pytest.mark.skipif(find_browser() is None, reason="NO BROWSER: nothing here prints a PDF")

IS_IN_ITS_COLOURS = """() => {
  const style = (one) => getComputedStyle(document.querySelector(one));
  const bar = style(".p-bar").fill;
  const isDrawn = [".p-line", ".p-mark"].every((one) => style(one).stroke === bar);
  return isDrawn && style("mark").backgroundColor !== "rgba(0, 0, 0, 0)";
}"""
"""Whether lines and marks are drawn as the bars are; another page's rules would draw them in grey."""
EVIL = 'From six <script>alert("deck")</script> & <b>more</b>.'
SPEECH = "Um, we carried more people, and perhaps we will carry more again, you know. " * 10


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[Session]:
    """A session that has ended in a home of its own."""
    home = Home.open(new_home(tmp_path / "home"))
    speech = tmp_path / "speech.vtt"
    cues = (f"00:0{n}:00.000 --> 00:0{n}:50.000\n<v Ines>{SPEECH}\n" for n in range(3))
    speech.write_text("WEBVTT\n\n" + "\n".join(cues))
    with Session.start(home, deck_text=DECK, id="s1", presenter="Ines", minutes=2) as session:
        session.load(read_speech(speech), kind="feed")
        session.play()
        session.slide(2)
        session.ask("analyst", question=QUESTION, quote=QUOTE)
        session.answer(EVIL)
        session.ask("skeptic", question="Which of the two is right?")
        session.park()
        session.end()
        yield session


@pytest.fixture
def client(serve: Serve, ended: Session) -> Iterator[httpx2.Client]:
    assert ended.home is not None
    with serve(ended.home.root).client() as client:
        yield client


def words(page: str) -> str:
    """What a page says."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_it_reads_as_the_markdown_page_does(client: httpx2.Client, ended: Session) -> None:
    page, told = client.get("/debrief/s1").text, ended.debrief()
    said = words(page).replace("( ", "(").replace(" )", ")")
    for line in as_markdown(told).replace(" (changes estimated from the words)", "").splitlines():
        plain = re.sub(r"\\(.)", r"\1", line).strip("#>-|* ")
        for part in re.split(r"\*|\||: |, |^\[ \] |[\"“”]|^---", plain):
            assert " ".join(part.split()) in said, line
    assert page.count("<article") == len(told.reviews) == 2
    assert page.count("data-dismiss=") == len(told.contradictions) == 1
    assert page.count('data-drill="x1"') >= 1


def test_the_slide_stands_beside_the_words(client: httpx2.Client) -> None:
    page = client.get("/debrief/s1").text
    assert f"<mark>{QUOTE}</mark>" in page
    assert "<img" not in page  # a deck of text has no pictures, so none is asked for
    assert page.count('<figure class="beside">') == 1


def test_nothing_in_a_deck_becomes_part_of_the_page(client: httpx2.Client) -> None:
    page = client.get("/debrief/s1").text
    assert '<script>alert("deck")' not in page
    assert "&lt;script&gt;alert(" in page
    assert not re.search(r"\sstyle=|\son\w+=", page)
    ours = [f'<script type="module" src="/static/{name}.js">' for name in ("drops", "debrief")]
    assert re.findall("<script[^>]*>", page) == ours


def test_delivery_is_drawn_with_its_figures_beside_it(client: httpx2.Client, ended: Session) -> None:
    page = client.get("/debrief/s1").text
    assert page.count('<svg class="plot" role="img"') == 3 + len(ended.debrief().slides)
    for title in ("Words a minute over the talk", "When fillers and hedges were said", "Who spoke"):
        assert f"<title>{title}" in page


@pytest.mark.parametrize(
    ("form", "media", "begins"),
    [
        ("md", "text/markdown; charset=utf-8", b"# Debrief: Ferries\n"),
        ("html", "text/html; charset=utf-8", b"<!DOCTYPE html>\n"),
        ("json", "application/json", b'{"deck":"Ferries"'),
        pytest.param("pdf", "application/pdf", b"%PDF", marks=[pytest.mark.slow, prints]),
    ],
)
def test_each_form_is_given(client: httpx2.Client, form: str, media: str, begins: bytes) -> None:
    answer = client.get("/api/v1/sessions/s1/debrief", params={"format": form})
    assert (answer.status_code, answer.headers["content-type"]) == (200, media)
    assert answer.content.startswith(begins)
    kept = answer.headers.get("content-disposition")
    assert kept == (None if form == "json" else f'attachment; filename="debrief-s1.{form}"')
    if form != "json":
        page = client.get(f"/api/v1/sessions/s1/debrief/{form}")
        assert (page.headers["content-type"], page.content[:9]) == (media, answer.content[:9])
    if form == "pdf":
        assert "FIX THIS FIRST" in read_pdf(answer.content).text.upper()


def test_what_there_is_not_is_refused(client: httpx2.Client) -> None:
    assert client.get("/debrief/none").status_code == 404
    for path, body in (("dismiss", {"finding": "c9"}), ("drill", {"exchange": "x9"})):
        refused = client.post(f"/api/v1/sessions/s1/{path}", json=body)
        assert (refused.status_code, refused.json()["code"]) == (422, "input")
    assert client.get("/api/v1/sessions/s1/debrief?format=doc").status_code == 422


def test_what_is_no_contradiction_leaves_the_page_and_every_form(client: httpx2.Client) -> None:
    assert "100 + 200 = 300, not 350" in client.get("/debrief/s1").text
    answer = client.post("/api/v1/sessions/s1/dismiss", json={"finding": "c1"})
    assert (answer.status_code, answer.json()) == (200, {"state": "ended", "finding": "c1"})
    again = client.post("/api/v1/sessions/s1/dismiss", json={"finding": "c1"})
    assert again.status_code == 200
    assert "not 350" not in client.get("/debrief/s1").text
    for form in ("md", "html", "json"):
        assert "not 350" not in client.get(f"/api/v1/sessions/s1/debrief?format={form}").text


def test_a_drill_opens_a_room_with_that_question_alone(client: httpx2.Client) -> None:
    answer = client.post("/api/v1/sessions/s1/drill", json={"exchange": "x1"})
    assert answer.status_code == 201
    drill = answer.json()["session"]
    room = client.get(f"/api/v1/sessions/{drill}/room").json()
    assert room["question"]["text"] == QUESTION
    assert (room["slide"], room["left"], room["state"]) == (1, 0, "active")
    assert client.get(f"/room/{drill}").status_code == 200
    page = client.get(f"/debrief/{drill}").text
    assert "This rehearsal goes on" in page
    client.post(f"/api/v1/sessions/{drill}/answer", json={"text": "From six to four."})
    client.post(f"/api/v1/sessions/{drill}/end", json={})
    assert "1 question" in client.get(f"/debrief/{drill}").text


@pytest.mark.slow
def test_in_a_browser_nothing_is_cut_and_nothing_is_wrong(serve: Serve, web: Web, ended: Session) -> None:
    assert ended.home is not None
    served = serve(ended.home.root)
    for width, scheme in product((1280, 390), ("light", "dark")):
        page = web.open(
            f"{served.url}/debrief/s1", viewport={"width": width, "height": 800}, color_scheme=scheme
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert faults_of_axe(page) == []
        assert web.faults == []
        assert page.evaluate(IS_IN_ITS_COLOURS)
    page.get_by_role("button", name="c1 is no contradiction").press("Enter")
    page.get_by_text("not 350").first.wait_for(state="detached")
    page.get_by_role("article").first.get_by_role("button", name="Ask me that again").press("Enter")
    page.wait_for_url("**/room/**")
    page.get_by_text(QUESTION).first.wait_for()
    page.get_by_text("You have not begun yet.").wait_for()
    page.get_by_role("button", name="Begin", exact=True).wait_for()
