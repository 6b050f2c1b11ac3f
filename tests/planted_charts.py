"""Faults in charts: they show something else than the words beside them."""

from __future__ import annotations

from itertools import pairwise

from tests.planted_faults import off, wrong_rate
from tests.planted_mentions import phrase, template
from tests.planted_world import Block, Metric, Piece, World, capital, lower


def charts(world: World) -> list[Piece]:
    """A chart that shows something else than the words beside it."""
    rng = world.rng
    metric = world.take(lambda one: one.adds_up and not one.noun.endswith("a day"))
    now, last = world.value(metric), world.value(metric, "last")
    scale = 1e6 if now >= 2e6 else 1.0
    unit = f"{world.how.currency} " + ("million" if scale > 1 else "") if metric.unit == "money" else ""
    unit = "millions" if scale > 1 and metric.unit == "count" else unit.strip()
    name = f"{metric.label}, {unit}" if unit else metric.label
    earlier = [last * ratio for ratio in (rng.uniform(0.7, 0.95), rng.uniform(0.8, 1.1))]
    values = [round(value / scale, 3 if scale > 1 else 0) for value in (*earlier, last, now)]
    years = tuple(str(world.year - back) for back in (3, 2, 1, 0))
    chart = Block(rng.choice(("column", "line")), rows=(years, (name,)), series=tuple(values))
    form = rng.choice(("value", "value", "growth", "peak", "trend"))
    good, wrong_line = _chart_words(world, metric, form, values, years)
    kind = rng.choice(("title", "bullet", "box"))
    theme = "chart"
    world.barred.add("record")  # the best year is that of the chart
    return [
        Piece(theme, Block(kind, good), Block(kind, wrong_line), a=(wrong_line,)),
        Piece(theme, chart, b=(name, *years, wrong_line)),
    ]


def _chart_words(
    world: World, metric: Metric, form: str, values: list[float], years: tuple[str, ...]
) -> tuple[str, str]:
    rng = world.rng
    label = metric.label
    if form == "value":
        words = template(rng, metric, complement=False)
        right, other = world.value(metric), off(world, metric)
        start = rng.choice((f"In {world.year}, ", f"In {world.year} ", ""))
        good, bad = (
            capital(
                start + lower(phrase(world, metric, value, words))
                if start
                else phrase(world, metric, value, words)
            )
            for value in (right, other)
        )
        return good, bad
    if form == "growth":
        rate = round((values[-1] / values[0] - 1) * 100)
        if abs(rate) >= 8:
            text = f"{label} {'grew' if rate > 0 else 'fell'} by {{}} between {years[0]} and {years[-1]}"
            good, bad = (text.format(world.percent(abs(one))) for one in (rate, wrong_rate(world, rate)))
            return good, bad
    if form == "trend":
        steps = [later - earlier for earlier, later in pairwise(values)]
        if all(step > 0 for step in steps) or all(step < 0 for step in steps):
            rising = (f"{label} has grown every year since {years[0]}", f"{label} rose year after year")
            falling = (f"{label} has fallen every year since {years[0]}", f"{label} fell year after year")
            at = rng.randrange(2)
            return (rising[at], falling[at]) if steps[0] > 0 else (falling[at], rising[at])
    top = years[values.index(max(values))]
    text = rng.choice(
        (f"{label} peaked in {{}}", f"The best year for {lower(label)} was {{}}", f"{label}: highest in {{}}")
    )
    lowest = years[values.index(min(values))]
    return text.format(top), text.format(lowest)
