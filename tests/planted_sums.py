"""Faults in sums: parts that do not make up their total, shares that exceed the whole."""

from __future__ import annotations

from tests.planted_numbers import plain3
from tests.planted_world import Block, Piece, World, capital, lower


def sums(world: World) -> list[Piece]:
    """Parts that do not make up their total."""
    return world.rng.choice((_table_sum, _table_sum, _uses, _uses, _shares, _shares, _counted))(world)


def _table_sum(world: World) -> list[Piece]:
    rng = world.rng
    metric = world.take(lambda one: one.unit == "money" or one.name == "headcount")
    value = world.value(metric)
    parts = world.split(value, len(world.part_names))
    scale = 1000.0 if metric.unit == "money" else 1.0
    unit = f"{world.how.currency} k" if metric.unit == "money" else "people"
    cells = [plain3(part / scale) for part in parts]
    bad = _wrong_total(world, value, parts[0])
    total = rng.choice(("Total", "Total", "Sum", "All together"))
    head = (rng.choice(("Area", "Unit", "Segment")), f"{metric.label}, {unit}")

    def table(sum_of_all: float) -> Block:
        body = tuple(zip(world.part_names, cells, strict=True))
        return Block("table", rows=(head, *body, (total, plain3(sum_of_all / scale))))

    return [
        Piece(
            "finance" if scale > 1 else "people",
            table(value),
            table(bad),
            a=(plain3(bad / scale), total),
            b=(cells[0], *cells[1:], *world.part_names, head[1]),
        )
    ]


def _wrong_total(world: World, value: float, part: float) -> float:
    """A total that rounding of the parts cannot explain, and that is no sum of fewer parts."""
    size = 10.0 ** max(len(str(int(value))) - 3, 0)
    while True:
        found = round(value * (1 + world.rng.choice((-1, 1)) * world.rng.uniform(0.06, 0.3)) / size) * size
        if abs(found - (value - part)) > 0.03 * value and abs(found / value - 1) > 0.05:
            return found


_USES = ("product", "sales", "two new sites", "hiring", "equipment", "a reserve", "marketing", "training")


def _uses(world: World) -> list[Piece]:
    rng = world.rng
    ask = rng.choice((0.8, 1.2, 1.5, 2.4, 3.0, 4.0, 6.0, 9.0)) * 1e6
    bad = round(ask * rng.choice((0.7, 0.8, 0.9, 1.15, 1.3)), -4)
    uses = rng.sample(_USES, 3)
    parts = world.split(ask, 3)
    lines = [
        rng.choice((f"{world.money(part)} for {use}", f"{capital(use)}: {world.money(part)}"))
        for part, use in zip(parts, uses, strict=True)
    ]
    form = rng.choice(
        (
            "We ask the board for {v}",
            "Our request: {v}",
            "Use of funds: {v} in total",
            "We seek {v} from the board, for:",
            "Funding needed: {v}",
        )
    )
    kind = rng.choice(("title", "bullet", "bullet"))
    if rng.random() < 0.25:  # in one sentence
        told = "{total} are requested: " + f"{lines[0]}, {lines[1]} and {lines[2]}"
        good, wrong_line = (told.format(total=world.money(value)) for value in (ask, bad))
        return [Piece("ask", Block("box", good), Block("box", wrong_line), a=(wrong_line,), b=(wrong_line,))]
    good, wrong_line = (form.replace("{v}", world.money(value)) for value in (ask, bad))
    head = Piece("ask", Block(kind, good), Block(kind, wrong_line), a=(wrong_line,), b=tuple(lines))
    if rng.random() < 0.3:
        cells = tuple((capital(use), world.money(part)) for use, part in zip(uses, parts, strict=True))
        table = Block("table", rows=(("Use of funds", "Amount"), *cells))
        quotes = tuple(cell for row in cells for cell in reversed(row))
        return [Piece("ask", head.block, head.wrong, head.a, quotes), Piece("ask", table)]
    return [head, *(Piece("ask", Block("bullet", line)) for line in lines)]


def _shares(world: World) -> list[Piece]:
    rng = world.rng
    parts = [float(part) for part in world.split(100, len(world.part_names))]
    more = float(rng.randint(6, 22))
    title = rng.choice(
        ("Where our spending goes", "Spending by area", "How costs break down", "Split of costs")
    )
    names = world.part_names
    at = rng.randrange(len(parts))
    bad = [part + (more if index == at else 0) for index, part in enumerate(parts)]

    def table(values: list[float]) -> Block:
        head = ("Area", "Share of costs")
        return Block(
            "table", rows=(head, *((n, world.percent(v)) for n, v in zip(names, values, strict=True)))
        )

    form = rng.choice(("bullets", "table", "pie", "pie", "sentence"))
    if form == "sentence":
        text = "Of our costs, {} go to {}, {} to {}, {} to {} and {} to {}"
        good, wrong_line = (_filled(world, text, values) for values in (parts, bad))
        return [
            Piece("costs", Block("box", good), Block("box", wrong_line), a=(wrong_line,), b=(wrong_line,))
        ]
    head = Piece("costs", Block("title", title))
    if form == "bullets":
        lines = [
            (f"{n}: {world.percent(v)}", f"{n}: {world.percent(w)}")
            for n, v, w in zip(names, parts, bad, strict=True)
        ]
        all_lines = tuple(w for _, w in lines)
        return [head] + [
            Piece(
                "costs",
                Block("bullet", good),
                Block("bullet", wrong_line) if index == at else None,
                a=all_lines if index == at else (),
                b=all_lines if index == at else (),
            )
            for index, (good, wrong_line) in enumerate(lines)
        ]
    if form == "pie":
        rows = (tuple(names), ("Share of costs in %",))
        quotes = (*rows[1], *names, title)
        blocks = [Block("pie", rows=rows, series=tuple(values)) for values in (parts, bad)]
        return [head, Piece("costs", blocks[0], blocks[1], a=quotes, b=quotes)]
    tables = [table(values) for values in (parts, bad)]
    quotes = tuple(cell for row in tables[1].rows for cell in row)
    return [head, Piece("costs", tables[0], tables[1], a=quotes, b=quotes)]


def _filled(world: World, text: str, values: list[float]) -> str:
    pairs = zip(values, world.part_names, strict=True)
    return text.format(*(word for value, name in pairs for word in (world.percent(value), lower(name))))


def _counted(world: World) -> list[Piece]:
    rng = world.rng
    noun, places = rng.choice(
        (
            ("sites", ("in the north", "in the south", "abroad")),
            ("vehicles", ("run on batteries", "run on gas", "run on diesel")),
            ("complaints", ("about prices", "about waiting times", "about staff")),
            ("projects", ("on track", "delayed", "on hold")),
            ("contracts", ("with firms", "with households", "with public bodies")),
        )
    )
    parts = [rng.randint(8, 60) for _ in places]
    total = sum(parts)
    bad = total + rng.choice((-1, 1)) * rng.randint(4, max(5, total // 4))
    told = ", ".join(f"{part} {place}" for part, place in zip(parts[:-1], places[:-1], strict=True))
    form = rng.choice(
        (
            "{total} {noun}: {told} and {last}",
            "We count {total} {noun}, of which {told} and {last}",
            "Of {total} {noun}, {told} and {last}",
        )
    )
    good, wrong_line = (
        form.format(total=value, noun=noun, told=told, last=f"{parts[-1]} {places[-1]}")
        for value in (total, bad)
    )
    return [
        Piece(
            "progress", Block("bullet", good), Block("bullet", wrong_line), a=(wrong_line,), b=(wrong_line,)
        )
    ]
