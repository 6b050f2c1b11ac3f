"""What somebody outside says against a claim, as something to ask about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.engines.angles import Angle
from orchestrator.engines.wording import LONGEST_QUOTE, cut
from orchestrator.intel.model import CONTRADICTS, IntelItem
from orchestrator.pattern import NEWS
from orchestrator.persona import Seat

_WEIGHT: Final = 5.0
"""Behind a contradiction in the presenter's own words, before everything else."""


Against = Mapping[str | None, tuple[IntelItem, ...]]
"""By a claim's id, what speaks against it."""


def against(items: Sequence[IntelItem]) -> Against:
    """Those of the findings that speak against something."""
    found: dict[str | None, tuple[IntelItem, ...]] = {}
    for item in items:
        if item.stance == CONTRADICTS:
            found[item.claim] = (*found.get(item.claim, ()), item)
    return found


def news_angles(claim: Claim, seat: Seat, items: Against) -> Iterator[Angle]:
    """One angle for each finding from outside that speaks against the claim."""
    if claim.id not in items:
        return
    patterns = tuple(pattern for pattern in seat.persona.initial if NEWS in pattern.heads)
    if not patterns:
        return
    for item in items[claim.id]:
        yield Angle(
            kind=NEWS,
            name=item.topic or NEWS,
            words=f"from outside, {_source(item)}: {item.finding}",
            patterns=patterns,
            weight=_WEIGHT,
            slots=(
                ("other_place", _source(item)),
                ("other_quote", cut(item.finding, 0, 0, LONGEST_QUOTE)),
                ("note", item.why),
            ),
        )


def _source(item: IntelItem) -> str:
    """Where it comes from, as it is said aloud."""
    return f"{item.source} of {item.date}" if item.date else item.source
