"""The embedded engine, which needs no key and no network and gives the same answer every time.

It asks from a question bank and judges only what is certain. It stores no state, so it may serve many
sessions at once; what it computes for a deck is stored beside the deck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.panel.config.engine_names import BANK
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.offline.choosing import attacks, candidate, targets
from orchestrator.panel.engines.offline.judging import judge
from orchestrator.panel.engines.offline.memory import facts, remembered, scratchpad
from orchestrator.panel.engines.protocol import Request
from orchestrator.panel.model.reply import DebriefWords, RubricCheck

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

MAX_WANTED: Final = 6
"""Maximum number of questions that nobody asked: the panel's three, then the dossier's.

The terminal shows three.
"""


def _nothing(request: Request[Any]) -> tuple[()]:
    """Return no result, for tasks that only reading could do: contradictions, and the bearings of news."""
    return ()


def _debrief(request: protocol.DebriefRequest) -> DebriefWords:
    """Return no stronger answers and no decided checks, since only reading could find them.

    The one thing to fix first is computed from verdicts and contradictions, whatever the engine.
    """
    checks = tuple(RubricCheck(name, "not judged", "only reading can tell") for name in request.checks)
    wanted = tuple(one.question for one in request.never_asked[:MAX_WANTED] if one.question)
    return DebriefWords(checks=checks, still_wanted=wanted)


REPLIES: Final[Mapping[type[Request[Any]], Callable[[Any], object]]] = {
    protocol.FocusBriefRequest: targets,
    protocol.CandidateRequest: candidate,
    protocol.JudgementRequest: judge,
    protocol.FactsRequest: facts,
    protocol.ScratchpadRequest: scratchpad,
    protocol.DossierRequest: attacks,
    protocol.DebriefRequest: _debrief,
    protocol.TensionsRequest: _nothing,
    protocol.DoubtRequest: _nothing,
    protocol.NewsRequest: _nothing,
    protocol.ScribeRequest: remembered,
}


class OfflineEngine:
    """An engine with a question bank instead of a model.

    It ignores the context, since requests contain everything.
    """

    is_by_rules: Final = True

    @property
    def name(self) -> str:
        return BANK

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Return the result that this kind of request asks for.

        Raises:
            EngineError: The request is of a kind that the engine does not know.
        """
        answer = REPLIES.get(type(request))
        if answer is None:
            kind = type(request).__name__
            raise EngineError(f"the offline engine does not know {kind}: use another engine")
        return cast(R, answer(request))
