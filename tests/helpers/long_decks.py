"""Decks as long as they come, in Markdown: what reading them costs must grow with them, and no faster."""

from __future__ import annotations

from random import Random


def plain_deck(slides: int) -> str:
    """A title and one figure a slide: 400 are 30 kB."""
    return "\n---\n\n".join(
        f"# Slide {number}: revenue in Q{number % 4 + 1}\n\n"
        f"- Revenue grew {number % 30 + 1}% to EUR {number * 1.3:.1f} million in 2026\n"
        for number in range(1, slides + 1)
    )


ROWS = "Revenue, Cost of sales, Gross profit, Personnel, Marketing, EBIT, Interest, Tax, Income, Cash, Debt"


def finance_deck(slides: int) -> str:
    """Six figures with their changes, and a table of eleven rows and eight years, on every slide."""
    random = Random(slides)  # the same deck every time
    made = []
    for slide in range(slides):
        points = []
        for year, name in enumerate(ROWS.split(", ")[:6], start=2018):
            before, after = (f"EUR {random.uniform(1, 300):.1f} million in {at}" for at in (year, year + 1))
            points.append(f"- {name} grew {random.randint(1, 60)}% from {before} to {after}, 7% of the total")
        rows = [["EUR million", *map(str, range(2019, 2027))], ["---"] * 9]
        rows += [[name, *(f"{random.uniform(1, 900):,.1f}" for _ in range(8))] for name in ROWS.split(", ")]
        table = [f"| {' | '.join(row)} |" for row in rows]
        made.append("\n".join([f"# Results of unit {slide}\n", *points, "", *table, ""]))
    return "\n---\n\n".join(made)
