"""The records before anybody speaks: the session's first record, the deck, the briefs and the phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.owner import Owner
from orchestrator.core.store.ledger import Record
from orchestrator.material.claim import Claim, Gap, Tension
from orchestrator.material.values import BroughtQuestion, Deck, Intel
from orchestrator.panel.model.carryover import NOTHING, CarryOver, Drilled
from orchestrator.panel.model.exchange import Target
from orchestrator.panel.model.reply import BoardMember, Dossier
from orchestrator.panel.records.projection import Playback, Projection
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.value import TOOL, Entry, PanelValue, Step, counted_each, known


@dataclass(frozen=True, slots=True)
class DeckName:
    """The name of the deck that a session is about."""

    name: str = field(default_factory=str)
    title: str = field(default_factory=str)
    kind: str = field(default_factory=str)
    sha256: str = field(default_factory=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(PanelValue):
    """The first record of a session: versions, agents, choices, and what was carried over."""

    TYPE: ClassVar = "session"

    ledger_version: int
    panel: tuple[str, ...]
    table: Mapping[str, Any] | None = None  # of files, since version 2: `application.table_of` reads it
    frames_version: int = field(default_factory=int)
    layouts_version: int = field(default_factory=int)
    greenroom: str = field(default_factory=str)  # the release
    id: str = field(default_factory=str)
    deck: DeckName = field(default_factory=DeckName)
    source: str | None = None  # the kept file of the deck, from the session's folder
    presenter: str = field(default_factory=str)
    date: str | None = field(default_factory=lambda: None)  # YYYY-MM-DD
    options: Options
    templates: Mapping[str, str] = field(default_factory=dict)  # digests of the copies, by path
    template_bytes: Mapping[str, int] | None = None  # their sizes; None: a ledger of version 1
    max_revisions: int | None = None  # of write-few files; None: as the table has it
    budget_tokens: int
    carried: CarryOver | None = None
    drill: Drilled | None = None  # the question of an earlier session that is put again
    questions: tuple[BroughtQuestion, ...] = ()  # that the presenter brought, to be put as they are
    owner: Owner | None = None  # who was signed in at the start; None: nobody had to be

    @property
    def carry_over(self) -> CarryOver:
        """Return what the session carries over, which is nothing if the record does not name it."""
        return self.carried or NOTHING

    def fold(self, projection: Projection, record: Record) -> None:
        projection.speaker = self.options.speaker
        projection.presenter_name = self.presenter or self.options.presenter
        projection.brought = self.questions
        projection.dismissed.update(self.carry_over.dismissed)

    def step(self, record: Record) -> Step:
        panel = list(self.panel)
        options = self.options
        output = known(
            engine=options.engine,
            mode=options.mode,
            intensity=options.intensity,
            minutes=options.minutes,
            exchanges=options.exchanges,
        )
        state = {"state": "starting", "slide": None, "exchanges": 0, "current_goal": "read the deck"}
        line = f"starts with {', '.join(panel) or 'nothing'}"
        return Step("start", line, "none", action={"panel": panel}, output=output, state=state)


def started_of(record: Record) -> SessionStarted:
    """Return a session's first record in the form that the panel needs.

    Raises:
        LedgerCorruptError: The record has another shape.
    """
    try:
        if record.held is None:
            raise ValueError("it has no value")
        return record.held.read(SessionStarted)
    except ValueError as error:
        raise LedgerCorruptError(f"the first record holds no options of a session: {error}") from error


@dataclass(frozen=True, slots=True)
class DeckRead(PanelValue):
    """The text of deck-content: the slides with their claims, what is missing, and the contradictions."""

    TYPE: ClassVar = "deck"

    deck: Deck
    claims: tuple[Claim, ...]
    gaps: tuple[Gap, ...]
    tensions: tuple[Tension, ...] | None = None  # None: releases before 0.2 looked for none

    def fold(self, projection: Projection, record: Record) -> None:
        projection.deck = self.deck
        projection.deck_claims = self.claims
        projection.gaps = self.gaps
        projection.is_checked = self.tensions is not None
        projection.find(self.tensions or ())
        projection.claims_by_id.update((claim.id, claim) for claim in self.claims)

    def entry(self, record: Record) -> Entry:
        found = f"{len(self.deck.slides)} slides, {len(self.claims)} claims"
        return Entry(TOOL, self.deck.title or self.deck.name, tool="deck", result=found)

    def step(self, record: Record) -> Step:
        tensions = self.tensions or ()
        found = {"slides": len(self.deck.slides), "claims": len(self.claims), "tensions": len(tensions)}
        return Step("read_deck", f"reads the deck: {counted_each(found)}", output=found)


@dataclass(frozen=True, slots=True)
class DossierWritten(PanelValue):
    """The text of the board dossier: the likely questions, and who sits on the board."""

    TYPE: ClassVar = "dossier"
    NEEDED: ClassVar = False

    dossier: Dossier
    board: tuple[BoardMember, ...] = field(default_factory=tuple)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.dossier = self.dossier
        if self.board:
            projection.members = self.board


@dataclass(frozen=True, slots=True)
class IntelTaken(PanelValue):
    """The text of external-intel: every finding, and the claim that it bears on."""

    TYPE: ClassVar = "intel"

    intel: Intel
    searched: tuple[str, ...] = ()  # the queries that brought this revision

    def fold(self, projection: Projection, record: Record) -> None:
        projection.intel = self.intel

    def entry(self, record: Record) -> Entry:
        return Entry(TOOL, "external intel", tool="intel", result=f"{len(self.intel.items)} findings")

    def step(self, record: Record) -> Step:
        found = {"items": len(self.intel.items)}
        return Step("intel", f"takes intel in: {counted_each(found)}", output=found)


@dataclass(frozen=True, slots=True)
class FocusBriefWritten(PanelValue):
    """The text of a focus brief: the claims that a panelist attacks."""

    TYPE: ClassVar = "focus_brief"

    targets: tuple[Target, ...]
    failed: str | None = None  # why the session's engine chose none
    by: str | None = None  # which engine chose in its place

    def fold(self, projection: Projection, record: Record) -> None:
        projection.targets[record.by] = self.targets

    def step(self, record: Record) -> Step:
        aims = [one.claim or f"slide {one.slide}" for one in self.targets]
        line = f"{record.by} aims at {', '.join(aims) or 'nothing'}"
        return Step("focus_brief", line, output={"targets": aims})


@dataclass(frozen=True, slots=True)
class PhrasesChosen(PanelValue):
    """A text appended to generated-phrases: the moderator's phrases for this session."""

    TYPE: ClassVar = "phrases"
    NEEDED: ClassVar = False

    phrases: tuple[str, ...]
    by_heading: Mapping[str, tuple[str, ...]] | None = None  # by occasion; the first release kept none

    def fold(self, projection: Projection, record: Record) -> None:
        projection.phrases = dict(self.by_heading or {})


@dataclass(frozen=True, slots=True)
class PlaybackLoaded(PanelValue):
    """A note with a recording that is being played, with its answers."""

    TYPE: ClassVar = "playback"

    playback: Playback

    def fold(self, projection: Projection, record: Record) -> None:
        projection.playback, projection.played = self.playback, 0

    def step(self, record: Record) -> Step:
        found = {"segments": len(self.playback.segments), "answers": len(self.playback.answers)}
        line = f"takes a recording in: {counted_each(found)}"
        return Step("load", line, action={"kind": self.playback.kind}, output=found)


@dataclass(frozen=True, slots=True)
class SpeakerFound(PanelValue):
    """A note that says who the presenter is."""

    TYPE: ClassVar = "speaker"

    label: str | None
    how: str
    alone: bool = False  # words without a label are nobody's; without a label here, nobody is judged

    def fold(self, projection: Projection, record: Record) -> None:
        projection.presenter_label, projection.presenter_how = self.label, self.how
        projection.is_presenter_alone = self.alone
