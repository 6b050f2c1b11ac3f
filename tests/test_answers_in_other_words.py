"""Answers that need no usual word to be answers: a correction, a reason without "because", a bare name.

And their doubles, which sound alike and give nothing.
"""

from __future__ import annotations

from typing import Final

import pytest

from orchestrator.exchange import Judgement
from tests.test_judging import exchange_of, judged

WHICH: Final = 'on slide 6 it is "Rent 91,000 euros". Which of the two stands in the books?'
ARGUMENT: Final = "What is the best argument against that, and who in your own group has made it?"
DECIDES: Final = "Who decides that, and by which day will you know?"
SAID: Final = "Who said so, and when was that?"
FAILS: Final = "What do you do if they do not keep to that?"
CAUSED: Final = "What caused it, and how do you know that it was that?"
WRONG: Final = "What would have to go wrong for that not to come about, and who is watching for it?"
LATE: Final = "What does it cost us if that comes half a year late?"
OTHERS: Final = "Why should those who did not answer think the same?"
MEASURE: Final = (
    "Which figure will you bring back to us so that we can see whether that was right, and on which date?"
)
CRANE: Final = "Approve the purchase of a second crane"


def verdict(claim: str, question: str, needs: str, answer: str, seat: str = "skeptic") -> Judgement:
    return judged(exchange_of(claim, question, tuple(needs.split()), answer), seat=seat)


@pytest.mark.parametrize(
    ("claim", "question", "needs", "answer"),
    [
        # what was held together are two things, and it is said which
        ("Rent 84,000 euros", WHICH, "number source", "The 91 is with the parking, the 84 without it."),
        ("Rent 84,000 euros", WHICH, "number source", "84 was the old contract, 91 is the new one."),
        (
            "Rent 84,000 euros", WHICH, "number source",
            "Neither: the ledger of October says 88, and I will change both slides.",
        ),
        ("Rent 84,000 euros", WHICH, "number", "I misspoke. It is 84, as the slide says."),
        # an argument is one without "because", and its owner is whoever says so
        (CRANE, ARGUMENT, "cause owner", "It ties us to one maker. Henrik Dahl keeps saying so."),
        (CRANE, ARGUMENT, "cause owner", "That we need it in July. Our foreman, Ines Roy, said so."),
        (CRANE, ARGUMENT, "cause owner", "The best argument is the noise. Ines Roy made it in May."),
        # somebody by name, and a party that decides
        ("Two mills will leave", SAID, "owner date", "Anna Holt, head of sales at Bright, said it on 9 May."),
        ("Two mills will leave", SAID, "owner date", "Anna Holt of Brightmill on 9 May."),
        ("The county has not yet agreed", DECIDES, "owner date", "The planning office, on 14 March."),
        ("The county has not yet agreed", "Whose name do I write?", "owner", "Mine: Margot Lind."),
        # what would be done, and what would have to happen
        ("The mayor has promised the hall", FAILS, "comparison", "We rent the mill for another season."),
        ("We expect 400 pupils", WRONG, "cause owner",
         "The new estate would have to stay empty. Petra Lind looks at the register every month."),
        ("The lift failed twice", CAUSED, "cause source",
         "A seal in the pump. The maker took it apart and sent us a report on 3 June."),
        # a plain concession, with what was found
        ("60% of members would come", OTHERS, "cause", "They may not. Who stays away hardly ever writes."),
        # the name of what will be measured, where its value cannot be there yet
        ("Approve the new bus line", MEASURE, "number date", "Riders on a day in winter. On 1 March 2029."),
    ],
)  # fmt: skip
def test_a_plain_answer_needs_no_usual_word(claim: str, question: str, needs: str, answer: str) -> None:
    assert verdict(claim, question, needs, answer).verdict == "satisfied"


@pytest.mark.parametrize(
    ("claim", "question", "needs", "answer"),
    [
        ("Rent 84,000 euros", WHICH, "number source", "They are two different things."),
        ("Rent 84,000 euros", WHICH, "number source", "One is older and the other newer, it changes daily."),
        ("Rent 84,000 euros", WHICH, "number source", "That is no contradiction. We are proud of our rooms."),
        (CRANE, ARGUMENT, "cause owner", "The yard is very keen on it. Henrik Dahl said so on Monday."),
        (CRANE, ARGUMENT, "cause owner", "The best argument is that there is none. Henrik Dahl said so."),
        (CRANE, ARGUMENT, "cause owner", "We looked at it from all sides. Henrik Dahl made the drawings."),
        ("The county has not yet agreed", DECIDES, "owner date", "The weather, in the end, probably in May."),
        ("The lift failed twice", CAUSED, "cause source", "A series of events. We have a report on 3 June."),
        ("A ten-year contract with one firm", "What does it cost us to get out of that early?", "number",
         "It is not a lock-in. It is a partnership with many benefits for both sides."),
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_is_never_praised(
    claim: str, question: str, needs: str, answer: str
) -> None:
    assert verdict(claim, question, needs, answer).verdict != "satisfied"


@pytest.mark.parametrize(
    ("claim", "question", "needs", "answer"),
    [
        # nothing that would be done
        ("The mayor has promised the hall", FAILS, "comparison",
         "The mayor is a reliable man, and everybody who has met him has come away convinced."),
        # no money, but seats and boxes
        ("14 April: opening", LATE, "number", "The hall holds seven hundred guests, and the choir sings."),
        ("Dredging ends in March", LATE, "number", "We would still get to 118,000 TEU in the same year."),
    ],
)  # fmt: skip
def test_what_has_nothing_of_what_was_asked_is_asked_once_more(
    claim: str, question: str, needs: str, answer: str
) -> None:
    found = verdict(claim, question, needs, answer)
    assert (found.verdict, found.missing) == ("follow_up", (needs,))


def test_a_report_with_its_day_and_what_it_is_of_is_a_record() -> None:
    question = "Which file, system or report would they open?"
    dated = verdict("34% name them first", question, "source", "The report of the exit survey, August 2025.")
    own = verdict("34% name them first", question, "source", "Our own report.")
    assert (dated.verdict, own.verdict) == ("satisfied", "follow_up")


def test_who_was_asked_what_is_known_may_say_what_is_not() -> None:
    question = "Is it known, is it knowable by next week, or has nobody measured it?"
    told = verdict("Fewer faults", question, "number", "It is known by 3 May: the count of open faults.")
    vague = verdict("Fewer faults", question, "number", "We work very hard on all of them.")
    assert (told.verdict, vague.verdict) == ("satisfied", "follow_up")


def test_three_values_stand_for_three_years() -> None:
    asked = "How large was that share in each of the last three years?"
    shares = verdict("Brill buys 30% of our cheese", asked, "number period", "24, 27 and 31 percent.")
    one = verdict("Brill buys 30% of our cheese", asked, "number period", "27 percent in 2025.")
    assert (shares.verdict, one.verdict) == ("satisfied", "unjudged")


def test_both_halves_may_be_answered_where_only_one_is_named_as_a_need() -> None:
    question = "What else could have brought that about, and how do you know that it did not?"
    exchange = exchange_of(
        "The total is 34.3 million", question, ("cause",),
        "It was copied from the old sheet. The office compared the two sheets line by line.",
    )  # fmt: skip
    assert judged(exchange).verdict == "satisfied"
