"""Goals, decisions and blockers that a model read in speech, each with the words that it stands on.

A record holds those that were verified as facts are: the quote stands in its passage, and the
sentence holds no figure and no name that the passage does not have. Without a model there are none.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.memory.fact_grounding import grounded
from orchestrator.memory.fact_passages import of_kind
from orchestrator.model.fact import EXCHANGE, FactDraft, Passage
from orchestrator.model.reply import Remembered
from orchestrator.model.values import from_json

GOAL: Final = "goal"
DECISION: Final = "decision"
BLOCKER: Final = "blocker"
KINDS: Final = (GOAL, DECISION, BLOCKER)
RECORD: Final = "remembered"


@dataclass(frozen=True, slots=True)
class Kept:
    """One of them, with who said it when."""

    kind: str  # of KINDS
    text: str
    quote: str  # verbatim from the passage
    seq: int  # of the passage's record
    speaker: str | None = None
    exchange: str | None = None


def spoken(passages: Sequence[Passage], presenter: str | None) -> tuple[Passage, ...]:
    """The presenter's own words among them: what a panelist asked states nothing."""
    return tuple(
        one
        for one in passages
        if one.kind != EXCHANGE and (presenter is None or one.speaker in (None, presenter))
    )


def verified(said: Sequence[Remembered], passages: Sequence[Passage]) -> tuple[Kept, ...]:
    """Those that stand on what was said."""
    by_seq = {passage.seq: passage for passage in passages}
    found = []
    for one in said:
        passage = by_seq.get(one.seq)
        if one.kind not in KINDS or passage is None:
            continue
        draft = grounded(FactDraft(DECISION, one.text, "high", one.seq, one.quote), passage)
        if draft is not None:
            found.append(
                Kept(one.kind, draft.content, draft.quote, one.seq, passage.speaker, passage.exchange)
            )
    return tuple(found)


def kept_of(value: Mapping[str, Any]) -> Iterator[Kept]:
    """What a record holds.

    Raises:
        LookupError, TypeError, ValueError: It is not in the shape of its type.
    """
    for plain in of_kind(value, "items", list):
        kept = from_json(Kept, plain)
        if kept.kind not in KINDS:
            raise ValueError("no goal, decision or blocker")
        yield kept
