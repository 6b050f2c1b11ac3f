"""What a reply to each request is, and whether one is that, whoever's engine gave it.

The shape is the one that the ledger reads back, so a reply that passes can be written, verified and archived.
A failure names the field and the rule, and holds no word of the reply.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.core.values import from_json, to_json
from orchestrator.material.model.claim import NEEDS, TENSION_CLASSES, TENSION_KINDS
from orchestrator.material.model.proposal import Proposal
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.protocol import Request
from orchestrator.panel.model.exchange import (
    VERDICTS,
    Candidate,
    Judgement,
    Target,
)
from orchestrator.panel.model.fact import FactDraft
from orchestrator.panel.model.reply import (
    Attack,
    Bearing,
    DebriefWords,
    Remembered,
)

R = TypeVar("R")

KINDS: Final[Mapping[type[Any], tuple[str, Any]]] = {
    protocol.FocusBriefRequest: ("focus_brief", tuple[Target, ...]),
    protocol.CandidateRequest: ("candidate_question", Candidate | None),
    protocol.JudgementRequest: ("judgement", Judgement),
    protocol.ScratchpadRequest: ("scratchpad", str),
    protocol.TensionsRequest: ("tensions", tuple[Proposal, ...]),
    protocol.DoubtRequest: ("doubt", tuple[str | None, ...]),
    protocol.DossierRequest: ("dossier", tuple[Attack, ...]),
    protocol.NewsRequest: ("news", tuple[Bearing, ...]),
    protocol.FactsRequest: ("facts", tuple[FactDraft, ...]),
    protocol.ScribeRequest: ("scribe", tuple[Remembered, ...]),
    protocol.DebriefRequest: ("debrief", DebriefWords),
}
"""Each kind of request with its name in a script and the shape of its reply."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "Judgement.verdict": VERDICTS,
    "Judgement.missing": NEEDS,
    "Candidate.needs": NEEDS,
    "Tension.kind": TENSION_KINDS,
    "Tension.class_": TENSION_CLASSES,
    "RubricCheck.state": ("yes", "partly", "no", "not judged"),
}
"""Fields that hold one of some words. Facts, bearings and proposals are looked at one by one where they are
taken: a word that none of ours is costs that one."""

MAX_CHARS: Final = 2_000
"""Of one text, as a paragraph of `engines.model.schemas`: a question may quote a line of the deck."""
MAX_ITEMS: Final = 60
"""In one field; a whole reply is as long as what it was asked about."""
MAX_NUMBER: Final = 2**53
"""Every program that reads JSON has whole numbers up to here. Source: RFC 8259, section 6."""


def checked(reply: R, request: Request[R]) -> R:
    """The reply in the values that the ledger will read.

    Raises:
        EngineError: It is of another shape; one line names the field and the rule.
    """
    kind = type(request).__name__
    _, shape = KINDS[type(request)]
    kinds = _kinds(shape)
    if not isinstance(reply, kinds):
        told = " or ".join("None" if one is type(None) else one.__name__ for one in kinds)
        raise EngineError(f"the engine gave {type(reply).__name__} for a {kind}: it must be {told}")
    try:
        read = from_json(shape, to_json(reply))
    except ValueError as error:
        raise EngineError(f"the engine's reply to a {kind} is of no use: {error}") from None
    if fault := next(_faults(read, ""), None) or _fault_of_request(read, request):
        raise EngineError(f"the engine's reply to a {kind} is of no use: {fault}")
    return cast(R, read)


def _kinds(shape: Any) -> tuple[type, ...]:
    """What the reply as a whole may be; a list goes for a tuple, which is what a record holds."""
    if shape == Candidate | None:
        return (Candidate, type(None))
    return (shape,) if isinstance(shape, type) and shape in (str, Judgement, DebriefWords) else (tuple, list)


def _faults(value: object, name: str) -> Iterator[str]:
    """What is wrong with a value of the right types: no word of its list, a bound; *name*: its field's."""
    if isinstance(value, str):
        yield from _text_faults(value, name)
    elif isinstance(value, tuple):
        if name and len(value) > MAX_ITEMS:
            yield f"{name} has {len(value):,} items, and {MAX_ITEMS} are allowed"
        for item in value:
            yield from _faults(item, name)
    elif isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            yield f"{name} is no number that a record holds: give a finite one"
        elif name == "Candidate.relevance" and not 0 <= value <= 1:
            yield f"{name} must be from 0 to 1"
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _faults(getattr(value, field.name), f"{type(value).__name__}.{field.name}")


def _text_faults(text: str, name: str) -> Iterator[str]:
    allowed = CHOICES.get(name)
    if allowed is not None and text not in allowed:
        yield f"{name} must be of {', '.join(allowed)}"
    if name and len(text) > MAX_CHARS:
        yield f"{name} has {len(text):,} characters, and {MAX_CHARS:,} are allowed"
    if not is_text(text):
        yield f"{name or 'a text'} holds NUL or half a character"


def is_text(text: str) -> bool:
    """Whether a session file can hold *text*: JSON can name characters that UTF-8 cannot write."""
    try:
        return "\0" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _fault_of_request(read: object, request: Request[Any]) -> str | None:
    """What of a reply does not go with what was asked."""
    if isinstance(request, protocol.CandidateRequest) and isinstance(read, Candidate):
        if read.agent != request.seat.persona.id:
            return "Candidate.agent is not request.seat.persona.id"
        return None if read.question.strip() else "Candidate.question is empty: None is no question"
    if (
        isinstance(request, protocol.ScratchpadRequest)
        and isinstance(read, str)
        and len(read) > request.limit
    ):
        return f"the page has {len(read):,} characters, and {request.limit:,} are allowed"
    return None
