"""What was misheard is corrected: the transcript shows both, and whoever reads goes by the new words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionFrozenError, SessionStateError, UsageError
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.material.values import LiveSegment, Segment
from orchestrator.memory.facts import FactLog
from orchestrator.panel.engines.protocol import JudgementRequest, Request
from orchestrator.panel.loop.panelist import grounds_of
from orchestrator.panel.model.exchange import Candidate
from orchestrator.panel.model.reply import FactDraft
from orchestrator.panel.records.memory import (
    BEGAN,
    FactRun,
    FactsKept,
    GoalsKept,
    Kept,
)
from orchestrator.panel.records.speech import is_spoken
from orchestrator.review.reading import read
from orchestrator.web.timeline import Asked, Speech, timeline
from tests.helpers.commands import Commands
from tests.helpers.steady import SteadyEngine
from tests.helpers.stores import values_of

DECK = "# Ferries\n\n- Fennmark pays EUR 4.2M in 2026\n\n---\n# Ask\n\n- We ask for EUR 2M\n"
TRANSCRIPT = "shared/presenter-transcript.md"
HEARD = "Fan mark pays 14 million euros for the boats in 2026."
SAID = "Fennmark pays 4 million euros for the boats in 2026."
WRONG = "That is 3 million for boats, 4 million for piers and 5 million for staff, 14 million in total."
RIGHT = "That is 3 million for boats, 4 million for piers and 7 million for staff, 14 million in total."


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", engine="offline", presenter="Ines") as one:
        one.slide(1)
        yield one


def hear(session: Session, *texts: str, doubt: str | None = None) -> None:
    for text in texts:
        at_s = 5.0 * len(session.projection.segments)
        session.hear(LiveSegment(text, at_s, at_s + 4, confidence=0.4, doubt=doubt))


def texts(session: Session) -> list[str]:
    return [one.text for one in session.projection.segments]


def test_the_transcript_shows_both_and_everything_reads_the_new_words(session: Session, home: Path) -> None:
    hear(session, "Good morning.", HEARD, "Thank you.")
    now = session.correct(2, f" {SAID}\n")
    assert (now.text, now.misheard, now.confidence) == (SAID, HEARD, None)
    assert texts(session) == ["Good morning.", SAID, "Thank you."]
    assert session.read(TRANSCRIPT).endswith(
        f'[0:05] Segment 2, corrected by the presenter: "{SAID}", not "{HEARD}"\n'
    )
    assert [one.text for one in session.projection.speech_claims] == [SAID.rstrip(".")]
    assert [one.text for one in session.rehearsal.scene().segments] == texts(session)
    assert "Fennmark pays 4 million" in session.context("analyst").text
    again = Session.open(Home.open(home), "s1")
    assert again.projection.segments == session.projection.segments
    assert again.projection.claims_by_id == session.projection.claims_by_id
    assert session.verify().valid


def test_claims_stay_in_the_order_spoken(session: Session) -> None:
    hear(session, "Revenue is 3 million euros.", "We sell.", "Costs are 2 million euros.")
    session.correct(2, "Profit is 1 million euros.")
    assert [one.id for one in session.projection.speech_claims] == ["s1.1", "s2.1", "s3.1"]
    session.correct(1, "Good morning.")
    assert [one.id for one in session.projection.speech_claims] == ["s2.1", "s3.1"]


def test_a_contradiction_in_words_that_were_not_said_leaves_every_page(session: Session) -> None:
    hear(session, WRONG)
    assert [one.kind for one in session.contradictions] == ["sum"]
    session.correct(1, RIGHT)
    assert not session.contradictions
    session.correct(1, WRONG)
    assert session.projection.segments[0].misheard is None
    assert [one.kind for one in session.contradictions] == ["sum"]  # they were said, after all


def test_every_panelists_notes_say_that_a_contradiction_was_misheard(session: Session) -> None:
    hear(session, WRONG)
    session.correct(1, RIGHT)
    for agent in session.rehearsal.options.panel:
        noted = session.read(f"{agent}/exchange-notes.md").splitlines()
        assert [line.partition(" (")[0] for line in noted if "(sum)" in line] == [
            "- Found while listening",
            "- No contradiction, its words were misheard",
        ]


def test_a_contradiction_in_what_was_really_said_is_found(session: Session) -> None:
    hear(session, RIGHT)
    session.correct(1, WRONG)
    assert [one.kind for one in session.contradictions] == ["sum"]
    assert "the list does not add up" in session.read("analyst/exchange-notes.md")


def test_a_correction_corrected_remembers_what_was_heard_first(session: Session) -> None:
    hear(session, HEARD)
    session.correct(1, "Fen mark pays.")
    assert session.correct(1, SAID).misheard == HEARD
    assert session.correct(1, HEARD).misheard is None
    lines = session.read(TRANSCRIPT).count("corrected by the presenter")
    session.correct(1, HEARD)
    assert session.read(TRANSCRIPT).count("corrected by the presenter") == lines  # nothing was to be changed


def test_the_same_words_say_that_they_were_heard_right(session: Session) -> None:
    hear(session, SAID, doubt="confidence")
    assert session.projection.segments[0].doubt == "confidence"
    now = session.correct(1, SAID)
    assert (now.doubt, now.misheard) == (None, None)
    assert session.read(TRANSCRIPT).endswith(f'corrected by the presenter: "{SAID}" was heard right\n')


def test_what_was_not_said_at_all_becomes_nothing(session: Session) -> None:
    hear(session, "I can't believe that.")
    assert session.correct(1, "").text == ""
    assert session.read(TRANSCRIPT).endswith('nothing was said, not "I can\'t believe that."\n')


def test_an_answer_that_is_not_judged_yet_is_judged_as_corrected(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    hear(session, "Yes.", HEARD)
    session.correct(2, SAID)
    done = session.judge("satisfied", reason="said", quote="Fennmark")
    assert done.turns[0].answer == f"Yes. {SAID}"
    session.ask("skeptic", question="And who says so?")
    session.take_answer("Fan mark, and 3 million euros of it.")
    session.correct(3, "Fennmark, and 2 million euros of it.")
    done = session.judge("satisfied", reason="said", quote="Fennmark")
    assert done.turns[0].answer == "Fennmark, and 2 million euros of it."
    assert [one.id for one in session.projection.speech_claims] == [
        "s2.1"
    ]  # an answer is judged, not asked of


class Corrects(SteadyEngine):
    """One that hears a correction of the answer while it judges it."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: list[str | None] = []
        self.session: Session | None = None

    def _reply(self, request: Request[Any]) -> object:
        if isinstance(request, JudgementRequest):
            self.judged.append(request.exchange.turns[-1].answer)
            if len(self.judged) == 1 and self.session is not None:
                self.session.correct(len(self.session.projection.segments), SAID)
        return super()._reply(request)


@pytest.mark.parametrize("how", ["answered", "heard"])
def test_an_answer_that_is_corrected_while_it_is_judged_is_judged_anew(home: Path, how: str) -> None:
    engine = Corrects()
    with Session.start(Home.open(home), deck_text=DECK, engine=engine) as session:
        engine.session = session
        session.slide(1)
        session.ask("analyst", question="How much do they pay?")
        if how == "heard":
            hear(session, HEARD)
        done = session.answer_done() if how == "heard" else session.answer(HEARD)
        assert engine.judged == [HEARD, SAID]
        (exchange,) = session.projection.exchanges
        assert (done.verdict, exchange.turns[0].answer, exchange.turns[0].verdict) == (
            "satisfied", SAID, "satisfied",
        )  # fmt: skip
        assert session.verify().valid


def test_a_typed_answer_that_joins_what_was_heard_is_judged_as_corrected_in_each_part(
    session: Session,
) -> None:
    session.ask("analyst", question="How much do they pay?")
    hear(session, HEARD, "Every year.")
    session.take_answer("Nor bank pays the rest.")
    session.correct(1, SAID)
    session.correct(3, "Nordbank pays the rest.")
    session.correct(2, "")
    with Session.open(None, session.path) as again:
        assert again.projection.open == session.projection.open
        assert again.projection.answered_in == session.projection.answered_in
    done = session.judge("satisfied", reason="said", quote="Nordbank")
    assert done.turns[0].answer == f"{SAID} Nordbank pays the rest."
    assert session.verify().valid


def test_a_part_that_is_corrected_before_the_typed_one_comes_joins_as_corrected(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    hear(session, HEARD, "Hm, hm, hm.")
    session.correct(1, SAID)
    session.correct(2, "")
    assert session.take_answer("Every year.").turns[0].answer == f"{SAID} Every year."
    assert [one.text for one in session.projection.answered_in["x1", 1]] == [SAID, "", "Every year."]
    assert session.projection.open is not None
    assert session.projection.open.turns[0].answer == f"{SAID} Every year."


def test_words_that_were_not_said_are_no_answer(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    hear(session, "Thank you.", doubt="confidence")
    assert session.floor().phase == "answering"
    session.correct(1, "")
    assert (session.floor().phase, session.floor().held, session.floor().back) == ("asked", None, None)
    with pytest.raises(SessionStateError, match="nothing was said to this question yet"):
        session.answer_done()
    session.correct(1, SAID)  # they were, after all
    session.answer_done()
    assert next(turn.answer for one in session.projection.asked for turn in one.turns) == SAID


@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("how", ["heard", "taken"])
def test_a_judged_answer_keeps_its_verdict_beside_what_was_heard_and_what_was_said(
    session: Session, how: str, is_closed: bool
) -> None:
    session.ask("analyst", question="How much do they pay?")
    hear(session, HEARD) if how == "heard" else session.take_answer(HEARD)
    if is_closed:
        session.judge("satisfied", reason="said", quote="Fan mark")
        session.correct(1, "Fen mark pays.")
        session.correct(1, SAID)
    else:
        session.judge("follow_up", reason="said", quote="Fan mark", follow_up="And who says so?")
        session.correct(1, SAID)
        session.take_answer("Their board.")
        session.judge("satisfied", reason="named")
    (exchange,) = session.projection.exchanges
    first = exchange.turns[0]
    assert (first.answer, first.misheard, first.reason, first.quote) == (SAID, HEARD, "said", None)
    with Session.open(None, session.path) as again:
        assert again.projection.exchanges == session.projection.exchanges
    (asked,) = (one for one in timeline(session.rehearsal) if isinstance(one, Asked))
    assert (asked.turns[0].answer, asked.turns[0].misheard) == (SAID, HEARD)
    (review,) = session.debrief().reviews
    assert review.heard_as == (HEARD,)
    assert review.said == (SAID if is_closed else "Their board.")
    _, passages = read("s1", (session.path / LEDGER_NAME).read_bytes(), None)
    answers = [one.text for one in passages if one.kind == "answer"]
    assert answers[0] == f'{SAID} heard as "{HEARD}"'
    assert SAID in session.read("shared/exchange-history.md")
    assert session.verify().valid


def test_the_history_says_below_a_closed_exchange_what_its_answer_was(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    session.take_answer(HEARD)
    session.judge("satisfied", reason="said")
    before = session.read("shared/exchange-history.md")
    session.correct(1, SAID)
    session.correct(1, SAID)
    assert session.read("shared/exchange-history.md") == before + (
        "\n## x1, at 0:00: an answer was corrected\n\n"
        f'The answer to question 1 above was misheard: "{SAID}". '
        "Its verdict is on the words that had been heard.\n"
    )


def test_a_correction_ends_nothing_that_is_off_the_record(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    session.take_answer(HEARD)
    session.judge("satisfied", reason="said")
    hear(session, "Off the record, there is more.")
    session.correct(1, SAID)
    hear(session, "Nobody shall know this plan.", "Back on the record.")
    assert "Nobody shall know" not in session.context("analyst").text


def test_an_answer_that_turns_out_to_be_off_the_record_is_found_by_nobody(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    session.take_answer("Of the wreck chord, the margin is mine.")
    session.judge("satisfied", reason="said")
    session.correct(1, "Off the record, the margin is nine.")
    _, passages = read("s1", (session.path / LEDGER_NAME).read_bytes(), None)
    assert [one.text for one in passages if one.kind == "answer"] == []


def test_a_question_about_words_that_were_not_said_is_not_put(session: Session) -> None:
    hear(session, HEARD)
    projection = session.projection
    quoting = Candidate(
        "analyst", "Why 14?", None, None, 0.0, "14 million", True, (), 1.0, "", "",
    )  # fmt: skip
    assert not projection.quotes_misheard(quoting)
    session.projection.wanted[quoting.question] = quoting
    assert session.projection.never_asked == (quoting,)
    before = grounds_of(session.rehearsal, "analyst").digest_for(quoting)
    session.correct(1, SAID)
    assert session.projection.quotes_misheard(quoting)
    assert not session.projection.never_asked
    assert grounds_of(session.rehearsal, "analyst").digest_for(quoting) != before


def test_the_correction_of_what_was_off_the_record_stays_there_too(session: Session) -> None:
    hear(session, "Off the record, our margin is mine percent.", "Back on the record.")
    session.correct(1, "Nothing secret, the margin is 9 percent.")
    hear(session, "Let us go on.")
    shown = session.context("analyst").text
    assert "Let us go on" in shown
    assert "9 percent" not in shown
    assert "mine percent" not in shown
    assert session.rehearsal.scene().speech_claims == ()
    assert session.verify().valid


def test_a_corrected_sentence_that_asks_for_off_the_record_is_heard(session: Session) -> None:
    hear(session, "Of the wreck chord.")
    session.correct(1, "Off the record, our margin is 9 percent.")
    hear(session, "Nobody shall know this plan.")
    shown = session.context("analyst").text
    assert "9 percent" not in shown
    assert "Nobody shall know" not in shown


def test_what_turns_out_to_be_off_the_record_stands_in_no_review_and_is_not_found(session: Session) -> None:
    hear(session, "Good morning.", "Of the wreck chord, the margin is mine.", "Let us begin.")
    session.correct(2, "Off the record, the margin is nine.")
    shown = " ".join(one.text for one in timeline(session.rehearsal) if isinstance(one, Speech))
    _, passages = read("s1", (session.path / LEDGER_NAME).read_bytes(), None)
    for text in (shown, " ".join(one.text for one in passages)):
        assert "Good morning." in text
        assert "margin" not in text


def test_there_is_no_segment_of_that_number(session: Session) -> None:
    with pytest.raises(UsageError, match="there is no segment 1: nothing was said yet"):
        session.correct(1, SAID)
    hear(session, HEARD)
    for number in (0, 2, -1):
        with pytest.raises(UsageError, match=f"there is no segment {number}: there are 1 to 1"):
            session.correct(number, SAID)


def test_once_a_session_has_ended_nothing_is_corrected(session: Session) -> None:
    hear(session, HEARD)
    session.end()
    with pytest.raises(SessionFrozenError):
        session.correct(1, SAID)


def test_the_record_holds_what_where_and_by_whom(session: Session) -> None:
    hear(session, HEARD)
    session.correct(1, SAID)
    (told,) = values_of(session.rehearsal.store, "corrected")
    assert (told["number"], told["was"], told["who"]) == (1, HEARD, "the presenter")
    assert told["segment"]["misheard"] == HEARD


def test_no_fact_is_looked_for_in_words_that_were_not_said(session: Session) -> None:
    hear(session, "Good morning.", HEARD, "Hm.")
    session.correct(2, SAID)
    session.correct(3, "")
    assert [one.text for one in log_of(session).waiting.values()] == ["Good morning.", SAID]


def log_of(session: Session) -> FactLog:
    log, store = FactLog(), session.rehearsal.store
    for entry in store.entries():
        log.take(store.record(entry.seq))
    return log


def keep_fact(session: Session, content: str) -> None:
    """Keep words of the last record as a fact, as the summariser does."""
    store = session.rehearsal.store
    run, last = log_of(session).run + 1, store.seq
    store.note(FactRun(BEGAN, run, 1, last), by="summariser")
    fact = FactDraft("number", content, "high", last, content)
    store.note(FactsKept(run, last, (fact,)), by="summariser")


def test_what_was_heard_right_is_looked_through_for_facts(session: Session) -> None:
    hear(session, SAID, doubt="confidence")
    session.correct(1, SAID)
    assert [one.text for one in log_of(session).waiting.values()] == [SAID]


@pytest.mark.own_memory
def test_a_fact_in_words_that_were_not_said_falls_with_them(session: Session) -> None:
    hear(session, HEARD)
    keep_fact(session, "14 million euros")
    assert [one.content for one in log_of(session).facts] == ["14 million euros"]
    session.correct(1, "Fennmark pays 4 million for the boats.")
    keep_fact(session, "4 million for the boats")
    assert [one.content for one in log_of(session).facts] == ["4 million for the boats"]
    session.correct(1, SAID)
    assert log_of(session).facts == []


def test_a_corrected_answer_is_looked_through_for_facts_as_one(session: Session) -> None:
    session.ask("analyst", question="How much do they pay?")
    session.take_answer(HEARD)
    session.correct(1, SAID)
    (passage,) = log_of(session).waiting.values()
    assert (passage.kind, passage.exchange, passage.text) == ("answer", "x1", SAID)


@pytest.mark.own_memory
def test_a_recap_tells_what_was_said_in_the_place_of_what_was_heard(session: Session) -> None:
    decided = "We decided on Norbert Bank."
    hear(session, "Good morning.", decided, "Hm.", "Fan mark pays.")
    store = session.rehearsal.store
    seqs = [entry.seq for entry in store.entries() if is_spoken(store.record(entry.seq))]
    session.correct(2, "We decided on Nordbank.")
    corrected = store.seq
    session.correct(3, "")
    kept = [
        Kept("decision", words, words, seq)
        for seq, words in ((seqs[1], decided), (corrected, "We decided on Nordbank."))
    ]
    store.note(GoalsKept(1, tuple(kept)), by="summariser")
    context = session.recap()
    said = [one.content for one in context.recent_entries if one.type == "user"]
    assert said == ["Good morning.", "We decided on Nordbank.", "Fan mark pays."]
    assert [one.text for one in context.decisions] == ["We decided on Nordbank."]
    session.correct(4, "Off the record, Fennmark pays.")
    told = [one.content for one in session.recap().recent_entries if one.type == "user"]
    assert told == ["Good morning.", "We decided on Nordbank."]


def test_a_correction_of_what_nobody_said_is_passed_over(session: Session) -> None:
    hear(session, SAID)
    session.correct(1, HEARD)
    store, log = session.rehearsal.store, FactLog()
    log.take(store.record(store.seq))
    assert (log.passed_over, log.waiting) == ([store.seq], {})


def test_a_segment_without_doubt_is_written_as_before() -> None:
    from orchestrator.core.values import to_json

    assert to_json(Segment("Yes.", 0.0, 1.0)) == {"text": "Yes.", "start_s": 0.0, "end_s": 1.0}
    assert to_json(LiveSegment("Yes.")) == {"text": "Yes."}


def test_the_command_done_prints_what_came_of_the_answer(
    home: Path, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.ask("analyst")
    hear(session, "Yes, of course.")
    assert Commands(home, capsys)("done", "s1").stdout == (
        "not judged: yours to judge\nThe exchange is closed: not judged.\n"
    )


def test_the_command_corrects(home: Path, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    hear(session, HEARD)
    run = Commands(home, capsys)
    assert run("correct", "s1", "1", SAID).stdout == f'segment 1: "{SAID}", not "{HEARD}"\n'
    assert texts(session) == [SAID]
    refused = run("correct", "s1", "9", SAID, check=False)
    assert refused.stderr == "greenroom: there is no segment 9: there are 1 to 1\n"
