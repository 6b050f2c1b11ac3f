"""What a panelist hears in how the presenter speaks: one matter at a time, each once in a session.

Only the newest minutes are looked at, so the cost does not grow with the session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import LONGEST_ANSWER_QUOTE, clock, cut
from orchestrator.exchange import Observation
from orchestrator.speech.delivery import Said, is_presenters, pauses_in, said_in
from orchestrator.speech.fillers import FILLER, HEDGE, Mark
from orchestrator.speech.model import Segment
from orchestrator.speech.pace import stretches, windows

NEWEST_S: Final = 300.0
"""Seconds of the presenter's speech that are looked at, back from now."""
_MOST_SEGMENTS: Final = 400
TWO_MINUTES_S: Final = 120.0
FEWEST: Final = {HEDGE: 4, FILLER: 6}
"""In two minutes, some 300 words: one hedge every half minute takes the weight out of what is said. Fillers
come easily to everybody (two or three in a hundred words are usual), so it takes more of them."""
_FEWEST_PAUSES: Final = 2
"""One long silence may be meant."""
MONOLOGUE_S: Final = 300.0
"""DESIGN.md, section 7: after 5 minutes the moderator suggests a pause."""


@dataclass(frozen=True, slots=True)
class Ear:
    """The newest minutes, read once for every matter."""

    own: list[Segment]  # the presenter's
    told: list[Segment]  # whoever spoke, where the times were told
    said: tuple[Said, ...] | None  # fillers and hedges; None where the speech is not English
    presenter: str | None
    asked_at_s: list[float]
    now_s: float


_Heard = tuple[str, str] | None
_Listen = Callable[[Ear], _Heard]


def delivery(scene: Scene) -> Observation | None:
    """The first thing about the delivery that stands out and that no panelist has noted yet, with words."""
    noted = {one.matter for one in scene.observed}
    ear = _ear(scene)
    for matter, listen in _MATTERS.items():
        if matter not in noted and (heard := listen(ear)):
            text, quote = heard
            return Observation(text, quote, matter)
    return None


def _ear(scene: Scene) -> Ear:
    newest = _newest(scene)
    own = [one for one in newest if is_presenters(one, scene.presenter)]
    return Ear(
        own=own,
        told=[one for one in newest if not one.times_estimated],
        said=said_in(own),
        presenter=scene.presenter,
        asked_at_s=[exchange.asked_at_s for exchange in scene.exchanges],
        now_s=scene.clock_s,
    )


def _newest(scene: Scene) -> list[Segment]:
    """The newest segments, oldest first, with at most `NEWEST_S` of the presenter's speech."""
    found: list[Segment] = []
    spoken_s = 0.0
    for one in reversed(scene.segments):
        if spoken_s > NEWEST_S or len(found) >= _MOST_SEGMENTS:
            break
        found.append(one)
        if is_presenters(one, scene.presenter):
            spoken_s += one.end_s - one.start_s
    return found[::-1]


def _many(kind: str) -> _Listen:
    def listen(ear: Ear) -> _Heard:
        found = [one for one in ear.said or () if one.mark.kind == kind]
        densest = max(_together(found, ear.own), key=len, default=[])
        if len(densest) < FEWEST[kind]:
            return None
        verb = "hedges" if kind == HEDGE else "fills pauses"
        listed = often([one.mark.word for one in densest])
        first = densest[0]
        return f"{verb} {len(densest)} times in two minutes: {listed}", around(first.segment.text, first.mark)

    return listen


def _together(found: Sequence[Said], own: Sequence[Segment]) -> Iterator[list[Said]]:
    """From each on, those that follow within two minutes of the presenter's own speech."""
    spoken_s, began_s = 0.0, {}
    for one in own:
        began_s[id(one)] = spoken_s
        spoken_s += one.end_s - one.start_s
    for first in found:
        until_s = began_s[id(first.segment)] + TWO_MINUTES_S
        yield [one for one in found if began_s[id(first.segment)] <= began_s[id(one.segment)] < until_s]


def _off_pace(*, fast: bool) -> _Listen:
    def listen(ear: Ear) -> _Heard:
        if ear.said is None:
            return None  # what is fast in words a minute is known for English
        told = [one for one in ear.own if not one.times_estimated]
        for stretch in stretches(windows(told), fast=fast):
            inside = [one for one in told if stretch.start_s <= one.start_s < stretch.end_s]
            if inside:
                span = f"between {clock(stretch.start_s)} and {clock(stretch.end_s)}"
                how = "fast" if fast else "slowly"
                text = f"speaks {how}, {stretch.words_per_minute} words a minute {span}"
                return text, _first_words(max(inside, key=lambda one: len(one.text)))
        return None

    return listen


def _monologue(ear: Ear) -> _Heard:
    """Only the stretch before the newest question: earlier ones were heard by whoever asked then."""
    until_s = ear.asked_at_s[-1] if ear.asked_at_s else ear.now_s
    since_s = ear.asked_at_s[-2] if len(ear.asked_at_s) > 1 else 0.0
    alone: list[Segment] = []
    for one in ear.told:
        if not is_presenters(one, ear.presenter):
            alone = []
        elif since_s <= one.start_s <= until_s:
            alone.append(one)
    if not alone or (length_s := alone[-1].end_s - alone[0].start_s) < MONOLOGUE_S:
        return None
    span = f"from {clock(alone[0].start_s)} to {clock(alone[-1].end_s)}"
    return f"speaks for {clock(length_s)} without another voice, {span}", _first_words(alone[-1])


def _pauses(ear: Ear) -> _Heard:
    pauses = pauses_in(ear.told, ear.presenter, ear.asked_at_s)
    if len(pauses) < _FEWEST_PAUSES:
        return None
    longest = max(pauses, key=lambda one: one.length_s)
    text = f"falls silent {len(pauses)} times, for {longest.length_s:.0f} s at {clock(longest.at_s)}"
    return f"{text} after these words", _last_words(longest.before.text)


_MATTERS: Final[dict[str, _Listen]] = {
    "hedges": _many(HEDGE),
    "fast": _off_pace(fast=True),
    "fillers": _many(FILLER),
    "monologue": _monologue,
    "pauses": _pauses,
    "slow": _off_pace(fast=False),
}
"""What there is to hear, what costs most trust first."""


def often(words: Sequence[str]) -> str:
    """The three commonest of *words* with their counts: `"maybe" 2, "I think" 1`."""
    common = sorted(Counter(words).items(), key=lambda pair: (-pair[1], words.index(pair[0])))
    return ", ".join(f'"{word}" {count}' for word, count in common[:3])


def around(text: str, mark: Mark) -> str:
    """The filler or hedge with a few words on either side, verbatim."""
    before = [m.start() for m in re.finditer(r"\S+", text[: mark.start])]
    after = [m.end() for m in re.finditer(r"\S+", text[mark.end :])]
    start = before[-3] if len(before) >= 3 else 0
    end = mark.end + (after[min(4, len(after)) - 1] if after else 0)
    return text[start:end].strip()


def _first_words(segment: Segment) -> str:
    return cut(segment.text, 0, 0, LONGEST_ANSWER_QUOTE)


def _last_words(text: str) -> str:
    places = [match.start() for match in re.finditer(r"\S+", text)]
    return text[places[-min(len(places), LONGEST_ANSWER_QUOTE)] :].strip() if places else ""
