"""What the rules go after, ask, and make of an answer; with a small panelist of the tests' own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.read import read_deck
from orchestrator.deck.texts import slide_texts
from orchestrator.engines.fitting import suits
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import (
    CandidateRequest,
    FocusBriefRequest,
    JudgementRequest,
    NotesRequest,
    ObservationRequest,
    PhrasesRequest,
    Request,
    Scene,
)
from orchestrator.engines.wording import cut
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Exchange, Judgement, Observation, Target, Turn
from orchestrator.pattern import Pattern
from orchestrator.persona import (
    Benchmark,
    DomainKnowledge,
    Persona,
    RedFlag,
    Seat,
    Trigger,
    read_domain,
    read_persona,
)
from orchestrator.speech.model import Segment

ENGINE = OfflineEngine()


def question(heads: str, needs: str, words: str) -> Pattern:
    text = f'{{place}} you say "{{quote}}". {words}'
    slots = frozenset(slot for slot in ("place", "quote", "number", "period") if f"{{{slot}}}" in text)
    return Pattern(tuple(heads.split()), tuple(needs.split()), text, slots)


def reply(head: str, words: str) -> Pattern:
    return Pattern((head,), (), words, frozenset(s for s in ("answer", "quote") if f"{{{s}}}" in words))


PERSONA = Persona(
    id="tester",
    name="Ines Falk",
    title="Director of trials",
    role="tests what was tried",
    color="#2a6f97",
    voice="calm",
    kinds=("money", "growth", "percent", "promise"),
    accepts=('an honest "we do not know yet", with the date on which it will be known',),
    rejects=("an adjective",),
    initial=(
        question("money", "source date", "How much of that is signed, and as of which date?"),
        question("money", "number source", "Take the {number} apart for me: which record is it from?"),
        question("growth", "base period", "What was it before, and over which months?"),
        question("percent", "base source", "{number} of how many, and by whose count?"),
        question("promise", "owner date", "Who answers for that, and by when?"),
        question("money growth future", "number", "Suppose it comes out a third worse than that?"),
        question("any", "source", "What would an auditor ask to see behind that?"),
    ),
    follow_ups=(
        reply("number", "That is a direction. What is the figure?"),
        reply("source", "Where does that figure live?"),
        reply("evasion", "Let me make it smaller. What do you know for certain?"),
        reply("any", 'You said "{answer}". What would the record say?'),
    ),
    escalations=(
        reply("number", 'Without the figure behind "{quote}" we plan on zero. What do we write?'),
        reply("any", "This stays open. What can you give us now?"),
    ),
    triggers=(Trigger(("run rate",), "asks for the months"),),
    lead_ins={
        "friendly": ("Help me with this.", "One thing."),
        "moderate": ("Let us stay here.", "This is the number.", "Before we go on.", "On the money."),
        "adversarial": ("I am not persuaded.",),
    },
)
DOMAIN = DomainKnowledge(
    red_flags=(
        RedFlag(
            "Hoped-for money",
            (("pipeline", "revenue"), ("letter of intent",)),
            "What is not signed can be withdrawn.",
            question("any", "number source", "How much of that is under contract?"),
        ),
    ),
    benchmarks=(
        Benchmark("Cash", "Months of runway", (("runway",),), "months", 12, 18, "higher", "A guide, 2016"),
        Benchmark("Cash", "Gross churn", (("gross", "churn"),), "%", 0, 13, "lower", "A survey, 2019"),
    ),
    frameworks=(),
)
SEAT = Seat(PERSONA, DOMAIN)
OTHER = Seat(replace(PERSONA, id="other", name="Ulf Brandt"), DomainKnowledge((), (), ()))

LINES = (
    "We ask for EUR 1.8M",
    "Revenue grew 18% in 2026",
    "94% of passengers would recommend us",
    "Pipeline of $6M supports our revenue",
    "Runway of 9 months",
    "We will double the fleet by 2028",
    "Improved security",
    "Cost of EUR 300k per boat",
)


def deck_of(*slides: Sequence[str]) -> Deck:
    made = tuple(Slide(n, f"Part {n}", tuple(lines)) for n, lines in enumerate(slides, 1))
    return Deck("md", "deck.md", "0" * 64, "Plan", made)


DECK = deck_of(LINES[:2], LINES[2:4], LINES[4:6], LINES[6:])


def scene_of(deck: Deck = DECK, said: Sequence[Segment] = (), **given: Any) -> Scene:
    spoken = [claim for n, segment in enumerate(said, 1) for claim in speech_claims(segment, n)]
    return Scene(
        **{
            "deck": deck,
            "deck_claims": deck_claims(deck),
            "speech_claims": spoken,
            "segments": said,
            "exchanges": (),
            "slide": None,
            "clock_s": 0.0,
            "intensity": "moderate",
            "focus": (),
            **given,
        }
    )


def targets(scene: Scene, seat: Seat = SEAT, **given: Any) -> tuple[Target, ...]:
    return ENGINE.reply(FocusBriefRequest(seat, scene, **given))


def ask(scene: Scene, seat: Seat = SEAT, **given: Any) -> Candidate | None:
    return ENGINE.reply(CandidateRequest(seat, scene, **given))


def asked(candidate: Candidate, number: int) -> Exchange:
    """The exchange that the moderator opens with a candidate: the lead-in is spoken before the question."""
    spoken = f"{candidate.lead_in} {candidate.question}".strip()
    return Exchange(
        f"x{number}", candidate.agent, candidate.claim, candidate.slide, candidate.said_at_s,
        candidate.quote, candidate.grounded, "", 0.0, (Turn(spoken, candidate.needs),), "satisfied",
    )  # fmt: skip


def whole_session(scene: Scene, seats: Sequence[Seat], most: int = 40) -> list[Candidate]:
    """Every question that the panel asks in turn until none has one left."""
    exchanges: list[Exchange] = []
    questions: list[Candidate] = []
    silent = 0
    while len(questions) < most and silent < len(seats):
        seat = seats[len(exchanges) % len(seats)] if silent == 0 else seats[silent]
        taken = frozenset(q.claim for q in questions if q.claim)
        found = ask(replace(scene, exchanges=exchanges), seat, taken=taken)
        if found is None:
            silent += 1
            continue
        silent = 0
        questions.append(found)
        exchanges.append(asked(found, len(questions)))
    return questions


# -- focus briefs


def test_red_flags_and_benchmarks_come_before_patterns_and_money_before_the_rest() -> None:
    found = targets(scene_of())
    assert [(t.claim, t.angle) for t in found] == [
        ("d3.1", "benchmark: months of runway, usually 12 to 18 months (A guide, 2016)"),
        ("d2.2", "red flag: hoped-for money (what is not signed can be withdrawn)"),
        ("d1.1", "an amount of money, and what stands behind it"),
    ]
    assert found[1] == Target(
        claim="d2.2",
        slide=2,
        said_at_s=None,
        quote="Pipeline of $6M supports our revenue",
        angle="red flag: hoped-for money (what is not signed can be withdrawn)",
        good_answer="How much of that is under contract? It takes the figure itself, with its unit; "
        "the record or the measurement that it comes from.",
    )


def test_taken_claims_are_left_alone_and_all_go_round() -> None:
    taken: frozenset[str] = frozenset()
    for _ in range(3):
        found = {target.claim for target in targets(scene_of(), taken=taken)}
        assert not found & taken
        taken |= found
    assert taken == {claim.id for claim in deck_claims(DECK)}


def test_a_claim_that_is_more_another_panelists_is_left_to_them() -> None:
    assert targets(scene_of(), OTHER)[0].claim == "d1.1"
    scene = scene_of(deck_of(LINES[:4]))
    assert "d1.4" in {target.claim for target in targets(scene, OTHER)}
    assert "d1.4" not in {target.claim for target in targets(scene, OTHER, others=(SEAT,))}


def test_what_the_presenter_asked_to_look_at_comes_sooner() -> None:
    plain = [target.claim for target in targets(scene_of(), OTHER)]
    wanted = [target.claim for target in targets(scene_of(focus=("our security",)), OTHER)]
    assert "d4.1" not in plain
    assert "d4.1" in wanted


def test_a_large_deck_gives_seven_targets_over_many_slides() -> None:
    lines = [[f"Cost of line {n} is EUR {n}00k", f"Income of line {n} is EUR {n}50k"] for n in range(1, 21)]
    found = targets(scene_of(deck_of(*lines)))
    assert len(found) == 7
    assert len({target.slide for target in found}) == 7


@pytest.mark.parametrize(
    "line",
    [
        "Runway of 14 months",
        "Our target is a runway of 9 months",
        "Runway between 6 and 9 months",
        "Runway fell by 9 months",
        "Runway is long and on quite another matter that takes many more words to be told here: 9 months",
    ],
)
def test_a_benchmark_is_silent_inside_its_range_on_targets_ranges_and_changes(line: str) -> None:
    scene = scene_of(deck_of([line]))
    assert not any(target.angle.startswith("benchmark") for target in targets(scene))


def test_a_benchmark_question_names_the_range_and_the_side() -> None:
    found = ask(scene_of(deck_of(["Runway of 9 months"])))
    assert found is not None
    assert found.question == (
        'On slide 1 you say "Runway of 9 months". The published range for months of runway is '
        "12 to 18 months. What puts you below it?"
    )
    assert found.needs == ("cause",)


# -- candidate questions


def test_a_question_is_filled_grounded_and_says_what_it_asks_for() -> None:
    assert ask(scene_of(deck_of(["We ask for EUR 1.8M"]))) == Candidate(
        agent="tester",
        question='On slide 1 you say "We ask for EUR 1.8M". Take the EUR 1.8M apart for me: '
        "which record is it from?",
        claim="d1.1",
        slide=1,
        said_at_s=None,
        quote="We ask for EUR 1.8M",
        grounded=True,
        needs=("number", "source"),
        relevance=0.537,
        lead_in="Let us stay here.",
        angle="an amount of money, and what stands behind it",
    )


def test_speech_is_asked_about_by_its_time_and_before_older_words() -> None:
    said = [
        Segment("Our revenue grew by twelve percent in the last year.", 200.0, 206.0),
        Segment("We ask you for two million euros today.", 4000.0, 4006.0),
    ]
    found = ask(scene_of(deck_of(["Improved security"]), said, slide=1, clock_s=4010.0))
    assert found is not None
    assert (found.claim, found.slide, found.said_at_s) == ("s2.1", None, 4000.0)
    assert found.question.startswith('At 1:06:40 you say "We ask you for two million euros today".')


def test_no_slide_is_asked_about_before_it_is_shown() -> None:
    said = [Segment("Good morning to all of you.", 1.0, 3.0)]
    for slide, allowed in ((1, {1}), (2, {1, 2}), (None, {1, 2, 3, 4})):
        claims = deck_claims(DECK)
        taken: frozenset[str] = frozenset()
        while (found := ask(scene_of(said=said, slide=slide), taken=taken)) and found.claim:
            assert found.slide in allowed
            taken |= {found.claim}
        assert taken == {claim.id for claim in claims if claim.slide in allowed}


def test_before_anything_is_said_every_slide_is_open() -> None:
    taken = frozenset(claim.id for claim in deck_claims(DECK) if claim.slide != 4)
    found = ask(scene_of(slide=1), taken=taken)
    assert found is not None
    assert found.slide == 4


def test_a_session_repeats_no_question_claim_or_lead_in() -> None:
    questions = whole_session(scene_of(), [SEAT, OTHER])
    assert len({q.question for q in questions}) == len(questions)
    claims = [q.claim for q in questions if q.claim]
    assert sorted(claims) == sorted(claim.id for claim in deck_claims(DECK))
    for agent in ("tester", "other"):
        own = [q.lead_in for q in questions if q.agent == agent and q.grounded]
        assert all(a != b or not a for a, b in pairwise(own))


def test_a_pattern_is_used_again_only_when_no_other_fits() -> None:
    deck = deck_of(["Cost of EUR 300k", "Income of EUR 900k"])
    first, second, *_ = whole_session(scene_of(deck), [SEAT])
    endings = {
        q.question.partition('". ')[2].replace("EUR 300k", "").replace("EUR 900k", "")
        for q in (first, second)
    }
    assert len(endings) == 2


REVENUE = Segment("Our revenue grew by eighteen percent in 2026, and we are glad.", 100.0, 106.0)


@pytest.mark.parametrize(
    ("written", "spoken", "repeats"),
    [
        ("Revenue grew 18% in 2026", REVENUE.text, True),
        (
            "97.8% of deliveries came on time",
            "And nearly ninety-eight percent of deliveries came on time.",
            True,
        ),
        ("Churn is 6% a year", "Churn is about eight percent a year.", False),
        ("Revenue grew 18% in 2026", "Our wages grew by eighteen percent in 2026.", False),
        ("The safest boat on the estuary", "And ours is the safest boat on the whole estuary.", True),
        ("The safest boat on the estuary", "And ours is the cheapest ferry in the whole country.", False),
    ],
)
def test_what_was_asked_about_on_a_slide_is_not_asked_about_again_when_said_aloud(
    written: str, spoken: str, repeats: bool
) -> None:
    scene = scene_of(deck_of([written]), [Segment(spoken, 100.0, 106.0)], slide=1, clock_s=110.0)
    for taken, other in (("d1.1", "s1.1"), ("s1.1", "d1.1")):
        found = ask(scene, taken=frozenset({taken}))
        assert found is not None
        assert (found.claim == other) is not repeats


def test_growth_without_base_and_period_comes_before_other_percentages() -> None:
    scene = scene_of(deck_of(["Churn is 6% a year", "The margin is 24%", "Revenue grew 18%"]))
    seat = Seat(replace(PERSONA, kinds=("percent", "growth")), DomainKnowledge((), (), ()))
    assert targets(scene, seat)[0].quote == "Revenue grew 18%"


@pytest.mark.parametrize(
    ("question_words", "sentence", "fits"),
    [
        ("24% of how many?", "Gross margin is 24%", False),
        ("24% of how many?", "24% of customers left", True),
        ("Could it run the other way?", "We turned away 23 contracts because we had no room", False),
        ("Could it run the other way?", "Training led to fewer accidents", True),
        ("We see the ones who stayed: how many left?", "Three sites within an hour", False),
        ("We see the ones who stayed: how many left?", "We have 40 members", True),
        ("How much came from people who renewed?", "Capacity improved by 14%", False),
        ("How much came from people who renewed?", "Revenue grew 18%", True),
        ("What is the longest that any one part of this took?", "It pays back in four years", False),
        ("What is the longest that any one part of this took?", "The move takes four months", True),
        ("How many of those are live and paid for today?", "We turned away 23 contracts", False),
        ("What does it cost us if that slips by two quarters?", "Our option ends on 31 March 2027", False),
        ("What does it cost us if that slips by two quarters?", "We open hall two by 31 May 2027", True),
        ("Suppose that it does not come about: why?", "We will open a second hall", True),
        ("Suppose that it does not come about: why?", "Working group currently on hold", False),
        ("Suppose that it does not come about: why?", "Added a second hall (still need the heating)", False),
        ("Suppose that it does not come about: why?", "Terms compliant (but one, working on that)", False),
        ("Which record will show that it is done?", "Complete the audit of the second hall", True),
        ("Which record will show that it is done?", "Audit of the hall in progress", False),
        ("Who takes the measurement that will show it?", "Improved security", True),
        ("Who takes the measurement that will show it?", "Publish a position paper", False),
        ("What else changed in that time?", "Working from home increases efficiency", False),
        ("What else changed in that time?", "Training led to fewer accidents", True),
        ("How much does this figure move in an ordinary quarter?", "Solver: 9% mean improvement", False),
        ("How much does this figure move in an ordinary quarter?", "Revenue grew 18%", True),
        ("Counted by which system?", "User limit per site: 50,000", False),
        ("Counted by which system?", "50,000 users on the site", True),
        ("What finding would make you drop that claim?", "Released version 3 to all branches", False),
    ],
)
def test_a_question_suits_its_sentence(question_words: str, sentence: str, fits: bool) -> None:
    assert suits(question_words, sentence) is fits


def test_when_nothing_specific_is_left_one_general_question_says_so() -> None:
    questions = whole_session(scene_of(deck_of(["Good morning"])), [SEAT, OTHER])
    assert [(q.agent, q.grounded, q.claim, q.slide, q.quote, q.needs) for q in questions] == [
        ("tester", False, None, None, None, ()),
        ("other", False, None, None, None, ()),
    ]
    assert questions[0].question != questions[1].question


def test_a_general_question_waits_for_the_end() -> None:
    deck = deck_of(["Good morning"], ["Thank you"])
    said = [Segment("Good morning to all of you.", 1.0, 3.0)]
    assert ask(scene_of(deck, said, slide=1)) is None
    assert ask(scene_of(deck, said, slide=2)) is not None


def test_a_lead_in_about_numbers_needs_a_number() -> None:
    for number in range(6):
        found = ask(
            scene_of(deck_of(["Improved security"]), exchanges=[asked_stub(n) for n in range(number)])
        )
        assert found is not None
        assert found.lead_in in ("Let us stay here.", "Before we go on.")


def test_few_things_are_not_asked_for_the_system_that_counts_them() -> None:
    asks = question("count", "source", "Counted by which system, and as of when?")
    seat = Seat(replace(PERSONA, kinds=("count",), initial=(asks,)), DomainKnowledge((), (), ()))
    for line, grounded in (("We serve 40 customers", False), ("We serve 4,000 customers", True)):
        found = ask(scene_of(deck_of([line])), seat)
        assert (found is not None and found.grounded) is grounded


def test_lead_ins_are_said_once_each_and_none_of_a_sentence_before_a_fragment() -> None:
    leads = {"moderate": ("One sentence at its word.", "Just this.")}
    seat = Seat(replace(PERSONA, lead_ins=leads), DOMAIN)
    deck = deck_of(["Improved security", "We will double the fleet of boats by 2028", "Fares of EUR 4"])
    found = whole_session(scene_of(deck), [seat])
    spoken = [q.lead_in for q in found if q.lead_in]
    assert sorted(spoken) == ["Just this.", "One sentence at its word."]
    for q in found:
        assert "sentence" not in q.lead_in or len((q.quote or "").split()) >= 6


def test_the_ask_and_whole_statements_come_before_fragments_and_slides_take_turns() -> None:
    deck = deck_of(
        ["More members", "Costs of EUR 30k", "Costs of EUR 40k"], ["We ask for EUR 90k"], ["Fees of EUR 20k"]
    )
    found = [q for q in whole_session(scene_of(deck), [OTHER]) if q.grounded]
    assert found[0].quote == "We ask for EUR 90k"
    assert "More members" not in [q.quote for q in found[:3]]
    assert [q.slide for q in found[:3]] == [2, 3, 1]


def asked_stub(number: int) -> Exchange:
    return Exchange(
        f"x{number}", "tester", "d9.9", 9, None, "q", True, "", 0.0, (Turn(f"Question {number}?"),)
    )


def test_the_same_request_gives_the_same_reply() -> None:
    assert ask(scene_of()) == ask(scene_of())
    assert targets(scene_of()) == targets(scene_of())


# -- quotes

LONG = (
    "In the last year, and this is what matters to us most of all, we grew our revenue by 18%, while the "
    "market, which we know well, stood nearly still because of the weather and the strikes"
)


def test_a_long_quote_is_cut_to_whole_clauses_around_its_number() -> None:
    found = ask(scene_of(deck_of([LONG])))
    assert found is not None
    assert found.quote == (
        "we grew our revenue by 18%, while the market, which we know well, "
        "stood nearly still because of the weather and the strikes"
    )


WORDS = ("a", "bb,", "(cc", "d)", "–", "because:", "it;", "the", "and", "4%", "of", "which")


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.data())
def test_a_cut_is_verbatim_and_short(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    part = cut(text, start, end, 25)
    assert part in text
    assert len(part.split()) <= 28


# -- judgements

CLAIM = "ARR reached $4.2M, up 35%"


def judged(needs: str, *answers: str | None, is_last: bool = False, seat: Seat = SEAT) -> Judgement:
    """The verdict on the last of *answers*, each of them to a question that asked for *needs*."""
    deck = deck_of(["Start"], [CLAIM])
    turns = tuple(Turn(f"Question {n}?", tuple(needs.split()), answer) for n, answer in enumerate(answers))
    exchange = Exchange("x1", seat.persona.id, "d2.1", 2, None, CLAIM, True, "", 0.0, turns)
    return ENGINE.reply(JudgementRequest(seat, scene_of(deck, exchanges=[exchange]), exchange, is_last))


@pytest.mark.parametrize(
    ("needs", "answer", "reason", "quote"),
    [
        ("number", "It is 3.1 million.", 'gives a number ("3.1 million")', "3.1 million"),
        ("number", "Four.", 'gives a number ("Four")', "Four"),
        ("number", "None of them, I am afraid.", 'gives a number ("None")', "None"),
        (
            "number period",
            "We had 3.1 million in the second quarter of 2026.",
            'gives a number ("3.1 million") and a period ("in the second quarter of 2026")',
            "3.1 million",
        ),
        (
            "number source",
            "That is 120 contracts, according to our audited accounts.",
            'gives a number ("120 contracts") and a source ("according to our audited accounts")',
            "120 contracts",
        ),
        (
            "base source",
            "We started from 120 customers; that comes from our billing system.",
            'gives a base ("from 120 customers") and a source ("from our billing system")',
            "from 120 customers",
        ),
        (
            "owner date",
            "Our CFO signs it, and it is done by the end of March.",
            'gives an owner ("Our CFO signs it") and a date ("by the end of March")',
            "Our CFO signs it",
        ),
        ("owner", "Maria Lopez.", 'gives an owner ("Maria Lopez")', "Maria Lopez"),
        (
            "cause comparison",
            "Because we cut the price; it rose twice as fast as in the control group.",
            'gives a cause ("Because we cut the price") and a comparison ("as fast as in the control group")',
            "Because we cut the price",
        ),
    ],
)
def test_everything_asked_for_is_given(needs: str, answer: str, reason: str, quote: str) -> None:
    assert judged(needs, answer) == Judgement("satisfied", reason, quote)
    assert quote in answer


@pytest.mark.parametrize(
    ("needs", "answer", "reason", "quote", "missing"),
    [
        (
            "number",
            "It grew a lot.",
            'no number in the answer; it says the size only in words ("a lot")',
            "a lot",
            ("number",),
        ),
        (
            "number",
            "As I said, it is 4.2 million dollars.",
            'no number in the answer; it repeats the number that was asked about ("4.2 million dollars")',
            "4.2 million dollars",
            ("number",),
        ),
        (
            "number period",
            "It was 3.1 million.",
            'no period in the answer; it gives a number ("3.1 million")',
            "3.1 million",
            ("period",),
        ),
        (
            "number source",
            "I don't know.",
            'puts the question off ("I don\'t know"); no number and no source in the answer',
            "I don't know",
            ("number", "source"),
        ),
        (
            "source",
            "We don't have a source for that.",
            'puts the question off ("We don\'t have a source for that"); no source in the answer',
            "We don't have a source for that",
            ("source",),
        ),
    ],
)
def test_what_is_missing_is_asked_for_again(
    needs: str, answer: str, reason: str, quote: str | None, missing: tuple[str, ...]
) -> None:
    found = judged(needs, answer)
    assert (found.verdict, found.reason, found.quote, found.missing) == ("follow_up", reason, quote, missing)
    assert found.follow_up in {
        pattern.text for pattern in PERSONA.follow_ups if "answer" not in pattern.slots
    }


@pytest.mark.parametrize(
    ("needs", "answer", "reason"),
    [
        ("number", None, "no answer was given"),
        ("number", "  \n", "no answer was given"),
        ("", "Yes, we did that.", "this question asks for no figure, date, name or source to look for"),
        (
            "source",
            "The team went through all of it last week with the people on the ground and is very confident.",
            "rules cannot tell whether the answer gives a source",
        ),
        (
            "number cause",
            "It was 40 of them, and the people on the ground tell us that they like it very much indeed.",
            'rules cannot tell whether the answer gives a cause; gives a number ("40")',
        ),
        (
            "comparison",
            "There was no second group.",
            (
                'says that there is no comparison ("There was no second group"); '
                "whether that will do, rules cannot tell"
            ),
        ),
        (
            "base",
            "Twenty-seven of them pay. The fourteen pilots do not, and they will not pay before the spring.",
            "rules cannot tell whether the answer gives a base",
        ),
    ],
)
def test_where_rules_cannot_tell_they_say_so(needs: str, answer: str | None, reason: str) -> None:
    found = judged(needs, answer)
    assert (found.verdict, found.reason, found.missing, found.follow_up) == ("unjudged", reason, (), None)


def test_a_second_miss_escalates_with_what_the_board_will_conclude() -> None:
    found = judged("number", "It grew a lot.", "A great deal, really.")
    assert found.verdict == "escalate"
    assert found.follow_up == f'Without the figure behind "{CLAIM}" we plan on zero. What do we write?'


def test_the_last_answer_is_judged_and_nothing_more_is_asked() -> None:
    found = judged("number", "It grew a lot.", is_last=True)
    assert (found.verdict, found.missing, found.follow_up) == ("follow_up", ("number",), None)


def test_what_an_earlier_answer_gave_is_not_asked_for_again() -> None:
    assert judged("number period", "It was 3.1 million.", "In the second quarter.") == Judgement(
        "satisfied", 'gives a number ("3.1 million") and a period ("In the second quarter")', "3.1 million"
    )


def test_candour_with_a_date_satisfies_a_persona_that_accepts_it() -> None:
    answer = "We don't know that yet; we will have it by 15 March."
    assert judged("number", answer) == Judgement(
        "satisfied",
        'says that it is not known yet, and when it will be ("by 15 March")',
        "by 15 March",
        promises=("we will have it by 15 March",),
    )
    strict = replace(SEAT, persona=replace(PERSONA, accepts=("a figure",)))
    assert judged("number", answer, seat=strict).verdict == "follow_up"
    assert judged("number", "We don't know that yet.").verdict == "follow_up"


@given(st.text(), st.sampled_from(["number", "source base", "owner date", "cause comparison period"]))
def test_any_answer_gets_a_verdict_with_verbatim_words(answer: str, needs: str) -> None:
    found = judged(needs, answer)
    assert found.verdict in ("satisfied", "follow_up", "unjudged")
    assert found.quote is None or found.quote in answer


# -- notes, observations, phrases


def test_a_note_says_what_was_asked_what_came_and_what_is_open() -> None:
    turn = Turn("Why?", ("number", "source"), "Well, it grew a lot.", "follow_up", "no number in the answer")
    exchange = Exchange("x3", "tester", "d2.1", 2, None, CLAIM, True, "", 0.0, (turn,))
    assert ENGINE.reply(NotesRequest(SEAT, scene_of(), exchange)) == (
        '- Slide 2, about "ARR reached $4.2M, up 35%": asked for number and source.\n'
        '- Answer: "it grew a lot". Verdict: follow up: no number in the answer.'
    )
    silent = replace(exchange, slide=None, said_at_s=200.0, turns=(Turn("Why?"),))
    assert ENGINE.reply(NotesRequest(SEAT, scene_of(), silent)) == (
        '- Said at 3:20, about "ARR reached $4.2M, up 35%": asked openly.\n'
        "- No answer was given; the point stays open."
    )


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            Turn("Q?", ("number",), "I think it was good, and maybe, I think, it will stay so."),
            Observation(
                '3 hedges in 13 words of answer: "I think" 2, "maybe" 1', "I think it was good, and"
            ),
        ),
        (
            Turn("Q?", ("number",), "I'd have to check with the team."),
            Observation(
                "puts the question of x1 off instead of answering it", "I'd have to check with the team"
            ),
        ),
        (
            Turn("Q?", ("number",), "I don't know yet; we will by 3 May.", "satisfied", "…", "by 3 May"),
            None,
        ),
        (
            Turn("Q?", ("number",), "It was 30.", "satisfied", 'gives a number ("30")', "30"),
            Observation("gives what was asked for at the first asking (number)", "30"),
        ),
        (Turn("Q?", ("number",), "The likely volume is an assumption; the number is human."), None),
        (Turn("Q?", ("number",), None), None),
    ],
)  # fmt: skip
def test_an_observation_has_words_behind_it_or_is_none(turn: Turn, expected: Observation | None) -> None:
    exchange = Exchange("x1", "tester", "d2.1", 2, None, CLAIM, True, "", 0.0, (turn,))
    found = ENGINE.reply(ObservationRequest(SEAT, scene_of(), exchange))
    assert found == expected
    if found is not None:
        assert found.quote is not None
        assert found.quote in (turn.answer or "")


def test_who_answers_when_pressed_is_not_said_to_have_put_it_off_for_good() -> None:
    turns = (
        Turn("Q?", ("number",), "I don't know.", "follow_up"),
        Turn("How many?", ("number",), "It was 30.", "satisfied", 'gives a number ("30")', "30"),
    )
    exchange = Exchange("x1", "tester", "d2.1", 2, None, CLAIM, True, "", 0.0, turns)
    assert ENGINE.reply(ObservationRequest(SEAT, scene_of(), exchange)) == Observation(
        "puts the question of x1 off at first, and answers when pressed", "I don't know"
    )


LIBRARY: Mapping[str, tuple[str, ...]] = {
    "Opening": ("Welcome, {presenter}.", "We have {minutes_left} minutes.", "Please begin."),
    "Closing": ("That is our time.",),
}


def test_phrases_are_filled_and_those_that_cannot_be_are_left_out() -> None:
    found = ENGINE.reply(PhrasesRequest(SEAT, scene_of(), LIBRARY, {"presenter": "Ines"}))
    assert sorted(found) == ["Please begin.", "That is our time.", "Welcome, Ines."]
    assert found == ENGINE.reply(PhrasesRequest(SEAT, scene_of(), LIBRARY, {"presenter": "Ines"}))


def test_a_request_of_another_kind_is_refused() -> None:
    with pytest.raises(EngineError, match=r"^the offline engine does not know Request: use another engine$"):
        ENGINE.reply(Request(SEAT, scene_of()))


# -- the panel of this project, on real decks


@pytest.mark.slow
def test_every_question_on_every_real_deck_quotes_what_stands_there(shared: Path) -> None:
    seats = _panel()
    for path in sorted((shared / "decks").iterdir()):
        deck = read_deck(path)
        questions = whole_session(scene_of(deck), seats, most=12)
        assert len({q.question for q in questions}) == len(questions), path.name
        for q in questions:
            assert q.question.count("?") == 1, q.question
            if q.grounded:
                assert q.quote, q
                assert q.slide, q
                assert any(q.quote in text for _, text in slide_texts(deck.slides[q.slide - 1])), q
                assert f'"{q.quote}"' in q.question


def _panel() -> list[Seat]:
    seats = []
    for folder in sorted((Path(__file__).resolve().parents[1] / "agents" / "templates").iterdir()):
        domain = folder / "domain-knowledge.md"
        if domain.is_file():
            persona = folder / "persona.md"
            seats.append(
                Seat(
                    read_persona(persona.read_text(encoding="utf-8"), persona.name),
                    read_domain(domain.read_text(encoding="utf-8"), domain.name),
                )
            )
    return seats


def test_claims_of_the_fixture_are_what_the_tests_think() -> None:
    found: list[Claim] = list(deck_claims(DECK))
    assert [claim.text for claim in found] == list(LINES)


def test_an_answer_of_book_length_is_not_judged() -> None:
    long = "It was 40 % in 2025, because of the ferries. " * 20_000
    unread = "rules do not read answers of more than 20,000 characters, or with words of more than 200"
    assert judged("number", long).reason == unread
    assert judged("number", "7" * 300).reason == unread
