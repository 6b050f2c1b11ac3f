"""What the judge makes of answers: a table written by hand, then each promise of the rules by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.claims.extract import deck_claims
from orchestrator.claims.model import NEEDS, Place, Tension
from orchestrator.deck.model import Deck, Slide
from orchestrator.engines.evasions import refusal
from orchestrator.engines.judging import judge
from orchestrator.engines.needs import needs_of, parts_of
from orchestrator.engines.promises import dated_promises, promises_in
from orchestrator.engines.protocol import JudgementRequest, Scene
from orchestrator.engines.surfacing import new_numbers
from orchestrator.exchange import Exchange, Judgement, Turn
from orchestrator.pattern import FINDINGS
from orchestrator.persona import Seat, read_domain, read_persona

TEMPLATES = Path(__file__).resolve().parents[1] / "agents" / "templates"
TABLE = yaml.safe_load((Path(__file__).parent / "judged_answers.yaml").read_text(encoding="utf-8"))


def seat_of(name: str) -> Seat:
    persona, domain = TEMPLATES / name / "persona.md", TEMPLATES / name / "domain-knowledge.md"
    return Seat(
        read_persona(persona.read_text(encoding="utf-8"), persona.name),
        read_domain(domain.read_text(encoding="utf-8"), domain.name),
    )


SEATS = {path.parent.name: seat_of(path.parent.name) for path in TEMPLATES.glob("*/domain-knowledge.md")}


def exchange_of(
    quoted: str, question: str, needs: tuple[str, ...], *answers: str | None, **given: Any
) -> Exchange:
    """An exchange about the first line of slide 2; after the first question the panelist says "And so?"."""
    asked = f'On slide 2 you say "{quoted}". {question}'
    turns = tuple(Turn(asked if n == 0 else "And so?", needs, answer) for n, answer in enumerate(answers))
    return Exchange(
        **{
            "id": "x9", "agent": "skeptic", "claim": "d2.1", "slide": 2, "said_at_s": None, "quote": quoted,
            "grounded": True, "why_this_agent": "", "asked_at_s": 100.0, "turns": turns, **given,
        }
    )  # fmt: skip


def scene_of(claim: str, *exchanges: Exchange, **given: Any) -> Scene:
    deck = Deck(
        "md", "deck.md", "0" * 64, "Plan", (Slide(1, "Start", ("Hello",)), Slide(2, "Plan", (claim,)))
    )
    return Scene(
        **{
            "deck": deck, "deck_claims": deck_claims(deck), "speech_claims": (), "segments": (),
            "exchanges": exchanges, "slide": None, "clock_s": 120.0, "intensity": "moderate", "focus": (),
            **given,
        }
    )  # fmt: skip


def judged(
    exchange: Exchange, *earlier: Exchange, seat: str = "skeptic", is_last: bool = False, **scene: Any
) -> Judgement:
    where = scene_of(exchange.quote or "", *earlier, exchange, **scene)
    return judge(JudgementRequest(SEATS[seat], where, exchange, is_last))


# -- the table


def rows() -> Iterator[Any]:
    for asked in TABLE:
        for row in asked["answers"]:
            said = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
            yield pytest.param(asked, said, row, id=f"{'+'.join(asked['needs']) or 'open'}: {said[-1][:50]}")


@pytest.mark.parametrize(("asked", "said", "row"), list(rows()))
def test_each_answer_of_the_table_is_judged_as_a_reader_would(asked: Any, said: list[str], row: Any) -> None:
    found = judged(exchange_of(asked["claim"], asked["question"], tuple(asked["needs"]), *said))
    expected = Judgement(row["verdict"], row["reason"], row.get("quote"), tuple(row.get("missing", ())))
    assert replace(found, follow_up=None, promises=(), contradicts=None) == expected
    assert found.quote is None or found.quote in said[-1] or found.quote in said[0]
    assert (found.follow_up is not None) is (found.verdict in ("follow_up", "escalate"))


def test_the_table_has_every_need_and_every_verdict() -> None:
    assert {need for asked in TABLE for need in asked["needs"]} == set(NEEDS)
    verdicts = [row["verdict"] for asked in TABLE for row in asked["answers"]]
    assert set(verdicts) == {"satisfied", "follow_up", "escalate", "unjudged"}
    assert len(verdicts) >= 80


# -- what a question asks for


@pytest.mark.parametrize(
    ("question", "needs"),
    [
        ("How many of those are live today?", ("number",)),
        ("Twenty percent of how many, and who counted them?", ("base", "source")),
        ("Who personally answers for that, and what date will they put against it?", ("owner", "date")),
        ("Why did churn fall, and how does that compare with last year?", ("cause", "comparison")),
        ("When can we expect the next tranche?", ("date",)),
        ("Over which months was that counted?", ("period",)),
        ("I was wondering if you could quantify the effect on margins. Thank you.", ("number",)),
        ("Which record does that total come from?", ("source",)),
        ("Can you give us a little more colour on the market?", ()),
        ('You say "how many people asked why". Thank you for that.', ()),
        ("Congratulations on the quarter.", ()),
    ],
)
def test_needs_are_read_from_the_question(question: str, needs: tuple[str, ...]) -> None:
    assert needs_of(question) == needs


def test_most_questions_of_the_panel_are_read_as_their_patterns_say() -> None:
    """The panel says what it asks for; reading it from the words finds at least one of the needs."""
    initial = [pattern for seat in SEATS.values() for pattern in seat.persona.initial]
    patterns = [pattern for pattern in initial if not set(pattern.heads) & set(FINDINGS)]
    met = [pattern for pattern in patterns if set(needs_of(pattern.text)) & set(pattern.needs)]
    assert len(met) >= 0.8 * len(patterns)


# -- contradiction

CHURN = "Churn is 6% a year"


def test_another_value_for_the_same_thing_is_followed_up_whatever_was_asked() -> None:
    exchange = exchange_of(CHURN, "Since when?", ("date",), "Churn is 8% a year, since 3 May.")
    found = judged(replace(exchange, turns=(replace(exchange.turns[0], answer="Churn is 8% a year."),)))
    tension = Tension(
        "speech-vs-deck",
        Place(2, None, CHURN),
        Place(None, None, "Churn is 8% a year."),
        "8% now and 6% before, for the same thing",
    )
    assert found == Judgement(
        "follow_up",
        f'contradicts "{CHURN}": 8% now and 6% before, for the same thing',
        "Churn is 8% a year.",
        ("date",),
        f'You now say "Churn is 8% a year", and on slide 2 "{CHURN}". Which of the two is right?',
        contradicts=tension,
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The slide is wrong: churn is 8% a year.",
        "Churn was 8% a year.",
        "Gross churn is 8% a year.",
        "Churn is about 8% a year.",
        "Churn is 6% a year.",
        "Churn in Norway is 8% a year.",
        "Our target is 4%.",
        "It is 8 customers.",
    ],
)
def test_a_correction_another_period_part_or_target_is_no_contradiction(answer: str) -> None:
    assert judged(exchange_of(CHURN, "How many?", ("number",), answer)).contradicts is None


def test_an_answer_that_contradicts_an_earlier_answer_is_followed_up() -> None:
    said = ("Headcount is 40 people.", "Headcount is 52 people.")
    found = judged(exchange_of("We are growing", "How many?", ("number",), *said))
    assert (found.verdict, found.quote) == ("follow_up", said[1])
    assert found.follow_up == (
        'You now say "Headcount is 52 people", and before that "Headcount is 40 people". '
        "Which of the two is right?"
    )


def test_what_the_cross_checks_found_in_this_answer_counts_and_older_findings_do_not() -> None:
    answer = "Spoilage costs us half a million."
    slide = Place(5, None, "Spoilage claims cost us €410,000")
    exchange = exchange_of("We are growing", "How many?", ("number",), answer)
    for said_at_s, contradicts in ((110.0, True), (90.0, False)):
        tension = Tension("speech-vs-deck", slide, Place(None, said_at_s, answer), "500,000 and 410,000")
        found = judged(exchange, tensions=(tension,))
        assert (found.contradicts == tension) is contradicts


# -- promises and candour


@pytest.mark.parametrize(
    ("answer", "promises"),
    [
        ("We'll send you the list by Friday.", ("We'll send you the list by Friday",)),
        ("I will take that off the slide. It is wrong.", ("I will take that off the slide",)),
        (
            "Our controller will bring the figures on 3 May; I asked.",
            ("Our controller will bring the figures on 3 May",),
        ),
        ("Ann Reyes will have it next week.", ("Ann Reyes will have it next week",)),
        ("I'll give you a little more colour on that.", ()),
        ("Revenue will reach 5 million.", ()),
        ("If we will have room we sell it.", ()),
        ("The guys will see how it compares.", ()),
    ],
)
def test_promises_are_the_presenters_own_words(answer: str, promises: tuple[str, ...]) -> None:
    assert promises_in(answer) == promises
    assert judged(exchange_of(CHURN, "How many?", ("number",), answer)).promises == promises


@pytest.mark.parametrize(
    ("promise", "date"),
    [
        ("We will send it by Friday", "by Friday"),
        ("We will send it before the vote", "before the vote"),
        ("We will send it by 3 May", "by 3 May"),
        ("We will send it within two weeks", "within two weeks"),
        ("We will send it soon", None),
        ("We will send it in the coming months", None),
        ("We will report it every month", None),
    ],
)
def test_a_promise_is_dated_by_a_day_a_month_or_an_event(promise: str, date: str | None) -> None:
    assert [due for _, due in dated_promises(promise)] == ([date] if date else [])


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("I don't know, but our controller Ann Reyes owns it and you will have it on Friday.", "satisfied"),
        ("I don't have that here. We will bring it before the vote.", "satisfied"),
        ("I don't know, but you will have it soon.", "follow_up"),
        ("I don't know, but our controller Ann Reyes owns it.", "follow_up"),
        ("I don't know. On Friday I was at the dentist.", "follow_up"),
    ],
)
def test_not_knowing_is_fair_with_a_promise_and_its_date(answer: str, verdict: str) -> None:
    exchange = exchange_of(CHURN, "How many customers is that?", ("number",), answer)
    assert judged(exchange).verdict == verdict
    blunt = replace(SEATS["skeptic"], persona=replace(SEATS["skeptic"].persona, accepts=("a figure",)))
    assert judge(JudgementRequest(blunt, scene_of(CHURN, exchange), exchange)).verdict == "follow_up"


# -- follow-ups


def test_what_is_missing_is_asked_for_with_the_presenters_words() -> None:
    found = judged(
        exchange_of(CHURN, "How many, over which months?", ("number", "period"), "It is 40 customers.")
    )
    assert found.missing == ("period",)
    assert (
        found.follow_up == 'You said "It is 40 customers". In which months was that, the first and the last?'
    )


@pytest.mark.parametrize("seat", list(SEATS))
@pytest.mark.parametrize("need", NEEDS)
def test_every_panelist_says_an_answer_back_for_every_need(seat: str, need: str) -> None:
    heads = [pattern.heads for pattern in SEATS[seat].persona.follow_ups if "answer" in pattern.slots]
    assert any(need in head for head in heads)


@pytest.mark.parametrize("answer", ["I don't know.", "There is no record of it.", "Nobody counts them."])
def test_not_knowing_is_not_said_back(answer: str) -> None:
    found = judged(exchange_of(CHURN, "Which record shows it?", ("source",), answer))
    assert found.follow_up is not None
    assert "You said" not in found.follow_up


def test_who_evades_twice_hears_what_the_board_will_conclude() -> None:
    said = ("I'd rather talk about something else.", "That's commercially sensitive.")
    first = judged(exchange_of(CHURN, "How many customers?", ("number",), said[0]))
    assert first.verdict == "follow_up"
    found = judged(exchange_of(CHURN, "How many customers?", ("number",), *said))
    evasive = [pattern.text for pattern in SEATS["skeptic"].persona.escalations if "evasion" in pattern.heads]
    assert found.verdict == "escalate"
    assert found.follow_up in evasive


def test_an_open_question_that_is_evaded_twice_escalates_too() -> None:
    said = ("No comment.", "We'll get back to you on that.")
    assert judged(exchange_of(CHURN, "How do you see the market?", (), *said)).verdict == "escalate"


def test_the_last_answer_is_judged_and_nothing_more_is_asked() -> None:
    found = judged(exchange_of(CHURN, "How many?", ("number",), "Churn is 8% a year."), is_last=True)
    assert (found.verdict, found.follow_up) == ("follow_up", None)


# -- callbacks

PROMISED = exchange_of(
    "Customer churn is 6% a year",
    "How many customers is that?",
    ("number",),
    "I don't know. We will send you the churn figures by Friday.",
    id="x1", slide=3, claim="d3.1", outcome="satisfied",
)  # fmt: skip
REMINDER = 'Earlier, about slide 3, you promised: "We will send you the churn figures by Friday".'


def test_an_earlier_promise_about_the_same_measure_is_called_to_mind_once() -> None:
    exchange = exchange_of(CHURN, "Which record shows the churn?", ("source",), "I don't know.")
    found = judged(exchange, PROMISED)
    assert found.follow_up is not None
    assert found.follow_up.startswith(f"{REMINDER} ")
    assert found.follow_up.count("?") == 1
    reminded = replace(exchange, turns=(*exchange.turns, Turn(found.follow_up, ("source",), "I can't say.")))
    again = judged(reminded, PROMISED)
    assert again.follow_up is not None
    assert "Earlier" not in again.follow_up


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("We ask for EUR 6.4M", "What does it cost?"),
        ("The hall is free in March", "Which record shows that?"),
        ("Everything is on time", "Which record shows that?"),
    ],
)
def test_a_promise_about_something_else_is_left_alone(claim: str, question: str) -> None:
    found = judged(exchange_of(claim, question, ("source",), "I don't know."), PROMISED)
    assert found.follow_up is not None
    assert "Earlier" not in found.follow_up


# -- the rest


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("I don't know that.", "I don't know that"),
        ("We check every delivery.", None),
        ("We find out every morning.", None),
        ("I'd have to check.", "I'd have to check"),
        ("It was hard, and we did it.", None),
        ("Twelve.", None),
        ("Yes, signed on 3 May.", None),
        ("We won't share that.", "We won't share that"),
    ],
)
def test_a_refusal_is_told_from_plain_words(answer: str, words: str | None) -> None:
    assert refusal(answer) == words


def test_new_numbers_are_those_that_nobody_had_said_or_shown() -> None:
    exchange = exchange_of(
        CHURN,
        "How many customers is that?",
        ("number",),
        "Six percent is ten of 164 customers.",
        "Yes, 10 of them.",
    )
    assert new_numbers(exchange, scene_of(CHURN, exchange)) == ("ten of 164 customers",)


def test_a_long_answer_is_judged_and_one_of_book_length_is_not() -> None:
    rambling = "And the market was good to us and we were glad of it " * 350
    found = judged(exchange_of(CHURN, "How many customers is that?", ("number",), rambling))
    assert found.verdict == "follow_up"
    assert judged(exchange_of(CHURN, "How many?", ("number",), rambling * 2)).verdict == "unjudged"


# -- of that time, and of every part


@pytest.mark.parametrize(
    ("question", "answer", "verdict", "quote"),
    [
        ("What did the fourth quarter bring?", "In the fourth quarter it was 4.2 million.", "satisfied",
         "4.2 million"),
        ("What was revenue in Q4?", "In the third quarter it was 4.2 million.", "follow_up", "4.2 million"),
        ("What was revenue in Q4?", "In Q3 it was 3.9 million and in Q4 4.2 million.", "satisfied",
         "4.2 million"),
        ("What was revenue in Q4?", "Let me begin with Q3. Revenue was 3.9 million.", "follow_up",
         "3.9 million"),
        ("How many members left in 2026?", "In 2025, 40 members left.", "follow_up", "40 members"),
        ("How many members left in 2026?", "In 2026, 40 members left.", "satisfied", "40 members"),
        ("What does it cost a year?", "The machine costs 640,000 euros, all told.", "unjudged",
         "640,000 euros"),
        ("What does it cost a year?", "It costs 64,000 euros a year, all told.", "satisfied", "64,000 euros"),
        ("What does it cost a year?", "64,000 euros.", "satisfied", "64,000 euros"),
    ],
)  # fmt: skip
def test_a_number_of_another_time_is_no_answer(question: str, answer: str, verdict: str, quote: str) -> None:
    found = judged(exchange_of("The shop does well", question, ("number",), answer))
    assert (found.verdict, found.quote) == (verdict, quote)


def test_the_reason_says_that_it_is_another_time() -> None:
    found = judged(
        exchange_of("The shop does well", "What was revenue in Q4?", ("number",), "In Q3 it was 3.9 million.")
    )
    assert found.reason == 'no number in the answer; the number it gives is of another time ("3.9 million")'


def test_what_was_before_may_be_of_another_time() -> None:
    found = judged(
        exchange_of("Sales rose in 2026", "What were they at the start of 2026, before that?", ("base",),
                    "They were up from 400 in 2025.")
    )  # fmt: skip
    assert found.verdict == "satisfied"


def test_an_answer_to_one_part_is_none_to_the_other() -> None:
    """Two things were asked, and the rules know how to look for one of them only."""
    question = "Who signs it, and what becomes of the old one?"
    found = judged(exchange_of("A new contract", question, ("owner",), "Maria Lindqvist signs it."))
    assert (found.verdict, found.quote) == ("unjudged", "Maria Lindqvist signs")
    assert found.reason == (
        'gives an owner ("Maria Lindqvist signs"); '
        "rules cannot tell whether all 2 parts of the question are answered"
    )
    whole = judged(exchange_of("A new contract", "Who signs it?", ("owner",), "Maria Lindqvist signs it."))
    assert whole.verdict == "satisfied"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who takes over, and on which day?", 2),
        ("If the one who leads it leaves, who knows enough to go on?", 1),
        ("Is that what the last ones cost, or what you expect of the next ones?", 1),
        ("How many were asked, how many answered, and who chose them?", 3),
        ("How soon will you charter them? And would that be for a year?", 2),
    ],
)
def test_the_parts_of_a_question_are_counted(question: str, parts: int) -> None:
    assert len(parts_of(question)) == parts


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Then we deepen it to ten metres.", "satisfied"),
        ("We would rent the hall next door.", "satisfied"),
        ("It was 212 last year, against 198 the year before.", "follow_up"),
        ("We are confident that it will come.", "follow_up"),
    ],
)
def test_what_would_be_done_instead_is_no_comparison_of_figures(answer: str, verdict: str) -> None:
    question = "If that does not come, what do you do?"
    assert judged(exchange_of("The state pays half", question, ("comparison",), answer)).verdict == verdict


def test_a_reason_that_was_begun_and_not_given_is_none() -> None:
    said = "Ten of them, because of, um, you know, we..."
    found = judged(exchange_of("Centres closed", "Why did they close?", ("cause",), said))
    assert found.verdict == "follow_up"


def test_a_date_of_something_else_is_not_the_date_that_was_asked_for() -> None:
    """In a long answer "in quarter two" may be when the ships come home, and not when they are chartered."""
    said = (
        "Yes, several vessels come home in quarter two. We are quite comfortable with our coverage, it "
        "stands at seventy-six percent, and our portfolio is balanced, as it was before the winter, with "
        "good demand on both coasts and rates that hold up rather well for us."
    )
    question = "How soon do you plan on securing a charter contract?"
    found = judged(exchange_of("Ships without work", question, ("date",), said))
    assert (found.verdict, found.quote) == ("unjudged", "in quarter two")
    assert found.reason == 'rules cannot tell whether "in quarter two" is the date that was asked for'
