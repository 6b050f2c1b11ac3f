"""Rehearsals by voice in real browsers, in real time: every word in the turn in which it was spoken?

    scripts/spoken                          two rehearsals in Chromium and two in Firefox: 20 exchanges,
                                            some 20 minutes
    scripts/spoken --browser firefox --rehearsals 1
    scripts/spoken --recordings FOLDER      people's voices for the talk: FOLDER holds NAME.wav with NAME.txt,
                                            what is said in it (../shared/data/audio/librivox)

Prints for each exchange what was spoken and what was recognised, with its time and where it stands. Exit 1
where a word stands in another turn, or a stretch was not heard.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.helpers.homes import new_home  # the path is set first
from tests.web.browser import chromium
from tests.web.conftest import start_server
from tests.web.firefox import firefox
from tests.web.pulse import Pulse, pulse
from tests.web.spoken import DESK, EXCHANGES, HEADSET, Rehearsal, Voice
from tests.web.spoken_words import Outcome
from tests.web.window import Chromium, Window

VOICES = (("en-us", 150), ("en-gb", 165), ("en-us+f3", 140), ("en-gb-scotland", 175))
BROWSERS = ("chromium", "firefox")


@contextmanager
def window_of(browser: str, folder: Path, sound: Pulse) -> Iterator[Window]:
    """Open a window of the browser of this name, with the microphones of *sound*."""
    if browser == "firefox":
        with firefox(folder / "firefox", sound.environment) as window:
            yield window
    else:
        with chromium("--use-fake-ui-for-media-stream", environment=sound.environment) as opened:
            yield Chromium(opened.new_page())


def rehearse(browser: str, voice: tuple[str, int], recordings: Iterator[Path], folder: Path) -> list[Outcome]:
    """Speak one rehearsal, print it, and return what became of the words of its exchanges."""
    print(f"\n{browser}, voice {voice[0]} at {voice[1]} words a minute", flush=True)
    served = start_server(new_home(folder / "home"))
    try:
        with pulse(folder / "pulse") as sound:
            sound.plug(HEADSET)
            sound.plug(DESK)
            with served.client() as client:
                session = client.post("/api/v1/sessions", json={"sample": True}).json()["session"]
            with window_of(browser, folder, sound) as window:
                one = Rehearsal(window, sound, served, session, Voice(*voice, folder), recordings)
                one.begin()
                for exchange in EXCHANGES:
                    exchange(one)
    finally:
        served.process.terminate()
        served.process.wait(10)
    for spoken in one.spoken:
        print(f"  spoken     {spoken.start_s:6.1f} {spoken.turn:10} {spoken.text}")
    for line in one.transcript():
        print(f"  recognised {line}")
    found = one.outcomes()
    for outcome in found:
        print(f"  {outcome.exchange}: {outcome.right} right, {outcome.misheard} misheard", end="")
        print("".join(f"; {what}" for what in (*outcome.wrong, *(f"lost: {one}" for one in outcome.lost))))
    return found


def main() -> int:
    """Speak so many rehearsals in each browser, and say of how many exchanges every word is in its turn."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--browser", choices=BROWSERS, help="this one alone")
    arguments.add_argument("--rehearsals", type=int, default=2, help="in each browser")
    arguments.add_argument("--recordings", type=Path)
    given = arguments.parse_args()
    recordings = iter(sorted(given.recordings.glob("*.wav")) if given.recordings else [])
    voices = cycle(VOICES)
    found: list[Outcome] = []
    for browser in [given.browser] if given.browser else BROWSERS:
        for _ in range(given.rehearsals):
            with tempfile.TemporaryDirectory(prefix="greenroom-spoken-") as folder:
                found += rehearse(browser, next(voices), recordings, Path(folder))
    good = sum(one.is_good for one in found)
    right, misheard = sum(one.right for one in found), sum(one.misheard for one in found)
    print(f"\n{right} words right, {misheard} misheard")
    print(f"{good} of {len(found)} exchanges with every word in its turn")
    return 0 if good == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
