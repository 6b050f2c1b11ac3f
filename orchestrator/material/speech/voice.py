"""Split a stream of sound into stretches of speech: a sentence lies between two silences.

The module only keeps account of windows of sound. A detector, which is a function, says how likely it is that
a window has a voice. The same sound gives the same stretches, however it is cut into frames on its way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

RATE_HZ: Final = 16_000
"""Samples a second, as Whisper and Silero are trained on. A sample has 16 bits and is little-endian."""
SAMPLE_BYTES: Final = 2
WINDOW_BYTES: Final = 512 * SAMPLE_BYTES
"""Size of the detector's window at this rate (Silero VAD accepts no other)."""
WINDOW_S: Final = WINDOW_BYTES / SAMPLE_BYTES / RATE_HZ

BEGINS: Final = 0.5
GOES_ON: Final = 0.35
"""Probabilities above which a voice begins and continues: the defaults of Silero VAD."""
MIN_WINDOWS: Final = 3
"""Minimum number of windows with a voice: a stretch with fewer (0.1 s) is a click or a cough; "yes" takes
twice as long."""
PAUSE: Final = round(0.6 / WINDOW_S)
"""Number of windows of silence that end a sentence: longer than the breath within one, far under the
moderator's `hand_raise_pause` of 2 s."""
MAX_WINDOWS: Final = round(15 / WINDOW_S)
"""Number of windows after which a sentence is cut: captions must come while somebody speaks without a pause,
and Whisper reads 30 s at most."""
CUT_WITHIN: Final = round(5 / WINDOW_S)
"""Number of last windows of a long sentence within which it is cut: at the quietest of them, and so between
two words."""
LEAD: Final = round(0.3 / WINDOW_S)
TRAIL: Final = round(0.2 / WINDOW_S)
"""Number of windows kept before and after a voice: soft consonants are below the detector's threshold."""

Detector = Callable[[bytes], float]
"""A function that returns the probability (0 to 1) that a window has a voice; it is given a stream's windows
in order."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Speech between two silences; times are seconds from the stream's beginning."""

    sound: bytes  # with a little of the silence around it
    start_s: float
    end_s: float


class Voice:
    """A splitter of one stream into stretches of speech; it is not thread-safe."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._rest = b""  # less than a window
        self._windows: list[bytes] = []  # from the lead of what is spoken on
        self._chances: list[float] = []
        self._dropped = 0  # windows that came before these
        self._first: int | None = None  # the window with which the voice begins; None: silence
        self._last = 0  # the last one with a voice

    def take(self, sound: bytes) -> list[Stretch]:
        """Return the stretches that end within *sound*, the next part of the stream."""
        sound = self._rest + sound
        whole = len(sound) - len(sound) % WINDOW_BYTES
        self._rest = sound[whole:]
        ended = []
        for at in range(0, whole, WINDOW_BYTES):
            ended += self._take_window(sound[at : at + WINDOW_BYTES])
        return ended

    def close(self) -> list[Stretch]:
        """Return the stretch that was being spoken when the stream ended, if there is one."""
        if self._first is None:
            return []
        ended = self._stretch(len(self._windows))
        self._drop(len(self._windows))
        return ended

    @property
    def heard_s(self) -> float:
        """The seconds of the stream that were analysed."""
        return (self._dropped + len(self._windows)) * WINDOW_S

    @property
    def kept_s(self) -> float:
        """The seconds of the stream that are finished: stretches that end from now on begin later."""
        return self._dropped * WINDOW_S

    @property
    def open(self) -> Stretch | None:
        """The stretch that is being spoken, up to now, or None if there is none or too little of it."""
        return next(iter(self._stretch(len(self._windows))), None)

    @property
    def is_pausing(self) -> bool:
        """Whether the voice paused so long ago that `open` does not change until the voice resumes."""
        return self._first is not None and len(self._windows) - 1 - self._last >= TRAIL

    def _take_window(self, window: bytes) -> list[Stretch]:
        chance = self._detector(window)
        self._windows.append(window)
        self._chances.append(chance)
        count = len(self._windows)
        if chance >= (BEGINS if self._first is None else GOES_ON):
            self._last = count - 1
            if self._first is None:
                self._drop(count - 1 - LEAD)
                self._first = self._last
        elif self._first is None:
            self._drop(count - LEAD)
        elif count - 1 - self._last >= PAUSE:
            ended = self._stretch(count)
            self._first = None
            self._drop(count - LEAD)
            return ended
        return self._cut() if self._first is not None and len(self._windows) >= MAX_WINDOWS else []

    def _cut(self) -> list[Stretch]:
        """Cut a sentence that has become too long; its rest begins the next sentence."""
        count = len(self._windows)
        at = min(range(count - CUT_WITHIN, count), key=self._chances.__getitem__)
        ended = self._stretch(at)
        self._drop(at)
        voiced = [number for number, chance in enumerate(self._chances) if chance >= GOES_ON]
        self._first = voiced[0] if voiced else None
        return ended

    def _stretch(self, before: int) -> list[Stretch]:
        """Return what is spoken up to the window *before* as a stretch; nothing if it is too short."""
        if self._first is None:
            return []
        voiced = [at for at in range(self._first, before) if self._chances[at] >= GOES_ON]
        if len(voiced) < MIN_WINDOWS:
            return []
        sound = b"".join(self._windows[: min(before, voiced[-1] + 1 + TRAIL)])
        start, end = self._dropped + self._first, self._dropped + voiced[-1] + 1
        return [Stretch(sound, round(start * WINDOW_S, 3), round(end * WINDOW_S, 3))]

    def _drop(self, count: int) -> None:
        """Forget the first *count* windows of the stream."""
        if count <= 0:
            return
        del self._windows[:count], self._chances[:count]
        self._dropped += count
        self._last -= count
        if self._first is not None:
            self._first = self._first - count if self._first >= count else None
