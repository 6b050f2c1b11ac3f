"""Nothing of a model's reply is kept that does not stand where it says: questions, verdicts, the debrief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import EngineError
from orchestrator.material.checks.grounding import found_in
from orchestrator.material.claim import Claim, Place, Tension
from orchestrator.material.values import Deck, Segment, Slide, Table
from orchestrator.panel.engines.model.quoting import IN_NOTES, IN_OTHERS
from orchestrator.panel.engines.model.results import AHEAD, ASKED, NO_SLIDE
from orchestrator.panel.engines.model.schemas import (
    CandidatePart,
    DebriefPart,
    FocusBriefPart,
    JudgementPart,
)
from orchestrator.panel.engines.model.tasks import outcome_of
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    FocusBriefRequest,
    JudgementRequest,
    Scene,
)
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Observation,
    Target,
    Turn,
)
from orchestrator.panel.model.reply import BetterAnswer, DebriefWords, RubricCheck
from orchestrator.panel.personas.persona import Persona, Seat

SEAT = Seat(
    Persona("tester", "Ines Falk", "Director", "tests", "#2a6f97", "calm", (), (), (), (), (), (), {})
)
SLIDES = (
    Slide(1, "The mill", ("We grind for 90 bakers", "Nothing is wasted"), notes="The bank said no"),
    Slide(2, "Money", ("We ask for EUR 240,000",), (Table((("Part", "EUR"), ("Stones", "160,000"))),)),
    Slide(3, "Next year", ("Bran is sold as feed",)),
)
SPEECH = (
    Segment("We grind for eighty bakers, all of them in the valley.", 1.0, 6.0, "Ines", 1),
    Segment("That sounds like a lot of flour.", 7.0, 9.0, "Host", 1),
)
CLAIMS = (
    Claim("d1.1", ("count",), "We grind for 90 bakers", 1, None),
    Claim("d2.1", ("money",), "We ask for EUR 240,000", 2, None),
)
SCENE = Scene(
    Deck("md", "mill.md", "0" * 64, "Mill", SLIDES),
    CLAIMS,
    (),
    SPEECH,
    (),
    2,
    9.0,
    "moderate",
    (),
    presenter_labels=("Ines", None),
)
WANTED = CandidateRequest(SEAT, SCENE, occasion="break")
QUESTION: Mapping[str, Any] = {
    "quote": "We grind for 90 bakers",
    "slide": 1,
    "angle": "reach",
    "question": "Which bakers?",
    "good_answer": "names",
    "relevance": 0.7,
}


def candidate(request: CandidateRequest = WANTED, **changed: Any) -> Candidate | str:
    """What is made of a question, or why it is dropped."""
    part = CandidatePart.model_validate({**QUESTION, **changed})
    made: Candidate | EngineError = outcome_of(request, part, "claude").result
    if isinstance(made, EngineError):
        return str(made).removeprefix("the question was dropped: ")
    return made


def test_a_question_may_be_about_any_line_a_row_or_what_was_said() -> None:
    kept = [
        candidate(quote=quote, slide=slide)
        for quote, slide in [
            ("we grind for 90 bakers.", 1),
            ("Nothing is wasted", 1),
            ("- 90 bakers\n- Nothing is", 1),
            ("Stones 160,000", 2),
            ("“eighty bakers … in the valley”", None),
        ]
    ]
    assert all(isinstance(one, Candidate) and one.grounded for one in kept)
    assert [
        (one.quote, one.slide, one.said_at_s, one.claim) for one in kept if isinstance(one, Candidate)
    ] == [
        ("We grind for 90 bakers", 1, None, "d1.1"),
        ("Nothing is wasted", 1, None, None),
        ("90 bakers … Nothing is", 1, None, None),
        ("Stones | 160,000", 2, None, None),
        ("eighty bakers, all of them in the valley", 1, 1.0, None),
    ]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"quote": "The bank said no"}, IN_NOTES),
        ({"quote": "a lot of flour"}, IN_OTHERS),
        ({"quote": "We grind for 80 bakers"}, "the quote does not stand, word for word"),
        ({"quote": "We grind for 9"}, "the quote is cut out of a longer word or number"),
        ({"quote": "Bran is sold as feed", "slide": 3}, AHEAD),
        ({"quote": None, "is_missing": True, "slide": 9}, NO_SLIDE),
        ({"beside": "ninety bakers"}, "the quote does not stand, word for word"),
        ({"question": " "}, "its question is empty"),
    ],
)
def test_a_question_that_rests_on_nothing_is_dropped_and_told_which_rule_it_broke(
    changed: dict[str, Any], why: str
) -> None:
    said = candidate(**changed)
    assert isinstance(said, str)
    assert said.startswith(why)
    assert not any(word in said for word in ("bakers", "flour", "bank", "Bran"))


def test_what_is_asked_for_and_missing_names_the_slide_that_lacks_it() -> None:
    made = candidate(quote=None, is_missing=True, slide=2)
    assert isinstance(made, Candidate)
    assert (made.quote, made.slide, made.grounded, made.is_missing) == ("Money", 2, True, True)
    general = candidate(quote=None, slide=None, relevance=0.9)
    assert isinstance(general, Candidate)
    assert (general.grounded, general.relevance) == (False, 0.1)


def test_a_contradiction_has_both_quotes() -> None:
    made = candidate(beside="eighty bakers")
    assert isinstance(made, Candidate)
    assert made.beside == Place(1, 1.0, "eighty bakers")


def test_nobody_asks_what_was_asked_or_is_anothers() -> None:
    current = Candidate(
        "tester", "Which bakers?", None, 1, None, "We grind for 90 bakers", True, (), 0.7, "", ""
    )
    assert candidate(replace(WANTED, taken_lines=frozenset({"We grind for 90 bakers"}))) == ASKED
    assert candidate(replace(WANTED, taken=frozenset({"d1.1"}))) == ASKED
    assert candidate(replace(WANTED, asked=("Which bakers",))) == ASKED
    own = replace(WANTED, taken_lines=frozenset({"We grind for 90 bakers"}), current=current)
    assert isinstance(candidate(own), Candidate)
    ahead = replace(WANTED, may_look_ahead=True)
    assert isinstance(candidate(ahead, quote="Bran is sold as feed", slide=3), Candidate)


def targets(*parts: Mapping[str, Any], taken: frozenset[str] = frozenset()) -> tuple[Target, ...]:
    request = FocusBriefRequest(SEAT, SCENE, taken)
    given = [{"angle": "why", "good_answer": "a list", **part} for part in parts]
    part = FocusBriefPart.model_validate({"targets": given})
    made: tuple[Target, ...] | EngineError = outcome_of(request, part, "claude").result
    if isinstance(made, EngineError):
        raise made
    return made


def test_targets_may_be_any_line_a_claim_that_was_offered_or_something_missing() -> None:
    assert targets(
        {"quote": "Nothing is wasted", "slide": 1},
        {"quote": "in other words", "claim": "d2.1"},
        {"quote": "", "slide": 3, "is_missing": True},
        {"quote": "nobody said that"},
    ) == (
        Target(None, 1, None, "Nothing is wasted", "why", "a list"),
        Target("d2.1", 2, None, "We ask for EUR 240,000", "why", "a list"),
        Target(None, 3, None, "Next year", "why", "a list", is_missing=True),
    )


def test_parts_that_do_not_hold_are_counted_and_the_model_is_told_which() -> None:
    parts = [{"quote": "Nothing is wasted"}, {"quote": "nobody said that"}, {"quote": "nor that"}]
    part = FocusBriefPart.model_validate({"targets": [{"angle": "why", **one} for one in parts]})
    fault = outcome_of(FocusBriefRequest(SEAT, SCENE), part, "claude").fault
    assert fault is not None
    assert (fault.reason.partition(" do not")[0], fault.told) == ("2 of the targets", "Counted from 1: 2, 3")


def test_who_misquotes_is_told_where_the_words_part_wherever_they_stand() -> None:
    wrong = {"quote": "We ask for EUR 250,000", "slide": None}
    part = CandidatePart.model_validate({**QUESTION, **wrong})
    fault = outcome_of(WANTED, part, "claude").fault
    assert fault is not None
    assert fault.told == 'After "we ask for eur" "250,000" does not follow there.'


def test_no_target_is_anothers() -> None:
    taken = frozenset({"d1.1", "Nothing is wasted"})
    with pytest.raises(EngineError):
        targets({"quote": "We grind for 90 bakers"}, {"quote": "Nothing is wasted"}, taken=taken)


ANSWER = "About 80 bakers. I will send the list by Friday, and honestly we do not know about the rest."
EXCHANGE = Exchange(
    "x1",
    "tester",
    None,
    1,
    None,
    "We grind for 90 bakers",
    True,
    "",
    20.0,
    (Turn("Which bakers?", (), ANSWER),),
)
VERDICT: Mapping[str, Any] = {
    "quote": "About 80 bakers",
    "reason": "it names a number",
    "still_open": ["the rest"],
    "contradicts": {"quote": "80 bakers", "beside": "We grind for 90 bakers", "why": "80 is not 90."},
    "promises": ["I will send the list by Friday"],
    "remark": "That answers it.",
    "verdict": "satisfied",
    "note": "- 80, not 90",
    "noticed": {"quote": "honestly we do not know", "text": "says what is open"},
}


def judged(is_last: bool = False, **changed: Any) -> Judgement:
    request = JudgementRequest(SEAT, SCENE, EXCHANGE, is_last)
    part = JudgementPart.model_validate({**VERDICT, **changed})
    made: Judgement = outcome_of(request, part, "model").result
    return made


def test_a_whole_judgement() -> None:
    assert judged() == Judgement(
        verdict="satisfied",
        reason="it names a number",
        quote="About 80 bakers",
        promises=("I will send the list by Friday",),
        contradicts=Tension(
            "speech-vs-deck",
            Place(1, None, "We grind for 90 bakers"),
            Place(None, 20.0, "80 bakers"),
            "80 is not 90.",
            class_="read",
            by="model",
        ),
        still_open=("the rest",),
        remark="That answers it.",
        note="- 80, not 90",
        noticed=Observation("says what is open", "honestly we do not know"),
    )


def test_what_of_a_judgement_does_not_stand_is_left_out_and_the_verdict_stays() -> None:
    made = judged(
        contradicts={"quote": "80 bakers", "beside": "ninety bakers", "why": "no"},
        promises=["I will send it tomorrow"],
        noticed={"quote": "never said", "text": "x"},
    )
    assert made == replace(judged(), contradicts=None, promises=(), noticed=None)


@pytest.mark.parametrize("changed", [{"quote": "I have no idea"}, {"quote": None}, {"reason": " "}])
def test_a_verdict_that_rests_on_nothing_is_unjudged(changed: dict[str, Any]) -> None:
    made = judged(**changed)
    assert (made.verdict, made.promises, made.still_open) == ("unjudged", (), ())


def test_a_follow_up_is_asked_only_where_there_is_time_for_it() -> None:
    asks: dict[str, Any] = {"verdict": "follow_up", "follow_up": "Which ten left?", "is_new_question": True}
    assert (judged(**asks).follow_up, judged(**asks).is_new_question) == ("Which ten left?", True)
    assert (judged(True, **asks).follow_up, judged(True, **asks).is_new_question) == (None, False)


ENDED = replace(SCENE, slide=None, exchanges=(replace(EXCHANGE, outcome="satisfied"),))
NEVER = tuple(
    Candidate("tester", question, None, None, None, None, False, (), 0.5, "", "")
    for question in ("Who?", "When?")
)
DEBRIEF = DebriefRequest(
    SEAT, ENDED, (Tension("sum", Place(1, None, "3"), Place(1, None, "4"), "no"),), NEVER, ("Limits",)
)


def words(**changed: Any) -> DebriefWords:
    plain = {
        "better": [
            {
                "exchange": "x1",
                "sentences": [
                    {"quote": "about 80 bakers", "slide": None, "text": "We grind for 80 bakers."},
                    {"quote": "we ask for eur 240,000", "slide": 2, "text": "We ask for 240,000 euros."},
                ],
                "bring": ["the list"],
            }
        ],
        "checks": [
            {"name": "Limits", "quote": "honestly we do not know", "why": "it is said", "state": "yes"}
        ],
        "dismissed": [0, 7],
        "still_wanted": [1, 5, 1],
        "why": "It was asked first.",
        "fix_exchange": "x1",
        "fix": "Say 80.",
    }
    part = DebriefPart.model_validate({**plain, **changed})
    made: DebriefWords = outcome_of(DEBRIEF, part, "claude").result
    return made


def test_a_whole_debrief() -> None:
    assert words() == DebriefWords(
        fix="Say 80.",
        why="It was asked first.",
        fix_exchange="x1",
        better=(
            BetterAnswer(
                "x1",
                "We grind for 80 bakers. We ask for 240,000 euros.",
                (Place(None, 20.0, "About 80 bakers"), Place(2, None, "We ask for EUR 240,000")),
                ("the list",),
            ),
        ),
        checks=(RubricCheck("Limits", "yes", "it is said", Place(None, 20.0, "honestly we do not know")),),
        dismissed=(0,),
        still_wanted=("When?",),
    )


def sentence(quote: str, text: str, slide: int | None = None) -> dict[str, Any]:
    return {"quote": quote, "slide": slide, "text": text}


GRIND = sentence("About 80 bakers", "We grind for 80 bakers.")
CHECKED = "an outside engineer has checked the stones, and the council has approved them"


@pytest.mark.parametrize(
    ("better", "refused", "told"),
    [
        (
            {"exchange": "x1", "sentences": [sentence("About 80 bakers", "We grind for 85 bakers.")]},
            (("empty", 1), ("figure", 1)),
            "x1, sentence 1: a sentence holds a figure or date that its quote does not have",
        ),
        (
            {"exchange": "x1", "sentences": [sentence("nobody said this", "We grind.")]},
            (("empty", 1), ("quote", 1)),
            "x1, sentence 1: the quote of a sentence stands nowhere",
        ),
        (
            {"exchange": "x1", "sentences": [GRIND, sentence("About 80 bakers", "We ask for 240,000.")]},
            (("figure", 1),),  # it was said, but not in this quote
            "x1, sentence 2: a sentence holds a figure",
        ),
        (
            {"exchange": "x1", "sentences": [GRIND, sentence("About 80 bakers", CHECKED)]},
            (("words", 1),),
            "x1, sentence 2: a sentence says what its quote does not",
        ),
        (
            {"exchange": "x1", "sentences": [GRIND, sentence("About 80 bakers", f"80 bakers; {CHECKED}")]},
            (("words", 1),),
            "x1, sentence 2: a sentence says what its quote does not",
        ),
        (  # said in the exchange, and not by this quote
            {
                "exchange": "x1",
                "sentences": [GRIND, sentence("we do not know", "I send lists by Friday.")],
            },
            (("words", 1),),
            "x1, sentence 2: a sentence says what its quote does not",
        ),
        ({"exchange": "x1", "sentences": []}, (("empty", 1),), "x1: it has no sentence that holds"),
        ({"exchange": "x7", "sentences": [GRIND]}, (("exchange", 1),), "x7: there is no such exchange"),
    ],
    ids=[
        "a figure nobody said",
        "a quote nobody said",
        "another quote's figure",
        "a deed nobody spoke of",
        "a deed beside what was said",
        "another quote's words",
        "none",
        "no such exchange",
    ],
)
def test_a_stronger_answer_is_made_only_of_sentences_that_were_said(
    better: dict[str, Any], refused: tuple[tuple[str, int], ...], told: str
) -> None:
    part = DebriefPart.model_validate({"better": [better], "fix": ""})
    fault = outcome_of(DEBRIEF, part, "claude").fault
    assert fault is not None
    assert told in fault.sent
    assert "bakers" not in fault.reason
    kept = words(better=[better])
    holds = GRIND in better["sentences"] and better["exchange"] == "x1"
    assert [one.text for one in kept.better] == (["We grind for 80 bakers."] if holds else [])
    assert kept.refused == refused


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("I will send the list by Friday", "You will have the list from me by Friday."),
        ("honestly we do not know", "I do not know the rest."),  # too few words to tell
        (
            "About 80 bakers",
            "我们为面包师磨面，他们全部都在山谷里，名单很快就会送来。",
        ),  # no blanks between words
    ],
)
def test_a_sentence_may_say_its_quote_in_other_words(quote: str, text: str) -> None:
    kept = words(better=[{"exchange": "x1", "sentences": [sentence(quote, text)]}])
    assert ([one.text for one in kept.better], kept.refused) == ([text], ())


def test_promises_of_the_speech_are_its_own_words() -> None:
    promised = words(promises=["all of them in the valley", "I never said so"])
    assert promised.promises == (Place(1, 1.0, "all of them in the valley"),)
    assert promised.refused == (("promise", 1),)


def test_a_check_that_nothing_shows_is_not_judged() -> None:
    (check,) = words(checks=[{"name": "Limits", "quote": "", "why": "w", "state": "yes"}]).checks
    assert (check.state, check.rests_on) == ("not judged", None)


TEXT = "We grind for 90 bakers and ask for EUR 240,000 by March"


@given(st.integers(0, 10), st.integers(1, 11))
def test_any_words_of_a_text_are_found_in_it_as_they_stand(start: int, count: int) -> None:
    cut = " ".join(TEXT.split()[start : start + count])
    if sum(letter.isalnum() for letter in cut) >= 4:
        assert (found_in(cut.upper(), TEXT) or "").split() == cut.split()


@given(st.integers(0, len(TEXT) - 1), st.sampled_from("xq7"))
def test_no_quote_is_found_in_which_one_letter_or_digit_is_another(at: int, other: str) -> None:
    if TEXT[at].isalnum() and TEXT[at].casefold() != other:
        assert found_in(TEXT[:at] + other + TEXT[at + 1 :], TEXT) is None
