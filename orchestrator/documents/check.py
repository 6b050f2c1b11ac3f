"""What a deck (and speech) says, and where it contradicts itself, without a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.documents.without_session import Asked
from orchestrator.material.checks.arithmetic import deck_tensions, speech_tensions
from orchestrator.material.checks.passages import deck_passages, speech_passages
from orchestrator.material.claims.extract import deck_claims, speech_claims
from orchestrator.material.deck.content import find_gaps
from orchestrator.material.deck.read import read_deck
from orchestrator.material.model.claim import (
    READ,
    Claim,
    Gap,
    Tension,
)
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import Deck
from orchestrator.material.speech.presenter import presenter_of
from orchestrator.material.speech.read import Recording
from orchestrator.material.speech.slide_times import estimate_slides
from orchestrator.panel.bank.kinds import Kind, kind_of
from orchestrator.panel.debrief.exchange_json import picked, tension_json
from orchestrator.panel.loop.contradictions import propose


@dataclass(frozen=True, slots=True)
class Checked:
    """All that one check has understood."""

    deck: Deck
    kind: Kind
    claims: Sequence[Claim]
    found: Sequence[Tension]
    gaps: Sequence[Gap]
    notices: Sequence[str]  # of how the files were read
    failed: str | None = None  # the engine that was asked for did not read all of it: why
    has_read: bool = False  # an engine read beside the arithmetic, at least a part
    refused: int = 0  # how much of what the engine named did not hold

    @property
    def computed(self) -> list[Tension]:
        """The arithmetic fails: contradictions, and counted as such."""
        return [one for one in self.found if one.class_ != READ]

    @property
    def doubtful(self) -> list[Tension]:
        """No figure decides: both quotes stand, and the presenter is asked."""
        return [one for one in self.found if one.class_ == READ]


def check(
    deck: Path,
    recording: Recording | None,
    asked: Asked | None,
    kind: str | None,
    speaker: str | None = None,
) -> Checked:
    """Read the deck; the arithmetic is always done, and an engine reads the whole beside it.

    Args:
        asked: Who reads; None: nobody.
        kind: Of deck; None: as it is read.
        speaker: The presenter's label in the recording; None: whoever clearly speaks most.

    Raises:
        DeckError: The deck cannot be read.
        UsageError: There is no such kind, or no such speaker.
    """
    read = read_deck(deck)
    kind_of_deck = kind_of(read, kind)
    notices = list(read.notices)
    segments: tuple[tuple[int, Segment], ...] = ()
    if recording is not None:
        notices += recording.notices
        presenter = presenter_of(recording.segments, speaker)
        notices += [presenter.notice] if presenter.notice else []
        numbered = enumerate(estimate_slides(recording.segments, read), start=1)
        segments = tuple((number, one) for number, one in numbered if one.speaker in presenter.labels)
    claims, found = [*deck_claims(read)], [*deck_tensions(read)]
    for number, segment in segments:
        claims += speech_claims(segment, number)
        found += speech_tensions(segment)
    gaps = find_gaps(read)
    if asked is None or asked.refused is not None:
        failed = asked.refused if asked is not None else None
        return Checked(read, kind_of_deck, claims, found, gaps, notices, failed=failed)
    passages = [*deck_passages(read)]
    for number, segment in segments:
        passages += speech_passages([segment], number)
    looked = propose(asked.engine, passages, known=tuple(found))
    return Checked(
        read,
        kind_of_deck,
        claims,
        [*found, *looked.tensions],
        gaps,
        notices,
        failed=asked.failed or looked.failed,
        has_read=asked.failed is None and (looked.failed is None or looked.proposed > 0),
        refused=sum(looked.refused.values()),
    )


def check_json(checked: Checked) -> dict[str, Any]:
    """The document of `check`."""
    quantity = ("value", "unit", "period", "subject", "text")
    return {
        "kind": checked.kind.name,
        "slides": [{"slide": slide.number, "title": slide.title} for slide in checked.deck.slides],
        "claims": [
            {
                "claim": claim.id,
                **picked(claim, ("slide", "said_at_s", "text", "kinds")),
                "quantities": [picked(one, quantity) for one in claim.quantities],
            }
            for claim in checked.claims
        ],
        "tensions": [tension_json(one) for one in checked.found],
        "gaps": [picked(gap, ("slide", "note")) for gap in checked.gaps],
        "notices": [{"note": one} for one in checked.notices],
        "failed": checked.failed,
    }
