"""Who of the speakers in a recording is the presenter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line
from orchestrator.material.model.segment import Segment, is_name_of
from orchestrator.material.speech.labels import words_of

UNCLEAR: Final = "unclear"
_MOST_SHOWN: Final = 6  # labels in a notice
MIN_LEAD: Final = 1.5
"""So many times the next one's seconds times words, whoever speaks most is the presenter: a fifth more of
both. With less, two present, or a moderator talks as much; who is judged is then asked."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The presenter's label in the recording, and how it is known."""

    label: str | None  # None: the words without a label; where it is unclear, nobody
    how: str  # "given", "named", "speaks most", "only one" or UNCLEAR
    alone: bool = False  # the recording has labels, so that words without one are not the presenter's
    choice: tuple[tuple[str | None, int], ...] = ()  # where it is unclear: labels with their % of the words

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The labels whose words are judged."""
        return () if self.how == UNCLEAR else (self.label,)

    @property
    def question(self) -> str:
        """The question who presents, with the labels that there are."""
        shown = [f"{label or 'nobody named'} {share} %" for label, share in self.choice[:_MOST_SHOWN]]
        more = len(self.choice) - len(shown)
        return f"which of these is you? {', '.join([*shown, *([f'{more} more'] if more else [])])}"

    @property
    def notice(self) -> str | None:
        """What a user should know where it is unclear, and what to do."""
        if self.how != UNCLEAR:
            return None
        return f"who presents is not clear, so nobody is judged: {self.question}: say it with --speaker LABEL"


def presenter_of(segments: Sequence[Segment], given: str | None = None, *, name: str = "") -> Speaker:
    """The presenter: who *given* names, else who bears their name, else whoever clearly speaks most.

    Whoever speaks most does so clearly if nobody else would come near with all the words that no
    label fits; by seconds and by words, since the one who introduces somebody may take their time.

    A segment is the presenter's when its `speaker` equals the result's `label`.

    Raises:
        UsageError: No segment has the label *given*; the message lists those there are.
    """
    labels = list(dict.fromkeys(one.speaker for one in segments if one.speaker is not None))
    if given is not None:
        return Speaker(_matching(labels, one_line(given)), "given", alone=True)
    if not labels:
        return Speaker(None, "only one")
    named = [label for label in labels if is_name_of(label, name)] or _with_words(labels, name)
    if len(named) == 1:
        return Speaker(named[0], "named", alone=True)
    talk = _talk(segments)
    first, *others = sorted(labels, key=lambda label: -talk[label].weight)
    unnamed = talk.get(None, _Talk())
    rivals = [_Talk(talk[one].seconds + unnamed.seconds, talk[one].words + unnamed.words) for one in others]
    if talk[first].weight >= MIN_LEAD * max(one.weight for one in (unnamed, *rivals)):
        return Speaker(first, "speaks most" if others else "only one", alone=True)
    total = sum(one.words for one in talk.values()) or 1
    ordered = sorted(talk.items(), key=lambda pair: -pair[1].words)
    choice = tuple((label, round(100 * one.words / total)) for label, one in ordered)
    return Speaker(None, UNCLEAR, alone=True, choice=choice)


@dataclass(frozen=True, slots=True)
class _Talk:
    """How much somebody speaks."""

    seconds: float = 0.0
    words: int = 0

    @property
    def weight(self) -> float:
        return self.seconds * self.words


def _talk(segments: Sequence[Segment]) -> dict[str | None, _Talk]:
    found: dict[str | None, _Talk] = {}
    for one in segments:
        before, length_s = found.get(one.speaker, _Talk()), one.end_s - one.start_s
        found[one.speaker] = _Talk(before.seconds + length_s, before.words + len(one.text.split()))
    return found


def _with_words(labels: Sequence[str], name: str) -> list[str]:
    """The labels that have all words of a name: "Falk, Mia (she/her)" is Mia Falk."""
    wanted = words_of(name)
    return [label for label in labels if wanted and wanted <= words_of(label)]


def _matching(labels: Sequence[str], given: str) -> str:
    if given in labels:
        return given
    alike = [label for label in labels if label.casefold() == given.casefold()] or _with_words(labels, given)
    if len(alike) == 1:
        return alike[0]
    if not labels:
        raise UsageError(f"--speaker {given!r}: this recording names no speakers; leave --speaker out")
    if alike:
        raise UsageError(f"--speaker {given!r} is more than one speaker of this recording: {_listed(alike)}")
    raise UsageError(f"--speaker {given!r} does not speak in this recording; it has: {_listed(labels)}")


def _listed(labels: Sequence[str], most: int = 12) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
