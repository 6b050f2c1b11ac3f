"""Shortening an agent's files where the model has little room.

The least important parts are removed first: sections of the domain knowledge, from the end; then news and the
dossier; then slides of the deck, those farthest from the request's slide first; then the oldest speech. The
character, the agent's own notes and the request stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.core.context.assemble import Context
from orchestrator.core.context.frames import Block, unescape
from orchestrator.core.context.receipt import Kept, joined, sections
from orchestrator.panel.engines.protocol import CandidateRequest, JudgementRequest, SeatRequest

KNOWLEDGE = "templates/{agent}/domain-knowledge.md"
DECK = "shared/deck-content.md"
FROM_END = (KNOWLEDGE, "shared/external-intel.md", "shared/board-dossier.md")
_SLIDE = re.compile(r"## Slide (\d+)")

Part = tuple[int, int]


def kept_within(context: Context, room_bytes: int, slide: int | None) -> Kept:
    """Return the parts of the files to keep, so that together they fit *room_bytes* as far as possible.

    Args:
        slide: The slide of the request; the slides around it stay longest.
    """
    over = sum(block.size_bytes for block in context.blocks) + len(context.carried.encode()) - room_bytes
    kept: dict[str, tuple[int, ...]] = {}
    blocks = {block.path: block for block in context.blocks}
    for path in (*(one.format(agent=context.agent) for one in FROM_END), DECK):
        block = blocks.get(path)
        if over <= 0 or block is None:
            continue
        text = unescape(block.inner)
        parts = sections(text)
        gone: list[Part] = []
        for part in _least_missed(block, text, parts, slide):
            if over <= 0:
                break
            gone.append(part)
            over -= part[1] - part[0]
        if gone:
            kept[path] = joined([one for one in parts if one not in gone])
    return kept


def _least_missed(block: Block, text: str, parts: list[Part], slide: int | None) -> Iterator[Part]:
    """Yield the parts of a file that may be removed, in order of removal; its head is not among them."""
    if block.path != DECK:
        yield from reversed(parts[1:])
        return
    raw = text.encode()
    numbers: dict[Part, int] = {}
    for part in parts[1:]:
        found = _SLIDE.match(raw[part[0] : part[1]].decode())
        if found:
            numbers[part] = int(found[1])
    about = slide if slide is not None else 1
    far = sorted(numbers, key=lambda part: (abs(numbers[part] - about), numbers[part]), reverse=True)
    yield from far[:-1]  # the slide itself stays


def slide_of(request: SeatRequest[object]) -> int | None:
    """Return the slide that a request is about, or None for the whole deck."""
    match request:
        case JudgementRequest():
            return request.exchange.slide or request.scene.slide
        case CandidateRequest():
            return request.scene.slide
    return None
