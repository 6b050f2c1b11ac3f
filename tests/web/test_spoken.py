"""Rehearsals by voice in a real browser: Chromium's microphone plays recordings of people who speak."""

from __future__ import annotations

import wave
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from orchestrator.material.speech.voice import RATE_HZ, SAMPLE_BYTES
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.live_feeds import until
from tests.helpers.recognisers import silence
from tests.helpers.rehearsals import greenroom, write_rehearsal
from tests.web.browser import NO_BROWSER, PATIENCE_MS, Web, chromium
from tests.web.conftest import Serve
from tests.web.test_rehearsal import DROPPED, asked, in_room, view_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page, Route

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server
recognises = pytest.mark.skipif(
    find_spec("faster_whisper") is None, reason="NOT TESTED with real speech: the extra stt is missing"
)

RECOGNISED_WITHIN_MS = 120_000
"""The model is loaded at the first sound, and a machine may be busy: most of it is patience."""


@pytest.fixture(scope="module")
def _played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that a microphone plays from its beginning, once, each time that a page opens it."""
    return tmp_path_factory.mktemp("microphone") / "said.wav"


@pytest.fixture(scope="module")
def _chromium(_played: Path) -> Iterator[Chromium]:
    """In place of the browser without a microphone."""
    flags = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    with chromium(*flags, f"--use-file-for-fake-audio-capture={_played}%noloop") as browser:
        yield browser


@pytest.fixture
def speaker(_played: Path, shared: Path) -> Callable[[str], None]:
    """Puts one of the recordings before the microphone; it is heard once a page opens it."""

    def speaks(name: str) -> None:
        with wave.open(str(shared / "audio" / "librivox" / f"{name}.wav")) as read:
            assert read.getparams()[:3] == (1, SAMPLE_BYTES, RATE_HZ)
            sound = read.readframes(read.getnframes())
        with wave.open(str(_played), "wb") as written:
            written.setparams((1, SAMPLE_BYTES, RATE_HZ, 0, "NONE", ""))
            written.writeframes(silence(2) + sound + silence(5))

    return speaks


def microphone(page: Page, state: str) -> None:
    """Press its key, and wait until it is on or off."""
    page.keyboard.press("m")
    expect(page.locator("#microphone-state")).to_have_text(f"Microphone {state}")


def is_judged(view: dict[str, Any]) -> bool:
    """Whether the first answer to the first question has its verdict."""
    return bool(view["closed"]) or view["question"]["turn"] > 1


def room_without_recogniser(home: Path, folder: Path, serve: Serve) -> str:
    """The address of a room whose server cannot recognise speech."""
    (home / "greenroom.yaml").write_text("stt_model: /nowhere\n", "utf-8")
    Session.start(Home.open(home), write_rehearsal(folder).deck, id="one").close()
    return f"{serve(home).url}/room/one"


@recognises
def test_a_rehearsal_is_spoken_from_the_deck_to_the_debrief(
    serve: Serve, web: Web, shared: Path, speaker: Callable[[str], None]
) -> None:
    deck = shared / "decks" / "aswf_opentrackio_2025.pdf"
    served = serve()
    page = web.open(f"{served.url}/new")
    page.evaluate(DROPPED, [deck.name, list(deck.read_bytes())])
    page.fill("#presenter", "Ada Lind")
    page.click("#begin")
    page.wait_for_url("**/room/*")
    session = urlsplit(page.url).path.rpartition("/")[2]
    page.wait_for_selector("[data-connected=yes]")
    expect(page.locator("#hearing")).to_contain_text("recognised on this machine")
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#slide-picture:not([hidden])")

    speaker("sense_and_sensibility_0870")
    microphone(page, "on")
    expect(page.locator("#captions")).to_contain_text("leisure to consider", timeout=RECOGNISED_WITHIN_MS)
    microphone(page, "off")
    page.keyboard.press("q")
    question = asked(page)

    speaker("sense_and_sensibility_0920")
    microphone(page, "on")
    expect(page.locator("#captions")).to_contain_text("more respectable", timeout=RECOGNISED_WITHIN_MS)
    until("a verdict, after the silence that ends an answer", lambda: is_judged(view_of(served, session)))
    microphone(page, "off")
    if view_of(served, session)["question"] is not None:  # a follow-up
        page.keyboard.press("l")
    page.wait_for_selector("#question", state="hidden")

    page.keyboard.press("e")
    page.click("#ending-yes")
    page.wait_for_url(f"**/debrief/{session}")
    debrief = " ".join(page.inner_text("main").split())
    with Session.open(Home.open(served.home), session) as ended:
        (exchange,) = ended.projection.exchanges
        said = " ".join(one.text for one in ended.projection.segments)
    answer = exchange.turns[0].answer
    assert answer is not None
    assert "leisure to consider" in said
    assert "more respectable" in answer
    for words in (question, answer):
        assert words in debrief
    assert greenroom(served.home, "verify", session).returncode == 0


@recognises
def test_what_is_said_stands_in_the_transcript(
    home: Path, tmp_path: Path, serve: Serve, web: Web, speaker: Callable[[str], None]
) -> None:
    speaker("sense_and_sensibility_0930")
    Session.start(Home.open(home), write_rehearsal(tmp_path).deck, id="one").close()
    served = serve(home)
    window = web.window()
    page, other = window.new_page(), window.new_page()
    shown: list[str] = []
    other.expose_function("shown", lambda words: shown.append(words))
    in_room(other, served, "one", "?watch")
    other.evaluate(
        "const line = document.getElementById('partial'); "
        "const told = new MutationObserver(() => shown(line.textContent)); "
        "told.observe(line, {childList: true, subtree: true});"
    )
    in_room(page, served, "one")
    here = "Your words are recognised on this machine (English alone). No sound is kept."
    expect(page.locator("#hearing")).to_have_text(here)
    page.locator("#go").click()
    microphone(page, "on")
    expect(page.locator("#captions")).to_contain_text("made amiable himself", timeout=RECOGNISED_WITHIN_MS)
    expect(page.locator("#partial")).to_have_text("")
    microphone(page, "off")
    assert any("might even" in text for text in shown)
    with Session.open(Home.open(home), "one") as session:
        (segment,) = session.projection.segments
        assert segment.end_s - segment.start_s == pytest.approx(2.7, abs=0.5)


def test_a_question_is_spoken_and_the_microphone_is_muted_meanwhile(
    home: Path, tmp_path: Path, serve: Serve, web: Web
) -> None:
    page = web.window().new_page()
    page.add_init_script(BROWSERS_OWN)
    page.goto(room_without_recogniser(home, tmp_path, serve))
    elsewhere = "Your browser recognises your words; its maker may do so elsewhere."
    expect(page.locator("#hearing")).to_have_text(elsewhere)
    page.locator("#go").click()
    page.locator("#voices").click()
    microphone(page, "on")
    page.evaluate("heard('Our churn is 3 % a year.')")
    expect(page.locator("#captions")).to_contain_text("Our churn is 3 % a year.")
    page.keyboard.press("q")
    expect(page.locator("#microphone-state")).to_have_text("Microphone muted")
    assert page.locator("#question-text").inner_text() in page.evaluate("spoken.text")
    page.evaluate("silent()")
    expect(page.locator("#microphone-state")).to_have_text("Microphone on")


@pytest.fixture
def own(home: Path, tmp_path: Path, serve: Serve, web: Web) -> Page:
    """A room where the browser's own recognition listens, begun."""
    page = web.window().new_page()
    page.add_init_script(BROWSERS_OWN)
    page.goto(room_without_recogniser(home, tmp_path, serve))
    page.wait_for_selector("[data-connected=yes]")
    page.wait_for_selector("#microphone:not([hidden])")
    page.locator("#go").click()
    page.wait_for_selector("#pause:not([hidden])")
    microphone(page, "on")
    return page


def spoken_of(home: Path) -> list[str]:
    with Session.open(Home.open(home), "one") as session:
        return [one.text for one in session.projection.segments]


@pytest.mark.parametrize("is_off", [False, True])
def test_the_end_waits_for_the_last_words_of_the_browsers_recognition(
    own: Page, home: Path, is_off: bool
) -> None:
    def comes_late(route: Route) -> None:
        sleep(1)
        route.continue_()

    own.route("**/segments", comes_late)
    own.evaluate("heard('Our churn is 3 %', false)")
    if is_off:
        microphone(own, "off")
    own.keyboard.press("e")
    own.click("#ending-yes")
    own.wait_for_url("**/debrief/one")
    assert spoken_of(home) == ["Our churn is 3 %"]


def test_what_the_browser_recognises_late_belongs_where_it_was_begun(own: Page) -> None:
    told: list[str] = []
    own.on("request", lambda one: told.append(one.url.rpartition("/")[2]))
    own.evaluate("heard('Revenue grew eighteen percent to 4.2 million euros.')")
    expect(own.locator("#captions")).to_contain_text("Revenue grew")
    own.evaluate("heard('and so', false)")
    own.keyboard.press("q")
    asked(own)
    own.wait_for_timeout(2000)  # longer than it takes to say
    own.evaluate("heard('and so on.')")
    expect(own.locator("#captions")).to_contain_text("and so on.")
    expect(own.locator("#talk")).to_be_hidden()  # nothing was said to the question
    own.evaluate("heard('It is', false)")
    own.evaluate("heard('It is audited.')")
    expect(own.locator("#talk")).to_be_visible()
    assert "speaking" in told


def test_words_that_the_browsers_recognition_drops_are_named(own: Page) -> None:
    own.evaluate("heard('Our churn', false)")
    own.evaluate(
        "webkitSpeechRecognition.prototype.stop = function () { this.dispatchEvent(new Event('end')); }"
    )
    microphone(own, "off")
    expect(own.locator("#refused")).to_have_text(
        "What you said may be lost: “Our churn”. Say or type it again."
    )


def test_where_nothing_recognises_speech_the_page_says_how_to_go_on(
    home: Path, tmp_path: Path, serve: Serve, web: Web
) -> None:
    page = web.window().new_page()
    page.add_init_script("delete window.webkitSpeechRecognition")
    page.goto(room_without_recogniser(home, tmp_path, serve))
    expect(page.locator("#hearing")).to_contain_text("Type what you say: ")
    expect(page.locator("#microphone")).to_be_hidden()


BROWSERS_OWN = """
window.webkitSpeechRecognition = class extends EventTarget {
  isListening = false;
  underWay = "";
  start() {
    if (this.isListening) throw new DOMException("it listens already", "InvalidStateError");
    this.isListening = true;
    window.heard = (transcript, isFinal = true) => {
      this.underWay = isFinal ? "" : transcript;
      const results = [Object.assign([{ transcript, confidence: 0.8 }], { isFinal })];
      this.dispatchEvent(Object.assign(new Event("result"), { results, resultIndex: 0 }));
    };
  }
  stop() {
    setTimeout(() => {
      if (this.underWay) heard(this.underWay);
      this.isListening = false;
      this.dispatchEvent(new Event("end"));
    }, 500);
  }
};
window.SpeechSynthesisUtterance = class extends EventTarget {
  constructor(text) { super(); this.text = text; }
};
Object.defineProperty(window, "speechSynthesis", { value: Object.assign(new EventTarget(), {
  speaking: false,
  getVoices: () => [{ localService: true, lang: "en-GB" }],
  cancel() {},
  speak(words) {
    window.spoken = words;
    this.speaking = true;
    words.dispatchEvent(new Event("start"));
    window.silent = () => { this.speaking = false; words.dispatchEvent(new Event("end")); };
  },
})});
"""
"""A browser that recognises what `heard` is given, the last words late, and speaks without a sound."""
