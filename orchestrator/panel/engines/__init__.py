"""Engines: where the panel's words come from. `__all__` is what an author of one needs (docs/engines.md).

Importing this does nothing else: each part is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.core.errors import EngineError
    from orchestrator.material.model.claim import Claim, Place, Tension
    from orchestrator.material.model.intel import IntelItem, Reported
    from orchestrator.material.model.proposal import (
        Operand,
        Passage,
        Proposal,
        Refusal,
    )
    from orchestrator.material.model.segment import Segment
    from orchestrator.material.model.slide import Deck, Slide
    from orchestrator.panel.config.config import Config
    from orchestrator.panel.engines.offers import (
        Accounting,
        Addressing,
        Advising,
        Beginning,
        Bounded,
        ByRules,
        Checking,
        Closing,
        Found,
        Joining,
        OnText,
        Searched,
        Searching,
        StoodInFor,
        Watched,
    )
    from orchestrator.panel.engines.offline import OfflineEngine
    from orchestrator.panel.engines.protocol import (
        CandidateRequest,
        DebriefRequest,
        DossierRequest,
        DoubtRequest,
        Engine,
        FactsRequest,
        FocusBriefRequest,
        JudgementRequest,
        NewsRequest,
        Request,
        Scene,
        ScratchpadRequest,
        ScribeRequest,
        SeatRequest,
        TensionsRequest,
    )
    from orchestrator.panel.engines.scripted import ScriptedEngine
    from orchestrator.panel.engines.together import done
    from orchestrator.panel.model.carryover import OpenPoint
    from orchestrator.panel.model.dossier import BoardMember
    from orchestrator.panel.model.exchange import (
        Candidate,
        Exchange,
        Judgement,
        Observation,
        Target,
        Turn,
    )
    from orchestrator.panel.model.fact import FactDraft
    from orchestrator.panel.model.fact import Passage as FactPassage
    from orchestrator.panel.model.reply import (
        Attack,
        Bearing,
        BetterAnswer,
        DebriefWords,
        Remembered,
        RubricCheck,
    )
    from orchestrator.panel.model.usage import CallUsage
    from orchestrator.panel.personas.persona import Persona, Seat

_PARTS = {
    "core.context.assemble": "Context",
    "panel.engines.offers": (
        "Accounting Addressing Advising Beginning Bounded ByRules Checking Closing Found Joining "
        "OnText Searched Searching StoodInFor Watched"
    ),
    "panel.engines.offline": "OfflineEngine",
    "panel.engines.protocol": (
        "CandidateRequest DebriefRequest DossierRequest DoubtRequest Engine FactPassage "
        "FactsRequest FocusBriefRequest JudgementRequest NewsRequest Request Scene "
        "ScratchpadRequest ScribeRequest SeatRequest TensionsRequest"
    ),
    "panel.engines.scripted": "ScriptedEngine",
    "panel.engines.together": "done",
    "core.errors": "EngineError",
    "panel.config.config": "Config",
    "panel.model.carryover": "OpenPoint",
    "material.model.claim": "Claim Place Tension",
    "panel.model.dossier": "BoardMember",
    "panel.model.exchange": "Candidate Exchange Judgement Observation Target Turn",
    "panel.model.fact": "FactDraft",
    "material.model.intel": "IntelItem Reported",
    "material.model.proposal": "Operand Passage Proposal Refusal",
    "panel.model.reply": "Attack Bearing BetterAnswer DebriefWords Remembered RubricCheck",
    "material.model.segment": "Segment",
    "material.model.slide": "Deck Slide",
    "panel.model.usage": "CallUsage",
    "panel.personas.persona": "Persona Seat",
}
_WHERE = {name: module for module, names in _PARTS.items() for name in names.split()}

__all__ = [
    "Accounting", "Addressing", "Advising", "Attack", "Bearing", "Beginning", "BetterAnswer", "BoardMember",
    "Bounded", "ByRules", "CallUsage", "Candidate", "CandidateRequest", "Checking", "Claim", "Closing",
    "Config", "Context", "DebriefRequest", "DebriefWords", "Deck", "DossierRequest", "DoubtRequest", "Engine",
    "EngineError", "Exchange", "FactDraft", "FactPassage", "FactsRequest", "FocusBriefRequest", "Found",
    "IntelItem", "Joining", "Judgement", "JudgementRequest", "NewsRequest", "Observation", "OfflineEngine",
    "OnText", "OpenPoint", "Operand", "Passage", "Persona", "Place", "Proposal", "Refusal", "Remembered",
    "Reported", "Request", "RubricCheck", "Scene", "ScratchpadRequest", "ScribeRequest", "ScriptedEngine",
    "Searched", "Searching", "Seat", "SeatRequest", "Segment", "Slide", "StoodInFor", "Target", "Tension",
    "TensionsRequest", "Turn", "Watched", "done",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"orchestrator.{_WHERE[name]}"), name)
