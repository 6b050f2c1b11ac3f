"""The content of a deck (and of speech), and its contradictions, without a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.material.checks.arithmetic import deck_tensions, speech_tensions
from orchestrator.material.checks.grounding import deck_passages, speech_passages
from orchestrator.material.claim import READ, Claim, Gap, Tension
from orchestrator.material.claims.extract import deck_claims, speech_claims
from orchestrator.material.deck.content import find_gaps
from orchestrator.material.deck.read import read_deck
from orchestrator.material.speech.read import Recording
from orchestrator.material.speech.slides import estimate_slides
from orchestrator.material.speech.speakers import presenter_of
from orchestrator.material.values import Deck, Segment
from orchestrator.panel.bank.deck import Kind, kind_of
from orchestrator.panel.config.config import Config
from orchestrator.panel.debrief.exchange_json import picked, tension_json
from orchestrator.panel.engines import by_name
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.protocol import Engine, HasFallback, understands
from orchestrator.panel.loop.contradictions import propose

# ---------------------------------------------------------------------- without session
# An engine that is asked without a session, and the offline one where that cannot work.


@dataclass(frozen=True, slots=True)
class Asked:
    """The engine that is to be asked."""

    engine: Engine
    wanted: str  # the name of the engine that was asked for
    refused: str | None = None  # why it cannot work at all, and the offline one is here in its place

    @property
    def failed(self) -> str | None:
        """The reason why the offline panel answers instead of the engine that was asked for, or None if it
        does not."""
        took_over = self.engine.took_over if isinstance(self.engine, HasFallback) else None
        return self.refused or took_over


@contextmanager
def asked_engine(
    config: Config,
    name: str | None,
    model: str | None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Iterator[Asked]:
    """Open an engine that was checked, and close it after the block; if it cannot work, use the offline one.

    Results that need no session are useful without a model too, so a model's failure does not stop them.

    Args:
        name: The engine's name. If None, that in the configuration.
        model: The model's name. If None, that in the configuration.
        say: Called with a line when the budget is nearly used up, and when the offline panel takes over.
        calls: An object that shows the calls to a model to whoever waits for them.

    Raises:
        UsageError: There is no such engine, or its address is not valid.
    """
    wanted = name or config.engine
    used = config if model is None else replace(config, model=model)
    engine, refused = by_name.engine_named(wanted, used, say=say, calls=calls), None
    try:
        try:
            by_name.check_engine(engine)
        except EngineError as error:
            refused = one_line(str(error))
        asked = engine if refused is None else by_name.stand_in()
        yield Asked(asked, wanted, refused)
    finally:
        by_name.close_engine(engine)


@contextmanager
def reading_engine(
    config: Config,
    name: str | None,
    model: str | None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Iterator[Asked | None]:
    """Open the engine as `asked_engine` does; yield None if it follows rules, which add nothing to
    arithmetic."""
    with asked_engine(config, name, model, say, calls) as asked:
        yield asked if asked.refused is not None or understands(asked.engine) else None


# ---------------------------------------------------------------------- check


@dataclass(frozen=True, slots=True)
class Checked:
    """Everything that one check of a deck found."""

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
        """The contradictions that were found by arithmetic, and are counted as such."""
        return [one for one in self.found if one.class_ != READ]

    @property
    def doubtful(self) -> list[Tension]:
        """The contradictions that numbers cannot decide: both quotes exist, and the presenter is asked."""
        return [one for one in self.found if one.class_ == READ]


def check(
    deck: Path,
    recording: Recording | None,
    asked: Asked | None,
    kind: str | None,
    speaker: str | None = None,
) -> Checked:
    """Read the deck and check its arithmetic; if an engine is given, have it read the whole as well.

    Args:
        asked: The engine that reads, or None.
        kind: The kind of deck. If None, it is detected.
        speaker: The presenter's label in the recording. If None, the label that clearly speaks most.

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
    """Return the document of `check`."""
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
