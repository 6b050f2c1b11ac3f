"""The page at the end, from values: Markdown, terminal, HTML and JSON, each compared whole."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from orchestrator.core.legible import one_line
from orchestrator.material.claim import Place, Tension
from orchestrator.material.speech.delivery import delivery_of
from orchestrator.material.values import Segment
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.json_form import as_json, json_text
from orchestrator.panel.debrief.page import as_html, as_markdown, as_paper
from orchestrator.panel.debrief.parts import (
    Bill,
    Check,
    Debrief,
    Fix,
    OpenPoint,
    Review,
    Shares,
    SlideSpan,
    Source,
    Stronger,
)
from orchestrator.panel.debrief.terminal import LABEL, as_text
from orchestrator.panel.model.exchange import Exchange, Observation, Turn
from orchestrator.panel.model.usage import Total
from orchestrator.panel.records.setup import UNNAMED


def exchange(id_: str, outcome: str, *turns: Turn, quote: str | None, slide: int | None = 2) -> Exchange:
    return Exchange(
        id_, "skeptic", None, slide, None, quote, quote is not None, "relevance", 9.0, turns, outcome
    )


GROWTH = exchange(
    "x1",
    "satisfied",
    Turn('On slide 2 you say "We grew 40%". From which base?', ("base",), "A lot.", "follow_up", "no base"),
    Turn(
        'You said "A lot." From what?',
        ("base",),
        "From 200 boats.",
        "satisfied",
        'gives a base ("From 200")',
        "From 200",
    ),
    quote="We grew 40%",
)
BOATS = exchange(
    "x2",
    "unresolved",
    Turn("Who owns the boats?", ("owner", "date"), "We all do.", "follow_up", "no owner and no date"),
    quote="Boats run on time",
)
WHOLE = exchange("x3", "parked", Turn("What did you leave out?"), quote=None, slide=None)

YOURS = exchange(
    "x4", "unjudged", Turn("What else did you look at?", (), "Two yards."), quote=None, slide=None
)

BRING = Stronger(
    text="The boats come on 3 May, and one of us answers for them",
    rests_on=(Source("The boats come on 3 May", 4),),
    bring=("the name of the owner", "the contract"),
)
LATE = Stronger(first=Source("From 200 boats.", origin="answer", exchange="x1"))

PAGE = Debrief(
    bill=Bill(Total()),
    deck="Harbour ferries",
    presenter="Ines",
    speaker="Ines",
    date="2026-12-01",
    day="2026-12-01",
    fix=Fix(
        'x2, on "Boats run on time" (slide 2): Who owns the boats?',
        "It got no good answer: no owner and no date.",
        exchange="x2",
        better=BRING,
    ),
    reviews=(
        Review(
            GROWTH,
            "Ana",
            "From which base?",
            "From 200 boats.",
            "answered",
            'gives a base ("From 200")',
            LATE,
            still_open=("how many of the 200 are electric",),
        ),
        Review(
            BOATS, "Ana", "Who owns the boats?", "We all do.", "not answered", "no owner and no date", BRING
        ),
        Review(WHOLE, "Bo", "What did you leave out?", None, "parked", None, None),
        Review(YOURS, "Bo", "What else did you look at?", "Two yards.", "not judged", None, None),
    ),
    tensions=(
        Tension(
            "speech-vs-deck",
            Place(3, 65.0, "churn is eight percent"),
            Place(3, None, "Churn is 6%"),
            "Churn is 8 % in the speech and 6 % on slide 3.",
            sum="8 % is not 6 %",
        ),
        Tension(
            "deck-vs-deck",
            Place(2, None, "Boats run on time"),
            Place(4, None, "No boat has sailed"),
            "Do boats run already?",
            "read",
            "claude",
        ),
    ),
    homework=(
        OpenPoint("x2", Source("Boats run on time", 2), "Who owns the boats?", "no owner and no date", BRING),
        OpenPoint("x3", None, "What did you leave out?", "parked", None),
        OpenPoint(
            "x1", Source("We grew 40%", 2), "From which base?", "how many of the 200 are electric", None
        ),
    ),
    observed=(Observation("Answers a number with a story.", "A lot."),),
    still_wanted=("Who keeps the boats running?",),
    promises=(Source("I will send it by Friday", origin="answer", exchange="x2"),),
    slides=(SlideSpan(1, "Start", 30.0, False, 60.0), SlideSpan(2, "Growth", 95.0, True, 60.0, 10.0)),
    speech_s=125.0,
    answers_s=10.0,
    budget_s=120.0,
    delivery=delivery_of(
        [
            Segment("We, um, grew, and maybe we will grow again. " * 8, 0.0, 30.0, "Ines"),
            Segment("Thank you.", 31.0, 33.0, "Host"),
        ],
        "Ines",
    ),
    rubric=(
        Check(
            "Deck and speech are consistent",
            "no",
            "1 contradiction: Churn is 8 % in the speech and 6 % on slide 3.",
        ),
        Check("The ask is clear", "not judged", "this takes reading, and no model was asked"),
    ),
    engine="offline",
    language="en",
)

MARKDOWN = """\
# Debrief: Harbour ferries

Presenter: Ines. The words of Ines were judged. Date: 2026-12-01.

## Fix this first

**x2, on "Boats run on time" (slide 2): Who owns the boats?**

- Say: The boats come on 3 May, and one of us answers for them. (From slide 4.)
- Bring: The name of the owner and the contract.
- Why: It got no good answer: no owner and no date.

## Questions

4 questions: 1 answered, 1 not answered, 1 parked, 1 not judged.

### x1. Ana: answered, asked twice

> "We grew 40%" (slide 2)

- Asked: From which base?
- You said: "A lot."
- Asked again: You said "A lot." From what?
- You said: "From 200 boats."
- Verdict: *answered*, gives a base ("From 200")
- Stronger: Say at the first asking: "From 200 boats."
- Left open: how many of the 200 are electric

### x2. Ana: not answered

> "Boats run on time" (slide 2)

- Asked: Who owns the boats?
- You said: "We all do."
- Verdict: *not answered*, no owner and no date
- Stronger: The boats come on 3 May, and one of us answers for them. (From slide 4.) Bring \
the name of the owner and the contract.

### x3. Bo: parked, general

- Asked: What did you leave out?

### x4. Bo: general

- Asked: What else did you look at?
- You said: "Two yards."

## Contradictions

- Churn is 8 % in the speech and 6 % on slide 3. 8 % is not 6 %.
  - "churn is eight percent" (speech at 1:05, on slide 3)
  - "Churn is 6%" (slide 3)

## Do these agree?

- Do boats run already?
  - "Boats run on time" (slide 2)
  - "No boat has sailed" (slide 4)

## Still open

- [ ] x2, on "Boats run on time" (slide 2): Who owns the boats? No owner and no date. A stronger \
answer stands with the question.
- [ ] x3 (general): What did you leave out? Parked.
- [ ] x1, on "We grew 40%" (slide 2): From which base? How many of the 200 are electric.

## Still wanted to ask

- Who keeps the boats running?

## You will be held to

- "I will send it by Friday" (your answer to x2)

## What the panel noticed

- Answers a number with a story. "A lot."

## Time and delivery

2:15 of 2:00 used: 2:05 presenting, 0:10 answering. Over their share, as far as the \
words tell the slides: slide 2 (1:35 of 1:00).

144 words a minute; 8 fillers (um 8); 8 hedges (maybe 8); 0:30 without another voice; 94% of the talking.

| Slide | Title | Presented (changes estimated from the words) | Its share |
|---|---|---|---|
| 1 | Start | 0:30 | 1:00 |
| 2 | Growth and 0:10 under questions | 1:35 | 1:00 |

A slide's share of the time: half of the minutes in equal shares, half by the words on the slide.

## Checks

| Check | | Rests on |
|---|---|---|
| Deck and speech are consistent | no | 1 contradiction: Churn is 8 % in the speech and 6 % on slide 3. |

Not judged: The ask is clear: this takes reading, and no model was asked.

Asked from a bank of questions, without a model; judged only where that is certain, and what is \
not judged is yours to judge. Checked: the arithmetic within one table, chart or sentence.
"""

TEXT = """\
Fix first       x2, on "Boats run on time" (slide 2): Who owns the boats?
                Say: The boats come on 3 May, and one of us answers for them. (From slide 4.)
                Bring: The name of the owner and the contract.
                Why: It got no good answer: no owner and no date.

x1   answered, asked twice · slide 2: "We grew 40%"
     Ana: From which base?
     You: "A lot."
     Asked again: You said "A lot." From what?
     Why: gives a base ("From 200")
     → Say at the first asking: "From 200 boats."
     Left open: how many of the 200 are electric
x2   not answered · slide 2: "Boats run on time"
     Ana: Who owns the boats?
     You: "We all do."
     Why: no owner and no date
     → The boats come on 3 May, and one of us answers for them. (From slide 4.) Bring the name of
     the owner and the contract.
x3   parked, general
     Bo: What did you leave out?
x4   general
     Bo: What else did you look at?
     You: "Two yards."

Asked           4 questions: 1 answered, 1 not answered, 1 parked, 1 not judged.
Contradiction   Churn is 8 % in the speech and 6 % on slide 3. 8 % is not 6 %.
Do these agree? Do boats run already?
Still open      x2: Who owns the boats?
                x3: What did you leave out?
                x1: From which base?
Wanted          Who keeps the boats running?
Promised        "I will send it by Friday" (your answer to x2)
Noticed         Answers a number with a story. "A lot."
Time            2:15 of 2:00 used: 2:05 presenting, 0:10 answering. Over their share, as far as the
                words tell the slides: slide 2 (1:35 of 1:00).
Delivery        144 words a minute; 8 fillers (um 8); 8 hedges (maybe 8); 0:30 without another
                voice; 94% of the talking.

no              Deck and speech are consistent: 1 contradiction: Churn is 8 % in the speech and 6 %
                on slide 3.
not judged      The ask is clear: this takes reading, and no model was asked
                Asked from a bank of questions, without a model; judged only where that is certain,
                and what is not judged is yours to judge. Checked: the arithmetic within one table,
                chart or sentence.
"""


def test_the_page_as_markdown() -> None:
    assert as_markdown(PAGE) == MARKDOWN


def test_the_page_for_the_terminal() -> None:
    assert as_text(PAGE) == TEXT


def test_what_was_not_read_is_listed_on_every_page() -> None:
    lost = ("slide 2: an embedded sheet is not read", "piece 4 (0:31): said 28 times in a row, counted once")
    page = replace(PAGE, unread=lost)
    assert as_markdown(page).split("## Not read, or missing\n\n")[1].splitlines()[:2] == [
        f"- {one}" for one in lost
    ]
    assert [line for line in as_text(page).splitlines() if line not in TEXT.splitlines()] == [
        f"Not read        {lost[0]}",
        f"                {lost[1]}",
    ]
    said = f"Not read, or missing {' '.join(lost)}"
    assert said in " ".join(seen(as_html(page)).text.split())
    assert said in " ".join(seen(as_paper(page)).text.split())
    assert as_json(page)["unread"] == list(lost)
    assert "Not read" not in as_markdown(PAGE) + as_text(PAGE) + as_html(PAGE)


def test_who_has_just_had_the_questions_sees_what_stays_open() -> None:
    assert as_text(PAGE, reviews=False, width=80).splitlines()[6:19] == [
        "Asked           4 questions: 1 answered, 1 not answered, 1 parked, 1 not judged.",
        "Contradiction   Churn is 8 % in the speech and 6 % on slide 3. 8 % is not 6 %.",
        "Do these agree? Do boats run already?",
        'Still open      x2, on "Boats run on time" (slide 2): Who owns the boats? No',
        "                owner and no date. The boats come on 3 May, and one of us",
        "                answers for them. (From slide 4.) Bring the name of the owner",
        "                and the contract.",
        "                x3 (general): What did you leave out? Parked.",
        '                x1, on "We grew 40%" (slide 2): From which base? How many of the',
        "                200 are electric.",
        "Wanted          Who keeps the boats running?",
        'Promised        "I will send it by Friday" (your answer to x2)',
        'Noticed         Answers a number with a story. "A lot."',
    ]


def test_what_nobody_judged_is_the_presenters_to_judge_and_no_homework() -> None:
    for page in (as_markdown(PAGE), " ".join(seen(as_html(PAGE)).text.split()), as_text(PAGE)):
        assert "1 parked, 1 not judged." in " ".join(page.split())  # once, by the counts
    assert "x4" not in [point.exchange for point in PAGE.homework]
    none = replace(PAGE, fix=None, reviews=PAGE.reviews[3:])
    judge = (
        "read your answers against the questions, and say of each whether it gave what was asked, with the "
        "buttons on its page or `greenroom judge SESSION EXCHANGE given|partly|not`."
    )
    assert phrasing.nothing_to_fix(none) == (
        f"Nobody has judged these answers, so nothing is known of what to fix: {judge}"
    )
    some = replace(PAGE, fix=None, reviews=(PAGE.reviews[0], PAGE.reviews[3]))
    assert phrasing.nothing_to_fix(some) == (
        f"No answer that was judged was found wanting, but 1 of 2 was not judged: {judge}"
    )
    assert phrasing.nothing_to_fix(replace(some, reviews=PAGE.reviews[:1])) == "No answer was found wanting."
    opened = {
        "Nothing is known: nobody has judged the answers.": none,
        "Nothing in what was judged; nobody has judged 1 other answer.": some,
        "Nothing.": replace(some, reviews=PAGE.reviews[:1]),
    }
    for told, debrief in opened.items():
        closed = replace(debrief, homework=())
        assert phrasing.none_open(closed) == told
        assert f"## Still open\n\n{told}\n" in as_markdown(closed)
        assert f"Still open {told}" in " ".join(seen(as_html(closed)).text.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("We grew by ten percent this year, and so did the others.", "no fillers in {}; no hedges"),
        ("We, um, grew by ten percent this year, and so did the others.", "1 filler (um 1) in {}; no hedges"),
    ],
)
def test_fillers_of_a_microphone_are_said_to_be_those_that_it_heard(words: str, told: str) -> None:
    heard = [Segment(words, 0.0, 40.0, confidence=0.9)]
    page = replace(PAGE, delivery=delivery_of(heard, (None,)))
    assert f"; {told.format(phrasing.RECOGNISED)}" in phrasing.delivery(page)
    typed = replace(PAGE, delivery=delivery_of([replace(heard[0], confidence=None)], (None,)))
    assert f"; {told.replace(' in {}', '')}" in phrasing.delivery(typed)


def test_the_pace_of_a_single_minute_is_no_course_to_draw() -> None:
    one = Segment("We grew by ten percent this year, and so did the others.", 0.0, 40.0)
    for segments, drawn in (([one], False), ([one, replace(one, start_s=60.0, end_s=100.0)], True)):
        page = replace(PAGE, delivery=delivery_of(segments, (None,)))
        assert ("Pace, minute by minute" in as_html(page)) is drawn
        assert "words a minute" in phrasing.delivery(page)


def test_what_a_slide_leaves_out_is_not_shown_as_if_it_said_so() -> None:
    missing = replace(BOATS, quote="The fleet", is_missing=True)
    page = replace(PAGE, reviews=(replace(PAGE.reviews[1], exchange=missing),))
    assert '> slide 2, "The fleet", which leaves it out\n' in as_markdown(page)
    assert 'x2   not answered · slide 2, "The fleet", leaves it out\n' in as_text(page)
    assert "The fleet (slide 2, which leaves it out)" in " ".join(seen(as_html(page)).text.split())


def test_an_engine_that_never_answered_is_named_before_all_else() -> None:
    over = replace(PAGE, engine="claude", took_over="the key was refused")
    said = "The offline panel sat in the place of the engine `claude`: the key was refused."
    assert as_markdown(over).splitlines()[2] == said.replace("`", "\\`")
    assert as_text(over).startswith(f"No engine       {said[:60]}")
    assert said.replace("`", "") in " ".join(seen(as_html(over)).text.partition("Fix this first")[0].split())
    assert as_json(over)["took_over"] == "the key was refused"
    assert "Asked from a bank of questions, without a model" in as_markdown(over)
    failed = replace(PAGE, engine="claude", failed="it took too long")
    assert "It gave no words for this page: it took too long." in as_markdown(failed)


@pytest.mark.parametrize("width", [30, 50, 72, 100, 300])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = as_text(PAGE, width=width).splitlines()
    assert max(len(line) for line in lines) <= max(50, min(width, 100))


def test_nothing_is_cut() -> None:
    """Every sentence of the page stands whole on a narrow terminal as well."""
    words = as_text(PAGE, width=50).split()
    assert words == TEXT.split()
    assert "…" not in " ".join(words)


def test_both_sides_of_a_contradiction_stand_above_the_question_about_it() -> None:
    beside = Place(4, None, "No boat has sailed")
    page = replace(PAGE, reviews=(replace(PAGE.reviews[1], exchange=replace(BOATS, beside=beside)),))
    assert '> "Boats run on time" (slide 2)\n\n> "No boat has sailed" (slide 4)\n\n- Asked' in as_markdown(
        page
    )
    assert '· slide 2: "Boats run on time" · slide 4: "No boat has sailed"\n' in as_text(page)
    text = " ".join(seen(as_html(page)).text.split())
    assert "Boats run on time (slide 2) No boat has sailed (slide 4) Asked" in text


def test_colour_changes_nothing_but_colour() -> None:
    coloured = as_text(PAGE, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == TEXT


def test_eight_questions_fit_a_large_terminal() -> None:
    """100 columns by 50 lines: with each question in three lines, and everything else on the page."""
    once = replace(GROWTH, turns=GROWTH.turns[:1])
    one = replace(PAGE.reviews[0], exchange=once, stronger=None, still_open=())
    eight = replace(PAGE, reviews=(one,) * 8)
    assert len(as_text(eight).splitlines()) <= 50


def test_every_follow_up_is_shown() -> None:
    asked = [Turn(f"Question {number}?", ("number",), "No.", "follow_up") for number in range(1, 5)]
    pressed = replace(BOATS, turns=tuple(asked))
    page = replace(PAGE, reviews=(replace(PAGE.reviews[1], exchange=pressed),))
    again = ["Question 2?", "Question 3?", "Question 4?"]
    lines = as_markdown(page).splitlines()
    assert [line for line in lines if "Asked again" in line] == [f"- Asked again: {one}" for one in again]
    assert [line.strip() for line in as_text(page).splitlines() if "Asked again" in line] == [
        f"Asked again: {one}" for one in again
    ]
    assert all(f"Asked again {one}" in " ".join(seen(as_html(page)).text.split()) for one in again)


def test_seven_open_points_are_shown_and_the_rest_is_folded() -> None:
    points = tuple(OpenPoint(f"x{number}", None, "Why?", f"point {number}", None) for number in range(1, 10))
    page = replace(PAGE, homework=points)
    lines = as_markdown(page).splitlines()
    assert lines[lines.index("## Still open") + 8 :][:5] == [
        "- [ ] x7 (general): Why? Point 7.",
        "",
        "2 more, less pressing:",
        "",
        "- [ ] x8 (general): Why? Point 8.",
    ]
    folded = re.search(r"<details>(.*?)</details>", as_html(page), re.DOTALL)
    assert folded is not None
    assert " ".join(seen(folded[1]).text.split()) == (
        "2 more, less pressing x8 (general): Why? Point 8. x9 (general): Why? Point 9."
    )
    assert "2 more, less pressing, all in debrief.md" in as_text(page, reviews=False)
    assert len(as_json(page)["homework"]) == 9


def test_a_new_question_is_not_said_to_be_asked_again() -> None:
    asked = (GROWTH.turns[0], replace(GROWTH.turns[1], is_new_question=True))
    page = replace(PAGE, reviews=(replace(PAGE.reviews[0], exchange=replace(GROWTH, turns=asked)),))
    for told in (as_markdown(page), as_text(page), " ".join(seen(as_html(page)).text.split())):
        assert "Then asked" in told
        assert "Asked again" not in told


def test_on_paper_no_id_stands_but_in_the_words_of_deck_and_presenter() -> None:
    page = replace(
        PAGE,
        reviews=(
            replace(PAGE.reviews[0], reason="x2 says so too", about_answer="x3"),
            replace(PAGE.reviews[1], asked="Is x1 the price of x2?"),
            replace(PAGE.reviews[2], came_back_as="x4"),
            replace(PAGE.reviews[3], exchange=replace(YOURS, comes_back_to="x3")),
        ),
        tensions=tuple(replace(one, id=f"c{at}") for at, one in enumerate(PAGE.tensions or ())),
        withdrawn=("x5",),
    )
    text = " ".join(seen(as_paper(page)).text.split())
    text = text[text.index("Debrief of a rehearsal") :]  # behind the style sheet
    assert re.findall(r"\b[xc]\d\b", text) == ["x1", "x2"] * 2  # of the question
    for words in (
        "Harbour ferries Rehearsed by Ines on 2026-12-01 before Ana and Bo.",
        'Question 2, on "Boats run on time" (slide 2): Who owns the boats?',
        "1 of 2 judged questions answered 2:15 of 2:00 used 144 words a minute 8 fillers",
        "3 questions: 1 answered, 1 not answered, 1 not judged.",
        "3. Bo parked, came back as question 4, general",
        "2 Ana Is x1 the price of x2? not answered",
        "We grew 40% (your answer to question 3)",
        "Why question 2 says so too",
        "I will send it by Friday (your answer to question 2)",
    ):
        assert words in text, words
    assert seen(as_paper(page)).text.count("button") == 0


def test_the_first_page_on_paper_names_eight_questions_and_counts_the_others() -> None:
    many = tuple(
        replace(PAGE.reviews[3], exchange=replace(YOURS, id=f"x{number}")) for number in range(1, 15)
    )
    page = replace(PAGE, reviews=many, fix=None, presenter=UNNAMED)
    html = as_paper(page)
    first = seen(html[: html.index("</section>")]).text
    assert "and 6 more on the pages behind this one" in first
    assert first.count(PAGE.reviews[3].asked) == phrasing.MAX_BRIEF
    assert phrasing.rehearsed_by(page) == "Rehearsed on 2026-12-01 before Bo."


def test_a_deck_may_have_any_name_in_the_foot_of_a_printed_page() -> None:
    html = as_paper(replace(PAGE, deck='</style><blink>"x"\\'))
    (foot,) = re.findall(r'@bottom-left \{ content: "([^"]*)"', html)
    read = re.sub(r"\\([0-9a-f]+) ", lambda match: chr(int(match[1], 16)), foot)
    assert read == '</style><blink>"x"\\'
    assert "blink" not in seen(html).tags


def test_a_parked_question_says_as_what_it_came_back() -> None:
    back = replace(PAGE.reviews[2], came_back_as="x4")
    page = replace(PAGE, reviews=(back,))
    assert "### x3. Bo: parked, came back as x4, general\n" in as_markdown(page)
    assert "x3   parked, came back as x4, general\n     Bo: What" in as_text(page)
    assert '<span class="verdict parked">parked, came back as x4</span>' in as_html(page)
    assert as_json(page)["reviews"][0]["came_back_as"] == "x4"


def test_a_contradiction_says_in_which_exchange_it_was_asked_about() -> None:
    """The later one, where the question was parked and came back; and its question is not cut."""
    asked = f"Churn is 6% here and {'much ' * 20}more there. Which is right?"
    first = replace(WHOLE, slide=3, quote="Churn is 6%", beside=PAGE.contradictions[0].a)
    parked = replace(PAGE.reviews[2], exchange=first, came_back_as="x4")
    one = replace(
        first, id="x4", agent="analyst", turns=GROWTH.turns[1:], outcome="satisfied", comes_back_to="x3"
    )
    page = replace(PAGE, reviews=(parked, replace(PAGE.reviews[0], exchange=one, asked=asked)))
    said = PAGE.contradictions[0].note + " 8 % is not 6 %. Asked in x4: answered."
    assert f"- {said}\n" in as_markdown(page)
    assert f"Contradiction {said}" in " ".join(as_text(page).split())
    assert said in " ".join(seen(as_html(page)).text.split())
    assert as_json(page)["tensions"][0]["asked_in"] == "x4"
    assert f"Ana: {asked}" in " ".join(as_text(page).split())


def test_a_question_about_one_side_alone_was_not_about_the_contradiction() -> None:
    alone = replace(GROWTH, slide=3, quote="Churn is 6%")
    page = replace(PAGE, reviews=(replace(PAGE.reviews[0], exchange=alone),))
    assert as_json(page)["tensions"][0]["asked_in"] is None


EVIL = '<script>alert("1")</script> & *x* | _y_ `z` [a](b)\n# not a heading \x1b[31m'


def evil_page() -> Debrief:
    bad = Source(EVIL, 1)
    asked = exchange("x1", "unresolved", Turn(EVIL, (), EVIL, "follow_up", EVIL, EVIL), quote=EVIL)
    review = Review(asked, EVIL, EVIL, EVIL, "not answered", EVIL, Stronger(bad, EVIL, (bad,), (EVIL,)))
    return replace(
        PAGE,
        deck=EVIL,
        presenter=EVIL,
        speaker=EVIL,
        fix=Fix(EVIL, EVIL, EVIL, better=Stronger(bad, EVIL, (bad,), (EVIL,))),
        reviews=(review,),
        tensions=(Tension("sum", Place(1, None, EVIL), Place(2, None, EVIL), EVIL),),
        homework=(OpenPoint("x1", bad, EVIL, EVIL, None),),
        promises=(bad,),
        observed=(Observation(EVIL, EVIL),),
        still_wanted=(EVIL,),
        slides=(SlideSpan(1, EVIL, 1.0, False, 1.0),),
        rubric=(Check("A check", "yes", EVIL, bad),),
    )


class Seen(HTMLParser):
    """The elements and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(html)
    parser.close()
    return parser


def test_html_is_one_file_that_fetches_and_runs_nothing() -> None:
    page = seen(as_html(PAGE))
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert not {"src", "href", "srcset", "action"} & {name for name, _ in page.attributes}
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "url(" not in as_html(PAGE)
    assert "@import" not in as_html(PAGE)
    assert "default-src 'none'" in as_html(PAGE)


def test_html_says_what_markdown_says() -> None:
    """Every sentence of the Markdown page, whatever marks stand between them."""
    text = " ".join(seen(as_html(PAGE)).text.split())
    for words in (
        "Harbour ferries", 'x2, on "Boats run on time" (slide 2): Who owns the boats?',
        "Why It got no good answer",
        "x1. Ana answered asked twice We grew 40% (slide 2)",
        "Asked From which base? You said A lot.",
        'Asked again You said "A lot." From what? You said From 200 boats.', 'Why gives a base ("From 200")',
        'Stronger Say at the first asking: "From 200 boats."',
        "x3. Bo parked general Asked What did you leave out?",
        "Churn is 8 % in the speech and 6 % on slide 3. 8 % is not 6 %. churn is eight percent",
        "Do these agree? Do boats run already? Boats run on time (slide 2) No boat has sailed (slide 4)",
        "Left open how many of the 200 are electric", "Still wanted to ask Who keeps the boats running?",
        'What the panel noticed Answers a number with a story. "A lot."',
        "x3 (general): What did you leave out? Parked.", "I will send it by Friday (your answer to x2)",
        "2:15 of 2:00 used", "144 words a minute",
        "1 Start 0:30 1:00 2 Growth and 0:10 under questions 1:35 1:00",
        "Deck and speech are consistent no 1 contradiction: Churn is 8 % in the speech",
        "Not judged: The ask is clear: this takes reading, and no model was asked",
        "Asked from a bank of questions, without a model",
    ):  # fmt: skip
        assert words in text, words


def test_html_has_its_parts_labelled_and_in_order() -> None:
    html = as_html(PAGE)
    page = seen(html)
    assert ("lang", "en") in page.attributes
    ids = [value for name, value in page.attributes if name == "id"]
    assert ids == (
        [
            "first",
            "questions",
            "x1",
            "x2",
            "x3",
            "x4",
            "contradictions",
            "doubtful",
            "open",
            "wanted",
            "promises",
            "noticed",
            "time",
            "checks",
        ]
    )
    assert [value for name, value in page.attributes if name == "aria-labelledby"] == ids
    assert page.tags.count("h1") == 1
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


def test_words_from_outside_are_words_in_every_form() -> None:
    page = evil_page()
    html = seen(as_html(page))
    assert "script" not in html.tags
    assert '<script>alert("1")</script>' in html.text
    markdown = as_markdown(page)
    assert "<script" not in markdown.replace("\\<", "")
    assert "\n# not a heading" not in markdown
    assert "\\*x\\* | \\_y\\_ \\`z\\` \\[a\\](b)" in markdown
    rows = [line for line in markdown.splitlines() if line[:1] == "|"]
    assert {line.count(" | ") - line.count("\\| ") for line in rows} == {0, 1, 2, 3}
    text = as_text(page)
    assert "\x1b" not in text
    assert "# not a heading �[31m" in text


any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def plain_tags() -> list[str]:
    """The elements of the page whose texts are plain."""
    return seen(as_html(with_words("plain"))).tags


@given(text=any_text)
def test_no_text_adds_an_element_to_the_html(plain_tags: list[str], text: str) -> None:
    page = seen(as_html(with_words(text)))
    assert page.tags == plain_tags
    assert "".join(one_line(text).split()) in "".join(page.text.split())


@given(any_text)
def test_no_text_adds_a_line_to_the_markdown(text: str) -> None:
    assert as_markdown(with_words(text)).count("\n") == as_markdown(with_words("plain")).count("\n")


@given(any_text, st.integers(50, 100))
def test_no_text_steers_the_terminal_or_overflows_it_but_by_a_word(text: str, width: int) -> None:
    for line in as_text(with_words(text), width=width).split("\n"):
        assert cell_len(line) <= width or max(map(len, line.split()), default=0) > width - LABEL
        assert not any(unicodedata.category(character) == "Cc" for character in line)


def test_a_long_word_or_address_is_never_broken() -> None:
    address = "https://example.org/" + "a" * 120
    lines = as_text(with_words(f"See {address} for it"), width=80).split("\n")
    assert sum(address in line for line in lines) == "".join(lines).count("https://") == 7


def with_words(text: str) -> Debrief:
    """The page with *text* in the places where deck and presenter are quoted."""
    source = Source(text, 1)
    asked = exchange("x1", "unresolved", Turn("Q?", (), text, "follow_up"), quote=text)
    review = Review(asked, "Ana", text, text, "not answered", text, Stronger(first=source))
    check = Check("A check", "yes", "why", source)
    return replace(PAGE, deck=text, reviews=(review,), promises=(source,), rubric=(check,))


def test_the_page_as_json_keeps_its_keys() -> None:
    plain = json.loads(json_text(PAGE))
    assert plain == as_json(PAGE)
    earlier = {
        "deck", "presenter", "speaker", "date", "fix_first", "exchanges", "open", "slides", "speech_s",
        "answers_s", "budget_s", "engine", "language", "usage",
    }  # fmt: skip
    assert earlier < set(plain)
    assert plain["fix_first"] == PAGE.fix.what if PAGE.fix else False
    assert plain["open"] == [
        'x2 (slide 2, "Boats run on time"): Who owns the boats? no owner and no date',
        "x3 (general): What did you leave out? parked",
        'x1 (slide 2, "We grew 40%"): From which base? how many of the 200 are electric',
    ]
    assert plain["reviews"][1]["stronger"] == {
        "first": None,
        "rests_on": [
            {
                "quote": "The boats come on 3 May",
                "slide": 4,
                "said_at_s": None,
                "origin": "line",
                "exchange": None,
            }
        ],
        "bring": ["the name of the owner", "the contract"],
        "text": "The boats come on 3 May, and one of us answers for them. (From slide 4.) "
        "Bring the name of the owner and the contract.",
    }
    assert [one["would_hold"] for one in plain["reviews"]] == [True, None, None, None]
    assert (
        plain["fix_first_say"] == "The boats come on 3 May, and one of us answers for them. (From slide 4.)"
    )
    assert plain["fix_first_bring"] == ["the name of the owner", "the contract"]
    assert plain["fix_first_do"] == plain["reviews"][1]["stronger"]["text"]
    assert [one["class"] for one in plain["tensions"]] == ["computed", "read"]
    assert plain["observed"] == [{"text": "Answers a number with a story.", "quote": "A lot."}]
    assert plain["still_wanted"] == ["Who keeps the boats running?"]
    assert plain["reviews"][0]["still_open"] == ["how many of the 200 are electric"]
    assert plain["delivery"]["fillers"] == {"um": 8}
    assert plain["tensions"][0]["b"] == {"slide": 3, "said_at_s": None, "quote": "Churn is 6%"}


def test_a_session_without_questions_says_that_nothing_was_tested() -> None:
    empty = replace(PAGE, fix=None, reviews=(), homework=(), promises=(), tensions=None)
    for text in (as_markdown(empty), as_html(empty)):
        assert "No question was asked, so nothing was tested." in text
    assert "Asked           No question was asked.\n" in as_text(empty)
    assert as_json(empty)["tensions"] is None


def test_how_long_others_spoke_is_said_beside_what_was_presented() -> None:
    assert "Others" not in phrasing.timing(PAGE)  # a word of thanks
    page = replace(PAGE, delivery=replace(PAGE.delivery, others_s=70.0))
    assert phrasing.timing(page).startswith(
        "2:15 of 2:00 used: 2:05 presenting, 0:10 answering. Others spoke for 1:10 of it. Over their share"
    )


@pytest.mark.parametrize(
    ("times_estimated", "why"),
    [(True, "the words were typed, or came without times"), (False, "too little was said")],
)
def test_why_no_pace_was_measured_is_said_as_it_is(times_estimated: bool, why: str) -> None:
    few = Segment("Twelve boats run.", 1.0, 2.0, "Ines", times_estimated=times_estimated)
    page = as_markdown(replace(PAGE, delivery=delivery_of([few], ("Ines", None))))
    assert f"Pace not measured ({why})" in page


def test_the_engine_that_asked_and_judged_is_named() -> None:
    whole = replace(PAGE, engine="claude", shares=Shares(3, 3, 2, 2))
    said = "Asked and judged by the engine `claude`; times and counts are the program's."
    assert said in as_markdown(whole)
    assert said in as_markdown(replace(PAGE, engine="claude"))
    part = replace(PAGE, engine="model", shares=Shares(1, 3, 0, 1))
    said = (
        "The engine `model` asked 1 of 3 questions and judged 0 of 1 answer; the offline panel did the rest"
    )
    assert said in as_markdown(part)
    assert "Asked and judged by the engine" not in as_markdown(part)
    silent = replace(PAGE, engine="claude", shares=Shares(0, 3, 0, 0))
    assert "The engine `claude` asked 0 of 3 questions; the offline panel did the rest" in as_markdown(silent)
