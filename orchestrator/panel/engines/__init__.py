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
    "context.assemble": "Context",
    "engines.offers": (
        "Accounting Addressing Advising Beginning Bounded ByRules Checking Closing Found Joining "
        "OnText Searched Searching StoodInFor Watched"
    ),
    "engines.offline": "OfflineEngine",
    "engines.protocol": (
        "CandidateRequest DebriefRequest DossierRequest DoubtRequest Engine FactPassage "
        "FactsRequest FocusBriefRequest JudgementRequest NewsRequest Request Scene "
        "ScratchpadRequest ScribeRequest SeatRequest TensionsRequest"
    ),
    "engines.scripted": "ScriptedEngine",
    "engines.together": "done",
    "errors": "EngineError",
    "home.config": "Config",
    "model.carryover": "OpenPoint",
    "model.claim": "Claim Place Tension",
    "model.dossier": "BoardMember",
    "model.exchange": "Candidate Exchange Judgement Observation Target Turn",
    "model.fact": "FactDraft",
    "model.intel": "IntelItem Reported",
    "model.proposal": "Operand Passage Proposal Refusal",
    "model.reply": "Attack Bearing BetterAnswer DebriefWords Remembered RubricCheck",
    "model.segment": "Segment",
    "model.slide": "Deck Slide",
    "model.usage": "CallUsage",
    "templates.persona": "Persona Seat",
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
    return getattr(import_module(f"orchestrator.panel.{_WHERE[name]}"), name)
