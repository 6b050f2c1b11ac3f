"""The embedded engine: no key, no network, the same answer every time.

It asks from a question bank and judges what is certain. It holds no state, so it may serve many
sessions at once; what is worked out for a deck is kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from orchestrator.engines.offline.aiming import targets
from orchestrator.engines.offline.choosing import candidate
from orchestrator.engines.offline.debrief import debrief
from orchestrator.engines.offline.dossier import attacks
from orchestrator.engines.offline.facts import facts
from orchestrator.engines.offline.judging import judge
from orchestrator.engines.offline.scratchpad import scratchpad
from orchestrator.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    DossierRequest,
    DoubtRequest,
    FactsRequest,
    FocusBriefRequest,
    JudgementRequest,
    NewsRequest,
    Request,
    ScratchpadRequest,
    ScribeRequest,
    TensionsRequest,
)
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context

R = TypeVar("R")


def _nothing(request: Request[Any]) -> tuple[()]:
    """Only reading could tell: code proposes no contradiction, and says of no goal that it is one."""
    return ()


REPLIES: Final[Mapping[type[Request[Any]], Callable[[Any], object]]] = {
    FocusBriefRequest: targets,
    CandidateRequest: candidate,
    JudgementRequest: judge,
    FactsRequest: facts,
    ScratchpadRequest: scratchpad,
    DossierRequest: attacks,
    DebriefRequest: debrief,
    TensionsRequest: _nothing,
    DoubtRequest: _nothing,
    NewsRequest: _nothing,
    ScribeRequest: _nothing,
}


class OfflineEngine:
    """A bank in place of a model. The context is not read: the request holds what is needed."""

    @property
    def name(self) -> str:
        return "offline"

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """The result that this kind of request asks for.

        Raises:
            EngineError: The request is of a kind that the engine does not know.
        """
        answer = REPLIES.get(type(request))
        if answer is None:
            kind = type(request).__name__
            raise EngineError(f"the offline engine does not know {kind}: use another engine")
        return cast(R, answer(request))
