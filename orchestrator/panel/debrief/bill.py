"""The bill of a session's calls to a model, for the footer of the debrief and for `show`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.core.legible import counted
from orchestrator.panel.engines.prices import prices_read_at
from orchestrator.panel.model.usage import CallUsage, Total, total


@dataclass(frozen=True, slots=True)
class Bill:
    """The sum of a session's calls."""

    total: Total
    models: tuple[str, ...] = ()
    answered_by: tuple[str, ...] = ()  # other models, that the server says answered in their place
    answered_otherwise: int = 0  # calls on which it says so
    unpriced: tuple[str, ...] = ()  # models without a known price
    unreported: int = 0  # calls on which the server said nothing about its cache
    repairs: int = 0  # replies that were sent back
    budget_share: float | None = None  # of the session's budget that is used up; None: no budget
    prices_read_at: str | None = None  # YYYY-MM-DD; None: no call, so no price was needed

    @property
    def is_used_up(self) -> bool:
        """Whether the session's budget was reached."""
        return self.budget_share is not None and self.budget_share >= 1.0


def bill_of(calls: Sequence[CallUsage]) -> Bill:
    """The bill of these calls, in the order in which they were made."""
    if not calls:
        return Bill(Total())
    return Bill(
        total=total(calls),
        models=tuple(sorted({one.model for one in calls})),
        answered_by=tuple(sorted({one.answered for one in calls if one.answered})),
        answered_otherwise=sum(bool(one.answered) for one in calls),
        unpriced=tuple(sorted({one.model for one in calls if one.cost_usd is None})),
        unreported=sum(not one.reported for one in calls),
        repairs=sum(one.repair for one in calls),
        budget_share=calls[-1].budget_share,
        prices_read_at=prices_read_at(),
    )


def bill_json(bill: Bill) -> dict[str, Any]:
    """The bill as plain JSON."""
    used = bill.total
    # Only where there are any, so that what was written of older sessions stays as it is.
    others = {"answered_by": list(bill.answered_by)} if bill.answered_by else {}
    return {
        "models": list(bill.models),
        **others,
        "calls": used.calls,
        "input_tokens": used.input,
        "read_tokens": used.read,
        "written_tokens": used.written,
        "new_tokens": used.new,
        "output_tokens": used.output,
        "searches": used.searches,
        "cost_usd": used.cost_usd if used.cost_usd is None else round(used.cost_usd, 6),
        "prices_read_at": bill.prices_read_at,
        "alarms": used.alarms,
        "unreported": bill.unreported,
        "repairs": bill.repairs,
        "budget_share": bill.budget_share,
    }


def bill_lines(bill: Bill, *, is_taken_over: bool = False) -> list[str]:
    """The bill in sentences; none where no call was made.

    Args:
        is_taken_over: The offline panel sat in the model's place, so one may wonder what is billed.
    """
    used = bill.total
    if not used.calls:
        return []
    calls = f"{counted(used.calls, 'call')} to {', '.join(bill.models)}"
    if used.searches:
        calls += f" with {counted(used.searches, 'web search', 'web searches')}"
    tokens = f"{used.read:,} tokens read from the cache, {used.written:,} written to it, {used.new:,} new"
    lines = [f"{calls}: {tokens}, {used.output:,} output; {_cost(bill)}."]
    if is_taken_over:
        lines.append("Each reply that came is a call here, also one that could not be used.")
    if bill.answered_by:
        by = ", ".join(bill.answered_by)
        lines.append(f"On {counted(bill.answered_otherwise, 'call')} another model answered: {by}.")
    if used.alarms:
        lines.append(f"{counted(used.alarms, 'call')} read less from the cache than the layout promises.")
    if bill.unreported:
        lines.append(f"On {counted(bill.unreported, 'call')} the server said nothing about its cache.")
    if bill.is_used_up:
        lines.append("The session's budget was used up: from then on the panel worked offline.")
    elif bill.budget_share is not None:
        lines.append(f"{bill.budget_share:.0%} of the session's budget was used.")
    return lines


def _cost(bill: Bill) -> str:
    if bill.total.cost_usd is None:
        return f"the cost is not known, since no price is known for {', '.join(bill.unpriced)}"
    return f"${bill.total.cost_usd:,.4f} by the prices of {bill.prices_read_at}"
