"""An engine of which no call brought anything: how many there were, and why each failed.

Read from the ledger. Engines that have a stand-in are told of by it, and the bank does not fail.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orchestrator.core.legible import one_line
from orchestrator.panel.config.engine_names import RECORDED, has_stand_in, is_bank
from orchestrator.panel.engines.in_flight import failures_told
from orchestrator.panel.model.exchange import NO_JUDGEMENT
from orchestrator.panel.records.candidates import CallTaken, RoundMade
from orchestrator.panel.records.contradictions import Looked
from orchestrator.panel.records.exchanges import VerdictGiven
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.memory import (
    FAILED,
    FactRun,
    FactsKept,
    ScratchpadsAsked,
)
from orchestrator.panel.records.moderator import DebriefAnswered
from orchestrator.panel.records.start import DossierWritten, FocusBriefWritten

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import Rehearsal


def why_without_replies(rehearsal: Rehearsal) -> str | None:
    """How many calls to the engine failed, in one line, where all did; None: one did not, or none was."""
    name, store = rehearsal.options.engine, rehearsal.store
    if is_bank(name) or name == RECORDED or has_stand_in(name):
        return None
    calls = _Calls(name)
    for entry in store.entries():
        if entry.op in ("note", "write"):
            calls.take(value_of(store.record(entry.seq)))
    if calls.brought or not calls.failed:
        return None
    return f"the engine `{name}` gave no usable reply to {failures_told(calls.failed)}"


@dataclass(slots=True)
class _Calls:
    engine: str
    brought: int = 0  # something usable, though it be that nothing is left to ask
    failed: Counter[str] = field(default_factory=Counter)  # by the reason

    def take(self, value: object) -> None:
        match value:
            case FocusBriefWritten(failed=failed) | Looked(failed=failed) | DebriefAnswered(failed=failed):
                self._count(failed)
            case DossierWritten(dossier=dossier) if dossier.failed or dossier.engine == self.engine:
                self._count(dossier.failed)  # else it was brought along
            case RoundMade(inputs=inputs, failed=failed) | CallTaken(inputs=inputs, failed=failed):
                self.brought += len(inputs or ())
                for why in (failed or {}).values():
                    self._count(why)
            case VerdictGiven(judgement=judgement):
                if judgement.verdict != "unjudged":
                    self.brought += 1
                elif judgement.reason.startswith(f"{NO_JUDGEMENT}: "):
                    self._count(judgement.reason.removeprefix(f"{NO_JUDGEMENT}: "))
            case ScratchpadsAsked(failed=failed):
                self.brought += not failed
                for why in (failed or {}).values():
                    self._count(why)
            case FactRun(state=state, reason=reason) if state == FAILED:
                self._count(reason or FAILED)
            case FactsKept():
                self.brought += 1

    def _count(self, why: str | None) -> None:
        if why is None:
            self.brought += 1
        else:
            self.failed[one_line(why)] += 1
