"""The embedded engine: rules, no key, no network, the same answer every time.

It asks through each persona's own patterns and tables about claims that it found, and
judges what rules can judge. It holds no state, so it may serve many sessions at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar, cast

from orchestrator.engines.aiming import targets
from orchestrator.engines.asking import candidate
from orchestrator.engines.fact_rules import facts
from orchestrator.engines.judging import judge
from orchestrator.engines.noticing import note, observe
from orchestrator.engines.protocol import (
    CandidateRequest,
    FactsRequest,
    FocusBriefRequest,
    JudgementRequest,
    NotesRequest,
    ObservationRequest,
    PhrasesRequest,
    Request,
    ScratchpadRequest,
)
from orchestrator.engines.scratchpad import scratchpad
from orchestrator.engines.wording import rotated
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from orchestrator.context import Context

R = TypeVar("R")

_SLOT = re.compile(r"\{(\w+)\}")
_PHRASES_OF_EACH: Final = 3
"""Phrases of each heading that a session starts with: enough not to say the same twice in a row."""


class OfflineEngine:
    """Rules in place of a model. The context is not read: the request holds what rules need."""

    @property
    def name(self) -> str:
        return "offline"

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """The result that this kind of request asks for.

        Raises:
            EngineError: The request is of a kind that rules do not know.
        """
        return cast(R, self._reply(request))

    def _reply(self, request: Request[R]) -> object:
        match request:
            case FocusBriefRequest():
                return targets(request)
            case CandidateRequest():
                return candidate(request)
            case JudgementRequest():
                return judge(request)
            case NotesRequest():
                return note(request)
            case ObservationRequest():
                return observe(request)
            case PhrasesRequest():
                return phrases(request)
            case FactsRequest():
                return facts(request)
            case ScratchpadRequest():
                return scratchpad(request)
        raise EngineError(f"the offline engine does not know {type(request).__name__}: use another engine")


def phrases(request: PhrasesRequest) -> tuple[str, ...]:
    """The moderator's phrases for this session: some of each heading, their slots filled.

    A phrase whose slots are not all among `request.slots` is left out.
    """
    key = request.scene.deck.sha256
    chosen: list[str] = []
    for heading, options in request.library.items():
        fillable = [text for text in options if all(request.slots.get(slot) for slot in _SLOT.findall(text))]
        for text in rotated(f"{key}:{heading}", fillable)[:_PHRASES_OF_EACH]:
            chosen.append(_SLOT.sub(lambda slot: request.slots[slot[1]], text))
    return tuple(dict.fromkeys(chosen))
