"""Which line stands under which, while the lines of a slide are gathered."""

from __future__ import annotations

from collections.abc import Sequence

Parents = tuple[int | None, ...]

_INTRODUCES = (":", "：")
"""How a line ends that what follows belongs to, in any language."""


def introduces(text: str) -> bool:
    """Whether *text* says by its last character that it heads what follows."""
    return text.endswith(_INTRODUCES)


def by_levels(texts: Sequence[str], levels: Sequence[int]) -> list[int | None]:
    """The parents of paragraphs that say how deep they are: the nearest one above that is less deep.

    A paragraph that ends in a colon and has none below it heads those behind it on its level,
    up to the next one that ends so.
    """
    parents: list[int | None] = []
    above: list[int] = []  # indices of the paragraphs that are open, the outermost first
    heads: dict[int, int] = {}  # of a level the paragraph that heads the others on it
    for index, level in enumerate(levels):
        while above and levels[above[-1]] >= level:
            above.pop()
        heads = {deep: head for deep, head in heads.items() if deep <= level}
        outer = above[-1] if above else None
        if introduces(texts[index]):
            heads.pop(level, None)
            if index + 1 < len(levels) and levels[index + 1] == level:
                heads[level] = index
            parents.append(outer)
        else:
            parents.append(heads.get(level, outer))
        above.append(index)
    return parents


def settled(parents: Sequence[int | None]) -> Parents:
    """As it stands in a `Slide`: nothing where no line has a parent."""
    return tuple(parents) if any(parent is not None for parent in parents) else ()


def without_line(parents: Sequence[int | None], gone: int) -> list[int | None]:
    """*parents* once the line *gone* is taken out; what stood under it stands under its parent."""
    heirs = [parents[gone] if parent == gone else parent for parent in parents]
    del heirs[gone]
    return [parent - 1 if parent is not None and parent > gone else parent for parent in heirs]
