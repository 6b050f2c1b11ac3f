# ruff: noqa: E501 - a deck is one line
"""What the general reading finds between a sentence and figures elsewhere, and what it leaves alone."""

from __future__ import annotations

import pytest

from orchestrator.deck.read import read_deck_text
from tests.planted_measure import tensions_in
from tests.test_reading import found

FUEL = (
    "# Heat for the town\n\n---\n\n# Heat by fuel\n\n"
    "| Fuel | Heat in GWh |\n|---|---|\n| Gas | 210 |\n| Wood | 150 |\n| Solar | 90 |\n| Oil | 30 |\n"
)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Wood is now our largest source of heat.", "Gas is now our largest source of heat."),
        ("Gas is our second largest source of heat.", "Wood is our second largest source of heat."),
        ("Solar has overtaken wood.", "Solar has overtaken oil."),
        ("Wood has overtaken everything else.", "Gas has overtaken everything else."),
        ("Oil brings in more heat than solar.", "Solar brings in more heat than oil."),
        (
            "Gas makes more heat than the other three fuels together.",
            "Gas makes more heat than wood.",
        ),
        ("Wood makes up half of our heat.", "Wood makes up a third of our heat."),
        ("Only a tenth of our heat comes from solar.", "A fifth of our heat comes from solar."),
    ],
)
def test_a_table_bears_out_who_is_first_ahead_or_how_large_a_part(wrong: str, right: str) -> None:
    assert len(found(FUEL, wrong)) == 1
    assert found(FUEL, right) == []


@pytest.mark.parametrize(
    "said",
    [
        "Solar is our fastest growing source of heat.",
        "By 2030 solar will be our largest source of heat.",
        "Solar is the largest source of heat in Denmark.",
        "Wood is one of our largest sources of heat.",
        "Wood is no longer our largest source of heat.",
        "Wood is our largest worry.",
        "A tenth of wood is lost as smoke.",
    ],
)
def test_another_place_time_or_measure_is_not_ranked_by_the_table(said: str) -> None:
    assert found(FUEL, said) == []


def test_no_one_above_a_limit_means_the_largest_of_the_list() -> None:
    deck = (
        "# Yard\n\n- Revenue €40.0m\n- No single client makes up more than {} of revenue\n\n---\n\n"
        "# Largest clients\n\n| Client | Revenue €m |\n|---|---|\n| Nordsund | 7.0 |\n| Vestby | 3.1 |\n"
    )
    assert [tension.kind for tension in found(deck.format("a tenth"))] == ["share"]
    assert found(deck.format("a fifth")) == []


def test_every_one_meets_a_number_of_the_opposite() -> None:
    deck = "# Crew\n\n- {} of the 20 driver posts are vacant\n- Two trainees since May\n"
    said = "I can tell you that every single driver post is filled."
    assert len(found(deck.format("Four"), said)) == 1
    assert found("# Crew\n\n- 20 driver posts\n- Two trainees since May\n", said) == []


def test_not_one_meets_a_number_of_the_same() -> None:
    deck = "# Safety\n\n- Three reportable spills in the year\n- 210 drills\n"
    assert len(found(deck, "There was not one spill that we had to report.")) == 1
    assert found(deck, "There was not one spill in the canteen.") == []
    assert found(deck, "There was not one complaint that we had to report.") == []


def test_a_number_alone_in_brackets_is_the_one_before() -> None:
    deck = "# Fund\n\n- Cover ratio 118 % (June: 112 %)\n"
    said = "Our cover ratio came down a little since the summer."
    assert [tension.kind for tension in found(deck, said)] == ["growth"]
    assert found(deck, said.replace("came down", "went up")) == []


def test_the_time_in_brackets_belongs_to_the_number_in_brackets() -> None:
    deck = (
        "# Mill, 3 March 2025\n\n- Flour milled in 2024: {} tonnes (2023: 41,300 tonnes)\n\n---\n\n"
        "# Room\n\n- The 43,900 tonnes of flour milled last year fill the silos\n"
    )
    assert len(found(deck.format("46,200"))) == 1
    assert found(deck.format("43,900")) == []


def test_a_comparison_beside_a_figure_does_not_hide_it() -> None:
    deck = "# Punctual\n\n- On-time departures 93.4 % (Q1: 92.2 %, contract 91 %)\n"
    said = "In the quarter about {} percent of departures were on time."
    assert len(found(deck, said.format("eighty-eight"))) == 1
    assert found(deck, said.format("ninety-three")) == []


def test_last_year_in_the_same_sentence_is_where_a_change_began() -> None:
    deck = (
        "# Readers\n\n- Paying readers {} in twelve months\n\n---\n\n"
        "# Detail\n\n- 30,000 paying readers in April, 20,000 in April last year\n"
    )
    assert [tension.kind for tension in found(deck.format("tripled"))] == ["growth"]
    assert found(deck.format("up by half")) == []


def test_reserves_last_as_long_as_the_monthly_cost_lets_them() -> None:
    deck = (
        "# Trustees\n\n- Free reserves £2.40m, roughly {} months of running costs\n\n---\n\n"
        "# Cost\n\nRunning costs average £300k a month.\n"
    )
    assert [tension.kind for tension in found(deck.format("five"))] == ["rate"]
    assert found(deck.format("eight")) == []


def test_working_days_times_the_rate_of_a_day() -> None:
    deck = (
        "# Desk\n\n- 42,000 calls taken in 21 working days\n\n---\n\n# Load\n\n"
        "- On a typical working day the desk took {} calls\n"
    )
    assert [tension.kind for tension in found(deck.format("3,100"))] == ["rate"]
    assert found(deck.format("2,000")) == []


def test_faults_per_thousand_are_a_share() -> None:
    deck = (
        "# Boards\n\n- 30,000 boards shipped\n- 90 boards returned with a fault\n\n---\n\n"
        "# Card\n\n- Boards returned with a fault: {} per thousand\n"
    )
    assert [tension.kind for tension in found(deck.format(5))] == ["share"]
    assert found(deck.format(3)) == []


def test_a_contract_ends_when_its_years_are_over() -> None:
    deck = (
        "# Facilities\n\n---\n\n# Contract with Reinhold\n\n"
        "- Started on 1 March 2023, signed for {} years\n\n"
        "---\n\n# Calendar\n\n- Present contract expires on 28 February 2028\n"
    )
    assert [tension.kind for tension in found(deck.format("three"))] == ["duration"]
    assert found(deck.format("five")) == []


def test_hours_a_year_are_no_stretch_between_two_years() -> None:
    deck = "# Firm\n\n- Costs grew by 30 % between 2022 and 2025\n\n---\n\n# Desk\n\n"
    deck += "- Open 365 days a year\n"
    assert found(deck) == []


def test_the_parts_are_as_exact_as_the_finest_of_them() -> None:
    deck = (
        "# Roof\n\nThe whole £1.2m for the roof has been found. "
        "The fund gives £500,000, the diocese £350,000, "
        "our legacy £150,000 and two trusts together {}. Nothing else is needed.\n"
    )
    assert [tension.kind for tension in found(deck.format("£120,000"))] == ["sum"]
    assert found(deck.format("£200,000")) == []


def test_a_list_that_closes_with_the_rest_is_complete() -> None:
    deck = (
        "# Studio\n\n- Headcount {} at quarter end\n\n---\n\n# Team\n\n"
        "- Design 30, sound 24, props 12, everyone else 10\n"
    )
    assert [tension.kind for tension in found(deck.format(84))] == ["sum"]
    assert found(deck.format(76)) == []


def test_answers_of_which_several_are_possible_are_no_share_of_one_count() -> None:
    deck = (
        "# Survey\n\n- 70 % of the replies ask for longer hours: 63 of 90 replies\n"
        "- Reasons to leave (several answers possible): price 55 %, service 40 %, hours 31 % of the replies\n"
    )
    assert found(deck) == []


@pytest.mark.parametrize(
    "deck",
    [
        # three of four is a part of a whole, and no growth by a third
        "# Orders\n\n- Signed by three of the four large buyers\n\n---\n\n# Cost\n\n- Cost for each buyer falls by seventeen percent\n",
        # the other one's own slide
        "# Who we are\n\n- Net worth ratio 9.8%\n\n---\n\n# Who they are\n\n- Net worth ratio 6.4%\n",
        # staff, and people who tried it
        "# Staff\n\n- We employ 71 people\n\n---\n\n# Trial\n\n- 64 people tested the game in October\n",
        # a share of something else
        "# Money\n\n- Spent to date: $14.6M of $17M\n- Publisher pays 60% of the overrun, we pay 40%\n",
        # two lengths of two things
        "# Sales\n\n- We expect sales to fall in 2029 and to be back by 2031\n\n---\n\n# Staff\n\n- Two clerks will go on secondment for six months\n",
    ],
)  # fmt: skip
def test_two_things_of_one_unit_are_no_contradiction(deck: str) -> None:
    assert tensions_in(read_deck_text(deck), ()) == ()
