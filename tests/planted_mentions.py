"""How a level is told: wordings, layouts, periods; on a slide or aloud."""

from __future__ import annotations

from functools import partial
from random import Random

from tests.planted_world import Block, Metric, World, capital, lower

LAYOUTS = ("bullet", "sentence", "title", "cell", "figure", "card", "notes", "box")


def phrase(world: World, metric: Metric, value: float, template: str, *, said: bool = False) -> str:
    """A wording with *value*; where the wording is of the rest, the rest to 100 %."""
    value = round(100 - value, 2) if template in metric.comp else value
    figure = world.spoken(value, metric) if said else world.written(value, metric)
    return capital(template.replace("{v}", figure))


def template(rng: Random, metric: Metric, *, complement: bool = True) -> str:
    """A wording of *metric*."""
    if complement and metric.comp and rng.random() < 0.35:
        return rng.choice(metric.comp)
    return rng.choice(metric.say)


def dated(world: World, text: str, year: int | None) -> str:
    """*text*, said of a year."""
    if year is None:
        return text
    forms = (f"In {year}, {lower(text)}", f"In {year} {lower(text)}", f"{year}: {lower(text)}")
    return world.rng.choice(forms)


def labelled(world: World, metric: Metric, figure: str, year: int | None) -> str:
    """A key-figure line."""
    label = (
        metric.label
        if year is None
        else world.rng.choice((f"{metric.label} {year}", f"{metric.label}, {year}"))
    )
    return world.rng.choice((f"{label}: {figure}", f"{label} – {figure}", f"{figure} {lower(label)}"))


_AFTER = (
    "as the audit confirmed",
    "and the team is proud of it",
    "a figure that we check every month",
    "which the committee has seen before",
    "more on that in the appendix",
)
_BEFORE = ("To put it plainly", "At the end of the year", "By our own count", "As reported to the committee")


def level(
    world: World, metric: Metric, right: float, wrong: float | None, layout: str, year: int | None
) -> tuple[list[Block], list[Block], tuple[str, ...]]:
    """The blocks that tell a level, those that tell the wrong one, and what can be quoted of the latter.

    Both are worded alike; without *wrong*, both are the same and the quotes are of the right one.
    """
    told = partial(_level, world, metric, layout, year)
    (clean, _), (planted, quotes) = world.alike(told, right, right if wrong is None else wrong)
    return clean, planted, quotes


def _level(
    world: World, metric: Metric, layout: str, year: int | None, value: float
) -> tuple[list[Block], tuple[str, ...]]:
    rng = world.rng
    text = phrase(world, metric, value, template(rng, metric))
    if layout == "sentence":
        text = f"{dated(world, text, year)}, {rng.choice(_AFTER)}."
        if year is None and rng.random() < 0.4:
            text = f"{rng.choice(_BEFORE)}, {lower(text)}"
        return [Block("box", text)], (text,)
    figure = world.written(value, metric)
    if layout == "cell":
        return _table(world, metric, figure, year)
    if layout == "figure":
        line = labelled(world, metric, figure, year)
        return [Block(rng.choice(("bullet", "box")), line)], (line,)
    if layout == "card":
        label = metric.label if year is None else f"{metric.label}, {year}"
        return [Block("box", figure), Block("box", label)], (figure, label)
    text = dated(world, text, year)
    kind = {"title": "title", "notes": "notes", "box": "box"}.get(layout, "bullet")
    return [Block(kind, text + ("." if kind == "notes" else ""))], (text,)


def _table(
    world: World, metric: Metric, figure: str, year: int | None
) -> tuple[list[Block], tuple[str, ...]]:
    """A table of key figures with the metric in one row; the other rows are about other things."""
    others = [["Languages spoken by staff", "9"], ["Average age of staff", "43 years"], ["Founded", "1987"]]
    rows = [[metric.label, figure], *world.rng.sample(others, 2)]
    world.rng.shuffle(rows)
    head = ["Key figure", str(year) if year else world.rng.choice(("Value", "Today", "Figure"))]
    return [Block("table", rows=tuple(map(tuple, [head, *rows])))], (figure, metric.label)


_OPENERS = (
    "As you can see, ",
    "And ",
    "So ",
    "Let me be clear: ",
    "What counts is that ",
    "You know that ",
    "",
)
_CHATTER = (
    "I will keep this short.",
    "Please stop me if anything is unclear.",
    "The team has put a lot of work into this page.",
    "We have talked about this before.",
    "Let me go on.",
    "That is the picture for now.",
)


def said(world: World, text: str) -> str:
    """*text* as a presenter says it, with some words around."""
    opener = world.rng.choice(_OPENERS)
    sentence = f"{opener}{lower(text) if opener else text}."
    if world.rng.random() < 0.35:
        sentence = f"{world.rng.choice(_CHATTER)} {sentence}"
    if world.rng.random() < 0.35:
        sentence = f"{sentence} {world.rng.choice(_CHATTER)}"
    return sentence


def chatter(rng: Random) -> str:
    """Words without a number."""
    return rng.choice(_CHATTER)


def said_level(
    world: World, metric: Metric, right: float, wrong: float, year: int | None
) -> tuple[Block, Block, tuple[str, ...]]:
    """A level, said aloud: right, wrong, and what can be quoted of the latter."""

    def told(value: float) -> str:
        text = phrase(world, metric, value, template(world.rng, metric), said=True)
        return said(world, text if year is None else f"In {year} {lower(text)}")

    clean, planted = world.alike(told, right, wrong)
    return Block("said", clean), Block("said", planted), (planted,)
