"""What an agent's files are shortened to where the model has little room.

What is missed least goes first: sections of the field's knowledge, from the end; news and the dossier; slides
of the deck, the farthest from the one that it is about; last, the oldest of what was said. The character, its
own notes and what was asked stay whole.
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
    """What is kept of the files, so that all of them have *room_bytes*, as far as that goes.

    Args:
        slide: What it is about; the slides around it stay longest.
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
    """The sections that may go, in the order in which they do; the head stays."""
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
    """The slide that a request is about; None: the whole deck."""
    match request:
        case JudgementRequest():
            return request.exchange.slide or request.scene.slide
        case CandidateRequest():
            return request.scene.slide
    return None
