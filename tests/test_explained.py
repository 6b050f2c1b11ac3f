"""What a deck's own sentences explain is no contradiction; what they do not is found where it stands."""

from __future__ import annotations

import pytest

from orchestrator.checks.explained import unexplained
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.read import read_deck_text
from tests.planted_measure import tensions_in

ALONE = {
    "the rest of a whole": """# Licences in 2025

- 412 applications, 60 of them renewals

---

# Work done

- New applications 352, of which 200 for shops and 152 for stalls
""",
    "a price for something else": """# Our cooperative

- 210 members, shares of €150 each, €41,400 subscribed
""",
    "another lot": """# The recall

- Lot 31-0622 made in June 2025, 54,000 jars

---

# What is in the shops

| Lot | Jars | Sold until |
| --- | --- | --- |
| 31-0623 | 47,000 | June 2027 |
| 31-0711 | 12,000 | July 2027 |
""",
    "a sentence that gives both prices": """# What a ride costs

- The average guest rode 29 minutes and paid 28 cents per minute, helmet included (2024: 31 cents)

---

# What is in it

- Of these 28 cents, 9 are for the battery
""",
    "a term of office": """# Our savings

- Savings: €12,000,000 (2023) to EUR 9m (2025), minus 25 percent

---

# Who decides

- Council of 9, elected for 5 years
""",
    "an adjective with a number": """# Our ward

- Our 30-day return rate is 12.5 percent

---

# Beside others

- The trade as a whole, across the industry, has a 30-day return rate of 18 percent
""",
}


@pytest.mark.parametrize("deck", ALONE.values(), ids=ALONE)
def test_what_its_own_sentences_explain_is_left_alone(deck: str) -> None:
    assert tensions_in(read_deck_text(deck), ()) == ()


EXPLAINED = {
    "a named peer": ("The number of ferries is 140", "Compare Fjordline, where ferries stand at 160"),
    "the sector": ("Our churn is 5 percent", "The sector as a whole has churn of 8 percent"),
    "a part of the year": (
        "The margin fell to 26.4 percent",
        "In a nine-month basis the margin was 30.7 percent",
    ),
}


@pytest.mark.parametrize(("one", "other"), EXPLAINED.values(), ids=EXPLAINED)
def test_whose_and_of_when_a_number_is_explains_another(one: str, other: str) -> None:
    said, meant = Place(1, None, one), Place(2, None, other)
    assert list(unexplained([Tension("deck-vs-deck", said, meant, "")], ())) == []
    plain = Tension("deck-vs-deck", said, Place(2, None, "It is another number here"), "")
    assert list(unexplained([plain], ())) == [plain]


FOUND = {
    "a label with its year below its number": (
        "deck-vs-deck",
        """# The network

- Water mains: 61 km

---

# In numbers

- 48 km
- Water mains, 2025
""",
    ),
    "a plus of": (
        "growth",
        """# Staff

| | 2024 | 2025 |
| --- | --- | --- |
| Employees | 400 | 500 |

---

# People

- A plus of 60 percent in employees in 2025
""",
    ),
    "shares of all costs in a sentence": (
        "sum",
        """# Costs

- Of our costs, 47 per cent go to wages, 28 per cent to rent, 23 per cent to trains and 12 per cent to heat
""",
    ),
    "filed for approval": (
        "date",
        """# What comes

- We have set the filing for approval for 3 February 2028

---

# Steps

- 16 September 2027: filing for approval
""",
    ),
    "several parts with figures of their own": (
        "deck-vs-deck",
        """# At a glance

- Capital expenditure was €13.6m

---

# Parts

- In the Danish sites alone, capital expenditure: €4m
- In the Polish sites alone, capital expenditure: €3m
- In the Baltic sites alone, capital expenditure: €6.6m

---

# The year

- We had capital expenditure of €9.3m
""",
    ),
}


@pytest.mark.parametrize(("kind", "deck"), FOUND.values(), ids=FOUND)
def test_what_nothing_explains_is_found(kind: str, deck: str) -> None:
    assert [tension.kind for tension in tensions_in(read_deck_text(deck), ())] == [kind]


def test_the_exact_figure_is_named_and_not_the_rounded_one() -> None:
    deck = read_deck_text(
        "# In short\n\n- Employees: about 1,100\n\n---\n\n# Staff\n\n- 1,100 employees\n\n---\n\n"
        "# People\n\n- We have 700 employees\n"
    )
    assert [(t.a.slide, t.b.slide) for t in tensions_in(deck, ())] == [(2, 3)]


@pytest.mark.parametrize(
    ("line", "note", "kind"),
    [
        ("52 percent of households are satisfied", "88 percent of households are satisfied", "deck-vs-deck"),
        ("The tram depot opens on 4 May 2027", "The tram depot opens on 9 June 2027", "date"),
    ],
)
def test_what_the_presenter_means_to_say_is_held_against_the_slides(line: str, note: str, kind: str) -> None:
    slides = (Slide(1, "Where we stand", (line,)), Slide(2, "The year", ("Thank you all",), notes=note))
    deck = Deck("md", "deck.md", "0" * 64, "Report", slides)
    assert [(t.kind, {t.a.quote, t.b.quote}) for t in tensions_in(deck, ())] == [(kind, {line, note})]
