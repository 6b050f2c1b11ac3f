"""Engines: the sources of the panel's words.

`__all__` lists what an author of an engine needs (docs/engines.md).

Importing this package does nothing else: each part is imported when it is first used.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.core.errors import EngineError
    from orchestrator.material.claim import Claim, Operand, Passage, Place, Proposal, Refusal, Tension
    from orchestrator.material.values import Deck, IntelItem, Reported, Segment, Slide
    from orchestrator.panel.config.config import Config
    from orchestrator.panel.engines.offline import OfflineEngine
    from orchestrator.panel.engines.protocol import (
        Accounting,
        Addressing,
        Advising,
        Bounded,
        ByRules,
        CandidateRequest,
        Checking,
        Closing,
        DebriefRequest,
        DossierRequest,
        DoubtRequest,
        Engine,
        FactsRequest,
        FocusBriefRequest,
        Found,
        HasFallback,
        Joining,
        JudgementRequest,
        NewsRequest,
        OnText,
        Request,
        Scene,
        ScratchpadRequest,
        ScribeRequest,
        Searched,
        Searching,
        SeatRequest,
        SupportsFutures,
        TensionsRequest,
        Watched,
    )
    from orchestrator.panel.engines.scripted import ScriptedEngine
    from orchestrator.panel.engines.together import done
    from orchestrator.panel.model.carryover import OpenPoint
    from orchestrator.panel.model.exchange import (
        Candidate,
        Exchange,
        Judgement,
        Observation,
        Target,
        Turn,
    )
    from orchestrator.panel.model.reply import (
        Attack,
        Bearing,
        BetterAnswer,
        BoardMember,
        DebriefWords,
        FactDraft,
        Remembered,
        RubricCheck,
    )
    from orchestrator.panel.model.reply import Passage as FactPassage
    from orchestrator.panel.model.usage import CallUsage
    from orchestrator.panel.personas.persona import Persona, Seat

_PARTS = {
    "core.context.assemble": "Context",
    "core.errors": "EngineError",
    "material.claim": "Claim Operand Passage Place Proposal Refusal Tension",
    "material.values": "Deck IntelItem Reported Segment Slide",
    "panel.config.config": "Config",
    "panel.engines.offline": "OfflineEngine",
    "panel.engines.protocol": (
        "Accounting Addressing Advising SupportsFutures Bounded ByRules CandidateRequest Checking Closing "
        "DebriefRequest DossierRequest DoubtRequest Engine FactPassage FactsRequest FocusBriefRequest Found "
        "Joining JudgementRequest NewsRequest OnText Request Scene ScratchpadRequest ScribeRequest "
        "Searched Searching SeatRequest HasFallback TensionsRequest Watched"
    ),
    "panel.engines.scripted": "ScriptedEngine",
    "panel.engines.together": "done",
    "panel.model.carryover": "OpenPoint",
    "panel.model.exchange": "Candidate Exchange Judgement Observation Target Turn",
    "panel.model.reply": (
        "Attack Bearing BetterAnswer BoardMember DebriefWords FactDraft Remembered RubricCheck"
    ),
    "panel.model.usage": "CallUsage",
    "panel.personas.persona": "Persona Seat",
}
_WHERE = {name: module for module, names in _PARTS.items() for name in names.split()}

__all__ = [
    "Accounting", "Addressing", "Advising", "Attack", "Bearing", "BetterAnswer", "BoardMember",
    "Bounded", "ByRules", "CallUsage", "Candidate", "CandidateRequest", "Checking", "Claim", "Closing",
    "Config", "Context", "DebriefRequest", "DebriefWords", "Deck", "DossierRequest", "DoubtRequest",
    "Engine", "EngineError", "Exchange", "FactDraft", "FactPassage", "FactsRequest",
    "FocusBriefRequest", "Found", "HasFallback", "IntelItem", "Joining", "Judgement",
    "JudgementRequest", "NewsRequest", "Observation", "OfflineEngine", "OnText", "OpenPoint", "Operand",
    "Passage", "Persona", "Place", "Proposal", "Refusal", "Remembered", "Reported", "Request",
    "RubricCheck", "Scene", "ScratchpadRequest", "ScribeRequest", "ScriptedEngine", "Searched",
    "Searching", "Seat", "SeatRequest", "Segment", "Slide", "SupportsFutures", "Target", "Tension",
    "TensionsRequest", "Turn", "Watched", "done",
]  # fmt: skip


_EARLIER = {"Beginning": "SupportsFutures", "StoodInFor": "HasFallback"}
"""Maps names of release 0.2 to the present ones, for one release."""


def __getattr__(name: str) -> Any:
    if name in _EARLIER:
        warnings.warn(f"an earlier name: {name} is `{_EARLIER[name]}`", DeprecationWarning, stacklevel=2)
        name = _EARLIER[name]
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"orchestrator.{_WHERE[name]}"), name)
