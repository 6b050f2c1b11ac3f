"""The two message layouts: the same bytes as the context, cut where they are never cut again."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.core.context.assemble import DEFAULT_BUDGET_TOKENS, Assembler, Context
from orchestrator.core.context.frames import Block, unescape
from orchestrator.core.context.messages import LAYOUTS, MAX_MARKS, Messages, messages_of, watermarks
from orchestrator.core.context.receipt import fitted
from orchestrator.core.errors import UsageError
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.table import HISTORY, MODERATOR, Table
from tests.helpers.stores import CANDIDATE, DECK, INTEL, NOTES, TRANSCRIPT, bare, blueprints

AGENTS = ("skeptic", MODERATOR)


class Session:
    """A store with a clock that the test moves, and what its agents are given."""

    def __init__(self, root: Path) -> None:
        self.store: Store = bare(root)
        self.time_s = 0.0
        self.store.clock = lambda: self.time_s
        blueprints(self.store)
        self.store.write(DECK, "# Slide 1\nRevenue grew 40 %, to 2^10 units.\n", by="start")

    def say(self, text: str, after_s: float = 5.0) -> None:
        self.time_s += after_s
        self.store.append(TRANSCRIPT, text, by="transcript")

    def exchange(self, text: str) -> None:
        with self.store.transaction() as tx:
            tx.append(TRANSCRIPT, f"Answer: {text}", by="transcript")
            tx.append(HISTORY, f"## {text}", by=MODERATOR)

    def context(self, agent: str = "skeptic", budget_tokens: int = DEFAULT_BUDGET_TOKENS) -> Context:
        """As a process that has just been started would make it."""
        templates = {path: f"I am {path}.\n" for path in self.store.layout.templates}
        return Assembler(self.store, templates, budget_tokens=budget_tokens).prepare(
            agent, purpose="test", engine="offline"
        )


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path / "s")
    yield made
    made.store.close_files()


def rehearse(session: Session) -> None:
    session.say("Good morning.", 2)
    session.say("We grew ^ by 40 %.", 10)
    session.say("Mostly in the north – ünd south.", 10)
    session.exchange("Since when?")
    session.store.append(NOTES, "The date was missing.", by="skeptic")
    session.store.write(CANDIDATE, "Which units?\n", by="skeptic")
    session.say("Next slide.", 3)
    session.say("We will hire.", 15)


def texts(messages: dict[str, Any]) -> list[str]:
    return [block["text"] for block in (*messages["system"], *messages["messages"][0]["content"])]


def marked(messages: dict[str, Any]) -> list[int]:
    """The places of the marked blocks, counted from the first block of the system prompt."""
    blocks = [*messages["system"], *messages["messages"][0]["content"]]
    return [place for place, block in enumerate(blocks) if "cache_control" in block]


WATERMARK = """\
^^^ file 3 of 11: shared/session-config.md (write-once)
# shared/session-config.md
^^^ end of file 3 of 11: shared/session-config.md
----
^^^ file 4 of 11: shared/deck-content.md (write-once)
# Slide 1
Revenue grew 40 %, to 2^\\10 units.
^^^ end of file 4 of 11: shared/deck-content.md
----
^^^ file 5 of 11: shared/external-intel.md (write-few)
^^^ end of file 5 of 11: shared/external-intel.md
----
^^^ file 6 of 11: shared/presenter-transcript.md (append-only)
# shared/presenter-transcript.md
----
Good morning.
We grew ^\\ by 40 %.
Mostly in the north – ünd south.
Answer: Since when?
----
^^^ file 6 of 11 goes on further below: shared/presenter-transcript.md
^^^ file 7 of 11: shared/exchange-history.md (append-only)
# shared/exchange-history.md
----
## Since when?
----
^^^ end of file 7 of 11: shared/exchange-history.md
----
^^^ file 8 of 11: skeptic/focus-brief.md (write-once)
# skeptic/focus-brief.md
^^^ end of file 8 of 11: skeptic/focus-brief.md
----
^^^ file 9 of 11: skeptic/exchange-notes.md (append-only)
# skeptic/exchange-notes.md
The date was missing.
^^^ end of file 9 of 11: skeptic/exchange-notes.md
----
^^^ file 10 of 11: skeptic/presenter-profile.md (append-only)
# skeptic/presenter-profile.md
^^^ end of file 10 of 11: skeptic/presenter-profile.md
----
^^^ file 6 of 11 goes on here: shared/presenter-transcript.md, what was said since
Next slide.
We will hire.
^^^ end of file 6 of 11: shared/presenter-transcript.md
----
^^^ file 11 of 11: skeptic/candidate-question.md (overwrite)
Which units?
^^^ end of file 11 of 11: skeptic/candidate-question.md
"""
"""The user turn, its blocks set apart by lines of four hyphens."""


def test_the_watermark_layout_whole(session: Session) -> None:
    rehearse(session)
    messages = session.context().messages("watermark")
    assert "----\n".join(texts(messages)[2:]) == WATERMARK
    assert [texts(messages)[place].splitlines()[-1] for place in marked(messages)] == [
        "^^^ end of file 5 of 11: shared/external-intel.md",
        "Answer: Since when?",
        "## Since when?",
        "^^^ end of file 10 of 11: skeptic/presenter-profile.md",
    ]
    assert session.context().messages() == messages  # it is the default


def test_the_strict_layout_is_the_text_cut_into_chunks(session: Session) -> None:
    rehearse(session)
    for agent in AGENTS:
        context = session.context(agent)
        messages = context.messages("strict")
        assert "".join(texts(messages)) == context.text
    places = marked(session.context().messages("strict"))
    blocks = texts(session.context().messages("strict"))
    assert [blocks[place].splitlines() for place in places[1:]] == [
        ["Mostly in the north – ünd south.", "Answer: Since when?", "Next slide."],  # 15 to 30 s
        ["We will hire."],
    ]
    assert blocks[places[0]].endswith("^^^ end of file 5 of 11: shared/external-intel.md\n")


def test_the_watermark_moves_after_two_minutes_without_an_exchange(session: Session) -> None:
    for number in range(60):
        session.say(f"Segment {number}.", 10)
    parts = session.context().parts_of(TRANSCRIPT)
    context = session.context()
    steps = watermarks(context.blocks, context.parts_of)
    clocks = [next(part.clock_s for part in parts if part.end == end) for end in steps]
    assert clocks == [0.0, 130.0, 260.0, 390.0, 520.0]


def test_nothing_has_been_written_yet(tmp_path: Path) -> None:
    store = bare(tmp_path / "s")
    templates = dict.fromkeys(store.layout.templates, "")
    context = Assembler(store, templates).prepare("skeptic", purpose="test", engine="offline")
    assert "".join(texts(context.messages("strict"))) == context.text
    assert all(texts(context.messages("watermark")))
    store.close_files()


def test_no_block_is_of_white_space_alone(session: Session) -> None:
    """The service refuses one, and it would stand in every later call."""
    rehearse(session)
    session.say("\n\n", 20)
    session.store.append(HISTORY, " \n", by=MODERATOR)
    for layout in ("strict", "watermark"):
        for text in ("Go on.", "\n"):
            before = session.context().messages(layout)
            assert all(block.strip() for block in texts(before))
            assert sorted(own_lines(before)) == sorted(session.context().text.splitlines())
            session.say(text, 20)


def test_what_is_carried_over_and_the_task_have_their_places(session: Session) -> None:
    rehearse(session)
    context = session.context()
    for layout in ("watermark", "strict"):
        made = messages_of(
            context.blocks, context.parts_of, layout, carried="Last time.\n", extra=("Task: notes\n",)
        )
        user = [block.text for block in made.user]
        assert user[3] == "Last time.\n"
        assert next(block.text for block in made.user if block.marked) == "Last time.\n"
        assert user[-1] == "Task: notes\n"
        assert not made.user[-1].marked
        without = [text for text in user if text not in ("Last time.\n", "Task: notes\n")]
        assert without == texts(context.messages(layout))[2:]


def test_an_unknown_layout_is_refused(session: Session) -> None:
    with pytest.raises(UsageError, match="layout 'journal': use watermark or strict"):
        session.context().messages("journal")


@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_token_budget_leaves_out_is_in_no_block(session: Session, agent: str) -> None:
    for number in range(300):
        session.say(f"Segment {number} says something of some length.", 4)
        if number % 50 == 49:
            session.exchange(f"Exchange {number}?")
    context = session.context(agent, budget_tokens=3000)
    assert context.receipt.left_out > 0
    assert "".join(texts(context.messages("strict"))) == context.text
    watermark = context.messages("watermark")
    assert sorted(own_lines(watermark)) == sorted(own_lines({"system": [], "messages": [plain(context)]}))
    assert all(texts(watermark))


def plain(context: Context) -> dict[str, Any]:
    return {"content": [{"text": context.text}]}


def own_lines(messages: dict[str, Any]) -> list[str]:
    """All lines but those that say that a file goes on elsewhere."""
    lines = "".join(texts(messages)).splitlines()
    return [line for line in lines if not (line.startswith("^^^") and " goes on " in line)]


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("say"),
            st.sampled_from(["a", "b ^", "ü\n\n", " \n", "x" * 40]),
            st.sampled_from([0, 4, 16, 130]),
        ),
        st.tuples(st.just("exchange"), st.sampled_from(["Q1", "Q2 ^"]), st.just(0)),
        st.tuples(st.sampled_from(["note", "candidate", "intel"]), st.just("n"), st.just(0)),
    ),
    max_size=25,
)


def perform(session: Session, step: tuple[str, str, int]) -> bool:
    """Take the step; False if it changes a file that stands before the transcript."""
    kind, text, after_s = step
    acts: dict[str, Callable[[], object]] = {
        "say": lambda: session.say(text, after_s),
        "exchange": lambda: session.exchange(text),
        "note": lambda: session.store.append(NOTES, text, by="skeptic"),
        "candidate": lambda: session.store.write(CANDIDATE, text, by="skeptic"),
    }
    if kind == "intel":
        if session.store.state(INTEL).revisions < 5:
            session.store.write(INTEL, f"{session.store.seq}\n", by="intel")
        return False
    acts[kind]()
    return True


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_every_call_has_the_same_bytes_and_what_was_marked_is_found_again(steps: list[Any]) -> None:
    """Whatever happens in whatever order, for both layouts.

    All of the context and nothing else is sent; blocks are not empty and at most four are
    marked; a new process sends the same; and up to the transcript's last mark before the open
    part, what was sent last time is what the next request begins with.
    """
    with TemporaryDirectory() as folder:
        session = Session(Path(folder) / "s")
        before: dict[str, tuple[list[str], list[int]]] = {}
        for step in steps:
            lasts = perform(session, step)
            context = session.context()
            for layout in ("watermark", "strict"):
                messages = context.messages(layout)
                blocks, marks = texts(messages), marked(messages)
                assert all(block.strip() for block in blocks)
                assert len(marks) <= MAX_MARKS
                assert sorted(own_lines(messages)) == sorted(context.text.splitlines())
                old, old_marks = before.get(layout, ([], []))
                settled = old_marks[1] + 1 if len(old_marks) > 1 + (layout == "strict") else 0
                if lasts:
                    assert blocks[:settled] == old[:settled]
                before[layout] = blocks, marks
        session.store.close_files()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(
                st.just("say"),
                st.sampled_from(["a", "b ^", "^^", "ü\n\n", " \n", "Off the record, we lost it."]),
                st.sampled_from([0, 4, 16, 130]),
            ),
            st.tuples(st.sampled_from(["exchange", "history"]), st.sampled_from(["Q1", "Q2 ^"]), st.just(0)),
            st.tuples(st.sampled_from(["note", "candidate", "intel"]), st.just("n"), st.just(0)),
            st.tuples(st.just("ask"), st.sampled_from(AGENTS), st.just(0)),
        ),
        max_size=40,
    )
)
@example(
    [
        ("say", "a", 0),
        ("say", "a", 0),
        ("ask", "skeptic", 0),
        ("history", "Q1", 0),  # the same transcript, and a step more
        ("ask", "skeptic", 0),
    ]
)
def test_kept_pieces_give_the_bytes_of_a_context_that_is_cut_anew(steps: list[Any]) -> None:
    """Whoever asks when, and for which of the contexts that were made before: old ones too."""
    with TemporaryDirectory() as folder:
        session = Session(Path(folder) / "s")
        templates = {path: f"I am {path}.\n" for path in session.store.layout.templates}
        kept, contexts = Assembler(session.store, templates), list[Context]()
        for kind, text, number in [*steps, ("ask", "skeptic", 0)]:
            if kind == "history":
                session.store.append(HISTORY, text, by=MODERATOR)
            elif kind != "ask":
                perform(session, (kind, text, number))
            else:
                contexts.append(kept.prepare(text, purpose="test", engine="offline"))
                for context in reversed(contexts[-3:]):
                    anew = Assembler(session.store, templates).rebuild(context.receipt)
                    elsewhere = pickle.loads(pickle.dumps(context))
                    for layout in LAYOUTS:
                        expected = anew.messages(layout)
                        assert context.messages(layout) == expected
                        assert elsewhere.messages(layout) == expected
        session.store.close_files()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_small_model_is_shown_is_not_cut_where_the_whole_is(session: Session, layout: str) -> None:
    rehearse(session)
    context = session.context()

    def shortened(blocks: Sequence[Block]) -> Messages:
        return messages_of(fitted(blocks, {TRANSCRIPT: (30, 90)}), context.parts_of, layout)

    expected = shortened(pickle.loads(pickle.dumps(context.blocks)))
    context.messages(layout)
    assert shortened(context.blocks) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_messages_cut_what_is_new_and_nothing_else(
    session: Session, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    templates = {path: f"I am {path}.\n" for path in session.store.layout.templates}
    assembler = Assembler(session.store, templates)
    for number in range(200):
        session.say(f"This is the piece of number {number}.", 10)
        if number % 40 == 20:
            session.exchange(f"How much is {number}?")
    assembler.prepare("skeptic", purpose="test", engine="offline").messages(layout)
    cut: list[int] = []

    def counting(text: str) -> str:
        cut.append(len(text))
        return unescape(text)

    monkeypatch.setattr("orchestrator.core.context.messages.unescape", counting)
    session.say("One more.", 10)
    assembler.prepare("skeptic", purpose="test", engine="offline").messages(layout)
    whole = session.store.state(TRANSCRIPT).size_bytes
    assert sum(cut) < whole / 10  # the open end, which has up to two minutes


_LOG, _NOTE = "shared/log.md", "shared/note.md"


@pytest.mark.parametrize("order", [*itertools.permutations((TRANSCRIPT, _LOG, _NOTE)), (_LOG, _NOTE), ()])
def test_any_order_of_a_table_is_sent_whole(tmp_path: Path, order: tuple[str, ...]) -> None:
    kept = ["templates/lead/persona.md", *order]
    plain = {
        "table": "crew",
        "version": 1,
        "agents": ["lead"],
        "seats": {"least": 0, "most": 0},
        "files": {
            TRANSCRIPT: {"class": "append-only", "by": ["minutes"], "stream": True},
            _LOG: {"class": "append-only", "by": ["lead"], "marks": True},
            _NOTE: {"class": "overwrite", "by": ["lead"]},
        },
        "order": {"lead": kept},
    }
    store = create_store(tmp_path / "s", Table.read(plain, ", ".join).seated(()), Unread({"templates": {}}))
    assembler = Assembler(store, {"templates/lead/persona.md": "# Lead\n"})
    for number in range(3):
        store.append(TRANSCRIPT, f"Said {number}.\n", by="minutes")
        store.append(_LOG, f"Asked {number}.\n", by="lead")
        store.write(_NOTE, f"Noted {number}.\n", by="lead")
        context = assembler.prepare("lead", purpose="test", engine="offline")
        strict, watermark = context.messages("strict"), context.messages("watermark")
        assert "".join(texts(strict)) == context.text
        assert sorted(own_lines(watermark)) == sorted(own_lines(strict))
        assert assembler.as_of("lead", context.seq).text == context.text
    store.close_files()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_is_said_to_be_left_out_for_an_agent_that_is_not_given_the_stream(
    tmp_path: Path, layout: str
) -> None:
    plain = {
        "table": "crew",
        "version": 1,
        "agents": ["lead", "tester"],
        "seats": {"least": 0, "most": 0},
        "files": {
            _LOG: {"class": "append-only", "by": ["lead"], "stream": True},
            _NOTE: {"class": "append-only", "by": ["lead"]},
        },
        "order": {"lead": [_LOG], "tester": [_NOTE]},
    }
    store = create_store(tmp_path / "s", Table.read(plain, ", ".join).seated(()), Unread({"templates": {}}))
    for number in range(20):
        for path in (_LOG, _NOTE):
            store.append(path, f"{number} is written.", by="lead")
    assembler = Assembler(store, {}, budget_tokens=40)
    given = {
        agent: assembler.prepare(agent, purpose="test", engine="offline") for agent in ("lead", "tester")
    }
    left_out = {agent: context.receipt.left_out for agent, context in given.items()}
    assert left_out["lead"] > 0
    assert left_out["tester"] == 0  # it is over its budget, and none of its files may be shortened
    assert "".join(texts(given["tester"].messages(layout))) == given["tester"].text
    store.close()
