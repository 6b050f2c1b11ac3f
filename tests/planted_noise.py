"""What clean decks are full of and planted ones too: numbers that look alike and contradict nothing."""

from __future__ import annotations

from collections.abc import Callable

from tests.planted_mentions import LAYOUTS, chatter, level, said, said_level
from tests.planted_numbers import decimal_words, plain, plain3, significant
from tests.planted_world import MONTHS, Block, Metric, Piece, World, capital, lower


def about_metric(world: World, metric: Metric) -> list[Piece]:
    """Three to five other numbers for a metric that the deck tells about."""
    makers: list[Callable[[World, Metric], Piece]] = [_market, _peer, _target, _place, _example]
    makers += [_rounded] if metric.adds_up else [_range]
    makers += [_gross] if metric.unit == "money" else []
    makers += [_quarter] if metric.flow and "quarter" not in world.barred else []
    makers += [_last] if "last" not in world.barred else []
    makers += [_record] if "record" not in world.barred else []
    chosen = world.rng.sample(makers, world.rng.randint(3, 5))
    return [make(world, metric) for make in chosen]


def _line(world: World, theme: str, *forms: str) -> Piece:
    return Piece(
        theme, Block(world.rng.choice(("bullet", "bullet", "box")), capital(world.rng.choice(forms)))
    )


def _figure(world: World, metric: Metric, role: str) -> str:
    return world.written(world.value(metric, role), metric)


def _market(world: World, metric: Metric) -> Piece:
    value, label = _figure(world, metric, "market"), lower(metric.label)
    if metric.adds_up:
        return _line(
            world,
            "market",
            f"A typical organisation of our kind: {label} of {value}",
            f"Median of the sector, {label}: {value}",
        )
    return _line(
        world,
        "market",
        f"Sector average, {label}: {value}",
        f"The sector as a whole reports {label} of {value}",
        f"Benchmark of the trade association: {value} ({label})",
        f"Across the industry, {label} is {value}",
    )


def _peer(world: World, metric: Metric) -> Piece:
    value, label = _figure(world, metric, "peer"), lower(metric.label)
    return _line(
        world,
        "market",
        f"{world.peer}: {label} {value}",
        f"{world.peer} reports {label} of {value}",
        f"Compare {world.peer}, where {label} stands at {value}",
        f"Our competitor {world.peer} is at {value} ({label})",
    )


def _target(world: World, metric: Metric) -> Piece:
    value, label, year = _figure(world, metric, "target"), lower(metric.label), world.year
    return _line(
        world,
        "plan",
        f"Target for {year + 1}: {label} of {value}",
        f"By {year + 2} we aim for {value} ({label})",
        f"Plan {year + 1}, {label}: {value}",
        f"In {year + 1} we want {label} to reach {value}",
        f"Our goal is {label} of {value}",
    )


def _last(world: World, metric: Metric) -> Piece:
    value, label, year = _figure(world, metric, "last"), metric.label, world.year - 1
    return _line(
        world,
        "progress",
        f"{label} in {year}: {value}",
        f"A year earlier, in {year}, {lower(label)} was {value}",
        f"{label} {year}: {value}",
        f"For comparison, {year}: {value} ({lower(label)})",
    )


def _place(world: World, metric: Metric) -> Piece:
    value, label, place = _figure(world, metric, "place"), lower(metric.label), world.places[0]
    return _line(
        world,
        "operations",
        f"In {place} alone, {label}: {value}",
        f"{capital(place)}: {label} {value}",
        f"{metric.label} in {place}: {value}",
        f"Only for {place}: {value} ({label})",
    )


def _example(world: World, metric: Metric) -> Piece:
    value, label = _figure(world, metric, "example"), lower(metric.label)
    return _line(
        world,
        "risk",
        f"Stress test: what if {label} were {value}?",
        f"Worst case in our model: {label} of {value}",
        f"Suppose {label} went to {value}: the plan would still hold",
    )


def _record(world: World, metric: Metric) -> Piece:
    value, label, year = _figure(world, metric, "record"), lower(metric.label), world.year - 6
    return _line(
        world,
        "progress",
        f"Highest {label} so far: {value}, in {year}",
        f"Record year {year}: {label} of {value}",
    )


def _rounded(world: World, metric: Metric) -> Piece:
    value = world.value(metric)
    about = significant(value, 1)
    about = about if abs(about / value - 1) < 0.08 else significant(value, 2)
    return _line(
        world,
        "glance",
        f"{metric.label}: about {world.written(about, metric)}",
        f"Roughly {world.written(about, metric)} of {lower(metric.label)}"
        if metric.unit == "money"
        else f"{metric.label}: roughly {world.written(about, metric)}",
    )


def _range(world: World, metric: Metric) -> Piece:
    value = world.value(metric)
    low, high = (round(round(value * ratio / metric.step) * metric.step, 2) for ratio in (0.8, 1.08))
    figures = world.written(low or metric.step, metric), world.written(high, metric)
    return _line(
        world,
        "operations",
        f"{metric.label} by month: between {figures[0]} and {figures[1]}",
        f"Depending on the site, {lower(metric.label)} ranges from {figures[0]} to {figures[1]}",
    )


def _quarter(world: World, metric: Metric) -> Piece:
    value = world.written(significant(world.value(metric, "quarter"), 2), metric)
    year, number = world.year, world.rng.randint(1, 4)
    return _line(
        world,
        "progress",
        f"{metric.label}, Q{number} {year} alone: {value}",
        f"Q{number} {year}: {lower(metric.label)} of {value}",
        f"In the quarter to {MONTHS[number * 3 - 1]} {year}, {lower(metric.label)} came to {value}",
    )


def _gross(world: World, metric: Metric) -> Piece:
    value, label = _figure(world, metric, "gross"), lower(metric.label)
    return _line(
        world,
        "finance",
        f"{metric.label} including one-off items: {value}",
        f"At last year's exchange rates, {label} would be {value}",
        f"{metric.label} including pass-through items: {value}",
    )


def said_about(world: World, metric: Metric) -> list[Piece]:
    """One or two other numbers for a metric, said aloud."""
    value, label = world.value(metric), lower(metric.label)
    forms = [
        f"The sector average for {label} is {world.spoken(world.value(metric, 'market'), metric)}",
        f"{world.peer} reports {label} of {world.spoken(world.value(metric, 'peer'), metric)}",
        f"Next year we want {label} to reach {world.spoken(world.value(metric, 'target'), metric)}",
    ]
    if "last" not in world.barred:
        forms.append(f"In {world.year - 1} {label} was {world.spoken(world.value(metric, 'last'), metric)}")
    if metric.unit == "money" and value >= 1e6:
        about = significant(value, 1)
        about = about if abs(about / value - 1) < 0.08 else significant(value, 2)
        forms.append(f"{metric.label}, that is about {decimal_words(about / 1e6)} million")
    chosen = world.rng.sample(forms, world.rng.randint(1, 2))
    themes = ("market", "plan", "progress")
    return [Piece(world.rng.choice(themes), Block("said", said(world, text))) for text in chosen]


def restated(world: World, *, aloud: bool) -> list[Piece]:
    """Another metric, told two or three times and each time the same, with other numbers around."""
    metric = world.take()
    value, rng = world.value(metric), world.rng
    pieces = about_metric(world, metric)
    for theme in rng.sample(("glance", "operations", "finance", "people"), 2):
        blocks, _, _ = level(world, metric, value, None, rng.choice(LAYOUTS), rng.choice((world.year, None)))
        pieces += [Piece(theme, block) for block in blocks]
    if aloud:
        pieces.append(Piece("glance", said_level(world, metric, value, value, None)[0]))
    return pieces


def ground(world: World) -> list[Piece]:
    """Numbers that no deck is without, and that measure nothing that it claims."""
    rng = world.rng
    pool = [
        ("risk", f"Open issues: #{rng.randint(1000, 9999)} and #{rng.randint(1000, 9999)}"),
        ("operations", f"All sites run release {rng.randint(2, 9)}.{rng.randint(0, 19)}.{rng.randint(0, 9)}"),
        ("operations", "ISO 9001 and ISO 27001 certificates renewed"),
        ("operations", "The hotline is open 24/7, 365 days a year"),
        ("risk", "Legal basis: Art. 28 GDPR, section 12 of the licence"),
        (
            "appendix",
            f"Licence no. {rng.randint(100, 999)}-{rng.randint(10000, 99999)}, file 20/{rng.randint(9, 99)}",
        ),
        ("appendix", f"Contact: +49 30 {rng.randint(200000, 999999)}, room {rng.randint(101, 480)}"),
        (
            "appendix",
            f"Source: annual report {world.year - 1}, page {rng.randint(12, 90)}, table {rng.randint(2, 9)}",
        ),
        ("appendix", f"Licensed under CC BY 4.0; template version {rng.randint(2, 5)}.{rng.randint(0, 9)}"),
        ("people", f"{world.percent(rng.randint(18, 48))} of staff work part time"),
        ("people", f"{world.percent(rng.randint(30, 60))} of managers are women"),
        ("finance", f"{world.percent(rng.randint(52, 79))} of invoices are paid by direct debit"),
        ("finance", f"{world.percent(rng.randint(22, 49))} of the budget is tied up until {world.year + 2}"),
        ("market", f"The market grows by {world.percent(rng.randint(2, 9))} a year, says the ministry"),
        ("market", "Again in the top 10 of the ranking"),
        (
            "risk",
            f"A site of {rng.randint(20, 60)} staff could, say, save {world.money(rng.randint(2, 9) * 1e4)}",
        ),
        ("next", f"Next meeting: {rng.randint(2, 28)} {rng.choice(MONTHS)} {world.year + 1}, 14:00 to 16:30"),
        ("people", f"Board of {rng.randint(7, 11)}, elected for {rng.randint(3, 5)} years"),
    ]
    pieces = [Piece(theme, Block("bullet", text)) for theme, text in rng.sample(pool, 9)]
    if rng.random() < 0.5:
        shares = sorted((rng.randint(25, 68) for _ in range(3)), reverse=True)
        reasons = ("price", "service", "opening hours")
        told = ", ".join(
            f"{reason} {world.percent(share)}" for reason, share in zip(reasons, shares, strict=True)
        )
        pieces.append(
            Piece("market", Block("bullet", f"Reasons to leave (several answers possible): {told}"))
        )
    return pieces


def moved_date(world: World) -> Piece:
    """A date that was moved, and said to have been."""
    title, _, _ = world.events[1]
    month = world.year * 12 + world.rng.randint(13, 20)
    old, new = (f"{MONTHS[one % 12]} {one // 12}" for one in (month, month + world.rng.randint(1, 5)))
    return _line(
        world,
        "plan",
        f"{title}: moved from {old} to {new}",
        f"{title} now in {new} (originally {old})",
        f"{title}: {new} instead of {old}, because of late permits",
    )


def subtotals(world: World) -> Piece:
    """A table with subtotals, which adds up."""
    parts = [world.rng.randint(40, 900) for _ in range(4)]
    rows = [
        ("Position", f"{world.how.currency} k"),
        ("Rent", plain(parts[0])),
        ("Energy bills", plain(parts[1])),
        ("Subtotal premises", plain(parts[0] + parts[1])),
        ("Software licences", plain3(parts[2])),
        ("Consultants", plain(parts[3])),
        ("Subtotal services", plain(parts[2] + parts[3])),
        ("Total", plain(sum(parts))),
    ]
    return Piece("appendix", Block("table", rows=tuple(rows)))


def talk(world: World) -> str:
    """A segment that asserts nothing."""
    return " ".join({chatter(world.rng): None, chatter(world.rng): None})
