"""Change one figure in half of a corpus of clean dense decks; nobody chooses which.

    python scripts/bench_data/changed.py CLEAN.yaml CHANGED.yaml SEED

A figure is changed only where the deck itself shows that it is wrong: it stands, digit for digit and
with at least three digits, in two different lines, so that the other line says otherwise. The other
half is copied as it is.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

_FIGURE = re.compile(r"(?<![\w.,-])\d{1,3}(?:[.,]\d{1,3})*(?![\w-]|[.,]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")


def figures(deck: str) -> Iterator[tuple[str, int]]:
    """Figures of at least three digits that stand in several lines, each with the place of every one."""
    lines: dict[str, set[int]] = {}
    for found in _FIGURE.finditer(deck):
        digits = re.sub(r"\D", "", found[0])
        if len(digits) >= 3 and not _YEAR.fullmatch(found[0]):
            lines.setdefault(found[0], set()).add(deck.count("\n", 0, found.start()))
    several = {figure for figure, at in lines.items() if len(at) >= 2}
    for found in _FIGURE.finditer(deck):
        if found[0] in several:
            yield found[0], found.start()


def other(figure: str, rng: random.Random) -> str:
    """The figure with one of its first two digits made another, and none made nought."""
    places = [at for at, sign in enumerate(figure) if sign.isdigit()][:2]
    at = rng.choice(places)
    choices = [digit for digit in "123456789" if digit != figure[at]]
    return figure[:at] + rng.choice(choices) + figure[at + 1 :]


def changed(row: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
    """The deck with one figure changed; None where no figure stands twice."""
    places = list(figures(row["deck"]))
    if not places:
        return None
    figure, start = rng.choice(places)
    new = other(figure, rng)
    deck = row["deck"][:start] + new + row["deck"][start + len(figure) :]
    line = deck.split("\n")[deck.count("\n", 0, start)]
    return {**row, "deck": deck, "change": {"from": figure, "to": new, "line": line}}


def main(source: str, target: str, seed: str) -> None:
    rng = random.Random(seed)
    rows = yaml.safe_load(Path(source).read_text("utf-8"))
    able = [at for at, row in enumerate(rows) if any(figures(row["deck"]))]
    for at in rng.sample(able, min(len(rows) // 2, len(able))):
        rows[at] = changed(rows[at], rng) or rows[at]
    Path(target).write_text(yaml.safe_dump(rows, allow_unicode=True, sort_keys=False, width=100), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
