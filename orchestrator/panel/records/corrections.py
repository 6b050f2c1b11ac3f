"""A correction of what was misheard: the transcript keeps both, and whoever reads goes by the new words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.value import Bearing
from orchestrator.material.model.claim import Claim, Tension
from orchestrator.material.model.segment import Segment
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.model.fact import ANSWER, SPEECH, Passage
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.projection import Projection, segment_of
from orchestrator.panel.records.telling import (
    NOTE,
    Entry,
    Step,
    spoken_passage,
)
from orchestrator.panel.records.turns import with_words


@dataclass(frozen=True, slots=True)
class AnswerCorrected(PanelValue):
    """Append to the exchange history: the answer that stands there was misheard. It ends nothing."""

    TYPE: ClassVar = "answer_corrected"

    exchange: str

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: the correction itself says it, in the same transaction."""

    def step(self, record: Record) -> Step:
        return Step(None)


@dataclass(frozen=True, slots=True)
class Corrected(PanelValue):
    """Append to the transcript: what was really said in a segment, or that it was heard right."""

    TYPE: ClassVar = "corrected"

    number: int  # of the segment, from 1
    segment: Segment  # as it stands now
    was: str  # its words before this correction
    who: str  # corrected it
    claims: tuple[Claim, ...] = ()
    tensions: tuple[Tension, ...] = ()  # contradictions in the new words
    exchange: str | None = None  # to which it is of an answer; None: it is of none that is complete
    turn: int = 0  # of the exchange, from 1: whose answer it is
    answer: str = ""  # that answer, as it stands now
    sensitive: bool = False  # what had been heard is off the record, so the correction is

    @property
    def bearing(self) -> Bearing:
        return Bearing(words=self.segment.text, speaker=str(self.segment.speaker))

    def fold(self, projection: Projection, record: Record) -> None:
        before, now = projection.segments[self.number - 1], self.segment
        projection.segments[self.number - 1] = now
        projection.heard = [now if one is before else one for one in projection.heard]
        if before.text != now.text:
            projection.misheard.append(before)
            projection.refresh_due = True
        _replace_claims(projection, self.number, now.speaker, self.claims)
        known = {one.digest for one in projection.found}
        projection.find(one for one in self.tensions if one.digest not in known)
        _withdraw_findings(projection, before)
        projection.answered_in = {
            key: [now if one is before else one for one in pieces]
            for key, pieces in projection.answered_in.items()
        }
        projection.exchanges = [self.in_exchange(one) for one in projection.exchanges]
        if projection.open is not None:
            projection.open = self.in_exchange(projection.open)

    def in_exchange(self, exchange: Exchange) -> Exchange:
        """Return an exchange with its answer as corrected; the same, where this corrects none of its."""
        return with_words(exchange, self.turn, self.answer) if exchange.id == self.exchange else exchange

    def entry(self, record: Record) -> Entry | None:
        if self.was == self.segment.text:
            return None
        about = {"slide": self.segment.slide, "said_at_s": self.segment.start_s}
        words = f"correction: {self.segment.text!r}, not {self.was!r}"
        return Entry(NOTE, words, quoting=f"{self.segment.text}\n{self.was}", metadata=about)

    def passage(self, record: Record) -> Passage | None:
        if self.segment.text in ("", self.was):
            return None
        kind = SPEECH if self.exchange is None else ANSWER
        return spoken_passage(record, self.segment, kind, self.exchange)

    def step(self, record: Record) -> Step:
        words = len(self.segment.text.split())
        line = f"segment {self.number} is corrected by {self.who}"
        return Step("correct", line, "none", action={"segment": self.number}, output={"words": words})


def _replace_claims(
    projection: Projection, number: int, speaker: str | None, claims: tuple[Claim, ...]
) -> None:
    """Put the claims of the new words in the place of the old ones; questions may still name an old one."""
    standing = projection.claims_by_speaker.setdefault(speaker, [])
    own = f"s{number}."
    at = next((at for at, one in enumerate(standing) if one.id.startswith(own)), None)
    rest = [one for one in standing if not one.id.startswith(own)]
    if at is None:  # in the order spoken
        at = sum(segment_of(one) < number for one in rest)
    projection.claims_by_speaker[speaker] = [*rest[:at], *claims, *rest[at:]]
    projection.claims_by_id.update((claim.id, claim) for claim in claims)


def _withdraw_findings(projection: Projection, before: Segment) -> None:
    """Withdraw contradictions that rest on words which were not said; restore those whose words were."""
    for one in projection.found:
        rests = any(side.said_at_s == before.start_s and side.quote in before.text for side in one.sides)
        is_said = all(
            side.said_at_s is None or any(side.quote in text.text for text in projection.segments)
            for side in one.sides
        )
        if is_said:
            projection.unsaid_findings.discard(one.digest)
        elif rests:
            projection.unsaid_findings.add(one.digest)
