"""A panelist's own page, brought up to date when a session ends: one section for each deck.

The newest section stands first. Where the page would grow over its limit, whole sections go,
the oldest first, then whole lines of the newest: what is kept is never cut in the middle.
Source: DESIGN.md, section 9 (Scratchpad).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.engines.protocol import ScratchpadRequest
from orchestrator.model.exchange import Exchange, each_once

_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def scratchpad(request: ScratchpadRequest) -> str:
    """The new page: what this panelist asked about this deck, what came of it, and how it was answered."""
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
    own = [one for one in each_once(request.scene.exchanges) if one.agent == request.seat.persona.id]
    for exchange in sorted(own, key=lambda one: one.result == "satisfied"):
        yield _line(exchange)
    if not own:
        yield "- I was not called on."
    for seen in request.scene.observed:
        yield f"- The presenter {seen.text}."


def _line(exchange: Exchange) -> str:
    about = f'"{exchange.quote}"' if exchange.quote else "the deck as a whole"
    last = exchange.turns[-1]
    says = _says(exchange)
    if exchange.result == "satisfied":
        quoted = last.quote if exchange.outcome == "satisfied" else None  # else it is behind another verdict
        return f"- Settled{says}: {about}" + (f'; the answer was "{quoted}".' if quoted else ".")
    if exchange.result == "unjudged":
        came = "the answer was not judged" if (last.answer or "").strip() else "no answer was given"
        return f"- Asked about {about}; {came}."
    missing = f" Asked for: {', '.join(last.needs)}." if last.needs else ""
    return f"- Open ({exchange.result}{says}): {about}.{missing}"


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
