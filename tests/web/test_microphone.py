"""What is said into a microphone stands in the transcript; nothing of the sound is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from orchestrator.core.errors import SessionStateError, SpeechError
from orchestrator.material.speech.recognition import Heard, SpeechModel, Whisper
from orchestrator.material.speech.voice import Detector
from orchestrator.material.values import LiveSegment
from orchestrator.memory.english import names_in
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web import drives
from orchestrator.web.api import microphone
from orchestrator.web.api.microphone import AHEAD_S, MAX_FRAME_BYTES, wait_s
from orchestrator.web.drives import Drives
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.presence import NOT_TAKEN, Microphones
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until
from tests.helpers.recognisers import ToneRecogniser, is_loud, silence, tone
from tests.helpers.rehearsals import write_rehearsal

ADDRESS = "ws://localhost/api/v1/sessions/one/microphone"
WORDS = {8000: "Revenue grew by 12 %.", 4000: "Costs did not."}
FRAME = 3200


@contextmanager
def room(home: Path, folder: Path, **values: Any) -> Iterator[tuple[TestClient, Site, Rehearsal]]:
    """A session in a server that recognises tones."""
    opened = Home.open(home)
    Rehearsal.start(opened, write_rehearsal(folder).deck, id="one").close()
    site = Site(opened, str(opened.archives), OpenSessions(opened), **values)
    with TestClient(application(site), base_url="http://localhost") as client:
        yield client, site, site.sessions.get("one")


def speak(socket: WebSocketTestSession, sound: bytes) -> None:
    for at in range(0, len(sound), FRAME):
        socket.send_bytes(sound[at : at + FRAME])


def until_final(socket: WebSocketTestSession) -> tuple[list[str], str]:
    """The partial captions up to the next final one, and that."""
    partials: list[str] = []
    while "final" not in (message := socket.receive_json()):
        partials.append(message["partial"])
    return partials, message["final"]


def test_each_sentence_becomes_a_caption_and_a_segment(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, session):
        session.run_clock()
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, silence(0.2) + tone(1.5) + silence(0.8))
            partials, final = until_final(socket)
            assert partials == [WORDS[8000]]
            assert final == WORDS[8000]
            assert socket.receive_json() == {"partial": ""}
            speak(socket, tone(0.5, 4000) + silence(0.8))
            assert until_final(socket)[1] == WORDS[4000]
        first, second = session.projection.segments
        assert [first.text, second.text] == list(WORDS.values())
        assert first.confidence == 0.9
        assert first.end_s - first.start_s == pytest.approx(1.5, abs=0.1)
        assert not first.times_estimated
        assert second.start_s >= first.start_s
        until("an end of the partial caption", lambda: not site.partials)
    sound = tone(0.02)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and sound in path.read_bytes()] == []


def test_closing_keeps_what_was_being_said(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1))
            socket.close()
            until("the segment", lambda: session.projection.segments)
        assert [one.text for one in session.projection.segments] == [WORDS[8000]]


def test_a_partial_caption_is_shown_to_all_and_stored_nowhere(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser({4000: "Off the cuff."})) as (client, site, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1, 4000))
            assert socket.receive_json() == {"partial": "Off the cuff."}
            assert site.partials == {"one": "Off the cuff."}
            speak(socket, tone(1, 8000))  # the whole is then no known tone, and has no words
            speak(socket, silence(1))
            while site.partials:
                socket.receive_json()
        stored = b"".join(path.read_bytes() for path in session.path.rglob("*") if path.is_file())
        assert b"Off the cuff" not in stored


def test_a_sentence_that_is_final_is_shown_as_a_partial_no_more(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(microphone, "PARTIAL_S", 60.0)  # of the next sentence nothing is shown yet
    with (
        room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, _),
        client.websocket_connect(ADDRESS) as socket,
    ):
        speak(socket, tone(1) + silence(0.8) + tone(1, 4000))
        assert until_final(socket) == ([WORDS[8000]], WORDS[8000])
        until("an end of the partial caption", lambda: not site.partials)


def test_a_sound_without_words_is_no_segment(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1, 2000) + silence(1) + tone(1) + silence(1))
            assert until_final(socket)[1] == WORDS[8000]
        assert len(session.projection.segments) == 1


def test_whoever_drives_is_told_that_somebody_speaks(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Drives, "hears", lambda self, session: told.append(session))
    with (
        room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, _),
        client.websocket_connect(ADDRESS) as socket,
    ):
        speak(socket, silence(1))
        speak(socket, tone(1) + silence(1))
        until_final(socket)
    assert len(told) >= 10
    assert set(told) == {"one"}


@pytest.mark.parametrize(
    "frame",
    [{"bytes": bytes(MAX_FRAME_BYTES + 2)}, {"bytes": b"odd"}, {"text": "words"}],
    ids=["too long", "half a sample", "text"],
)
def test_a_frame_that_is_no_sound_ends_it(home: Path, tmp_path: Path, frame: dict[str, Any]) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1))
            assert until_final(socket)[1] == WORDS[8000]
            speak(socket, tone(0.5, 4000))
            socket.send({"type": "websocket.receive", **frame})
            while "refused" not in (message := socket.receive_json()):
                pass
            told = "a frame must be sound: 16 bits a sample, at most 32,000 bytes, 16 kHz"
            assert message == {"refused": told}
            with pytest.raises(WebSocketDisconnect):
                socket.receive_json()
        assert [one.text for one in session.projection.segments] == list(WORDS.values())


def test_a_sender_that_is_too_fast_waits() -> None:
    assert wait_s(taken_s=AHEAD_S, passed_s=0) == 0
    assert wait_s(taken_s=60, passed_s=10) == 50 - AHEAD_S
    assert wait_s(taken_s=10, passed_s=60) == 0


NOTHING = {"language": None, "warning": None}


def test_without_a_recogniser_the_page_is_told_why(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, no_recogniser="install it") as (client, _, _):
        assert client.get("/api/v1/speech").json() == {"recognises": False, "detail": "install it", **NOTHING}
        with client.websocket_connect(ADDRESS) as socket:
            assert socket.receive_json() == {"refused": "install it"}


def test_with_one_it_is_told_where_speech_is_recognised(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, _):
        assert client.get("/api/v1/speech").json() == {
            "recognises": True,
            "detail": "recognised on this machine, English alone; "
            "no sound is kept unless the presenter asks for it",
            "language": "English alone",
            "warning": None,
        }


def test_a_language_that_it_does_not_know_is_told_with_it(home: Path, tmp_path: Path) -> None:
    english = Whisper(SpeechModel(tmp_path, "the packaged model", knows_many=False, language="de"))
    with room(home, tmp_path, recogniser=english) as (client, _, _):
        told = client.get("/api/v1/speech").json()
    assert told["language"] == "English alone"
    assert told["warning"] == (
        "stt_language is de, and the packaged model knows English alone: set stt_model to a model of many "
        "languages, such as small"
    )


def test_a_session_that_is_not_there_or_has_ended_takes_no_speech(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS.replace("/one/", "/two/")) as socket:
            assert socket.receive_json() == {"refused": "there is no session 'two' here"}
        session.end()
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1))
            while "refused" not in (message := socket.receive_json()):
                pass
            assert "has ended" in message["refused"]


class LateRecogniser(ToneRecogniser):
    """Answers nothing until it is told to."""

    is_idle = False

    def __init__(self) -> None:
        super().__init__(WORDS)
        self.heard_s = 0.0
        self._asked: list[tuple[Future[Heard], Future[Heard]]] = []
        self._is_late = True

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        late, known = Future[Heard](), super().recognise(sound, names)
        self._asked.append((late, known))
        return late if self._is_late else known

    def detector(self) -> Detector:
        def is_speech(window: bytes) -> float:
            self.heard_s += len(window) / 32_000
            return is_loud(window)

        return is_speech

    @property
    def asked(self) -> int:
        return len(self._asked)

    def answer(self) -> None:
        self._is_late = False
        for late, known in self._asked:
            late.set_result(known.result())


def test_who_has_stopped_speaking_is_told_of_a_refusal_all_the_same(home: Path, tmp_path: Path) -> None:
    recogniser = LateRecogniser()
    with room(home, tmp_path, recogniser=recogniser) as (client, _, session):
        session.end()
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1))
            until("all the sound taken", lambda: recogniser.heard_s > 1.9)
            recogniser.answer()
            assert "has ended" in socket.receive_json()["refused"]


@pytest.fixture
def one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence that waits to be recognised is enough for frames to wait."""
    monkeypatch.setattr(microphone, "MAX_WAITING", 1)


def speak_three(socket: WebSocketTestSession, recogniser: LateRecogniser) -> None:
    """Speak three sentences: one is being recognised, one waits, and one finds no place."""
    for _ in range(3):
        speak(socket, tone(0.2) + silence(0.7))
        time.sleep(0.9)
    until("no place", lambda: recogniser.asked == 3)


@pytest.mark.usefixtures("one_waits")
def test_sound_has_the_time_of_its_coming_however_late_it_is_looked_at(home: Path, tmp_path: Path) -> None:
    recogniser = LateRecogniser()
    with room(home, tmp_path, recogniser=recogniser) as (client, _, session):
        session.run_clock()
        with client.websocket_connect(ADDRESS) as socket:
            speak_three(socket, recogniser)
            begun_s = session.rehearsal.now_s()
            speak(socket, silence(0.1) + tone(0.2, 4000) + silence(0.7))
            time.sleep(2)
            recogniser.answer()
            while finals(socket, "final")[-1]["final"] != WORDS[4000]:
                pass
        assert len(session.projection.segments) == 4
        assert session.projection.segments[-1].start_s == pytest.approx(begun_s, abs=0.5)


def test_that_was_it_waits_for_a_sentence_that_is_being_recognised(home: Path, tmp_path: Path) -> None:
    recogniser = LateRecogniser()
    with room(home, tmp_path, recogniser=recogniser) as (client, site, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(0.3) + silence(1))
            until("all the sound taken", lambda: recogniser.heard_s > 1.2)
            later = threading.Timer(1.0, recogniser.answer)
            later.start()
            site.drives.hear_out("one")
            assert [one.text for one in session.projection.segments] == [WORDS[8000]]
            later.join()
        assert not site.microphones.is_owing("one")


def test_that_was_it_waits_for_the_end_of_a_sentence_and_not_for_the_next(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drives, "HEARD_OUT_S", 0.5)
    with (
        room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, session),
        client.websocket_connect(ADDRESS) as socket,
    ):
        speak(socket, tone(0.5))
        until("somebody speaks", lambda: site.microphones.is_owing("one"))
        rest = threading.Timer(1.0, speak, (socket, tone(0.5) + silence(1) + tone(4)))
        rest.start()
        site.drives.hear_out("one")
        assert [one.text for one in session.projection.segments] == [WORDS[8000]]
        assert site.microphones.is_owing("one")
        monkeypatch.setattr(drives, "SENTENCE_S", 0.0)
        with pytest.raises(SessionStateError, match="what you said last is not recognised yet"):
            site.drives.hear_out("one")
        rest.join()


class BrokenRecogniser(ToneRecogniser):
    """Fails as a library does, at a step of its work."""

    def __init__(self, step: str) -> None:
        super().__init__(WORDS)
        self._step = step

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        if self._step != "recognise":
            return super().recognise(sound, names)
        broken: Future[Heard] = Future()
        broken.set_exception(RuntimeError("out of memory"))
        return broken

    def detector(self) -> Detector:
        if self._step == "load":
            raise SpeechError("stt_language is xx")

        def fails(window: bytes) -> float:
            raise RuntimeError("out of memory")

        return fails if self._step == "detect" else is_loud


FAILED = "what is said cannot be taken in (out of memory): switch the microphone on again, or type"


@pytest.mark.parametrize(
    ("step", "told"), [("load", "stt_language is xx"), ("detect", FAILED), ("recognise", FAILED)]
)
def test_whatever_fails_the_page_is_told_and_the_room_has_no_microphone(
    home: Path, tmp_path: Path, step: str, told: str
) -> None:
    with room(home, tmp_path, recogniser=BrokenRecogniser(step)) as (client, site, _):
        with client.websocket_connect(ADDRESS) as socket:
            if step != "load":  # that is told before the first sound
                speak(socket, tone(1) + silence(1))
            assert finals(socket, "refused") == [{"refused": told}]
        until("nobody's microphone", lambda: not site.presence.has_page("one"))
        assert site.microphones.finish("one") == []


def test_a_disk_that_refuses_is_told_as_well(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(self: Rehearsal, piece: LiveSegment) -> int:
        raise OSError("no space left on device")

    monkeypatch.setattr(Rehearsal, "hear", refuses)
    with (
        room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, _),
        client.websocket_connect(ADDRESS) as socket,
    ):
        speak(socket, tone(1) + silence(1))
        (told,) = finals(socket, "refused")
        assert told == {"refused": FAILED.replace("out of memory", "no space left on device")}


def test_the_end_says_why_the_last_words_were_refused(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=BrokenRecogniser("recognise")) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1))
            ended = client.post("/api/v1/sessions/one/end", json={"without_debrief": True})
            assert ended.json()["warnings"] == [f"microphone: {FAILED}"]
        assert session.state == "ended"


@pytest.mark.usefixtures("one_waits")
def test_a_machine_that_never_catches_up_is_told_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(microphone, "MAX_WAITING_S", 1.0)
    recogniser = LateRecogniser()
    with (
        room(home, tmp_path, recogniser=recogniser) as (client, _, _),
        client.websocket_connect(ADDRESS) as socket,
    ):
        speak_three(socket, recogniser)
        speak(socket, silence(2))
        time.sleep(1)
        recogniser.answer()
        told = finals(socket, "refused")
    assert [one.get("final") for one in told] == [WORDS[8000]] * 3 + [None]
    assert told[-1]["refused"].startswith("this machine recognises speech more slowly than it is spoken")


def test_another_sites_page_gets_no_microphone(home: Path, tmp_path: Path) -> None:
    with (
        room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, _),
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(ADDRESS, headers={"origin": "http://evil.example"}),
    ):
        pass


def finals(socket: WebSocketTestSession, upto: str) -> list[dict[str, Any]]:
    """All messages but partial captions, up to the first of the kind *upto*."""
    found: list[dict[str, Any]] = []
    while not found or upto not in found[-1]:
        message = socket.receive_json()
        if "partial" not in message:
            found.append(message)
    return found


class DoubtfulRecogniser(ToneRecogniser):
    """Is not sure of anything, and remembers which names it was given."""

    def __init__(self) -> None:
        super().__init__(WORDS)
        self.given: set[tuple[str, ...]] = set()

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        self.given.add(tuple(names))
        known, doubtful = super().recognise(sound).result(), Future[Heard]()
        doubtful.set_result(replace(known, doubt="confidence" if known.text else None))
        return doubtful


def test_a_doubt_goes_with_the_words_and_their_number(home: Path, tmp_path: Path) -> None:
    recogniser = DoubtfulRecogniser()
    with room(home, tmp_path, recogniser=recogniser) as (client, _, session):
        session.hear(LiveSegment("Good morning."))
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1))
            (told,) = finals(socket, "final")
        assert told == {"final": WORDS[8000], "doubt": "confidence", "segment": 2}
        assert session.projection.segments[1].doubt == "confidence"
        assert recogniser.given == {names_in(session.rehearsal.scene().deck)}


def test_the_end_takes_in_what_is_being_said(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1) + tone(2, 4000))
            ended = client.post("/api/v1/sessions/one/end", json={"without_debrief": True})
            assert (ended.status_code, ended.json()["warnings"]) == (200, [])
            told = finals(socket, "closed")
            assert [one.get("final") for one in told] == [*WORDS.values(), None]
            assert told[-1] == {"closed": "The session is being ended"}
        assert [one.text for one in session.projection.segments] == list(WORDS.values())
        assert session.state == "ended"


def test_the_end_takes_in_what_was_said_before_the_microphone_was_switched_off(
    home: Path, tmp_path: Path
) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1))
            socket.close()
            assert client.post("/api/v1/sessions/one/end", json={}).status_code == 200
        assert [one.text for one in session.projection.segments] == [WORDS[8000]]


def test_the_end_says_what_could_not_be_recognised_in_time(home: Path, tmp_path: Path) -> None:
    recogniser = LateRecogniser()
    hasty = Microphones(within_s=1)
    with room(home, tmp_path, recogniser=recogniser, microphones=hasty) as (client, _, session):
        with client.websocket_connect(ADDRESS) as socket:
            speak(socket, tone(1) + silence(1))
            until("all the sound taken", lambda: recogniser.heard_s > 1.9)
            ended = client.post("/api/v1/sessions/one/end", json={"without_debrief": True})
            assert ended.json()["warnings"] == [NOT_TAKEN]
            recogniser.answer()
            assert "has ended" in finals(socket, "refused")[-1]["refused"]
        assert session.state == "ended"


def test_the_newest_window_has_the_microphone(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        with client.websocket_connect(ADDRESS) as first:
            speak(first, tone(1))
            first.receive_json()  # the partial caption: the sound was taken
            with client.websocket_connect(ADDRESS) as second:
                told = finals(first, "refused")
                assert [one.get("final") for one in told] == [WORDS[8000], None]
                assert told[-1] == {"refused": "The microphone is used in another window now"}
                speak(second, tone(1, 4000) + silence(1))
                assert finals(second, "final")[-1]["final"] == WORDS[4000]
        assert [one.text for one in session.projection.segments] == list(WORDS.values())
