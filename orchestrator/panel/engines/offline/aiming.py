"""The targets of each panelist's focus brief: its own seats' questions, on lines that nobody has taken."""

from __future__ import annotations

from typing import Final

from orchestrator.panel.engines.offline.admitted import all_options
from orchestrator.panel.engines.offline.askable import Option
from orchestrator.panel.engines.offline.seats import seats_of
from orchestrator.panel.engines.protocol import FocusBriefRequest
from orchestrator.panel.model.exchange import Target

MOST_TARGETS: Final = 7
"""Of its own seats; with eight exchanges for all panelists (DESIGN.md, section 7) none gets through more."""
FEWEST_TARGETS: Final = 3
"""With others' seats, so that something is left when lines were asked about; less where a deck has less."""


def targets(request: FocusBriefRequest) -> tuple[Target, ...]:
    """Its own seats first; others' only to fill up, and then what the deck as a whole leaves out."""
    agent, mine = request.seat.persona.id, seats_of(request.seat)
    found = all_options(request.scene)
    own = [one for one in found if one.is_for(agent, mine)]
    rest = [one for one in found if not one.is_for(agent, mine) and one.agent is None]
    chosen: list[Target] = []
    seen: set[str] = set()
    for most, group in ((MOST_TARGETS, own), (FEWEST_TARGETS, rest)):
        for option in group:
            quote, topic = option.quote, option.entry.topic
            is_taken = option.claim is not None and option.claim in request.taken
            if len(chosen) < most and quote is not None and not is_taken and not {quote, topic} & seen:
                chosen.append(_target(option, quote))
                seen |= {quote, topic}
    covers = [slide for slide in request.scene.deck.slides if not slide.hidden and slide.title][:1]
    for option in own if covers else ():
        if len(chosen) < FEWEST_TARGETS and option.quote is None and option.entry.topic not in seen:
            good = option.entry.good
            chosen.append(Target(None, covers[0].number, None, covers[0].title, option.question, good, True))
            seen.add(option.entry.topic)
    return tuple(chosen)


def _target(option: Option, quote: str) -> Target:
    return Target(
        claim=option.claim,
        slide=option.slide,
        said_at_s=option.line.said_at_s if option.line else None,
        quote=quote,
        angle=option.angle or option.question,
        good_answer=option.entry.good,
        is_missing=option.page is not None,
    )
