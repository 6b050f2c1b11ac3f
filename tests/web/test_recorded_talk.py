"""A recorded talk in the browser, brought with board and news: played, asked about, answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.web.browser import PATIENCE_MS, UNFOLD, Web, faults_of_axe
from tests.web.conftest import Serve

API = "/api/v1/sessions"
DEMO = Path(__file__).resolve().parents[2] / "orchestrator" / "rehearsal" / "demo"
TALK = b"""WEBVTT

00:00.000 --> 00:04.000
<v Dana>Revenue grew to 3 million in 2026.

00:05.000 --> 00:09.000
<v Host>Thank you.
"""


def brought(api: TestClient, kind: str, name: str, content: bytes) -> Any:
    answer = api.post(f"/api/v1/materials/{kind}", files={"file": (name, content)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def waited_for(api: TestClient, is_it: Callable[[Any], bool]) -> Any:
    for _ in range(400):
        view = api.get(f"{API}/s1/room").json()
        if is_it(view):
            return view
        time.sleep(0.05)
    raise AssertionError(view)


def test_a_whole_rehearsal_of_a_recording_is_had_with_the_panel_asking_and_a_person_answering(
    api: TestClient,
) -> None:
    talk = brought(api, "speech", "speech.vtt", (DEMO / "speech.vtt").read_bytes())
    begun = {
        "sample": True,
        "id": "s1",
        "speech": talk["material"],
        "speaker": "Dana Whitfield",
        "exchanges": 2,
    }
    assert api.post(API, json=begun).status_code == 201
    before = api.get(f"{API}/s1/room").json()
    assert (before["recording"], before["is_playing"], before["is_played"]) == ("speech.vtt", False, False)
    answered = []
    assert api.post(f"{API}/s1/drive").json()["is_playing"] is True
    while not (view := waited_for(api, lambda one: one["is_played"] or one["question"]))["is_played"]:
        stands = view["now_s"]
        assert (view["moment"], view["turn"]["phase"]) == ("answering", "asked")
        paused = api.post(f"{API}/s1/pause").json()
        assert (paused["state"], paused["is_playing"], paused["is_played"]) == ("active", False, False)
        assert api.post(f"{API}/s1/drive").json()["now_s"] == stands  # its clock is the recording's
        answered.append(view["question"]["exchange"])
        assert api.post(f"{API}/s1/answer", json={"text": "I do not know."}).status_code == 200
    assert list(dict.fromkeys(answered)) == ["x1", "x2"]
    assert view["used_s"] > 6 * 60  # all of the talk
    assert (view["left"], view["is_running"]) == (0, False)
    assert api.post(f"{API}/s1/end", json={}).status_code == 200
    told = api.get(f"{API}/s1/debrief").json()
    assert told["speaker"] == "Dana Whitfield"
    assert [len(one["turns"]) > 0 for one in told["exchanges"]] == [True, True]
    assert api.get(f"{API}/s1/verify").json()["valid"] is True


def test_what_is_brought_is_read_at_once_and_said_in_words(api: TestClient) -> None:
    talk = brought(api, "speech", "talk.vtt", TALK)
    board = brought(api, "board", "board.yaml", b"- name: Ruth Alvarez\n  role: treasurer\n- name: Bo\n")
    news = brought(api, "intel", "press.md", b"Churn in the sector was 9% in 2026.\n")
    assert [(one["kind"], one["state"], one["says"], one["speakers"]) for one in (talk, board, news)] == [
        ("speech", "read", "0:09 minutes, 9 words, 2 speakers", ["Dana", "Host"]),
        ("board", "read", "2 members: Ruth Alvarez, Bo", []),
        ("intel", "read", "1 finding", []),
    ]
    assert api.get(f"/api/v1/materials/kept/{talk['material']}").json() == talk
    assert brought(api, "speech", "talk.vtt", TALK) == talk
    assert api.get(f"/api/v1/materials/kept/{'0' * 64}").status_code == 404


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("speech", "talk.vtt", b"", "talk.vtt is empty: no speech found in it"),
        ("speech", "../../etc/talk.docx", b"PK", "talk.docx is of a kind that is not read"),
        ("speech", "talk.wav", b"no sound", ""),
        ("board", "board.yaml", b"- role: treasurer\n", "board.yaml, line 1: has no name"),
        ("intel", "news.yaml", b"- topic: churn\n", "news.yaml, line 1: has no finding"),
    ],
)
def test_what_cannot_be_read_is_refused_by_the_name_that_it_was_sent_under(
    api: TestClient, kind: str, name: str, content: bytes, said: str
) -> None:
    answer = api.post(f"/api/v1/materials/{kind}", files={"file": (name, content)})
    if answer.status_code == 201:  # sound, where this machine recognises it: the reading goes on
        one = answer.json()
        while one["state"] == "reading":
            time.sleep(0.05)
            one = api.get(f"/api/v1/materials/kept/{one['material']}").json()
        assert (one["state"], one["says"][:8]) == ("refused", "talk.wav")
        refused = api.post(API, json={"sample": True, "speech": one["material"]})
        assert (refused.status_code, refused.json()["value"]) == (422, "speech")
        return
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    # Nothing of where it came from or lies: without `stt` the path of pip alone stands there.
    assert "/" not in answer.json()["detail"].replace(".venv/bin/pip", "")


def test_a_board_and_news_reach_the_session_from_files_and_typed(api: TestClient) -> None:
    board = brought(api, "board", "board.yaml", b"- name: Ruth Alvarez\n  role: treasurer\n")
    news = brought(api, "intel", "press.md", b"Churn in the sector was 9% in 2026.\n")
    files = {"board": board["material"], "intel": [news["material"]]}
    typed = {
        "members": [{"name": "Ruth Alvarez", "role": "treasurer"}],
        "news": "Churn in the sector was 9% in 2026.",
    }
    dossiers, found = [], []
    for name, given in (("s1", files), ("s2", typed)):
        answer = api.post(API, json={"sample": True, "id": name, **given})
        assert answer.status_code == 201, answer.text
        dossiers.append(api.get(f"{API}/{name}/files/shared/board-dossier.md").text)
        found.append(api.get(f"{API}/{name}/files/shared/external-intel.md").text)
    assert dossiers[0] == dossiers[1]
    assert "Ruth Alvarez" in dossiers[0]
    assert found[0].replace("press.md", "news.md") == found[1]
    assert "Churn in the sector was 9% in 2026." in found[0]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"speech": "0" * 64}, "speech"),
        ({"board": "0" * 64}, "board"),
        ({"intel": ["0" * 64]}, "intel"),
        ({"members": [{"name": ""}]}, "members"),
        ({"members": [{"name": "Bo"}, {"name": "Bo"}]}, "members"),
        ({"news": "x" * 6000}, "news"),
        ({"presenter": "\u202e"}, "presenter"),
        ({"remember": True}, "remember"),
        ({"minutes": 0}, "minutes"),
        ({"engine": "claude"}, "engine"),
    ],
)
def test_a_refusal_names_the_field_and_leaves_no_session(
    api: TestClient, given: dict[str, Any], field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    answer = api.post(API, json={"sample": True, "id": "s1", **given})
    assert answer.status_code in (422, 502)
    assert answer.json()["value"] == field, answer.text
    assert "/tmp" not in answer.text
    assert api.get(API).json() == {"sessions": []}


def test_a_speaker_who_does_not_speak_is_refused_beside_the_field(api: TestClient) -> None:
    talk = brought(api, "speech", "talk.vtt", TALK)
    answer = api.post(API, json={"sample": True, "speech": talk["material"], "speaker": "Nobody"})
    assert (answer.status_code, answer.json()["value"]) == (422, "speaker")
    assert "it has: Dana, Host" in answer.json()["detail"]


@pytest.mark.slow  # sound is recognised
@pytest.mark.skipif(find_spec("faster_whisper") is None, reason="NOT TESTED: the extra stt is missing")
def test_sound_is_recognised_behind_the_page_and_begun_with_once_it_is(api: TestClient, shared: Path) -> None:
    sound = sorted((shared / "audio" / "librivox").glob("*.wav"))[0]
    deck = api.get("/api/v1/decks/sample").json()["deck"]
    sent = {"file": ("my talk.wav", sound.read_bytes())}
    one = api.post("/api/v1/materials/speech", files=sent, params={"deck": deck}).json()
    early = api.post(API, json={"deck": deck, "speech": one["material"]})
    assert (early.status_code, early.json()["value"]) == (422, "speech")
    assert early.json()["detail"] == "my talk.wav is still being recognised: wait for it"
    while one["state"] == "reading":
        time.sleep(0.2)
        one = api.get(f"/api/v1/materials/kept/{one['material']}").json()
    assert (one["state"], one["name"]) == ("read", "my talk.wav")
    assert "minutes" in one["says"]
    assert api.post(API, json={"deck": deck, "speech": one["material"]}).status_code == 201


@pytest.mark.slow  # a real browser and a real server
def test_a_recording_is_brought_played_and_answered_in_the_browser(serve: Serve, web: Web) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    expect = sync_api.expect
    expect.set_options(timeout=PATIENCE_MS)
    web.forgive("status of 422")
    page = web.open(f"{serve().url}/new", viewport={"width": 390, "height": 844})
    page.click("#sample")
    page.wait_for_selector("#choices:not([hidden])")
    page.evaluate(UNFOLD)
    page.check("#talk-recorded")
    page.click("#begin")
    expect(page.locator("#speech-refused")).to_contain_text("Choose the recording")
    page.set_input_files("#speech", DEMO / "speech.vtt")
    expect(page.locator("#speech-says")).to_have_text("speech.vtt: 6:14 minutes, 790 words, 2 speakers.")
    page.select_option("#speaker", "Dana Whitfield")
    page.fill("#exchanges", "1")
    page.check("#engine-offline")
    page.click("#member")
    page.locator("#members input").nth(1).fill("treasurer")  # without a name
    page.fill("#news", "Churn in the sector was 9% in 2026.")
    page.set_input_files("#intel-file", {"name": "x.yaml", "mimeType": "", "buffer": b"- topic: churn\n"})
    expect(page.locator("#intel-says")).to_contain_text("has no finding")
    assert faults_of_axe(page) == []
    page.reload()
    expect(page.locator("#speech-says")).to_contain_text("790 words")  # F5 keeps what was chosen
    assert (page.input_value("#speaker"), page.input_value("#exchanges")) == ("Dana Whitfield", "1")
    assert page.input_value("#news").startswith("Churn")
    page.click("#begin")
    expect(page.locator("#members-refused")).to_contain_text("no name")  # its part was folded after F5
    page.locator("#members input").nth(0).fill("Ruth Alvarez")
    page.click("#begin")
    page.wait_for_url("**/room/*")
    expect(page.locator("#state")).to_contain_text("Press Begin: your recorded talk is played")
    expect(page.locator("#composer")).to_be_hidden()
    page.click("#go")
    page.wait_for_selector("#question:not([hidden])")
    assert faults_of_axe(page) == []
    for follow_up in range(1, 5):
        page.fill("#words", "We do not know.")
        page.press("#words", "Enter")
        expect(page.locator("#words")).to_have_value("")
        page.wait_for_function(
            "turn => question.hidden || document.getElementById('question-turn').textContent === turn",
            arg=f"follow-up {follow_up}",
        )
        if page.is_hidden("#question"):
            break
    expect(page.locator("#state")).to_contain_text("The recording and its questions are over")
    expect(page.locator("#go")).to_be_hidden()
    page.click("#finish")
    page.click("#ending-yes")
    page.wait_for_url("**/debrief/*")
    page.goto(page.url.split("/debrief")[0])
    page.click("text=Name it")
    page.fill("#naming-words", "From the recording")
    page.press("#naming-words", "Enter")
    expect(page.locator(".rehearsed h3")).to_have_text("From the recording")
    page.click("text=Again with this deck")
    page.wait_for_selector("#choices:not([hidden])")
    assert page.input_value("#exchanges") == "1"
    page.goto(page.url.replace("/new", "/"))
    page.click(".rehearsed >> text=Delete")
    expect(page.locator("#deleting-goes")).to_contain_text("folder")
    expect(page.locator("#deleting-archives")).to_be_checked()  # it lies in the home's own folder
    expect(page.locator("#deleting-goes")).to_contain_text("Its archive")
    page.uncheck("#deleting-archives")
    expect(page.locator("#deleting-stays")).to_contain_text("Its archive")
    expect(page.locator("#deleting-kept")).to_contain_text("Review and Progress go on showing it")
    page.click("#deleting-yes")
    expect(page.locator("#deleting-asked")).to_contain_text("Its archive stays at ")
    page.click("text=Delete the archive too")
    expect(page.locator(".rehearsed")).to_have_count(0)
    page.goto(f"{page.url}review")
    expect(page.locator("main")).to_contain_text("No session yet")
