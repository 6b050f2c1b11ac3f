"""Who of the speakers in a recording is the presenter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.errors import UsageError
from orchestrator.legible import one_line
from orchestrator.model.segment import Segment, is_name_of


@dataclass(frozen=True, slots=True)
class Speaker:
    """The presenter's label in the recording (None: the words without a label), and how it is known."""

    label: str | None
    how: str  # "given", "named", "speaks most" or "only one"


def presenter_of(segments: Sequence[Segment], given: str | None = None, *, name: str = "") -> Speaker:
    """The presenter: who *given* names, else who bears their name, else whoever speaks most.

    By seconds and then by words: the one who introduces somebody may talk for longer.

    A segment is the presenter's when its `speaker` equals the result's `label`; words without a
    label count as one speaker.

    Raises:
        UsageError: No segment has the label *given*; the message lists those there are.
    """
    labels = list(dict.fromkeys(segment.speaker for segment in segments))
    if given is not None:
        return Speaker(_matching(labels, one_line(given)), "given")
    if len(labels) < 2:
        return Speaker(labels[0] if labels else None, "only one")
    named = next((label for label in labels if is_name_of(label, name)), None)
    if named is not None:
        return Speaker(named, "named")

    def share(label: str | None) -> tuple[float, int]:
        own = [segment for segment in segments if segment.speaker == label]
        seconds = sum(segment.end_s - segment.start_s for segment in own)
        return round(seconds, 3), sum(len(segment.text.split()) for segment in own)

    return Speaker(max(labels, key=share), "speaks most")


def _matching(labels: Sequence[str | None], given: str) -> str:
    named = [label for label in labels if label is not None]
    if given in named:
        return given
    alike = [label for label in named if label.casefold() == given.casefold()]
    if len(alike) == 1:
        return alike[0]
    if not named:
        raise UsageError(f"--speaker {given!r}: this recording names no speakers; leave --speaker out")
    raise UsageError(f"--speaker {given!r} does not speak in this recording; it has: {_listed(named)}")


def _listed(labels: Sequence[str], most: int = 12) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
