"""Faults in levels and in growth: each as the pieces of a deck, right and wrong.

Taken without their wrong blocks, the same pieces are what a clean deck is full of.
"""

from __future__ import annotations

from functools import partial

from tests.planted_mentions import LAYOUTS, level, said, said_level
from tests.planted_numbers import count_words, wrong
from tests.planted_world import Block, Metric, Piece, World, capital, lower

THEMES = ("glance", "operations", "finance", "people", "progress")
WIDE = ("now", "last", "target", "market", "peer", "place", "record", "example", "gross", "quarter")


def off(world: World, metric: Metric) -> float:
    """A wrong value of *metric* that is no other number that the deck gives for it."""
    value = world.value(metric)
    others = tuple(world.value(metric, role) for role in WIDE)
    return wrong(world.rng, value, metric.unit, metric.step, others)


def _years(world: World) -> tuple[int | None, int | None]:
    """The years that two mentions are said of: both, neither, or one, if no other year is told about."""
    year = world.year
    years = world.rng.choice(
        ((year, year), (year, year), (None, None), (None, None), (year, None), (None, year))
    )
    if years[0] != years[1]:
        world.barred |= {"last", "record", "quarter"}
    return years


def levels(world: World) -> list[Piece]:
    """The same level at two places of the deck."""
    rng = world.rng
    metric = world.take()
    first, second = _years(world)
    here, there = rng.sample(THEMES, 2)
    layouts = [rng.choice((*LAYOUTS[:-2], "box")), rng.choice(LAYOUTS)]
    rng.shuffle(layouts)
    value = world.value(metric)
    truth, _, a = level(world, metric, value, None, layouts[0], first)
    clean, planted, b = level(world, metric, value, off(world, metric), layouts[1], second)
    pieces = [Piece(here, block) for block in truth]
    pieces[0] = Piece(here, truth[0], a=a)
    faulty = [
        Piece(there, good, bad if bad != good else None) for good, bad in zip(clean, planted, strict=True)
    ]
    at = next(index for index, piece in enumerate(faulty) if piece.wrong)
    faulty[at] = Piece(there, faulty[at].block, faulty[at].wrong, b=b)
    return [*pieces, *faulty]


def spoken_levels(world: World) -> list[Piece]:
    """A level on a slide, and another one said aloud."""
    rng = world.rng
    metric = world.take()
    first, second = _years(world)
    value = world.value(metric)
    theme = rng.choice(THEMES)
    truth, _, a = level(world, metric, value, None, rng.choice((*LAYOUTS[:-2], "box")), first)
    good, bad, b = said_level(world, metric, value, off(world, metric), second)
    pieces = [Piece(theme, block) for block in truth]
    pieces[0] = Piece(theme, truth[0], a=a)
    return [*pieces, Piece(rng.choice((theme, theme, "progress")), good, bad, b=b)]


def growth(world: World) -> list[Piece]:
    """A growth that does not follow from its two ends."""
    rng = world.rng
    metric = world.take(lambda one: one.adds_up or one.unit == "price")
    last, now = world.value(metric, "last"), world.value(metric)
    rate = round((now / last - 1) * 100)
    bad_rate = wrong_rate(world, rate)
    up = now > last
    ends = (world.written(last, metric), world.written(now, metric))
    year, before = world.year, world.year - 1
    label = metric.label
    form = rng.choice(("line", "line", "table", "lines", "spoken"))
    if form == "line":
        verb = rng.choice(("grew", "rose", "increased") if up else ("fell", "dropped", "declined"))
        text = rng.choice(
            (
                "{label} {verb} from {x} in {before} to {y} in {year}, {sign} {g}",
                "{label} {verb} by {g}, from {x} in {before} to {y} in {year}",
                "{label}: {x} ({before}) to {y} ({year}), {sign} {g}",
            )
        )
        sign = rng.choice(("up", "an increase of", "plus") if up else ("down", "a decrease of", "minus"))
        good, wrong_line = (
            text.format(
                label=label,
                verb=verb,
                x=ends[0],
                y=ends[1],
                before=before,
                year=year,
                sign=sign,
                g=world.percent(abs(g)),
            )
            for g in (rate, bad_rate)
        )
        return [
            Piece(
                "progress",
                Block("bullet", good),
                Block("bullet", wrong_line),
                a=(wrong_line,),
                b=(wrong_line,),
            )
        ]
    told = _growth_words(world, lower(label), up)
    if form == "spoken":
        words = [
            told.replace("{g}", f"{count_words(abs(g))} percent").replace("{year}", str(year))
            for g in (rate, bad_rate)
        ]
        texts = list(world.alike(partial(said, world), *words))
        piece = Piece("progress", Block("said", texts[0]), Block("said", texts[1]), a=(texts[1],))
    else:
        kind = rng.choice(("bullet", "title", "box"))
        texts = [
            told.replace("{g}", world.percent(abs(g))).replace("{year}", str(year)) for g in (rate, bad_rate)
        ]
        piece = Piece("progress", Block(kind, texts[0]), Block(kind, texts[1]), a=(texts[1],))
    if form == "lines":
        lines = (f"{label} {before}: {ends[0]}", f"{label} {year}: {ends[1]}")
        return [piece, *(Piece("progress", Block("bullet", line), b=lines) for line in lines)]
    table = Block("table", rows=(("", str(before), str(year)), (label, *ends)))
    return [piece, Piece(rng.choice(("progress", "finance")), table, b=(ends[1], ends[0], label))]


def _growth_words(world: World, label: str, up: bool) -> str:
    forms = (
        (
            "{label} grew by {g} in {year}",
            "{label} up {g} on the year before",
            "A plus of {g} in {label} in {year}",
        )
        if up
        else (
            "{label} fell by {g} in {year}",
            "{label} down {g} on the year before",
            "In {year}, {label} shrank by {g}",
        )
    )
    return capital(world.rng.choice(forms).replace("{label}", label))


def wrong_rate(world: World, rate: int) -> int:
    """Another rate of the same sign, at least 7 points and a quarter away."""
    while True:
        size = abs(rate) + world.rng.choice((-1, 1)) * world.rng.randint(7, 30)
        if 3 <= size < 90 and abs(size / abs(rate) - 1) > 0.25:
            return size if rate > 0 else -size
