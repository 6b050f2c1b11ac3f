"""What of figures is read in which language: the rows of a table in `greenroom help measured`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from orchestrator.core.packaged import PACKAGE
from orchestrator.material.claims.numbers import numbers_in

LANGUAGES = yaml.safe_load(Path(__file__).with_name("languages.yaml").read_text("utf-8"))
Figures = list[tuple[float, str | None]]


def figures(found: list[list[str]]) -> Figures:
    """The row's figures; YAML reads "1.2e9" as a text."""
    return [(float(value), unit) for value, unit in found]


def table() -> str:
    """The rows of the page: a language, and the examples of what is read and what is not."""
    return "\n".join(
        f"| {language} | {'; '.join(f'`{text}`' for text, _ in rows)} | "
        f"{', '.join(_read(figures(found)) for _, found in rows)} |"
        for language, rows in LANGUAGES.items()
    )


def _read(found: Figures) -> str:
    return ", ".join(f"{value:,.12g} {unit or ''}".strip() for value, unit in found) or "not read"


@pytest.mark.parametrize(
    ("text", "expected"), [row for rows in LANGUAGES.values() for row in rows], ids=lambda one: str(one)[:40]
)
def test_these_figures_are_read_of_a_language(text: str, expected: list[list[str]]) -> None:
    found = [(float(f"{one.value:.12g}"), one.unit or one.noun) for one in numbers_in(text)]
    assert found == figures(expected)


def test_the_page_shows_these_rows_and_no_others() -> None:
    page = (PACKAGE / "docs" / "measured.md").read_text("utf-8")
    head = "| figures, by language | as people write them | read as |\n|---|---|---|\n"
    assert page.count(head) == 1
    assert page.split(head)[1].split("\n\n")[0] == table()
