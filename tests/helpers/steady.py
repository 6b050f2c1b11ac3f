"""A panel that always has a question, for tests of who speaks when; and recordings made to measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.material.speech.read import Recording
from orchestrator.material.values import Segment
from orchestrator.panel.answers import Answer
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    JudgementRequest,
    Request,
    ScratchpadRequest,
)
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading
from orchestrator.panel.model.exchange import Candidate, Judgement
from orchestrator.panel.model.reply import DebriefWords
from orchestrator.rehearsal.session import Session

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

DECK = "\n---\n".join(f"# Part {number}\n\nPlain words.\n" for number in range(1, 10))
"""Nine slides without a claim, a section each by `section_break_slides`."""


class SteadyEngine:
    """Every panelist in *ready* has a question; an answer satisfies unless it is "No."."""

    name = "steady"

    def __init__(
        self, ready: Sequence[str] = ("skeptic", "analyst", "contrarian"), *, fails: bool = False
    ) -> None:
        self.ready = ready
        self.fails = fails

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        return cast(R, self._reply(request))

    def _reply(self, request: Request[R]) -> object:
        match request:
            case CandidateRequest():
                if self.fails:
                    raise EngineError("out of order")
                return self._candidate(request)
            case JudgementRequest():
                wanting = request.exchange.turns[-1].answer == "No."
                asked = f"Question {request.exchange.id} again?"
                verdict = "follow_up" if wanting else "satisfied"
                return Judgement(verdict, "as told", follow_up=asked, note="- noted")
            case DebriefRequest():
                return DebriefWords()
            case ScratchpadRequest():
                return request.before
        return ()  # no targets, no attacks, no facts, no contradictions

    def _candidate(self, request: CandidateRequest) -> Candidate | None:
        agent = request.seat.persona.id
        if agent not in self.ready:
            return None
        number = len(request.scene.exchanges) + 1
        question = f"Question {number} of {agent}?"
        slide = request.scene.slide
        return Candidate(agent, question, None, slide, None, None, False, ("number",), 0.5, "", "steady")


def recording(*pieces: tuple[Any, ...], slide: int | None = 1) -> Recording:
    """A recording of pieces: start, end, and optionally text, slide (else *slide*), speaker."""
    segments = []
    for start_s, end_s, *rest in pieces:
        text, shown, speaker = (*rest, None, None, None)[:3]
        words = text if text is not None else f"Words at {start_s}."
        on = shown if shown is not None else slide
        segments.append(Segment(words, float(start_s), float(end_s), speaker or "Ines", on))
    return Recording(tuple(segments), False, (), "0" * 64, "made.vtt")


def running_on(until_s: int, *, every_s: int = 10, slide_s: int | None = None) -> Recording:
    """A recording without pauses; *slide_s*: how long each slide is shown."""
    return recording(
        *(
            (at_s, at_s + every_s, None, 1 + at_s // slide_s if slide_s is not None else None)
            for at_s in range(0, until_s, every_s)
        )
    )


def rehearsed(
    home: Path,
    speech: Recording,
    *answers: str | Answer,
    engine: SteadyEngine | None = None,
    **options: Any,
) -> Session:
    """A session that was played to the end of its recording; not ended yet."""
    given = tuple(Answer(one) if isinstance(one, str) else one for one in answers)
    session = Session.start(
        Home.open(home),
        deck_text=DECK,
        engine=engine or SteadyEngine(),
        loading=Loading(speech, "run", given),
        **options,
    )
    assert session.play()
    return session


def course(session: Session) -> list[tuple[Any, ...]]:
    """What happened, in order: the moderator's lines by occasion, and who asked when."""
    projection = session.projection
    opened = {exchange.id: exchange for exchange in projection.exchanges}
    steps: list[tuple[Any, ...]] = []
    seen = 0
    for said in projection.said:
        while seen < said.after or (
            said.exchange is not None and _is_behind(said.exchange, seen, said.occasion)
        ):
            steps.append(_asked(opened[f"x{seen + 1}"]))
            seen += 1
        steps.append((said.at_s, said.occasion))
    return [*steps, *(_asked(one) for one in projection.exchanges[seen:])]


def _is_behind(exchange: str, seen: int, occasion: str) -> bool:
    return occasion not in ("Calling on a panelist", "Coming back") and int(exchange[1:]) > seen


def _asked(exchange: Any) -> tuple[Any, ...]:
    return exchange.asked_at_s, exchange.id, exchange.agent, exchange.outcome
