"""The debrief's words, verified: a stronger answer holds no figure that nobody said."""

from __future__ import annotations

from orchestrator.checks.grounding import place_in
from orchestrator.engines.claude.outcomes import Outcome, fault_in
from orchestrator.engines.claude.quotes import figures_of, said, shown
from orchestrator.engines.claude.replies import BetterPart, CheckPart, DebriefPart
from orchestrator.engines.protocol import DebriefRequest
from orchestrator.model.proposal import Passage
from orchestrator.model.reply import BetterAnswer, DebriefWords, RubricCheck
from orchestrator.render import one_line

JUDGED = ("yes", "partly")
"""States that nothing but words of the deck or the presenter can show."""


def debrief(request: DebriefRequest, part: DebriefPart) -> Outcome:
    """What of the part holds."""
    sources = _sources(request)
    better = [_better(request, one, sources) for one in part.better]
    named = {one.name: one for one in part.checks}
    known = {one.id for one in request.scene.exchanges}
    fault = fault_in(
        better,
        "stronger answers rest on no words that stand in deck or speech, or hold a "
        "figure that was not said: what nobody said belongs into `bring`",
    ) or fault_in((one.name in request.checks for one in part.checks), "checks are none that were asked for")
    words = DebriefWords(
        fix=one_line(part.fix),
        why=one_line(part.why),
        fix_exchange=part.fix_exchange if part.fix_exchange in known else None,
        better=tuple(one for one in better if one is not None),
        checks=tuple(_check(named[name], sources) for name in request.checks if name in named),
        dismissed=tuple(sorted({one for one in part.dismissed if 0 <= one < len(request.tensions)})),
        still_wanted=tuple(
            request.never_asked[one].question
            for one in dict.fromkeys(part.still_wanted)
            if 0 <= one < len(request.never_asked)
        ),
    )
    return Outcome(words, fault)


def _sources(request: DebriefRequest) -> list[Passage]:
    """All that the presenter showed, noted or said. It is for the presenter alone, so notes count."""
    answers = (
        Passage(f"{one.id}.{number}", turn.answer, None, one.asked_at_s, "speech")
        for one in request.scene.exchanges
        for number, turn in enumerate(one.turns)
        if turn.answer
    )
    return [*shown(request.scene), *said(request.scene), *answers]


def _better(request: DebriefRequest, part: BetterPart, sources: list[Passage]) -> BetterAnswer | None:
    found = (place_in(quote, sources, notes=True) for quote in part.rests_on)
    places = tuple(dict.fromkeys(place for place in found if place is not None))
    known = {figure for run in sources for figure in figures_of(run.text)}
    is_known = any(one.id == part.exchange for one in request.scene.exchanges)
    if not is_known or not places or not figures_of(part.text) <= known:
        return None
    return BetterAnswer(part.exchange, one_line(part.text), places, tuple(map(one_line, part.bring)))


def _check(part: CheckPart, sources: list[Passage]) -> RubricCheck:
    place = place_in(part.quote, sources, notes=True) if part.quote else None
    state = "not judged" if place is None and part.state in JUDGED else part.state
    return RubricCheck(part.name, state, one_line(part.why), place)
