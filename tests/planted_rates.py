"""Faults in products and ratios: a rate that does not give its total, a share that is not part by whole."""

from __future__ import annotations

from tests.planted_numbers import plain
from tests.planted_world import Block, Piece, World, capital


def rates(world: World) -> list[Piece]:
    """A rate, how often, and a total that is not their product."""
    rng = world.rng
    times, unit_price, thing, per, total_words = rng.choice(
        (
            (12, rng.choice((12, 18, 25, 40, 60)), "maintenance contracts", "a month", "a year"),
            (12, rng.choice((400, 650, 900)), "rented offices", "a month", "a year"),
            (52, rng.choice((20, 30, 45)), "cleaning contracts", "a week", "a year"),
            (1, rng.choice((80, 120, 250)), "training days", "each", "in total"),
            (1, rng.choice((1500, 2200, 4800)), "laptops", "each", "in total"),
        )
    )
    if rng.random() < 0.35:
        return _counts(world)
    if rng.random() < 0.35:
        return _runway(world)
    count = rng.choice((24, 36, 50, 80, 120, 200, 350))
    total = float(times * unit_price * count)
    bad = _far(world, total)
    price = world.money(float(unit_price))
    if rng.random() < 0.3:
        head = (thing.capitalize(), f"Price {per}", f"Cost {total_words}")
        tables = [
            Block("table", rows=(head, (str(count), price, world.money(value)))) for value in (total, bad)
        ]
        return [Piece("costs", tables[0], tables[1], a=(tables[1].rows[1][2],), b=(str(count), price, *head))]
    form = rng.choice(
        (
            f"{count} {thing} at {price} {per}: {{}} {total_words}",
            f"We pay {price} {per} for each of {count} {thing}, which makes {{}} {total_words}",
            f"{capital(thing)}: {count} at {price} {per} = {{}} {total_words}",
        )
    ).replace(" each for each", " for each")
    good, wrong_line = (form.format(world.money(value)) for value in (total, bad))
    return [
        Piece("costs", Block("bullet", good), Block("bullet", wrong_line), a=(wrong_line,), b=(wrong_line,))
    ]


def _far(world: World, value: float) -> float:
    """Another value, 12 % to 60 % away."""
    factor = world.rng.choice((0.45, 0.6, 0.75, 0.85, 1.15, 1.3, 1.5, 1.6))
    size = 10.0 ** max(len(str(int(value))) - 3, 0)
    return round(value * factor / size) * size


def _counts(world: World) -> list[Piece]:
    rng = world.rng
    thing, per, times, span = rng.choice(
        (
            ("inspections", "a week", 50, "50 weeks"),
            ("visits", "a day", 250, "250 working days"),
            ("training hours", "a month", 12, "a year"),
            ("calls", "a day", 300, "300 days"),
        )
    )
    count = rng.choice((12, 24, 40, 65, 120))
    total = count * times
    bad = _far(world, float(total))
    form = (
        rng.choice(
            (
                f"{count} {thing} {per} over {span}: {{}} {thing}",
                f"{capital(thing)}: {count} {per}, {span}, {{}} in all",
                f"We plan {count} {thing} {per}; over {span} that makes {{}}",
            )
        )
        .replace("over a year", "over 12 months")
        .replace(", a year,", ", 12 months,")
    )
    good, wrong_line = (form.format(plain(value)) for value in (float(total), bad))
    return [
        Piece(
            "operations", Block("bullet", good), Block("bullet", wrong_line), a=(wrong_line,), b=(wrong_line,)
        )
    ]


def _runway(world: World) -> list[Piece]:
    rng = world.rng
    burn = rng.choice((40, 60, 75, 120, 200)) * 1000.0
    months = rng.randint(10, 26)
    bad = round(months * rng.choice((0.5, 0.65, 1.4, 1.7)))
    fund, rate = world.money(burn * months), world.money(burn)
    lines = [f"Pilot fund: {fund}", f"The pilot uses {rate} a month"]
    form = rng.choice(("The fund lasts {} months", "At this rate the fund is used up after {} months"))
    if rng.random() < 0.4:
        one = f"The pilot fund of {fund} lasts {{}} months at {rate} a month"
        return [
            Piece(
                "costs",
                Block("box", one.format(months)),
                Block("box", one.format(bad)),
                a=(one.format(bad),),
                b=(one.format(bad),),
            )
        ]
    last = Piece(
        "costs",
        Block("bullet", form.format(months)),
        Block("bullet", form.format(bad)),
        a=(form.format(bad),),
    )
    return [*(Piece("costs", Block("bullet", line), b=tuple(lines)) for line in lines), last]


_GROUPS = (
    ("apprentices", "stay with us after the exam"),
    ("suppliers", "have signed the code of conduct"),
    ("buildings", "have been renovated"),
    ("audits", "ended without a finding"),
    ("tenders", "were won"),
    ("company cars", "are electric"),
    ("replies to the survey", "ask for longer opening hours"),
)
_FRACTIONS = (
    ("half", 50),
    ("a third", 33),
    ("a quarter", 25),
    ("three quarters", 75),
    ("two thirds", 67),
    ("one in five", 20),
)


def shares(world: World) -> list[Piece]:
    """A part, a whole, and a share that is not their ratio."""
    rng = world.rng
    noun, predicate = rng.choice(_GROUPS)
    whole = rng.choice((40, 60, 90, 120, 180, 240, 300, 480, 600))
    fraction, percent = rng.choice(_FRACTIONS)
    part = {33: whole // 3, 67: whole * 2 // 3}.get(percent, whole * percent // 100)
    in_words = whole % 60 == 0 and rng.random() < 0.45
    if not in_words:
        part = round(whole * rng.uniform(0.12, 0.88))
        part += part * 1000 % (whole * 10) == whole * 5  # no half percent
        percent = round(part / whole * 100)
    others = [one for one in range(5, 96) if abs(one - percent) >= 8 and abs(one / percent - 1) > 0.15]
    bad = rng.choice(others)
    if in_words:
        other = rng.choice([words for words, value in _FRACTIONS if abs(value - percent) >= 8])
        good_share, bad_share = fraction, other
    else:
        good_share, bad_share = world.percent(percent), world.percent(bad)
    if rng.random() < 0.3 and not in_words:
        head = (capital(noun), f"Those that {predicate}", "Share")
        tables = [
            Block("table", rows=(head, (str(whole), str(part), share))) for share in (good_share, bad_share)
        ]
        return [Piece("people", tables[0], tables[1], a=(bad_share,), b=(str(part), str(whole), *head))]
    if rng.random() < 0.3:
        lines = [f"{whole} {noun} in total", f"{part} of the {noun} {predicate}"]
        last = [capital(f"{share} of the {noun} {predicate}") for share in (good_share, bad_share)]
        return [
            *(Piece("people", Block("bullet", line), b=tuple(lines)) for line in lines),
            Piece("people", Block("bullet", last[0]), Block("bullet", last[1]), a=(last[1],)),
        ]
    form = rng.choice(
        (
            f"{part} of our {whole} {noun} {predicate} ({{}})",
            f"{part} of {whole} {noun}, or {{}}, {predicate}",
            f"{{}} of the {noun} {predicate}: {part} of {whole}",
        )
    )
    good, wrong_line = (capital(form.format(share)) for share in (good_share, bad_share))
    return [
        Piece("people", Block("bullet", good), Block("bullet", wrong_line), a=(wrong_line,), b=(wrong_line,))
    ]
