"""What the debrief is made of: the fix, stronger answers, homework, checks, promises, shares of the time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import pytest

from orchestrator.cli.app import run
from orchestrator.core.errors import EngineError
from orchestrator.material.checks.grounding import material
from orchestrator.material.claim import Place, Tension
from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.speech.read import read_speech
from orchestrator.material.values import Deck, Segment, Slide
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.build import (
    _homework,
    _is_one_point,
    _review,
    _with_contradicted,
    debrief_of,
    first_of,
)
from orchestrator.panel.debrief.excerpts import deciding_words, first_words, last_words
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.debrief.parts import (
    Check,
    Review,
    Source,
    Stronger,
    asked_about,
    shares,
    spans,
)
from orchestrator.panel.debrief.printing import HOW_TO_GET_ONE
from orchestrator.panel.debrief.request import better_answers, read_checks
from orchestrator.panel.debrief.rubric import CHECKS, Record, rubric
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    DoubtRequest,
    JudgementRequest,
    Request,
    Scene,
    ScratchpadRequest,
)
from orchestrator.panel.home import Home
from orchestrator.panel.loop.moderator import bare_question
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Observation,
    PersonVerdict,
    Turn,
)
from orchestrator.panel.model.reply import BetterAnswer, DebriefWords, RubricCheck
from orchestrator.panel.records.projection import SlideTime
from orchestrator.rehearsal.session import Session

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

DECK = """# Ferries

- Season-ticket churn fell to 4%

---
# The pilot

- Electric boats cut fuel cost by 31% on the pilot routes
- The charging contract for the electric boats ends on 31 March 2028

---
# The ask

- We ask for EUR 1.8M
- The main risk is the price of power
"""


def scene_of(deck: str = DECK, speech: Sequence[str] = (), exchanges: Sequence[Exchange] = ()) -> Scene:
    read = read_deck_text(deck)
    segments = [Segment(text, 10.0 * n, 10.0 * n + 9, "Ines", 1) for n, text in enumerate(speech)]
    now_s = segments[-1].end_s if segments else 0.0
    return Scene(
        read,
        (),
        (),
        segments,
        exchanges,
        None,
        now_s,
        "moderate",
        (),
        presenter_labels=("Ines", None),
    )


def exchange(id_: str, outcome: str, *turns: Turn, quote: str | None = None, slide: int = 2) -> Exchange:
    return Exchange(id_, "skeptic", None, slide, None, quote, quote is not None, "", 0.0, turns, outcome)


def said_of(verdict: str, note: str = "") -> PersonVerdict:
    return PersonVerdict("x9", 1, verdict, "Dana", "2026-12-01T09:00:00Z", note)


def review(one: Exchange, better: Stronger | None = None) -> Review:
    return replace(_review(one, "Ana", better, None), asked="Q?")


# -- what to fix first

SATISFIED = exchange("x1", "satisfied", Turn("Q?", (), "Yes.", "satisfied", "gives it", "Yes"))
LATE = exchange("x2", "satisfied", Turn("Q?", (), "Hm.", "follow_up"), Turn("Q!", (), "3.", "satisfied"))
OPEN = exchange("x3", "unresolved", Turn("Who?", (), "All.", "follow_up", "no owner"), quote="Boats run")
PRESSED = exchange(
    "x4", "unresolved", Turn("Q?", (), "No.", "follow_up"), Turn("When?", (), "Soon.", "escalate", "no date")
)
SILENT = exchange("x5", "unjudged", Turn("Which?"))
PARKED = exchange("x6", "parked", Turn("Later?"))
CLASH = Tension(
    "deck-vs-deck", Place(2, None, "Boats run on time"), Place(3, None, "Boats are late"), "Not both."
)
ABOUT = replace(OPEN, beside=CLASH.b)
JUDGED_BY_NOBODY = exchange("x7", "unjudged", Turn("Why?", (), "Because."))
NEW = exchange(
    "x8", "satisfied",
    Turn("How many?", (), "Three.", "follow_up", "a number", "Three.", still_open=("of what age",)),
    Turn("And who pays?", (), "We do.", "satisfied", "it names who", "We do.", is_new_question=True),
)  # fmt: skip
PARTLY_GIVEN = exchange("x9", "unjudged", Turn("Who?", (), "All.", person=said_of("partly")))
NOT_GIVEN = exchange("x10", "unjudged", Turn("Who?", (), "All.", person=said_of("not", "nobody is named")))
LACKS = exchange("x11", "unjudged", Turn("How many?", ("number",), "Many.", "unjudged"))
HAS = exchange("x12", "unjudged", Turn("How many?", ("number",), "About twelve.", "unjudged"))
SETTLED = exchange("x13", "satisfied", Turn("Which?", (), "Late.", "satisfied"), quote="Boats run")


@pytest.mark.parametrize(
    ("exchanges", "tensions", "expected"),
    [
        ([], [], None),
        ([SATISFIED], [], None),
        ([SATISFIED, LATE], [], "x2"),
        ([LATE, PARKED], [], "x6"),
        ([PARKED, SILENT], [], "x5"),
        ([SILENT], [CLASH], "Not both."),
        ([SILENT, OPEN], [], "x3"),
        ([OPEN, PRESSED], [], "x4"),
        ([PRESSED, ABOUT], [CLASH], "Not both."),
        ([JUDGED_BY_NOBODY], [], None),
        ([SATISFIED, NEW], [], None),  # what only the follow-up asked could not have come earlier
        ([PRESSED], [CLASH], "Not both."),
        ([PRESSED, PARTLY_GIVEN, NOT_GIVEN, ABOUT], [CLASH], "Not both."),
        ([PRESSED, PARTLY_GIVEN, NOT_GIVEN], [], "x10"),
        ([PRESSED, LACKS, PARTLY_GIVEN], [], "x11"),
        ([PARTLY_GIVEN, PARKED], [], "x6"),
        ([LATE, PARTLY_GIVEN], [], "x9"),
        ([PRESSED, LACKS], [], "x11"),
        ([JUDGED_BY_NOBODY, LACKS, PARKED], [], "x11"),
        ([HAS, PARKED], [], "x6"),
        ([replace(SETTLED, beside=CLASH.b), PARKED], [CLASH], "x6"),
        ([replace(SETTLED, beside=CLASH.b)], [CLASH], "Not both."),
    ],
)
def test_the_worst_comes_first(
    exchanges: list[Exchange], tensions: list[Tension], expected: str | None
) -> None:
    fix = first_of([review(one) for one in exchanges], tensions)
    assert (fix and (fix.exchange if fix.exchange == expected else fix.what)) == expected
    assert fix is None or fix.why


def test_a_contradiction_to_fix_is_a_sentence_of_its_own() -> None:
    fix = first_of([], [replace(CLASH, note="the table does not add up")])
    assert fix is not None
    assert fix.what == "The table does not add up"


def test_of_a_sum_the_slide_is_named_once_and_not_each_figure() -> None:
    places = tuple(Place(8, None, quote, f"{quote} / 2025") for quote in ("3", "4", "6"))
    fix = first_of([], [Tension("sum", places[2], places[0], "the table does not add up", places=places)])
    assert fix is not None
    assert phrasing.fix_lines(fix) == [
        ("Say", "Which figure on slide 8 is wrong, and what is right."),
        ("Bring", "The arithmetic on slide 8, done again."),
        ("Why", "Nobody has to ask: whoever sees both places sees it."),
    ]


def test_a_question_about_cells_of_a_table_names_row_and_column() -> None:
    beside = Place(2, None, "3", "Boats / 2025")
    one = replace(OPEN, quote="4", under="Total / 2025", beside=beside)
    assert [phrasing.placed(place) for place in review(one).places] == [
        'slide 2, Total / 2025: "4"',
        'slide 2, Boats / 2025: "3"',
    ]


def test_the_fix_says_in_three_lines_what_to_say_what_to_bring_and_why() -> None:
    pressed = replace(PRESSED, good_answer="a day, and who answers for it")
    fix = first_of([review(pressed)], [])
    assert fix is not None
    assert fix.what == "x4 (general): Q?"  # the question, and no follow-up without its subject
    assert phrasing.fix_lines(fix) == [
        ("Say", "A day, and who answers for it."),
        ("Bring", "What answers it, or the day on which you bring it."),
        ("Why", "Asked twice, it got no good answer: no date."),
    ]
    better = Stronger(text="The boats come in May", rests_on=(Source("in May", 4),), bring=("the name",))
    fix = first_of([review(OPEN, better)], [])
    assert fix is not None
    assert fix.what == 'x3, on "Boats run" (slide 2): Who?'
    assert phrasing.fix_lines(fix) == [
        ("Say", "The boats come in May. (From slide 4.)"),
        ("Bring", "The name."),
        ("Why", "It got no good answer: no owner."),
    ]
    fix = first_of([review(NOT_GIVEN)], [])
    assert fix is not None
    assert fix.why == "Your answer did not give it, says Dana: nobody is named."


def test_a_question_that_says_the_words_itself_is_shown_with_their_place_alone() -> None:
    about = Source("Boats run.", 2)
    told = phrasing.question_about("x1", "The slide says “Boats run”: since when?", about, "")
    assert told == "x1, slide 2: The slide says “Boats run”: since when?"
    assert (
        phrasing.question_about("x1", "Since when?", about, "")
        == 'x1, on "Boats run." (slide 2): Since when?'
    )


def test_of_two_places_either_may_hold_and_the_slide_is_brought_corrected() -> None:
    fix = first_of([review(ABOUT)], [CLASH])
    assert fix is not None
    assert fix.exchange == "x3"
    sides = '"Boats run on time" (slide 2) or "Boats are late" (slide 3)'
    assert phrasing.fix_lines(fix) == [
        ("Say", f"Which holds: {sides}; and where the other comes from."),
        ("Bring", "Slide 2 and slide 3, corrected where it is wrong."),
        ("Why", "x3 asked about it and got no good answer."),
    ]


@pytest.mark.parametrize(
    ("outcome", "answer", "came"),
    [
        ("unresolved", "Hm.", "got no good answer"),
        ("unjudged", "Both.", "nobody has judged the answer"),
        ("unjudged", None, "got no answer"),
        ("parked", "Later.", "was parked"),
    ],
)
def test_what_came_of_the_question_is_said_and_no_more(outcome: str, answer: str | None, came: str) -> None:
    asked = exchange("x3", outcome, Turn("Who?", (), answer), quote="Boats run")
    fix = first_of([review(replace(asked, beside=CLASH.b))], [CLASH])
    assert fix is not None
    assert fix.why == f"x3 asked about it and {came}."


def test_words_of_an_answer_are_named_as_such_and_figures_stand_in_one_form() -> None:
    said = Place(2, 9.0, "Churn is eight percent")
    clash = Tension(
        "speech-vs-deck", said, Place(3, None, "Churn is 6%"), "Two churns", sum="6%, not eight percent"
    )
    asked = exchange("x1", "unjudged", Turn("How many leave?", (), "Churn is eight percent."))
    assert [phrasing.with_place(one) for one in phrasing.sides(clash, [asked])] == [
        '"Churn is eight percent" (your answer to x1)',
        '"Churn is 6%" (slide 3)',
    ]
    in_the_talk = [phrasing.place(one) for one in phrasing.sides(clash, [replace(asked, asked_at_s=30.0)])]
    assert in_the_talk == ["speech at 0:09, on slide 2", "slide 3"]
    assert phrasing.noted(clash) == "Two churns. 6%, not 8%."
    assert phrasing.noted(replace(clash, sum="six, not eight")) == "Two churns. six, not eight."
    assert phrasing.noticed(Observation("put it off", "Next.")) == 'Put it off. "Next."'


def test_a_late_answer_that_is_cut_shows_that_it_is() -> None:
    assert phrasing.stronger(Stronger(first=Source("Thirteen of them left, and the"))) == [
        'Say at the first asking: "Thirteen of them left, and the …"'
    ]


@pytest.mark.parametrize(
    ("one", "is_about"),
    [
        (ABOUT, True),
        (replace(ABOUT, quote="Boats are late", slide=3, beside=CLASH.a), True),  # the other way round
        (OPEN, False),  # of one side only
        (replace(ABOUT, said_at_s=4.0), False),  # said, and not shown
        (replace(ABOUT, beside=Place(4, None, "Boats are late")), False),
        (replace(ABOUT, quote=None), False),
        (replace(OPEN, angle="contradiction (deck-vs-deck): Not both."), False),  # no wording tells it
    ],
)
def test_a_question_and_a_contradiction_are_linked_by_their_places(one: Exchange, is_about: bool) -> None:
    found = asked_about([review(one)], CLASH)
    assert (found is not None) is is_about


def test_a_question_is_about_a_contradiction_by_any_two_of_its_places() -> None:
    third = Place(4, None, "Boats are sold")
    three = replace(CLASH, places=(CLASH.a, third, CLASH.b))
    assert asked_about([review(replace(ABOUT, beside=third))], three) is not None
    assert asked_about([review(OPEN)], three) is None


def test_words_that_are_cut_say_so() -> None:
    answer = "Well. We have, as you know, twelve boats on the river today. All of them sail."
    one = Turn("Q?", (), answer, "follow_up", quote="twelve boats")
    halting = Turn("Again?", (), "well, " * 40 + "twelve boats" + ", well" * 40, "follow_up", quote=one.quote)
    told = phrasing.turns(review(exchange("x1", "unresolved", one, halting, Turn("And?"))))
    assert told == [
        ("Asked", "Q?", "… We have, as you know, twelve boats on the river today. …"),
        ("Asked again", "Again?", f"… twelve boats, {'well, ' * 28}…"),
        ("Asked again", "And?", None),
    ]


# -- homework


def test_homework_is_what_was_parked_unanswered_or_left_open_and_nothing_else() -> None:
    open_still = replace(SATISFIED, turns=(replace(SATISFIED.turns[0], still_open=("by when", "by whom")),))
    reviews = [review(one) for one in (open_still, JUDGED_BY_NOBODY, OPEN, SILENT, PARKED, LATE)]
    assert [(point.exchange, point.why) for point in _homework(reviews)] == [
        ("x3", "no owner"),
        ("x5", "no answer"),
        ("x6", "parked"),
        ("x1", "by when; by whom"),
    ]


def test_open_points_come_in_the_order_of_their_weight_and_each_once() -> None:
    open_still = replace(SATISFIED, turns=(replace(SATISFIED.turns[0], still_open=("By when?", "who")),))
    pressed = replace(PRESSED, turns=(PRESSED.turns[0], replace(PRESSED.turns[1], still_open=("by when",))))
    reviews = [review(one) for one in (open_still, SILENT, OPEN, pressed)]
    assert [(point.exchange, point.why) for point in _homework(reviews)] == [
        ("x4", "by when"),  # asked twice
        ("x3", "no owner"),
        ("x5", "no answer"),
        ("x1", "who"),  # by when stands above
    ]
    assert [point.exchange for point in _homework(reviews, "x5")] == ["x5", "x4", "x3", "x1"]


def test_what_a_follow_up_closed_is_not_open_and_what_it_left_for_a_new_question_is() -> None:
    pressed = (replace(LATE.turns[0], still_open=("how many",)), LATE.turns[1])
    assert replace(LATE, turns=pressed).left_open == ()
    assert replace(LATE, turns=pressed).was_left_open == ("how many",)
    assert (NEW.left_open, NEW.was_left_open) == (("of what age",), ())


def test_an_answer_that_was_found_wanting_stays_so_where_its_follow_up_got_none(
    home: Path, tmp_path: Path
) -> None:
    with rehearsed(home, tmp_path, Plays(asks_on=True)) as session:
        session.answer("")
        assert [turn.answer or None for turn in session.projection.exchanges[1].turns] == [
            "Just trust me.",
            None,
        ]
        assert session.projection.exchanges[1].outcome == "unresolved"
        found = session.debrief()
    (wanting,) = [one for one in found.reviews if one.exchange.id == "x2"]
    assert (wanting.verdict, wanting.still_open) == ("not answered", ("which system",))
    assert wanting.reason == "no source in the answer; the follow-up got no answer"
    assert ("x2", "which system") in [(one.exchange, one.why) for one in found.homework]
    (answers,) = [check for check in found.rubric if check.name == ANSWERS]
    assert answers.why.startswith("1 of 2 judged, 1 at the first asking; not answered")


def test_words_that_came_late_are_to_be_said_at_once_but_not_where_the_question_was_new() -> None:
    late = exchange(
        "x1", "satisfied",
        Turn("How many boats?", (), "Many.", "follow_up"),
        Turn("How many?", (), "Well, thanks. It is 40 boats.", "satisfied", "", "40 boats"),
    )  # fmt: skip
    assert review(late).stronger == Stronger(Source("It is 40 boats.", origin="answer", exchange="x1"))
    assert review(NEW).stronger is None
    assert phrasing.times_asked(late) == "asked twice"
    assert phrasing.times_asked(NEW) == ""


def test_the_last_words_are_the_end_of_what_was_said_and_the_first_its_beginning() -> None:
    long = " ".join(f"word{number}" for number in range(50))
    said = Source(f"We close. Thank you for {long} and your time.", 2, 9.0, "speech")
    assert last_words(said).quote.split()[-4:] == ["word49", "and", "your", "time."]
    assert len(last_words(said).quote.split()) == 30
    assert last_words(replace(said, quote="We close. Thank you.")).quote == "Thank you."
    assert last_words(replace(said, quote="Thank you")).quote == "Thank you"
    assert first_words(said) == replace(said, quote="We close.")


# -- stronger answers

ASKED = exchange(
    "x1", "unresolved", Turn("What does it cost?", (), "A lot, I think 9 boats.", "follow_up"), quote="31%"
)
CONTRACT = Place(2, None, "The charging contract for the electric boats ends on 31 March 2028")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (BetterAnswer("x1", "The contract ends on 31 March 2028.", (CONTRACT,), ("the price",)), True),
        (BetterAnswer("x1", "Nine boats, until 2028.", (CONTRACT,)), True),  # 9 was said in the exchange
        (BetterAnswer("x1", "It ends in May 2029.", (CONTRACT,)), False),  # nobody said so
        (BetterAnswer("x1", "It costs EUR 400,000.", (CONTRACT,)), False),
        (BetterAnswer("x1", "It ends in March 2028.", (replace(CONTRACT, slide=1),)), False),
        (BetterAnswer("x1", "We have a contract.", ()), False),
        (BetterAnswer("x9", "The contract ends on 31 March 2028.", (CONTRACT,)), False),  # no such exchange
    ],
)
def test_a_better_answer_holds_only_what_was_said(answer: BetterAnswer, kept: bool) -> None:
    found = better_answers(DebriefWords(better=(answer,)), [ASKED], material(read_deck_text(DECK)))
    assert list(found.values()) == (
        [Stronger(None, answer.text, (Source(CONTRACT.quote, 2),), answer.bring)] if kept else []
    )


@pytest.mark.parametrize(
    ("text", "quote", "shown"),
    [
        # The answer that was found wanting, said again; and that nothing is known, whatever it rests on.
        ("It costs a lot.", Place(None, None, "A lot, I think 9 boats."), Stronger(bring=("the price",))),
        ("We do not know that yet.", CONTRACT, Stronger(bring=("the price",))),
        (
            "We do not know that yet. The contract ends in 2028.", CONTRACT,
            Stronger(
                None,
                "We do not know that yet. The contract ends in 2028.",
                (Source(CONTRACT.quote, 2),),
                ("the price",),
            ),
        ),
    ],
)  # fmt: skip
def test_a_stronger_answer_that_says_the_weak_one_again_is_none(
    text: str, quote: Place, shown: Stronger
) -> None:
    passages = material(read_deck_text(DECK), [Segment("A lot, I think 9 boats.", 12.0, 15.0, "Ines")])
    words = DebriefWords(better=(BetterAnswer("x1", text, (quote,), ("the price",)),))
    assert better_answers(words, [ASKED], passages) == {"x1": shown}
    bare = replace(words, better=(replace(words.better[0], bring=()),))
    assert ("x1" in better_answers(bare, [ASKED], passages)) is bool(shown.text)


def test_a_better_answer_may_rest_on_what_was_said_in_the_room() -> None:
    segments = [Segment("We pay EUR 40,000 a year for power.", 12.0, 15.0, "Ines")]
    said = DebriefWords(
        better=(BetterAnswer("x1", "EUR 40,000 a year.", (Place(None, None, "EUR 40,000 a year"),)),)
    )
    answered = replace(ASKED, id="x2", turns=(Turn("Q?", (), "We pay EUR 40,000 a year for power."),))
    passages = material(read_deck_text(DECK), segments)
    found = better_answers(said, [ASKED, answered], passages)
    assert found["x1"].rests_on == (Source("EUR 40,000 a year", origin="answer", exchange="x2"),)


@pytest.mark.parametrize(
    ("question", "quote", "expected"),
    [
        ('Stay. On slide 2 you say "We grew". By how much, and when?', "We grew", "By how much, and when?"),
        ("How much?", "We grew", "How much?"),
        ('You say "We grew".', "We grew", 'You say "We grew".'),
        ("How much?", None, "How much?"),
        ("How was that counted: “We grew by 4.2”?", "We grew by 4.2.", "How was that counted?"),
        ("“We grew”: by how much?", "We grew", "By how much?"),
        ("“We grew” or “we fell”: which?", "We grew", "“We grew” or “we fell”: which?"),
        # A quote that comes again in the question is not what the question is cut at.
        (
            'On slide 3 it says "Mail, 2.1". The parts ("Mail, 2.1") add up to 5.9. Which is wrong?',
            "Mail, 2.1",
            'The parts ("Mail, 2.1") add up to 5.9. Which is wrong?',
        ),
        (
            'On slide 3 you say "Orders grew 18%". At 0:09 it is "Orders grew 12%". Which would you give up?',
            "Orders grew 18%",
            'At 0:09 it is "Orders grew 12%". Which would you give up?',
        ),
        # Where less than whole sentences would be left, nothing is cut.
        *(
            (whole, quote, whole)
            for whole, quote in [
                ('On slide 3 you say "It grew 18%", and at 0:09 it is "It grew". Which?', "It grew"),
                ('On slide 3 you say "We grew", and at 0:09 it is "We fell". Which holds?', "We grew"),
                ('On slide 3 you say "We grew". at 0:09 it is "We fell". Which holds?', "We grew"),
                ('At 0:09 it is "We fell", and on slide 3 "We grew". Which holds?', "We grew"),
                ("We grew. By how much?", "We grew"),
            ]
        ),
    ],
)  # fmt: skip
def test_the_question_without_lead_in_and_quote(question: str, quote: str | None, expected: str) -> None:
    assert bare_question(Turn(question), quote) == expected
    assert bare_question(Turn(f"Thank you. {question}", lead_in="Thank you."), quote) == expected


def test_the_deciding_words_are_a_whole_sentence_where_it_is_short() -> None:
    answer = "Well, thanks. It is 40 boats, as of May. And there is more to say."
    assert deciding_words(answer, "40 boats") == "It is 40 boats, as of May."
    assert deciding_words(answer, None) == answer
    assert deciding_words(f"{answer} {'So it goes on ' * 9}.", None) == answer  # and no half sentence
    long = "We have " + "many small and " * 20 + "40 boats, as of May."
    assert "40 boats" in deciding_words(long, "40 boats")
    assert len(deciding_words(long, "40 boats").split()) <= 33
    two = "It is 40 boats, as of the second of May this year. The others, which are older, lie in the yard."
    assert deciding_words(two, two, 14) == "It is 40 boats, as of the second of May this year."
    assert deciding_words(f"Yes. {two}", f"Yes. {two}", 9) == "Yes. It is 40 boats, as of the second"


# -- the rubric


FIGURES, AGREE, ANSWERS, RISKS, ASK, TIME = (
    "Figures carry their period and source", "Deck and speech are consistent", "Answers give what was asked",
    "Limits and risks are named", "The ask is clear", "Within the time",
)  # fmt: skip


def checks(
    speech: Sequence[str] = (),
    exchanges: Sequence[Exchange] = (),
    tensions: Sequence[Tension] | None = (),
    used_s: float = 60.0,
    said: Sequence[RubricCheck] = (),
    *,
    is_read: bool = False,
) -> dict[str, Check]:
    scene = scene_of(DECK, speech)
    read = read_checks(
        DebriefWords(checks=tuple(said)), CHECKS, exchanges, material(scene.deck, scene.segments)
    )
    reviews = [review(one) for one in exchanges]
    record = Record(scene, reviews, tensions, is_read, read, (), used_s, 100.0)
    return {check.name: check for check in rubric(record)}


def test_the_checks_keep_their_names_and_order() -> None:
    assert list(checks()) == [FIGURES, AGREE, ANSWERS, RISKS, ASK, TIME]
    assert CHECKS == (FIGURES, RISKS, ASK)


def test_what_takes_reading_is_not_judged_where_nobody_read() -> None:
    assert {checks()[name].state for name in CHECKS} == {"not judged"}


def test_a_yes_is_worth_the_words_it_rests_on() -> None:
    risk = Place(3, None, "The main risk is the price of power")
    said = [
        RubricCheck(RISKS, "yes", "on a slide.", risk),
        RubricCheck(ASK, "yes", "it is asked for", Place(3, None, "We ask for EUR 1.9M")),
        RubricCheck(FIGURES, "no", "no figure names its source"),
        RubricCheck("Something else", "yes", "", risk),
    ]
    found = checks(said=said)
    assert found[RISKS] == Check(RISKS, "yes", "on a slide", Source(risk.quote, 3))
    assert found[ASK] == Check(ASK, "not judged", "the words that it was to rest on stand nowhere")
    assert found[FIGURES] == Check(FIGURES, "no", "no figure names its source")
    assert len(found) == 6


def test_an_answer_against_which_a_contradiction_stands_would_not_hold() -> None:
    said = replace(SATISFIED, turns=(replace(SATISFIED.turns[0], answer="Boats are never late."),))
    clash = replace(CLASH, b=Place(None, 4.0, "Boats are never late"))
    asked = replace(OPEN, id="x9", quote="Boats run on time", beside=clash.b)

    def held(*exchanges: Exchange, found: Tension = clash) -> list[bool]:
        return [one.would_hold for one in _with_contradicted([review(one) for one in exchanges], [found])]

    assert held(said) == [False]
    assert held(said, asked) == [False, False]
    assert held(said, replace(asked, outcome="satisfied")) == [True, True]  # that settled it
    assert held(said, found=replace(clash, class_="read")) == [True]
    assert held(said, found=CLASH) == [True]


READ = replace(CLASH, class_="read", note="Do boats run?")
HEARD = replace(CLASH, a=Place(2, 4.0, "boats run"), note="Heard.")


@pytest.mark.parametrize(
    ("tensions", "is_read", "state", "why"),
    [
        (None, False, "not judged", "contradictions were not looked for"),
        ((), False, "not judged", "only the arithmetic within one table, chart or sentence was checked"),
        ((), True, "yes", "no contradiction was found"),
        (
            (READ,),
            True,
            "partly",
            "no figure contradicts another; 1 pair of places may not agree, not asked about",
        ),
        ((READ, CLASH), True, "no", "1 contradiction: Not both."),
        ((CLASH, HEARD), False, "no", "2 contradictions, one of them: Heard."),
    ],
)
def test_only_what_fails_as_a_sum_counts_as_a_contradiction(
    tensions: Sequence[Tension] | None, is_read: bool, state: str, why: str
) -> None:
    assert checks(tensions=tensions, is_read=is_read)[AGREE] == Check(AGREE, state, why)


def test_what_was_asked_about_is_not_said_to_be_still_to_ask() -> None:
    both = (READ, replace(READ, a=Place(1, None, "Boats sail")))
    for found, how in ((both[:1], "1 pair of places may not agree, asked about"),
                       (both, "2 pairs of places may not agree, 1 asked about")):  # fmt: skip
        why = f"no figure contradicts another; {how}"
        told = checks(tensions=found, is_read=True, exchanges=[ABOUT])[AGREE]
        assert told == Check(AGREE, "partly", why)


@pytest.mark.parametrize(
    ("words", "slide", "said_at_s", "is_one"),
    [
        ("revenue grew by thirty-eight percent", 3, 12.0, True),  # the same slide, in speech
        ("revenue grew by thirty-eight percent", 5, 12.0, True),  # said on another
        ("Revenue grew 38%, 4 points more than planned", 3, None, True),
        ("Costs grew 38%", 5, None, False),  # another slide shows it
        ("revenue grew by 18 percent", 3, 12.0, False),
        ("Revenue grew in FY2026", 3, None, False),
        ("Revenue grew", 3, None, False),
    ],
)
def test_two_questions_are_about_one_point_by_slide_and_figures(
    words: str, slide: int, said_at_s: float | None, is_one: bool
) -> None:
    asked = exchange("x1", "unjudged", Turn("From what?"), quote="Revenue grew 38% in FY2026", slide=3)
    other = Candidate("analyst", "Of what?", None, slide, said_at_s, words, True, (), 0.5, "", "")
    assert _is_one_point(other, asked) is is_one


@pytest.mark.parametrize(
    ("exchanges", "state", "why"),
    [
        ([], "not judged", "nothing was asked"),
        ([SILENT], "not judged", "no answer was given"),
        ([JUDGED_BY_NOBODY, SILENT], "not judged", "no answer was judged"),
        ([SATISFIED, NEW], "yes", "2 of 2 judged, 2 at the first asking; the first"),
        (
            [SATISFIED, LATE, JUDGED_BY_NOBODY, SILENT], "partly",
            "2 of 2 judged, 1 at the first asking; 1 not judged; 1 without an answer; asked twice",
        ),
        ([OPEN], "no", "0 of 1 judged, 0 at the first asking; not answered"),
    ],
)  # fmt: skip
def test_answers_are_counted_and_what_nobody_judged_is_no_fault(
    exchanges: list[Exchange], state: str, why: str
) -> None:
    found = checks(exchanges=exchanges)[ANSWERS]
    assert (found.state, found.why) == (state, why)


@pytest.mark.parametrize(
    ("used_s", "state", "why", "quote"),
    [
        (0.0, "not judged", "nothing was said", None),
        (60.0, "yes", "1:00 of 1:40; your last words", "Thank you."),
        (105.0, "partly", "1:45 of 1:40; the last words that you began before the time was up", "Thank you."),
        (300.0, "no", "5:00 of 1:40; the last words that you began before the time was up", "Thank you."),
    ],
)
def test_time_is_counted(used_s: float, state: str, why: str, quote: str | None) -> None:
    found = checks(["Good morning.", "Thank you."], used_s=used_s)[TIME]
    assert (found.state, found.why, found.source and found.source.quote) == (state, why, quote)


@pytest.mark.parametrize(
    ("spoken_at_s", "open_s", "spent_s", "said", "quote"),
    [
        (
            (0.0, 90.0, 110.0),
            (20.0, 40.0),
            20.0,
            "the last words that you began before the time was up",
            "B.",
        ),
        (
            (0.0, 90.0, 110.0),
            (20.0, 20.0),
            20.0,
            "the last words that you began before the time was up",
            "A.",
        ),
        ((0.0, 130.0, 140.0), (95.0, 120.0), 9.0, "when the time was up, x1 was open", None),  # live
        ((0.0, 90.0, 110.0), (90.0, 90.0), 30.0, "when the time was up, x1 was open", None),  # of a recording
        (
            (0.0, 90.0, 110.0),
            (101.0, 120.0),
            19.0,
            "the last words that you began before the time was up",
            "B.",
        ),
        (
            (105.0, 110.0, 115.0),
            (0.0, 20.0),
            20.0,
            "when the time was up, you had not begun to present",
            None,
        ),
    ],
)
def test_what_was_said_when_the_time_was_up_is_what_was_begun_until_then(
    spoken_at_s: Sequence[float], open_s: tuple[float, float], spent_s: float, said: str, quote: str | None
) -> None:
    asked = replace(SATISFIED, spent_s=spent_s)
    scene = replace(
        scene_of(exchanges=[asked]),
        segments=[
            Segment(text, at_s, at_s + 1) for text, at_s in zip(("A.", "B.", "C."), spoken_at_s, strict=True)
        ],
    )
    record = Record(scene, [review(asked)], (), False, {}, [open_s], 120.0, 100.0)
    found = rubric(record)[-1]
    assert (found.why, found.source and found.source.quote) == (f"2:00 of 1:40; {said}", quote)


def test_answers_alone_do_not_say_whether_the_talk_keeps_its_time() -> None:
    found = checks([], used_s=60.0)[TIME]
    why = "nothing was presented; the answers took 1:00 of 1:40"
    assert (found.state, found.why) == ("not judged", why)
    assert checks([], used_s=300.0)[TIME].state == "no"


# -- time


def test_a_slides_share_is_half_equal_and_half_by_its_words() -> None:
    deck = Deck(
        "md", "d.md", "0" * 64, "D",
        (Slide(1, "One two three"), Slide(2, "One", notes="Not counted."), Slide(3, "Hidden", hidden=True)),
    )  # fmt: skip
    assert shares(deck, 100.0) == {1: 25 + 37.5, 2: 25 + 12.5}
    assert shares(Deck("md", "d.md", "0" * 64, "D", (Slide(1, ""), Slide(2, ""))), 60.0) == {1: 30.0, 2: 30.0}


def test_a_slide_shown_twice_counts_twice() -> None:
    deck = Deck("md", "d.md", "0" * 64, "D", (Slide(1, "One"), Slide(2, "Two")))
    shown = [SlideTime(1, 0.0, False), SlideTime(2, 10.0, True), SlideTime(1, 15.0, False)]
    assert [
        (one.slide, one.seconds, one.estimated, one.budget_s) for one in spans(shown, deck, 40.0, 60.0)
    ] == [
        (1, 35.0, False, 30.0),
        (2, 5.0, True, 30.0),
    ]


def test_time_under_questions_is_none_of_presenting() -> None:
    deck = Deck("md", "d.md", "0" * 64, "D", (Slide(1, "One"), Slide(2, "Two")))
    shown = [SlideTime(1, 0.0, False), SlideTime(2, 10.0, False), SlideTime(1, 40.0, False)]
    found = spans(shown, deck, 60.0, 60.0, [(5.0, 15.0), (20.0, 30.0), (50.0, 60.0)])
    assert [(one.slide, one.seconds, one.asked_s) for one in found] == [(1, 15.0, 15.0), (2, 15.0, 15.0)]


# -- a whole session, with an engine that plays what it is told


class Plays:
    """Asks two questions and judges their answers; at the end it says what it is given."""

    name = "scripted"
    questions = (
        ("d2.1", 2, "Electric boats cut fuel cost by 31% on the pilot routes", "How many?", ("number",)),
        ("d1.1", 1, "Season-ticket churn fell to 4%", "Which system says so?", ("source",)),
    )  # fmt: skip

    def __init__(self, words: DebriefWords | None = None, *, asks_on: bool = False) -> None:
        self.words = words
        self.asks_on = asks_on

    def reply(self, request: Request[R], context: Context | None) -> R:
        return cast(R, self._reply(request))

    def _reply(self, request: Request[R]) -> object:
        match request:
            case CandidateRequest(taken=taken):
                if cast(CandidateRequest, request).seat.persona.id != "skeptic":
                    return None
                for claim, slide, quote, question, needs in self.questions:
                    if claim not in taken:
                        text = f'On slide {slide} you say "{quote}". {question}'
                        return Candidate(
                            "skeptic", text, claim, slide, None, quote, True, needs, 0.5, "", "test"
                        )
                return None
            case JudgementRequest(exchange=one):
                if one.id == "x1":
                    seen = Observation("Names a day when asked.", "by Friday")
                    return Judgement(
                        "satisfied", 'gives a number ("twelve boats")', "twelve boats",
                        promises=("I will send you the list by Friday",), still_open=("which twelve",),
                        note="- twelve", noticed=seen,
                    )  # fmt: skip
                again, left = ("Which one?", ("which system",)) if self.asks_on else (None, ())
                return Judgement(
                    "follow_up", "no source in the answer", "trust me", ("source",), again, still_open=left
                )
            case DebriefRequest():
                if self.words is None:
                    raise EngineError("nobody is there")
                return self.words
            case ScratchpadRequest():
                return ""
            case DoubtRequest():
                return (None,) * len(request.tensions)
        return ()


SPEECH = """WEBVTT

00:00:01.000 --> 00:00:09.000
<v Ines>Good morning. I run the ferries of this harbour.

00:00:10.000 --> 00:00:21.000
<v Ines>It is, um, a small company.
"""

EXPECTED = """\
# Debrief: Ferries

Presenter: Ines. The words of Ines were judged. Date: {day}.

## Fix this first

**Name the system that counts churn.**

- Say: The register counts it. (From slide 1.)
- Bring: The register.
- Why: A board that hears "trust me" stops listening.

## Questions

2 questions: 1 answered, 1 not answered.

### x1. Marcus Webb: answered

> "Electric boats cut fuel cost by 31% on the pilot routes" (slide 2)

- Asked: How many?
- You said: "It was twelve boats, and I will send you the list by Friday."
- Verdict: *answered*, gives a number ("twelve boats")
- Left open: which twelve

### x2. Marcus Webb: not answered

> "Season-ticket churn fell to 4%" (slide 1)

- Asked: Which system says so?
- You said: "Just trust me."
- Verdict: *not answered*, no source in the answer
- Stronger: The register counts it. It rests on "Season-ticket churn fell to 4%" (slide 1). \
Bring the register.

## Still open

- [ ] x2, on "Season-ticket churn fell to 4%" (slide 1): Which system says so? No source in the \
answer. A stronger answer stands with the question.
- [ ] x1, on "Electric boats cut fuel cost by 31% on the pilot routes" (slide 2): How many? Which twelve.

## Still wanted to ask

- Who else runs such boats?

## You will be held to

- "I will send you the list by Friday" (your answer to x1)

## What the panel noticed

- Names a day when asked. "by Friday"

## Time and delivery
"""

SAID = DebriefWords(
    fix="Name the system that counts churn.",
    why='A board that hears "trust me" stops listening.',
    fix_exchange="x2",
    better=(
        BetterAnswer(
            "x2",
            "The register counts it.",
            (Place(1, None, "Season-ticket churn fell to 4%"),),
            ("the register",),
        ),
    ),
    checks=(RubricCheck(RISKS, "yes", "on a slide", Place(3, None, "The main risk is the price of power")),),
    still_wanted=("Who else runs such boats?",),
)


def rehearsed(home: Path, tmp_path: Path, engine: Plays) -> Session:
    """A session that has had its two questions, and is not ended."""
    speech = tmp_path / "speech.vtt"
    speech.write_text(SPEECH, "utf-8")
    session = Session.start(
        Home.open(home), deck_text=DECK, engine=engine, panel="skeptic,analyst", presenter="Ines", minutes=5
    )
    session.load(read_speech(speech), kind="feed")
    session.play()
    assert session.ask() is not None
    session.answer("It was twelve boats, and I will send you the list by Friday.")
    assert session.ask() is not None
    session.answer("Just trust me.")
    return session


def test_a_scripted_session_has_this_page(home: Path, tmp_path: Path) -> None:
    with rehearsed(home, tmp_path, Plays(SAID)) as session:
        session.end()
        page = (session.path / "debrief.md").read_text("utf-8")
        day = session.rehearsal.store.record(1).at[:10]  # none was given
        assert page.startswith(EXPECTED.replace("{day}", day))
        found = session.debrief()
        assert (found.date, as_json(found)["day"]) == (None, day)
        assert session.verify().valid
        assert (session.path / "debrief.json").is_file()
    assert [(check.name, check.state) for check in found.rubric] == [
        (FIGURES, "not judged"),
        (AGREE, "yes"),
        (ANSWERS, "partly"),
        (RISKS, "yes"),
        (ASK, "not judged"),
        (TIME, "yes"),
    ]  # fmt: skip
    assert found.delivery.common("filler") == [("um", 1)]


def test_promises_of_the_speech_stand_before_those_of_answers_each_once(home: Path, tmp_path: Path) -> None:
    promised = (Place(1, 1.0, "I run the ferries"), Place(None, None, "send you the list by Friday"))
    with rehearsed(
        home, tmp_path, Plays(replace(SAID, promises=(*promised, Place(1, 1.0, "I stop."))))
    ) as session:
        session.end()
        assert [phrasing.with_place(one) for one in session.debrief().promises] == [
            '"I run the ferries" (speech at 0:01, on slide 1)',
            '"I will send you the list by Friday" (your answer to x1)',
        ]


def test_a_stronger_answer_that_is_not_shown_is_counted_in_the_ledger(home: Path, tmp_path: Path) -> None:
    made_up = BetterAnswer("x2", "We have 7 registers.", SAID.better[0].rests_on)
    with rehearsed(home, tmp_path, Plays(replace(SAID, better=(made_up,)))) as session:
        session.end()
        assert session.projection.debrief_words is not None
        assert session.projection.debrief_words.refused == (("unshown", 1),)


def test_without_the_engines_words_the_worst_is_counted_and_the_page_says_why(
    home: Path, tmp_path: Path
) -> None:
    with rehearsed(home, tmp_path, Plays()) as session:
        session.end()
        found = session.debrief()
        page = (session.path / "debrief.md").read_text("utf-8")
    assert found.fix is not None
    assert found.fix.what == 'x2, on "Season-ticket churn fell to 4%" (slide 1): Which system says so?'
    assert phrasing.fix_lines(found.fix)[-1] == ("Why", "It got no good answer: no source in the answer.")
    assert "It gave no words for this page: nobody is there." in page
    assert "Stronger" not in page


def test_the_engine_takes_back_what_is_no_contradiction_but_no_certain_sum(
    home: Path, tmp_path: Path
) -> None:
    found = [replace(CLASH, by="scripted"), replace(READ, by="scripted"), CLASH]
    with rehearsed(home, tmp_path, Plays(replace(SAID, dismissed=()))) as session:
        session.end()
        assert debrief_of(session.rehearsal, found).tensions == tuple(found)
        session.projection.debrief_words = replace(SAID, dismissed=(0, 1, 2))
        assert debrief_of(session.rehearsal, found).tensions == (CLASH,)


@pytest.fixture
def ended(home: Path) -> Session:
    """A session of the same engine that has ended with one answer."""
    with Session.start(Home.open(home), deck_text=DECK, engine=Plays(), presenter="Ines") as session:
        session.ask()
        session.answer("It was twelve boats.")
        session.end()
        return session


def test_what_was_not_read_of_a_rehearsal_is_what_a_check_of_its_files_says(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck, talk = tmp_path / "deck.md", tmp_path / "talk.srt"
    deck.write_text("# Plan\n\nWe ask for TBD euros.\n\n<!-- no end\n\nof it")
    talk.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n\n2\n00:00:03,000 --> soon\nLost.\n")
    files = [str(deck), "--speech", str(talk), "--engine", "offline"]
    assert run(["--home", str(home), "--json", "check", *files]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert run(["--home", str(home), "--json", "run", *files]) == 0
    capsys.readouterr()
    assert run(["--home", str(home), "debrief", "last", "--format", "json"]) == 0
    (of_deck, of_talk), (gap,) = checked["notices"], checked["gaps"]
    assert json.loads(capsys.readouterr().out)["unread"] == [
        of_deck["note"],
        f"slide 1: {gap['note']}",
        of_talk["note"],
    ]


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        ([], "# Debrief: Ferries\n"),
        (["--format", "md"], "# Debrief: Ferries\n"),
        (["--format", "html"], "<!DOCTYPE html>\n"),
        (["--format", "text"], "Ferries\n\nFix first       No answer was found wanting.\n"),
        (["--format", "json"], '{\n "deck": "Ferries",\n'),
        (["--json", "--format", "html"], '{\n "deck": "Ferries",\n'),
    ],
)
def test_the_command_gives_each_form(
    home: Path, ended: Session, capsys: pytest.CaptureFixture[str], arguments: list[str], begins: str
) -> None:
    assert run(["--home", str(home), "debrief", "last", *arguments]) == 0
    out = capsys.readouterr().out
    assert out.startswith(begins)
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("form", "code", "message"),
    [
        ("pdf", 1, f"greenroom: no browser that prints was found: {HOW_TO_GET_ONE}\n"),
        ("doc", 2, "greenroom: --format 'doc': use text, md, html, pdf or json\n"),
    ],
)
def test_a_form_that_there_is_not_is_refused_in_one_line(
    home: Path,
    ended: Session,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.setenv("PATH", str(home))  # no browser there
    assert run(["--home", str(home), "debrief", "last", "--format", form]) == code
    assert capsys.readouterr() == ("", message)
