"""A file of a context as a model with little room gets it: whole parts of it, as the receipt names them.

The context itself stays whole, as do the sizes and digests of its files; what is left out is left out of the
messages alone, and a line says so where it stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from orchestrator.core.context.frames import Block, escape, unescape

Kept = Mapping[str, tuple[int, ...]]
"""By path: where each part that is kept begins and ends, in bytes of the file, one after the other."""


def fitted(blocks: Sequence[Block], kept: Kept) -> Sequence[Block]:
    """The blocks with the kept parts of the files that *kept* names, and the others as they are."""
    return [_cut(one, kept[one.path]) if one.path in kept else one for one in blocks] if kept else blocks


def cut_bytes(kept: Kept, sizes: Mapping[str, int]) -> int:
    """How many bytes of files of these sizes are left out."""
    return sum(sizes[path] - sum(end - start for start, end in _pairs(ends)) for path, ends in kept.items())


def _pairs(ends: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(ends[::2], ends[1::2], strict=True))


def _cut(block: Block, ends: Sequence[int]) -> Block:
    raw = unescape(block.inner).encode()
    pieces, at = [], 0
    for start, end in [*_pairs(ends), (len(raw), len(raw))]:
        if start > at:
            pieces.append(
                f"[{start - at} bytes of this file are left out here: the model has little room.]\n"
            )
        pieces.append(raw[start:end].decode())
        at = end
    parts = [escape("".join(pieces))]
    return replace(block, _parts=parts, _length=len(parts))


def sections(text: str, mark: str = "## ") -> list[tuple[int, int]]:
    """Where each section of a Markdown text begins and ends, in bytes; the first stands before any."""
    starts, at = [0], 0
    for line in text.splitlines(keepends=True):
        if line.startswith(mark) and at:
            starts.append(at)
        at += len(line.encode())
    return list(pairwise([*starts, at]))


def joined(parts: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Parts in their order as `Kept` names them, those that adjoin as one."""
    ends: list[int] = []
    for start, end in parts:
        if ends and ends[-1] == start:
            ends[-1] = end
        else:
            ends += [start, end]
    return tuple(ends)
