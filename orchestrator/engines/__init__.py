"""Engines: where the panel's words come from. `__all__` is what an author of one needs (docs/engines.md).

Importing this does nothing else: each part is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context
    from orchestrator.engines.offers import (
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
    from orchestrator.engines.offline import OfflineEngine
    from orchestrator.engines.protocol import (
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
    from orchestrator.engines.scripted import ScriptedEngine
    from orchestrator.engines.together import done
    from orchestrator.errors import EngineError
    from orchestrator.home.config import Config
    from orchestrator.model.carryover import OpenPoint
    from orchestrator.model.claim import Claim, Place, Tension
    from orchestrator.model.dossier import BoardMember
    from orchestrator.model.exchange import Candidate, Exchange, Judgement, Observation, Target, Turn
    from orchestrator.model.fact import FactDraft
    from orchestrator.model.fact import Passage as FactPassage
    from orchestrator.model.intel import IntelItem, Reported
    from orchestrator.model.proposal import Operand, Passage, Proposal, Refusal
    from orchestrator.model.reply import Attack, Bearing, BetterAnswer, DebriefWords, Remembered, RubricCheck
    from orchestrator.model.segment import Segment
    from orchestrator.model.slide import Deck, Slide
    from orchestrator.model.usage import CallUsage
    from orchestrator.templates.persona import Persona, Seat

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
    return getattr(import_module(f"orchestrator.{_WHERE[name]}"), name)
