"""The Scribe: a bounded account of a session, made from its ledger and from nothing else."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.privacy.masking import E_MAIL, PHONE
from orchestrator.core.store.ledger import Unread
from orchestrator.material.claim import Claim
from orchestrator.material.values import Deck, Slide
from orchestrator.memory.scribe import (
    LEFT_OUT,
    MAX_CONTEXT_BYTES,
    MAX_ENTITIES,
    MAX_NOTED,
    Scribe,
    SessionContext,
    SessionEntry,
    previously_on,
    to_plain,
)
from orchestrator.panel.model.exchange import Observation
from orchestrator.panel.records.exchanges import Observed, RoundMade
from orchestrator.panel.records.memory import KeptKind, MemoryProposed, ScratchpadProposed
from orchestrator.panel.records.moderator import Frozen
from orchestrator.panel.records.start import DeckRead
from orchestrator.panel.records.value import ENTRY_TYPES
from tests.helpers.scribe_records import AT, Tape

QUOTE = "Revenue grew 18% in 2026"


def folded(tape: Tape, scribe: Scribe | None = None) -> Scribe:
    scribe = scribe or Scribe()
    for record in tape.records:
        scribe.take(record)
    scribe.settle()
    return scribe


def context_of(tape: Tape) -> SessionContext:
    return folded(tape).context()


def size_of(context: SessionContext) -> int:
    return len(json.dumps(to_plain(context), ensure_ascii=False).encode())


# ------------------------------------------------------------------ the seed's fields


def test_an_entry_has_the_seeds_fields() -> None:
    assert [one.name for one in fields(SessionEntry)] == [
        "timestamp",
        "type",
        "content",
        "metadata",
        "tool_name",
        "tool_result",
        "confidence",
    ]


def test_a_context_has_the_seeds_fields_and_says_where_each_thing_stands() -> None:
    plain = to_plain(context_of(Tape()))
    assert plain == {
        "recent_entries": [],
        "entities": {},
        "goals": [],
        "decisions": [],
        "blockers": [],
        "open_questions": [],
        "sources": {"entities": {}, "goals": [], "decisions": [], "blockers": [], "open_questions": []},
        "summary": "Nothing has happened yet.",
        "turn_count": 0,
    }


def test_every_type_of_entry_is_made_from_what_happens() -> None:
    tape = Tape()
    tape.opened()
    deck = Deck("md", "deck.md", "0" * 64, "Harbour ferries", (Slide(1, "Boats"), Slide(2, "Routes")))
    tape.add(
        DeckRead(deck, (Claim("d1.1", ("count",), "Two boats", 1, None),), ()),
        by="start",
        op="write",
        file="shared/deck-content.md",
    )
    tape.say("Good morning.")
    tape.ask("x1", "From which base?", QUOTE)
    tape.judge("x1", "follow_up", "a direction, no number")
    tape.add(RoundMade(0.0, "slide", failed={"skeptic": "no reply within 30 s"}))
    entries = context_of(tape).recent_entries
    assert [(one.type, one.content, one.tool_name, one.tool_result) for one in entries] == [
        ("tool", "Harbour ferries", "deck", "2 slides, 1 claims"),
        ("user", "Good morning.", None, None),
        ("agent", "From which base?", None, None),
        ("note", "follow_up: a direction, no number", None, None),
        ("error", "skeptic: no reply within 30 s", None, None),
    ]
    assert {one.type for one in entries} == set(ENTRY_TYPES)
    assert entries[1] == SessionEntry(
        AT,
        "user",
        "Good morning.",
        {"seq": 3, "clock_s": 3.0, "speaker": "Ines", "slide": 1, "said_at_s": 1.0},
        confidence=0.9,
    )


# ------------------------------------------------------------------ what is extracted


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("goal", "Our goal for today is to win approval for two boats."),
        ("decision", "We decided to postpone the fleet order to 2028."),
        ("blocker", "The permit is held up by an appeal."),
    ],
)
def test_what_is_stated_is_kept_word_for_word_with_its_record(kind: KeptKind, said: str) -> None:
    tape = Tape()
    tape.say("Good morning, everybody.")
    seq = tape.say(f"Well, that is that. {said} So much for this.")
    before = context_of(tape)
    assert (before.goals, before.decisions, before.blockers) == ((), (), ())  # no code reads what was said
    tape.remember(kind, said, seq)
    context = context_of(tape)
    (noted,) = getattr(context, f"{kind}s")
    assert (noted.text, noted.seq, noted.speaker) == (said, seq, "Ines")
    assert noted.text in (tape.records[noted.seq - 1].text or "")
    others = {"goals", "decisions", "blockers"} - {f"{kind}s"}
    assert not any(getattr(context, other) for other in others)


def test_the_names_in_a_sentence_that_captions_cut_in_pieces_stand_in_it_whole() -> None:
    tape = Tape()
    seq = tape.say("Good morning. So we wrote to")
    tape.say("Harbour Ferries")
    tape.say("in the spring. Next slide.")
    noted = context_of(tape).entities["Harbour Ferries"]
    assert (noted.text, noted.seq) == ("So we wrote to Harbour Ferries in the spring.", seq)


def test_two_speakers_are_never_joined() -> None:
    tape = Tape()
    tape.say("So we asked", "Ines")
    tape.say("the Harbour Ferries people.", "Host")
    assert context_of(tape).entities["Harbour Ferries"].text == "the Harbour Ferries people."


def test_what_the_presenter_wants_looked_at_is_a_goal() -> None:
    tape = Tape()
    tape.opened(focus=["the churn figure"])
    assert [(one.text, one.seq) for one in context_of(tape).goals] == [("the churn figure", 1)]


def test_what_is_said_twice_is_noted_once() -> None:
    tape = Tape()
    tape.remember("decision", "We decided to postpone the order.", tape.say("We decided it."))
    tape.remember("decision", "We DECIDED to postpone the order!", tape.say("We decided it."))
    assert len(context_of(tape).decisions) == 1


def test_names_are_kept_with_the_words_they_stand_in() -> None:
    tape = Tape()
    seq = tape.say("Then Anna Lind of the bank wrote to Harbour Ferries. Nobody answered. Yesterday we did.")
    assert {name: (one.text, one.seq) for name, one in context_of(tape).entities.items()} == {
        "Anna Lind": ("Then Anna Lind of the bank wrote to Harbour Ferries.", seq),
        "Harbour Ferries": ("Then Anna Lind of the bank wrote to Harbour Ferries.", seq),
    }


def test_a_decision_in_an_answer_belongs_to_the_question_and_who_asked_it() -> None:
    tape = Tape()
    early = tape.say("We sold the pier.")
    tape.ask("x1", "What of the fleet?", agent="analyst")
    seq = tape.answer("We decided to postpone the order", "x1")
    tape.remember("decision", "We decided to postpone the order", seq)  # while it is open
    tape.close("x1", "satisfied", "What of the fleet?", agent="analyst")
    tape.ask("x2", "And then?", agent="skeptic")
    late = tape.answer("We sell the rest", "x2")
    tape.close("x2", "satisfied", "And then?", agent="skeptic")
    tape.remember("decision", "We sell the rest", late)  # minutes later
    tape.remember("decision", "We sold the pier.", early)
    assert [(one.seq, one.exchange, one.agent) for one in context_of(tape).decisions] == [
        (seq, "x1", "analyst"),
        (late, "x2", "skeptic"),
        (early, None, None),
    ]


def test_questions_stay_open_until_they_are_answered() -> None:
    tape = Tape()
    tape.close("x1", "unresolved", "From which base?", QUOTE)
    tape.close("x2", "parked", "Who owns it?", "the fleet doubles")
    tape.close("x3", "unjudged", "What if not?")
    assert [one.text for one in context_of(tape).open_questions] == [
        QUOTE,
        "the fleet doubles",
        "What if not?",
    ]
    tape.close("x4", "satisfied", "Who owns it?", "the fleet doubles", comes_back_to="x2")
    tape.close("x5", "satisfied", "Since when?", QUOTE, agent="analyst")
    assert [one.text for one in context_of(tape).open_questions] == ["What if not?"]


# ------------------------------------------------------------------ compression and bounds


def test_past_twenty_entries_the_oldest_are_compressed_and_the_last_ten_shown() -> None:
    tape = Tape()
    for number in range(20):
        tape.say(f"This is piece number {number} of the talk.")
    scribe = folded(tape)
    assert len(scribe._held) == 20
    tape.say("This is piece number 20 of the talk.")
    scribe = folded(tape)
    context = scribe.context()
    assert len(scribe._held) == len(context.recent_entries) == 10
    assert context.recent_entries[-1].content == "This is piece number 20 of the talk."
    assert context.turn_count == 21


def test_the_summary_is_one_paragraph_of_counts_and_verbatim_sentences() -> None:
    tape = Tape()
    tape.opened()
    tape.say("Revenue grew to 4.2 million euros in 2026.")
    for _ in range(30):
        tape.say("And so on and so forth it goes.")
    tape.close("x1", "satisfied", "Why?", QUOTE)
    tape.close("x2", "unresolved", "How?", "the fleet doubles")
    tape.ask("x3", "When?")
    assert context_of(tape).summary == (
        '"Harbour ferries", presented by Ines. 31 pieces of speech up to 0:02. '
        "2 questions: 1 answered, 1 not answered. x3, asked by skeptic, is open. "
        'Said on the way: "Revenue grew to 4.2 million euros in 2026.".'
    )


def test_the_digest_keeps_the_five_sentences_that_tell_most_in_their_order() -> None:
    tape = Tape()
    for number in range(200):
        tape.say(f"This is piece number {'x' * (number % 7 + 1)} of the whole talk.")
        if number % 40 == 7:
            tape.say(f"Revenue grew by {number} percent in that year.")
    lines = [f'"Revenue grew by {number} percent in that year."' for number in (7, 47, 87, 127, 167)]
    assert context_of(tape).summary.endswith(f" Said on the way: {'; '.join(lines)}.")


WORDS = st.text(max_size=300) | st.sampled_from(
    ["We decided to sell pier {}. " * 30, "Anna{} Berg{} Cole{} of Dover{}. " * 20, '"\\"' * 300, "🛳" * 2_000]
)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 4), WORDS), max_size=60))
def test_whatever_happens_the_context_stays_under_its_bound(events: list[tuple[int, str]]) -> None:
    tape = Tape()
    tape.opened(title="t" * 10_000, focus=["f" * 10_000])
    for number, (kind, text) in enumerate(events * 3):
        shown = text.replace("{}", str(number))
        match kind:
            case 0:
                tape.say(shown, speaker=shown[:500])
            case 1:
                tape.ask(f"x{number}", shown, shown)
            case 2:
                tape.close(f"x{number}", "unresolved", shown, shown or None)
            case 3:
                tape.judge("x1", "follow_up", shown)
            case _:
                tape.add(MemoryProposed("insight", shown, 0.5), by="skeptic")
    scribe = folded(tape)
    assert size_of(scribe.context()) <= MAX_CONTEXT_BYTES
    assert len(pickle.dumps(scribe)) <= 2 * MAX_CONTEXT_BYTES


def test_a_long_session_costs_no_more_than_a_short_one() -> None:
    tape = Tape()
    tape.opened()
    sizes: list[tuple[int, int]] = []
    scribe = Scribe()
    for number in range(6_000):
        tape.records.clear()
        said = f"We decided to sell pier {number} to Anna Berg{number} for {number} euros."
        tape.remember("decision", said, tape.say(said))
        tape.ask(f"x{number}", "Why?", f"sell pier {number}")
        tape.close(f"x{number}", "unresolved", "Why?", f"sell pier {number}")
        for record in tape.records:
            scribe.take(record)
        if number in (1_000, 5_999):
            sizes.append((size_of(scribe.context()), len(pickle.dumps(scribe))))
    context = scribe.context()
    assert context.turn_count == 18_000
    assert len(context.decisions) == len(context.open_questions) == MAX_NOTED
    assert len(context.entities) == MAX_ENTITIES
    assert sizes[1][0] <= sizes[0][0] * 1.05
    assert sizes[1][1] <= sizes[0][1] * 1.2


# ------------------------------------------------------------------ what stays in the session


def all_of(context: SessionContext) -> str:
    return json.dumps(to_plain(context), ensure_ascii=False) + previously_on(context)


def test_addresses_and_numbers_are_masked_wherever_they_would_show() -> None:
    tape = Tape()
    tape.opened(title="Plan of ines@example.com", focus=["call +44 20 7946 0958"])
    tape.say("We decided to write to bank@example.com, or 020 7946 0958.", speaker="ines@example.com")
    tape.close("x1", "unresolved", "Who is bank@example.com?", "write to bank@example.com")
    told = all_of(context_of(tape))
    assert "example.com" not in told
    assert "7946" not in told
    assert E_MAIL in told
    assert PHONE in told


def test_what_is_marked_sensitive_is_counted_and_not_kept_nor_is_what_quotes_it() -> None:
    tape = Tape()
    tape.say("Revenue grew by 18% in 2026.")
    tape.say("Off the record: we decided to leave Nordbank for good next spring.")
    tape.say("Their chairman Olaf Quist knows nothing.")
    tape.slide(2)
    tape.say("Costs fell by 3% in 2026.")
    tape.ask(
        "x1", 'You said "we decided to leave Nordbank for good". Why?', "leave Nordbank for good next spring"
    )
    tape.judge("x1", "unjudged", "said: we decided to leave Nordbank for good")
    tape.close("x1", "unresolved", "Why?", "we decided to leave Nordbank for good next spring")
    context = context_of(tape)
    told = all_of(context)
    assert "Nordbank" not in told
    assert "Quist" not in told
    assert [one.content for one in context.recent_entries] == [
        "Revenue grew by 18% in 2026.",
        LEFT_OUT,
        LEFT_OUT,
        "slide 2",
        "Costs fell by 3% in 2026.",
        LEFT_OUT,
        LEFT_OUT,
        "x1 closed: unresolved",
    ]
    assert context.turn_count == 8
    assert (context.decisions, context.open_questions) == ((), ())


def test_nothing_is_joined_over_what_was_left_out() -> None:
    tape = Tape()
    tape.say("Last week we")
    tape.say("[private] never told the bank, because they")
    tape.say("wrote to Harbour Ferries.")
    assert context_of(tape).entities["Harbour Ferries"].text == "wrote to Harbour Ferries."


def test_what_a_model_read_in_what_is_to_stay_is_not_kept() -> None:
    tape = Tape()
    seq = tape.say("[private] Nordbank leaves us in the spring.")
    tape.remember("blocker", "Nordbank leaves us in the spring.", seq)
    assert context_of(tape).blockers == ()


def test_a_sensitive_answer_takes_its_verdict_along() -> None:
    tape = Tape()
    tape.ask("x1", "Who lends it?", "two boats")
    tape.answer("[private] Nordbank does, at nine percent.", "x1")
    tape.judge("x1", "satisfied", "a name: Nordbank")
    tape.close("x1", "satisfied", "Who lends it?", "two boats")
    tape.judge("x2", "satisfied", "a number: 12")
    told = [one.content for one in context_of(tape).recent_entries]
    assert told == ["Who lends it?", LEFT_OUT, LEFT_OUT, "x1 closed: satisfied", "satisfied: a number: 12"]


# ------------------------------------------------------------------ the fold


def test_whoever_folds_the_same_records_gets_the_same_context() -> None:
    tape = Tape()
    tape.opened()
    for number in range(100):
        tape.say(f"We decided to sell pier {number} to Anna Berg.")
    assert context_of(tape) == context_of(tape)


def test_records_that_it_does_not_know_change_nothing() -> None:
    tape = Tape()
    tape.say("Good morning.")
    before = context_of(tape)
    tape.add(Unread({"type": "of-a-later-release", "what": [1, 2, 3]}))
    assert context_of(tape) == before


@pytest.mark.parametrize(
    "value",
    [
        {"type": "verdict", "verdict": "partial"},
        {"type": "segment", "segment": "words"},
        {"type": "exchange_closed", "exchange": {}},
        {"type": "slide"},
        {"type": "deck", "deck": None},
        {"type": "remembered", "run": 1, "items": [{"kind": "hope", "text": "a", "quote": "a", "seq": 1}]},
        {"type": 7},
    ],
)
def test_a_record_in_another_shape_is_passed_over_and_counted(value: dict[str, Any]) -> None:
    tape = Tape()
    tape.add(Unread(value))
    tape.say("We wrote to Harbour Ferries.")
    scribe = folded(tape)
    assert scribe.failures == 1
    assert [one.text for one in scribe.context().entities.values()] == ["We wrote to Harbour Ferries."]


def test_what_is_said_live_while_a_question_is_open_belongs_to_it() -> None:
    tape = Tape()
    tape.ask("x1", "Why?", agent="analyst")
    seq = tape.say("We decided to sell the pier.")
    tape.close("x1", "satisfied", "Why?", agent="analyst")
    tape.remember("decision", "We decided to sell the pier.", seq)
    assert [(one.exchange, one.agent) for one in context_of(tape).decisions] == [("x1", "analyst")]


def test_what_made_room_is_counted() -> None:
    tape = Tape()
    for number in range(MAX_NOTED + 2):
        said = f"We decided to sell pier {number}."
        tape.remember("decision", said, tape.say(said))
    context = context_of(tape)
    assert context.decisions[0].text == "We decided to sell pier 2."
    assert context.summary.endswith("2 older notes made room for newer ones.")


def test_previously_on_tells_it_in_a_few_lines_with_records() -> None:
    tape = Tape()
    tape.opened()
    decided = tape.say("We decided to postpone the fleet order to May 2028.")
    waiting = tape.say("We are waiting for the bank to sign.")
    tape.remember("decision", "We decided to postpone the fleet order to May 2028.", decided)
    tape.remember("blocker", "We are waiting for the bank to sign.", waiting)
    tape.close("x1", "unresolved", "From which base?", QUOTE)
    assert previously_on(context_of(tape), entries=1) == (
        '"Harbour ferries", presented by Ines. 2 pieces of speech up to 0:02. 1 question: 1 not answered. '
        'Said on the way: "We decided to postpone the fleet order to May 2028.".\n'
        "Decided:\n"
        '- "We decided to postpone the fleet order to May 2028." (record 2)\n'
        "In the way:\n"
        '- "We are waiting for the bank to sign." (record 3)\n'
        "Left open:\n"
        f'- "{QUOTE}" (x1, record 6)\n'
        "Last:\n"
        "- note: x1 closed: unresolved"
    )


def test_notes_and_tool_calls_of_an_agent_are_told_to_no_other() -> None:
    tape = Tape()
    tape.add(Observed(Observation("Ines rounds up", None)), by="skeptic")
    tape.add(MemoryProposed("insight", "ask for the base", 0.5), by="skeptic")
    tape.say("Good morning.")
    context = context_of(tape)
    for agent, told in ((None, True), ("skeptic", True), ("analyst", False)):
        text = previously_on(context, agent=agent)
        assert ("rounds up" in text, "the base" in text, "Good morning." in text) == (told, told, True)


def test_of_a_session_that_is_over_the_last_words_are_told_and_no_proposals() -> None:
    tape = Tape()
    tape.say("Good morning.")
    tape.say("Thank you all.")
    for number in range(12):
        tape.add(ScratchpadProposed(f"page {number}"), by="skeptic")
    tape.add(Frozen({}, {}), op="freeze")
    text = previously_on(context_of(tape))
    assert text.endswith("Last:\n- user: Good morning.\n- user: Thank you all.")


def test_a_parked_question_that_came_back_is_one_question() -> None:
    tape = Tape()
    tape.opened()
    tape.close("x1", "parked", "From which base?", QUOTE)
    tape.close("x2", "satisfied", "Again?", comes_back_to="x1")
    assert "1 question: 1 answered." in context_of(tape).summary
