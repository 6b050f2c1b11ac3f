"""A rehearsal that is spoken into a real browser, with all that goes wrong on the day."""

from __future__ import annotations

import shutil
import subprocess
import time
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.live_feeds import until
from tests.web.conftest import Served
from tests.web.pulse import Pulse
from tests.web.spoken_words import TAKEN_BACK, TALK, Outcome, Spoken, landed_in, outcomes
from tests.web.window import Window, is_seen, shows

SPEAKS: Final = "espeak-ng"
NO_VOICE: Final = "" if shutil.which(SPEAKS) else f"NOT TESTED with a voice: {SPEAKS} is missing"
DESK: Final = "Desk"
HEADSET: Final = "Headset"
"""The microphones: the one that is chosen, and the next."""
BREATH_S: Final = 1.5
"""Between two sentences: more than the pause that ends one (`voice.PAUSE`)."""
RECOGNISED_WITHIN_S: Final = 120
"""The model is loaded at the first sound, and a machine may be busy: most of it is patience."""
CHOOSE: Final = """(name) => {
  const choice = document.getElementById("microphone-choice");
  const option = [...choice.options].find((one) => one.textContent === name);
  if (!option) return false;
  choice.value = option.value;
  choice.dispatchEvent(new Event("change"));
  return true;
}"""

TALKS: Final = (
    "We carry chilled food and medicine to every hospital in the north of the country.",
    "Our customers stay with us because the cold chain never breaks on the way.",
    "Every depot has its own mechanic, and the night shift is paid better than the day.",
    "The new vans are quieter, and the neighbours of our depots have stopped complaining.",
    "What we ask for today is a decision about the second warehouse near the harbour.",
    "Most of the growth came from customers who had been with a competitor before.",
    "We have learned to plan the routes in the evening and not in the morning.",
)
ANSWERS: Final = (
    "That figure comes from the audited report of the spring.",
    "Nobody outside the company has looked at it so far.",
    "The drivers told us themselves when we asked them in writing.",
    "We would rather wait a year than borrow more money.",
    "Two of the larger customers have signed for another year.",
    "The insurance covers the loss of a whole load of medicine.",
    "I would ask the board to look at the contract again.",
    "We measured it on the same roads in the same weather.",
)


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice of espeak-ng's at a pace, with a folder for what it has spoken."""

    name: str
    words_a_minute: int
    folder: Path

    def speak(self, words: str) -> Path:
        """Return the sound of *words*."""
        sound = self.folder / f"{self.name}-{self.words_a_minute}.wav"
        command = [SPEAKS, "-v", self.name, "-s", str(self.words_a_minute), "-w", str(sound), words]
        subprocess.run(command, check=True)
        return sound


def _length_s(sound: Path) -> float:
    with wave.open(str(sound)) as read:
        length_s: float = read.getnframes() / read.getframerate()
    return length_s


@dataclass
class Rehearsal:
    """A session in a browser's room, with a presenter who speaks and two microphones."""

    window: Window
    pulse: Pulse
    served: Served
    session: str
    voice: Voice
    recordings: Iterator[Path] = field(default_factory=partial(iter, ()))  # NAME.wav, with NAME.txt beside it
    spoken: list[Spoken] = field(default_factory=list)
    into: str = DESK
    _talks: Iterator[str] = field(default_factory=partial(cycle, TALKS))
    _answers: Iterator[str] = field(default_factory=partial(cycle, ANSWERS))
    _talk: list[Spoken] = field(default_factory=list)  # since the last question
    _answering: tuple[str, int] | None = (
        None  # the question whose answer is not over, and how often it was put
    )

    def view(self) -> dict[str, Any]:
        with self.served.client() as client:
            view: dict[str, Any] = client.get(f"/api/v1/sessions/{self.session}/room").json()
            return view

    def begin(self) -> None:
        """Open the room, begin, and switch the microphone on: the one on the desk is chosen."""
        self.window.open(f"{self.served.url}/room/{self.session}")
        shows(self.window, "[data-connected=yes]")
        self.window.press(" ")
        shows(self.window, "#pause")
        self.window.press("m")
        shows(self.window, "#microphone-state", "Microphone on")
        until("the microphone's name", lambda: self.window.evaluate(CHOOSE, DESK))
        time.sleep(BREATH_S)

    # ------------------------------------------------------------------ speaking

    def talk(self, *, at_half: Callable[[], object] | None = None) -> None:
        """Speak a sentence of the talk, or play somebody's who did; *at_half* is done in its middle."""
        recorded = next(self.recordings, None)
        words = next(self._talks) if recorded is None else recorded.with_suffix(".txt").read_text("utf-8")
        sound = recorded or self.voice.speak(words)
        self._talk.append(self._say(words, sound, TALK, "", at_half))

    def answer(self, *, turn: str | None = None, at_half: Callable[[], object] | None = None) -> None:
        """Speak a sentence of the answer, of *turn*: else of the question with which the answer began."""
        self._answering = self._answering or self._put()
        assert self._answering is not None, "no question is open"
        exchange, number = self._answering
        words = next(self._answers)
        sound = self.voice.speak(words)
        self.spoken.append(self._say(words, sound, turn or f"{exchange}.{number}", exchange, at_half))

    def _say(
        self, words: str, sound: Path, turn: str, exchange: str, at_half: Callable[[], object] | None
    ) -> Spoken:
        length_s = _length_s(sound)
        with self.pulse.playing(self.into, sound):
            start_s = self.view()["now_s"]
            if at_half is not None:
                time.sleep(length_s / 2)
                at_half()
        return Spoken(words, turn, exchange, start_s, start_s + length_s)

    # ------------------------------------------------------------------ turns

    def ask(self) -> None:
        """Press the key for a question until one is put, in whose course the talk before was spoken."""

        def is_put() -> bool:
            if not is_seen(self.window, "#question"):
                self.window.press("q")
                time.sleep(1)
            return is_seen(self.window, "#question")

        until("a question", is_put)
        exchange = self.view()["question"]["exchange"]
        self.spoken += [Spoken(one.text, TALK, exchange, one.start_s, one.end_s) for one in self._talk]
        self._talk.clear()

    def done(self) -> None:
        """Say that this was the answer, as soon as one can, and wait for its verdict."""
        shows(self.window, "#done", within_s=RECOGNISED_WITHIN_S)
        before = self._put()
        self.window.press("d")
        until("a verdict", lambda: self._put() != before)
        self._answering = None

    def fall_silent(self) -> None:
        """Let the answer end by silence; by the key where words in doubt keep it from that."""
        before = self._put()
        until("the end of the silence", lambda: self._put() != before or self.view()["turn"]["held"])
        if self._put() == before:
            self.done()
        self._answering = None

    def follow_up(self) -> None:
        """Answer whatever the panel still asks, until the exchange is closed."""
        while self._put() is not None:
            self.answer()
            self.done()

    def _put(self) -> tuple[str, int] | None:
        """Return the question that is open, or None."""
        one = self.view()["question"]
        return one and (one["exchange"], one["turn"])

    # ------------------------------------------------------------------ exchanges

    def asked_while_talking(self) -> None:
        """The talk goes on while a question is put; within the answer there are pauses of 3 and 8 s."""
        self.talk()
        time.sleep(BREATH_S)
        self.talk(at_half=lambda: self.window.press("q"))
        self.ask()
        time.sleep(BREATH_S)
        self.answer()
        time.sleep(3)
        self.answer()
        time.sleep(8)
        self.answer()
        self.done()
        self.follow_up()

    def taken_back(self) -> None:
        """An answer is taken back, and another is given."""
        self.talk()
        self.ask()
        self.answer(turn=TAKEN_BACK)
        self.done()
        shows(self.window, "#back")
        self.window.press("t")
        until("the question again", lambda: (self._put() or ("", 0))[1] == 1)
        time.sleep(BREATH_S)
        self.answer()
        self.done()
        self.follow_up()

    def slide_changed(self) -> None:
        """The slide is changed in the middle of a sentence; silence ends the answer."""
        self.talk(at_half=lambda: self.window.press("ArrowRight"))
        self.ask()
        time.sleep(BREATH_S)
        self.answer()
        self.fall_silent()
        self.follow_up()

    def unplugged(self) -> None:
        """The microphone is unplugged within an answer: the next is used, and the first when it is back."""
        self.talk()
        self.ask()
        time.sleep(BREATH_S)
        self.answer()
        time.sleep(BREATH_S)
        self.pulse.unplug(DESK)
        # Firefox calls the next one by its name, Chromium the machine's default.
        shows(self.window, "#hearing", f"“{DESK}” was unplugged.")
        self.into = HEADSET
        time.sleep(BREATH_S)
        self.answer()
        time.sleep(BREATH_S)
        self.pulse.plug(DESK)
        shows(self.window, "#hearing", f"“{DESK}” is back, and used again.")
        self.into = DESK
        time.sleep(BREATH_S)
        self.answer()
        self.done()
        self.follow_up()

    def ended_while_speaking(self) -> None:
        """The rehearsal is ended in the middle of an answer: what was spoken by then is in it."""
        self.talk()
        self.ask()
        time.sleep(BREATH_S)
        self.answer()
        time.sleep(BREATH_S)
        self.answer(at_half=lambda: self.window.press("e", "ArrowRight", "Enter"))
        whole = self.spoken.pop()
        words = whole.text.split()
        upto = " ".join(words[: len(words) // 2 - 1])  # the word at which it was ended is nobody's
        self.spoken.append(Spoken(upto, whole.turn, whole.exchange, whole.start_s, whole.end_s))
        until("the debrief", lambda: "/debrief/" in self.window.address())

    # ------------------------------------------------------------------ what came of it

    def outcomes(self) -> list[Outcome]:
        """Return what became of the words of each exchange, of a session that has ended."""
        with Session.open(Home.open(self.served.home), self.session) as ended:
            return outcomes(self.spoken, landed_in(ended))

    def transcript(self) -> list[str]:
        """Return what was recognised, a line each with its time and its turn."""
        with Session.open(Home.open(self.served.home), self.session) as ended:
            return [f"{one.start_s:6.1f} {one.turn:10} {one.text}" for one in landed_in(ended)]


EXCHANGES: Final = (
    Rehearsal.asked_while_talking,
    Rehearsal.taken_back,
    Rehearsal.slide_changed,
    Rehearsal.unplugged,
    Rehearsal.ended_while_speaking,  # the last: it ends the session
)
