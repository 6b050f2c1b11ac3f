"""What the debrief is made of: the fix, stronger answers, checks, promises, shares of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import pytest

from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.model import Place, Tension
from orchestrator.cli.app import run
from orchestrator.debrief import debrief_of, words
from orchestrator.debrief.first import first_of
from orchestrator.debrief.material import material
from orchestrator.debrief.model import Check, Review, Source, Stronger
from orchestrator.debrief.rubric import Record, rubric
from orchestrator.debrief.stronger import Stock, bare_question, deciding_words, stronger
from orchestrator.debrief.timing import shares, spans
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.read import read_deck_text
from orchestrator.engines.protocol import (
    CandidateRequest,
    JudgementRequest,
    NotesRequest,
    PhrasesRequest,
    Request,
    Scene,
)
from orchestrator.exchange import Candidate, Exchange, Judgement, Turn
from orchestrator.home import Home
from orchestrator.room import SlideTime
from orchestrator.session import Session
from orchestrator.speech.model import Segment
from orchestrator.speech.read import read_speech

if TYPE_CHECKING:
    from orchestrator.context import Context

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
    claims = [claim for n, one in enumerate(segments, start=1) for claim in speech_claims(one, n)]
    now_s = segments[-1].end_s if segments else 0.0
    return Scene(
        read,
        tuple(deck_claims(read)),
        claims,
        segments,
        exchanges,
        None,
        now_s,
        "moderate",
        (),
        presenter="Ines",
    )


def exchange(id_: str, outcome: str, *turns: Turn, quote: str | None = None, slide: int = 2) -> Exchange:
    return Exchange(id_, "skeptic", None, slide, None, quote, quote is not None, "", 0.0, turns, outcome)


def review(one: Exchange, better: Stronger | None = None) -> Review:
    said = next((turn.answer for turn in reversed(one.turns) if turn.answer), None)
    return Review(one, "Ana", "Q?", said, words.outcome(one), one.turns[-1].reason, better)


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
        ([PRESSED, OPEN], [CLASH], "Not both."),  # OPEN is about its words
        ([PRESSED], [CLASH], "x4"),
    ],
)
def test_the_worst_comes_first(
    exchanges: list[Exchange], tensions: list[Tension], expected: str | None
) -> None:
    fix = first_of([review(one) for one in exchanges], tensions)
    assert (fix and (fix.exchange if fix.exchange == expected else fix.what)) == expected
    assert fix is None or fix.why.startswith("Why this first: ")


def test_the_fix_says_what_why_and_what_to_do() -> None:
    fix = first_of([review(OPEN, Stronger(bring=("owner",)))], [])
    assert fix is not None
    assert words.fix(fix) == (
        'x3, on "Boats run" (slide 2): Who? Why this first: it is the only question left without a good '
        "answer, asked once: no owner. Found nowhere in deck or speech: bring a name."
    )


# -- stronger answers


def better(one: Exchange, *others: Exchange, speech: Sequence[str] = ()) -> list[str]:
    scene = scene_of(speech=speech, exchanges=[one, *others])
    found = stronger(one, Stock(material(scene), scene))
    return words.stronger(found) if found is not None else []


ASKED = Turn(
    "By which date does the charging contract end?", ("date",), "Soon enough.", "follow_up", "no date"
)


def test_what_the_deck_says_elsewhere_fills_the_gap() -> None:
    one = exchange("x1", "unresolved", ASKED, quote="Electric boats cut fuel cost by 31% on the pilot routes")
    assert better(one) == [
        'For a date, build on "The charging contract for the electric boats ends on 31 March 2028" (slide 2).'
    ]


def test_what_another_answer_or_the_speech_says_fills_it_too() -> None:
    asked = Turn("Who signs for the harbour lease?", ("owner",), "Somebody.", "follow_up", "no owner")
    one = exchange("x1", "unresolved", asked, quote="The harbour lease is safe")
    told = exchange(
        "x2", "satisfied", Turn("Q?", (), "Anna Falk signs the harbour lease.", "satisfied", "", "")
    )
    assert better(one, told) == [
        'For a name, build on "Anna Falk signs the harbour lease" (your answer to x2).'
    ]
    assert better(one) == ["Found nowhere in deck or speech: bring a name."]


def test_what_only_says_the_claim_again_fills_nothing() -> None:
    asked = Turn("How much is that, and since when?", ("number", "date"), None)
    one = exchange("x1", "unjudged", asked, quote="Season-ticket churn fell to 4%", slide=1)
    speech = ["Churn of season tickets fell to four percent."]
    assert better(one, speech=speech) == ["Found nowhere in deck or speech: bring a figure and a date."]


def test_words_that_came_late_are_to_be_said_at_once() -> None:
    last = Turn(
        "Who?", ("owner",), "Well. Anna Falk owns it, by May. Ask her.", "satisfied", "…", "Anna Falk owns it"
    )
    one = exchange("x1", "satisfied", Turn("Who?", ("owner",), "All of us.", "follow_up"), last)
    assert better(one) == ['Say at the first asking: "Anna Falk owns it, by May."']
    assert better(replace(one, turns=(last,))) == []


def test_every_word_of_a_stronger_answer_is_somebodys() -> None:
    """Whatever is put in quotation marks stands verbatim in the material."""
    one = exchange("x1", "unresolved", ASKED, quote="Electric boats cut fuel cost by 31% on the pilot routes")
    scene = scene_of(exchanges=[one])
    found = stronger(one, Stock(material(scene), scene))
    assert found is not None
    lines = [line for slide in scene.deck.slides for line in slide.lines]
    assert all(any(part.source.quote in line for line in lines) for part in found.parts)


@pytest.mark.parametrize(
    ("question", "quote", "expected"),
    [
        ('Stay. On slide 2 you say "We grew". By how much, and when?', "We grew", "By how much, and when?"),
        ("How much?", "We grew", "How much?"),
        ('You say "We grew".', "We grew", 'You say "We grew".'),
        ("How much?", None, "How much?"),
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
    assert bare_question(question, quote) == expected


def test_the_deciding_words_are_a_whole_sentence_where_it_is_short() -> None:
    answer = "Well, thanks. It is 40 boats, as of May. And there is more to say."
    assert deciding_words(answer, "40 boats") == "It is 40 boats, as of May."
    assert deciding_words(answer, None).startswith("thanks") or deciding_words(answer, None) in answer
    long = "We have " + "many small and " * 20 + "40 boats, as of May."
    assert "40 boats" in deciding_words(long, "40 boats")
    assert len(deciding_words(long, "40 boats").split()) <= 33


# -- the rubric


def checks(
    deck: str = DECK,
    speech: Sequence[str] = (),
    reviews: Sequence[Review] = (),
    tensions: Sequence[Tension] | None = (),
    used_s: float = 60.0,
) -> dict[str, Check]:
    scene = scene_of(deck, speech)
    record = Record(scene, reviews, tensions, material(scene), used_s, used_s, 100.0)
    return {check.name: check for check in rubric(record)}


FIGURES, AGREE, ANSWERS, RISKS, ASK, TIME = (
    "Figures carry their period and source", "Deck and speech are consistent", "Answers give what was asked",
    "Limits and risks are named", "The ask is clear", "Within the time",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "given", "state", "quote"),
    [
        (FIGURES, {"deck": "# A\n\n- Boats only\n"}, "not judged", None),
        (FIGURES, {"deck": "# A\n\n- Revenue grew 18%\n"}, "no", "Revenue grew 18%"),
        (FIGURES, {"deck": "# A\n\n- Revenue grew 18% in 2026\n"}, "partly", "Revenue grew 18% in 2026"),
        (FIGURES, {"deck": "# A\n\n- Up 18% in 2026\n- Source: audited accounts\n"}, "yes", "Up 18% in 2026"),
        (AGREE, {"tensions": None}, "not judged", None),
        (AGREE, {"tensions": [CLASH]}, "no", None),
        (AGREE, {}, "not judged", None),
        (AGREE, {"speech": ["We ask for EUR 1.8M today."]}, "yes", "We ask for EUR 1.8M today"),
        (ANSWERS, {}, "not judged", None),
        (ANSWERS, {"reviews": [review(SILENT)]}, "not judged", None),
        (ANSWERS, {"reviews": [review(SATISFIED)]}, "yes", "Yes."),
        (ANSWERS, {"reviews": [review(SATISFIED), review(LATE)]}, "partly", "3."),
        (ANSWERS, {"reviews": [review(SATISFIED), review(PRESSED)]}, "partly", "Soon."),
        (ANSWERS, {"reviews": [review(PRESSED)]}, "no", "Soon."),
        (RISKS, {}, "yes", "The main risk is the price of power"),
        (RISKS, {"deck": "# A\n\n- No risk\n", "speech": ["One risk is fog."]}, "partly", "One risk is fog"),
        (RISKS, {"deck": "# Risks\n\n- Growth everywhere\n"}, "partly", "Risks"),
        (RISKS, {"deck": "# A\n\n- A risk-free plan, without risks\n"}, "no", None),
        (ASK, {}, "yes", "We ask for EUR 1.8M"),
        (ASK, {"deck": "# A\n\n- Today: approve the plan\n"}, "partly", "Today: approve the plan"),
        (ASK, {"deck": "# A\n\n- Boats only\n"}, "no", None),
        (TIME, {"used_s": 0.0}, "not judged", None),
        (TIME, {"used_s": 100.0, "speech": ["One.", "The end."]}, "yes", "The end"),
        (TIME, {"used_s": 105.0, "speech": ["One.", "The end."]}, "partly", "One"),
        (TIME, {"used_s": 150.0}, "no", None),
    ],
)  # fmt: skip
def test_each_check_rests_on_words(
    name: str, given: dict[str, object], state: str, quote: str | None
) -> None:
    check = checks(**given)[name]  # type: ignore[arg-type]  # the arguments of `checks` by name
    assert check.state == state
    assert (check.source and check.source.quote.rstrip(".")) == (quote and quote.rstrip("."))
    assert check.why


def test_a_contradiction_that_was_heard_is_named_before_others() -> None:
    spoken = replace(CLASH, kind="speech-vs-deck", b=Place(1, 3.0, "Boats are late"), note="Late or not.")
    check = checks(tensions=[CLASH, spoken])[AGREE]
    assert check.why == "2 contradictions, one of them: Late or not."


UNJUDGED = exchange("x7", "unjudged", Turn("Why?", (), "Hard to say.", "unjudged"))
COMES_BACK = replace(SATISFIED, id="x8", comes_back_to="x6")


@pytest.mark.parametrize(
    ("exchanges", "why", "quote"),
    [
        ([UNJUDGED, PRESSED], "0 of 1 judged, 0 at the first asking; 1 not judged; not answered", "Soon."),
        (
            [LATE, UNJUDGED],
            "1 of 1 judged, 0 at the first asking; 1 not judged",
            "Hard to say.",
        ),
        ([SATISFIED, LATE], "2 of 2 judged, 1 at the first asking; asked twice", "3."),
        ([PARKED, COMES_BACK], "1 of 1 judged, 1 at the first asking; the first", "Yes."),
    ],
)
def test_the_check_on_answers_says_what_it_quotes(exchanges: list[Exchange], why: str, quote: str) -> None:
    check = checks(reviews=[review(one) for one in exchanges])[ANSWERS]
    assert (check.why, check.source and check.source.quote) == (why, quote)


def test_nothing_is_praised_without_words() -> None:
    for check in checks(speech=["We ask for EUR 1.8M."], reviews=[review(SATISFIED)]).values():
        assert check.state != "yes" or check.source is not None


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


# -- a whole session, with an engine that plays what it is told


class Plays:
    """Asks two questions and judges their answers; everything else it leaves out."""

    name = "scripted"
    questions = (
        ("d2.1", 2, "Electric boats cut fuel cost by 31% on the pilot routes", "How many?", ("number",)),
        ("d1.1", 1, "Season-ticket churn fell to 4%", "Which system says so?", ("source",)),
    )  # fmt: skip

    def reply(self, request: Request[R], context: Context | None) -> R:
        return cast(R, self._reply(request))

    def _reply(self, request: Request[R]) -> object:
        match request:
            case CandidateRequest(taken=taken) if request.seat.persona.id == "skeptic":
                for claim, slide, quote, question, needs in self.questions:
                    if claim not in taken:
                        text = f'On slide {slide} you say "{quote}". {question}'
                        return Candidate(
                            "skeptic", text, claim, slide, None, quote, True, needs, 0.5, "", "test"
                        )
                return None
            case JudgementRequest(exchange=one):
                if one.id == "x1":
                    return Judgement("satisfied", 'gives a number ("twelve boats")', "twelve boats")
                return Judgement("follow_up", "no source in the answer", "trust me", ("source",))
            case NotesRequest():
                return "noted"
            case PhrasesRequest():
                return ()
        return () if type(request).__name__ == "FocusBriefRequest" else None


SPEECH = """WEBVTT

00:00:01.000 --> 00:00:09.000
<v Ines>Good morning. I run the ferries of this harbour.

00:00:10.000 --> 00:00:21.000
<v Ines>It is, um, a small company.
"""

EXPECTED = """\
# Debrief: Ferries

Presenter: Ines. Judged are the words of Ines.

## Fix this first

**x2, on "Season-ticket churn fell to 4%" (slide 1): Which system says so?**

Why this first: it is the only question left without a good answer, asked once: no source in the answer.

Found nowhere in deck or speech: bring a source.

## Questions

### x1. Marcus Webb: answered

> "Electric boats cut fuel cost by 31% on the pilot routes" (slide 2)

- Asked: How many?
- You said: "It was twelve boats, and I will send you the list by Friday."
- Verdict: *answered*, gives a number ("twelve boats")

### x2. Marcus Webb: not answered

> "Season-ticket churn fell to 4%" (slide 1)

- Asked: Which system says so?
- You said: "Just trust me."
- Verdict: *not answered*, no source in the answer
- Stronger: Found nowhere in deck or speech: bring a source.

## Still open

- [ ] x2, "Season-ticket churn fell to 4%" (slide 1): no source in the answer. Found nowhere in deck \
or speech: bring a source.

## You will be held to

- "I will send you the list by Friday" (your answer to x1)

## Time and delivery
"""


def test_a_scripted_session_has_this_page(home: Path, tmp_path: Path) -> None:
    speech = tmp_path / "speech.vtt"
    speech.write_text(SPEECH, "utf-8")
    with Session.start(
        Home.open(home), deck_text=DECK, engine=Plays(), panel="skeptic,analyst", presenter="Ines", minutes=5
    ) as session:
        session.load(read_speech(speech), kind="feed")
        session.play()
        assert session.ask() is not None
        session.answer("It was twelve boats, and I will send you the list by Friday.")
        assert session.ask() is not None
        session.answer("Just trust me.")
        found = session.debrief()
        clash = (CLASH,)
        assert debrief_of(session.rehearsal, clash).tensions == clash
        assert debrief_of(session.rehearsal, clash).fix == found.fix
        session.end()
        page = (session.path / "debrief.md").read_text("utf-8")
        assert page.startswith(EXPECTED)
        assert session.verify().valid
        assert (session.path / "debrief.json").is_file()
    assert [(check.name, check.state) for check in found.rubric] == [
        (FIGURES, "no"),
        (AGREE, "not judged"),
        (ANSWERS, "partly"),
        (RISKS, "yes"),
        (ASK, "yes"),
        (TIME, "yes"),
    ]  # fmt: skip
    assert found.promises == (Source("I will send you the list by Friday", origin="answer", exchange="x1"),)
    assert found.delivery.common("filler") == [("um", 1)]


@pytest.fixture
def ended(home: Path) -> Session:
    """A session of the same engine that has ended with one answer."""
    with Session.start(Home.open(home), deck_text=DECK, engine=Plays(), presenter="Ines") as session:
        session.ask()
        session.answer("It was twelve boats.")
        session.end()
        return session


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        ([], "# Debrief: Ferries\n"),
        (["--format", "md"], "# Debrief: Ferries\n"),
        (["--format", "html"], "<!DOCTYPE html>\n"),
        (["--format", "text"], "Ferries\n\nFix first   No answer was found wanting.\n"),
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
        ("pdf", 1, "greenroom: the debrief as pdf is not built yet: use html, and print it from a browser\n"),
        ("doc", 2, "greenroom: --format 'doc': use text, md, html or json\n"),
    ],
)
def test_a_form_that_there_is_not_is_refused_in_one_line(
    home: Path, ended: Session, capsys: pytest.CaptureFixture[str], form: str, code: int, message: str
) -> None:
    assert run(["--home", str(home), "debrief", "last", "--format", form]) == code
    assert capsys.readouterr() == ("", message)
