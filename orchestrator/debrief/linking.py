"""Which question was about which contradiction: told by the places that both name, and by no wording."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.debrief.model import Review
from orchestrator.loop.open_contradictions import is_about
from orchestrator.model.claim import Tension


def asked_about(reviews: Sequence[Review], tension: Tension) -> Review | None:
    """The last exchange whose quotes are two of the contradiction's; None: nobody asked."""
    return next((one for one in reversed(reviews) if is_about(one.exchange, tension)), None)
