"""Greenroom: rehearse before you face the board.

The public surface is `__all__`, with the errors, and what an engine is asked and answers; `orchestrator.core`
is the core by itself. Everything else may move. Importing this does nothing else: each part is imported when
it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.core.context.receipt import Receipt
    from orchestrator.core.errors import (
        AlreadyWrittenError,
        AnswersError,
        AppendOnlyError,
        ArchiveConflictError,
        ArchiveError,
        ArchiveMissingError,
        ArchiveUnavailableError,
        ConfigurationError,
        DeckError,
        DriverBusyError,
        EngineError,
        FileTooLargeError,
        GreenroomError,
        HomeError,
        ImmutableFileError,
        InputError,
        InstallationError,
        InvalidTextError,
        LaterReleaseError,
        LedgerCorruptError,
        NotInstalledError,
        OutboundError,
        OutputError,
        PersonaError,
        PrintError,
        ReceiptError,
        RequestIdReusedError,
        RevisionLimitError,
        SessionBusyError,
        SessionDegradedError,
        SessionExistsError,
        SessionFrozenError,
        SessionNotFoundError,
        SessionStateError,
        SpeechError,
        StoreError,
        StoreWriteError,
        TransactionOpenError,
        UnknownFileError,
        UsageError,
        WriterNotAllowedError,
    )
    from orchestrator.core.verify import Verification
    from orchestrator.material.claim import Claim, Operand, Passage, Place, Proposal, Refusal, Tension
    from orchestrator.material.values import Deck, IntelItem, LiveSegment, Reported, Segment, Slide
    from orchestrator.memory.scribe import SessionContext
    from orchestrator.panel.config.config import Config
    from orchestrator.panel.engines import FactPassage
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
    from orchestrator.panel.home import Home
    from orchestrator.panel.model.carryover import OpenPoint
    from orchestrator.panel.model.exchange import Candidate, Exchange, Judgement, Observation, Target, Turn
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
    from orchestrator.panel.model.usage import CallUsage
    from orchestrator.panel.personas.persona import Persona, Seat
    from orchestrator.rehearsal.rehearsal import Rehearsal
    from orchestrator.rehearsal.session import Session

__version__ = "0.2.0"

_PARTS = {
    "core.context.assemble": "Context",
    "core.context.receipt": "Receipt",
    "core.errors": (
        "AlreadyWrittenError AnswersError AppendOnlyError ArchiveConflictError ArchiveError "
        "ArchiveMissingError ArchiveUnavailableError ConfigurationError DeckError DriverBusyError "
        "EngineError FileTooLargeError GreenroomError HomeError ImmutableFileError InputError "
        "InstallationError InvalidTextError LaterReleaseError LedgerCorruptError "
        "NotInstalledError OutboundError OutputError PersonaError PrintError ReceiptError "
        "RequestIdReusedError RevisionLimitError SessionBusyError SessionDegradedError "
        "SessionExistsError SessionFrozenError SessionNotFoundError SessionStateError SpeechError "
        "StoreError StoreWriteError TransactionOpenError UnknownFileError UsageError "
        "WriterNotAllowedError"
    ),
    "core.verify": "Verification",
    "material.claim": "Claim Operand Passage Place Proposal Refusal Tension",
    "material.values": "Deck IntelItem LiveSegment Reported Segment Slide",
    "memory.scribe": "SessionContext",
    "panel.config.config": "Config",
    "panel.engines.offline": "OfflineEngine",
    "panel.engines.protocol": (
        "Accounting Addressing Advising Bounded ByRules CandidateRequest Checking Closing "
        "DebriefRequest DossierRequest DoubtRequest Engine FactsRequest "
        "FocusBriefRequest Found HasFallback Joining JudgementRequest NewsRequest OnText Request "
        "Scene ScratchpadRequest ScribeRequest Searched Searching SeatRequest SupportsFutures "
        "TensionsRequest Watched"
    ),
    "panel.engines.scripted": "ScriptedEngine",
    "panel.engines.together": "done",
    "panel.home": "Home",
    "panel.model.carryover": "OpenPoint",
    "panel.model.exchange": "Candidate Exchange Judgement Observation Target Turn",
    "panel.engines": "FactPassage",
    "panel.model.reply": (
        "Attack Bearing BetterAnswer BoardMember DebriefWords FactDraft Remembered RubricCheck"
    ),
    "panel.model.usage": "CallUsage",
    "panel.personas.persona": "Persona Seat",
    "rehearsal.rehearsal": "Rehearsal",
    "rehearsal.session": "Session",
}
_WHERE = {name: module for module, names in _PARTS.items() for name in names.split()}

__all__ = [
    "Accounting", "Addressing", "Advising", "AlreadyWrittenError", "AnswersError", "AppendOnlyError",
    "ArchiveConflictError", "ArchiveError", "ArchiveMissingError", "ArchiveUnavailableError", "Attack",
    "Bearing", "BetterAnswer", "BoardMember", "Bounded", "ByRules", "CallUsage", "Candidate",
    "CandidateRequest", "Checking", "Claim", "Closing", "Config", "ConfigurationError", "Context",
    "DebriefRequest", "DebriefWords", "Deck", "DeckError", "DossierRequest", "DoubtRequest",
    "DriverBusyError", "Engine", "EngineError", "Exchange", "FactDraft", "FactPassage", "FactsRequest",
    "FileTooLargeError", "FocusBriefRequest", "Found", "GreenroomError", "HasFallback", "Home",
    "HomeError", "ImmutableFileError", "InputError", "InstallationError", "IntelItem",
    "InvalidTextError", "Joining", "Judgement", "JudgementRequest", "LaterReleaseError",
    "LedgerCorruptError", "LiveSegment", "NewsRequest", "NotInstalledError", "Observation",
    "OfflineEngine", "OnText", "OpenPoint", "Operand", "OutboundError", "OutputError", "Passage",
    "Persona", "PersonaError", "Place", "PrintError", "Proposal", "Receipt", "ReceiptError", "Refusal",
    "Rehearsal", "Remembered", "Reported", "Request", "RequestIdReusedError", "RevisionLimitError",
    "RubricCheck", "Scene", "ScratchpadRequest", "ScribeRequest", "ScriptedEngine", "Searched",
    "Searching", "Seat", "SeatRequest", "Segment", "Session", "SessionBusyError", "SessionContext",
    "SessionDegradedError", "SessionExistsError", "SessionFrozenError", "SessionNotFoundError",
    "SessionStateError", "Slide", "SpeechError", "StoreError", "StoreWriteError", "SupportsFutures",
    "Target", "Tension", "TensionsRequest", "TransactionOpenError", "Turn", "UnknownFileError",
    "UsageError", "Verification", "Watched", "WriterNotAllowedError", "done",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
