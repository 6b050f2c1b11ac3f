"""An agent's own page, brought up to date when a session ends: one section for each deck.

A panelist's tells of its own questions, the moderator's of the panel as a whole.

The newest section stands first. Where the page would grow over its limit, whole sections go,
the oldest first, then whole lines of the newest: what is kept is never cut in the middle.
Source: DESIGN.md, section 9 (Scratchpad).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from orchestrator.core.legible import counted
from orchestrator.core.table import MODERATOR
from orchestrator.panel.engines.protocol import ScratchpadRequest
from orchestrator.panel.model.exchange import Exchange, each_once
from orchestrator.panel.render import COUNTED_WORDS, SILENT

_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def scratchpad(request: ScratchpadRequest) -> str:
    """The new page: what was asked about this deck, what came of it, and how it was answered."""
    title = " ".join((request.scene.deck.title or request.scene.deck.name).split())
    heading = f"## {title}"
    newest = [f"{heading} ({request.day})", "", *_lines(request)]
    older = [one for one in _sections(request.before) if not one.startswith(f"{heading} (")]
    while newest and len(_page([newest])) > request.limit:
        newest = newest[:-1]
    kept = [newest]
    for section in older:
        if len(_page([*kept, section.splitlines()])) > request.limit:
            break
        kept.append(section.splitlines())
    return _page(kept)


def _lines(request: ScratchpadRequest) -> Iterator[str]:
    asked = each_once(request.scene.exchanges)
    if request.seat.persona.id == MODERATOR:
        yield from _panels_lines(asked)
    else:
        own = [one for one in asked if one.agent == request.seat.persona.id]
        for exchange in sorted(own, key=lambda one: one.result == "satisfied"):
            yield f"- {_line(exchange)}"
        if not own:
            yield "- I was not called on."
    for seen in request.scene.observed:
        yield f"- The presenter {seen.text}."


def _panels_lines(asked: Sequence[Exchange]) -> Iterator[str]:
    """How the questions of all panelists went, and what is left of each."""
    if not asked:
        yield "- No question was put."
        return
    results = Counter(
        SILENT if one.result == "unjudged" and not (one.turns[-1].answer or "").strip() else one.result
        for one in asked
    )
    came = [f"{results[key]} {word}" for key, word in COUNTED_WORDS.items() if results[key]]
    yield f"- {counted(len(asked), 'question')}{': ' if came else ''}{', '.join(came)}."
    by = Counter(one.agent for one in asked)
    yield f"- Asked by {', '.join(f'{agent}: {many}' for agent, many in by.items())}."
    for exchange in asked:
        if exchange.result != "satisfied":
            yield f"- {exchange.agent}: {_line(exchange)}"


def _line(exchange: Exchange) -> str:
    about = f'"{exchange.quote}"' if exchange.quote else "the deck as a whole"
    last = exchange.turns[-1]
    says = _says(exchange)
    if exchange.result == "satisfied":
        quoted = last.quote if exchange.outcome == "satisfied" else None  # else it is behind another verdict
        return f"Settled{says}: {about}" + (f'; the answer was "{quoted}".' if quoted else ".")
    if exchange.result == "unjudged":
        came = "the answer was not judged" if (last.answer or "").strip() else "no answer was given"
        return f"Asked about {about}; {came}."
    missing = f" Asked for: {', '.join(last.needs)}." if last.needs else ""
    return f"Open ({exchange.result}{says}): {about}.{missing}"


def _says(exchange: Exchange) -> str:
    """ ", says Dana; the panel: satisfied", where a person judged; the panel's where it is another."""
    said = exchange.person
    if said is None:
        return ""
    differs = exchange.outcome not in (exchange.result, "unjudged")
    return f", says {said.by}{f'; the panel: {exchange.outcome}' if differs else ''}"


def _sections(page: str) -> list[str]:
    return [part.strip() for part in _SECTION.split(page) if part.startswith("## ")]


def _page(sections: list[list[str]]) -> str:
    return "\n\n".join("\n".join(lines).strip() for lines in sections if lines) + "\n"
