"""Questions and what comes of them: put, judged, asked again, closed, and what a panelist notes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from orchestrator.model.exchange import Exchange, Judgement, Observation, Turn
from orchestrator.model.values import from_json, to_json
from orchestrator.records.base import PanelValue
from orchestrator.records.projection import Projection
from orchestrator.records.turns import with_question, with_verdict
from orchestrator.store.ledger import Record
from orchestrator.store.value import Bearing


@dataclass(frozen=True, slots=True)
class ExchangeOpened(PanelValue):
    """Note: the exchange with its first question."""

    TYPE: ClassVar = "exchange_opened"

    exchange: Exchange

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange.id, opens=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.open = self.exchange
        projection.break_due = False
        projection.asked_here = True
        projection.hands = tuple(agent for agent in projection.hands if agent != self.exchange.agent)
        projection.heard.clear()


@dataclass(frozen=True, slots=True)
class VerdictGiven(PanelValue):
    """Note: the judgement of the last answer."""

    TYPE: ClassVar = "verdict"

    exchange: str
    judgement: Judgement

    @classmethod
    def word_in(cls, plain: Mapping[str, Any]) -> object:
        """Return the verdict that a value of this type gives, whatever shape it has; None: it gives none."""
        judgement = plain.get("judgement")
        return judgement.get("verdict") if isinstance(judgement, Mapping) else None

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_verdict(projection.open, self.judgement)
            if self.judgement.contradicts is not None:
                projection.suspected.append(self.judgement.contradicts)
            projection.named = self.judgement.contradicts


@dataclass(frozen=True, slots=True)
class FollowedUp(PanelValue):
    """Note: the next question of the open exchange."""

    TYPE: ClassVar = "follow_up"

    exchange: str
    turn: Turn

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_question(projection.open, self.turn)
            if projection.named is not None:
                projection.pressed.append((projection.open.id, projection.named))
        projection.heard.clear()


@dataclass(frozen=True, slots=True)
class ExchangeClosed(PanelValue):
    """Append to the exchange history: the whole exchange."""

    TYPE: ClassVar = "exchange_closed"

    exchange: Exchange
    new_numbers: tuple[str, ...] | None = None  # that came up in it; None: the first release kept none

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange.id, closes=True)

    def fold(self, projection: Projection, record: Record) -> None:
        closed = self.exchange
        projection.exchanges.append(closed)
        projection.open_s[closed.id] = max(0.0, record.clock_s - closed.asked_at_s)
        projection.open = None
        projection.quiet_from_s, projection.is_prompted = record.clock_s, False
        projection.voice_from_s, projection.is_pause_suggested = None, False
        projection.look_is_due("exchange")
        if projection.is_played_out:
            projection.refresh_due = projection.is_to_be_thought_of = True


@dataclass(frozen=True, slots=True)
class Observed(PanelValue):
    """Append to a presenter profile: what a panelist noticed."""

    TYPE: ClassVar = "observation"

    observation: Observation

    def plain(self) -> dict[str, Any]:
        return {"type": self.TYPE, **to_json(self.observation)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        return cls(from_json(Observation, plain))

    @property
    def bearing(self) -> Bearing:
        return Bearing(is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.observed.append(self.observation)


@dataclass(frozen=True, slots=True)
class ProfileAdded(PanelValue):
    """Append to a presenter profile: how a closed exchange was answered."""

    TYPE: ClassVar = "profile"

    exchange: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange)

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: the exchange itself has it."""


@dataclass(frozen=True, slots=True)
class NoteAdded(PanelValue):
    """Append to a panelist's notes, in its own words; of an exchange, or of a dismissed contradiction."""

    TYPE: ClassVar = "notes"

    exchange: str | None = None

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange)

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: its text is the panelist's to read."""


@dataclass(frozen=True, slots=True)
class LeftOut(PanelValue):
    """Note: something was wanted of an engine and did not come."""

    TYPE: ClassVar = "left_out"

    what: str
    exchange: str
    why: str

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: the exchange stays as it is."""


@dataclass(frozen=True, slots=True)
class NobodyAsked(PanelValue):
    """Note: a break, or the end, at which nobody had a question."""

    TYPE: ClassVar = "passed"

    why: str

    def fold(self, projection: Projection, record: Record) -> None:
        projection.break_due = False
        projection.is_over = projection.is_over or projection.is_played_out
