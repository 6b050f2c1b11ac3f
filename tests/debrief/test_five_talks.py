"""Minutes, words a minute and fillers in the debriefs of five talks, against counts by hand.

Two are real: earnings calls of 18 and 20 minutes, whose figures a few lines here count on their own, and
whose fillers were read through by eye. Three were written for this, of 9 to 12 minutes with many or few
fillers, and counted while they were written (`talks/counts.yaml`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from orchestrator.material.speech.delivery import FILLER
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.debrief.parts import Debrief
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading
from orchestrator.rehearsal.session import Session
from tests.helpers.steady import SteadyEngine

TALKS: Final = Path(__file__).parent / "talks"
WRITTEN: Final[dict[str, Any]] = yaml.safe_load((TALKS / "counts.yaml").read_text("utf-8"))
OFF_BY: Final = 0.05
"""Of a count by hand."""


@dataclass(frozen=True, slots=True)
class Count:
    """What a person, or a few lines that know no more than captions, count in a talk."""

    last_word_s: float
    spoken_s: float
    words: int
    fillers: int


def debrief(home: Path, deck: Path, speech: Path, speaker: str | None = None) -> Debrief:
    """Play the talk to its end without a question."""
    loading = Loading(read_speech(speech), "run")
    with Session.start(
        Home.open(home), deck, engine=SteadyEngine(()), loading=loading, exchanges=0, speaker=speaker
    ) as session:
        assert session.play()
        return session.debrief()


def check(found: Debrief, by_hand: Count) -> None:
    told = found.delivery
    assert found.speech_s == pytest.approx(by_hand.last_word_s, rel=OFF_BY)
    assert told.spoken_s == pytest.approx(by_hand.spoken_s, rel=OFF_BY)
    assert told.words == pytest.approx(by_hand.words, rel=OFF_BY)
    assert told.words_per_minute == pytest.approx(by_hand.words * 60 / by_hand.spoken_s, rel=OFF_BY)
    assert told.count(FILLER) == pytest.approx(by_hand.fillers, rel=OFF_BY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "speaker", "repeated", "aloud"),
    [
        ("night-buses", None, ["at the end of the day"], [2, 3, 6]),
        ("clinic-letters", "Tomas Reyl", ["What we found is that"], [3, 5, 6, 7]),
        ("seed-library", "Henrike Vos", [], [2, 3, 4, 6, 7]),  # the chair speaks as well
    ],
)
def test_a_talk_that_was_counted_while_it_was_written(
    home: Path, name: str, speaker: str | None, repeated: list[str], aloud: list[int]
) -> None:
    found, counts = debrief(home, TALKS / f"{name}.md", TALKS / f"{name}.vtt"), WRITTEN[name]
    fillers = sum(counts["fillers"].values())
    check(found, Count(counts["last_word_s"], counts["spoken_s"], counts["words"], fillers))
    assert found.speaker == speaker
    assert [one.words for one in found.repeated] == repeated
    assert [one.slide for one in found.read_aloud] == aloud


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "speaker", "fillers"),
    # One "uh" each: such calls are read from a page. In the second, two present and say as much.
    [("4468919.aligned", None, 1), ("4386541.amazon_asr", "Speaker 4", 1)],
)
def test_a_talk_that_was_held(
    home: Path, tmp_path: Path, shared: Path, name: str, speaker: str | None, fillers: int
) -> None:
    speech = shared / "transcripts" / f"{name}.vtt"
    deck = tmp_path / "quarter.md"
    deck.write_text("# The third quarter\n\n- Results and outlook\n", "utf-8")
    check(debrief(home, deck, speech, speaker), counted_in(speech.read_text("utf-8"), fillers))


_CUE: Final = re.compile(r"(\d+):(\d+):([\d.]+) --> (\d+):(\d+):([\d.]+)\n<v ([^>]+)>(.*)")


def counted_in(captions: str, fillers: int) -> Count:
    """The figures of whoever speaks most, from the captions alone."""
    words: dict[str, int] = {}
    spoken_s: dict[str, float] = {}
    end_s = 0.0
    for *times, who, text in _CUE.findall(captions):
        hours, minutes, seconds, *until = map(float, times)
        start_s, end_s = hours * 3600 + minutes * 60 + seconds, until[0] * 3600 + until[1] * 60 + until[2]
        words[who] = words.get(who, 0) + len(text.split())
        spoken_s[who] = spoken_s.get(who, 0.0) + end_s - start_s
    most = max(spoken_s, key=lambda who: spoken_s[who])
    return Count(end_s, spoken_s[most], words[most], fillers)
