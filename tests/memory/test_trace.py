"""The trace: every step from the ledger, and a snapshot that never outgrows its bound."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.core.store.ledger import Held, Record, Unread
from orchestrator.core.store.store import Store
from orchestrator.material.claim import Claim
from orchestrator.material.values import Segment
from orchestrator.memory.summariser import Summariser
from orchestrator.memory.trace import (
    LAST,
    MAX_CHARS,
    MAX_HELD,
    Snapshots,
    Step,
    Tail,
    Trace,
    full_trace,
    snapshot,
    trace_lines,
)
from orchestrator.panel.model.usage import CallUsage
from orchestrator.panel.records.moderator import Called
from orchestrator.panel.records.speech import SpeechHeard
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import loaded, write_rehearsal

# ---------------------------------------------------------------------- the bound

TEXTS = st.text(max_size=60) | st.builds(
    lambda unit, times: unit * times, st.text(min_size=1, max_size=3), st.integers(0, 30_000)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
OBJECTS = st.dictionaries(st.text(max_size=80), VALUES, max_size=6)
ACTS = st.one_of(
    st.tuples(st.just("step"), OBJECTS, VALUES),
    st.tuples(st.just("error"), TEXTS, st.none()),
    st.tuples(st.just("summary"), TEXTS, st.none()),
    st.tuples(st.just("state"), OBJECTS, st.none()),
)


def shown(text: str) -> dict[str, Any]:
    """The snapshot, after what holds for every one of them."""
    assert len(text) <= len(text.encode()) <= MAX_CHARS
    plain: dict[str, Any] = json.loads(text)
    assert list(plain) == ["steps", "errors", "summaries", "state"]
    assert len(json.dumps(plain, ensure_ascii=False)) <= MAX_CHARS  # also as others write it
    return plain


def check_steps(plain: dict[str, Any], count: int, *, given: int | None = None) -> None:
    """The last steps without a gap, and one stub that says how many came before them."""
    steps = [step for step in plain["steps"] if "step" in step]
    stubs = [step for step in plain["steps"] if "step" not in step]
    first = count - len(steps)
    assert [step["step"] for step in steps] == list(range(first + 1, count + 1))
    assert len(steps) in (count if given is None else given, LAST)
    note = {"index": "summary", "note": f"Summarized {first} earlier steps", "earlier": first}
    assert stubs == ([note] if first else [])
    assert plain["steps"][: len(stubs)] == stubs


@given(st.lists(ACTS, max_size=25))
@example([("step", {"action": "x"}, "\0" * 100_000)] * 7)
@example([("step", {"action": "\u2028" * 9_000}, ["é" * 9_000] * 9)] * 5)
@example([("error", "e" * 50_000, None)] * 9 + [("summary", '"' * 50_000, None)] * 9)
@example([("state", {"k" * 20_000: "v", **{str(n): "w" * 3_000 for n in range(30)}}, None)])
def test_no_snapshot_is_ever_over_the_bound_and_the_count_is_always_true(acts: list[tuple[Any, ...]]) -> None:
    trace = Trace()
    count = 0
    for kind, one, two in acts:
        if kind == "step":
            count += 1
            trace.add_step(Step(count, one, two, record=count, at_s=1.5, took_s=0.25))
        elif kind == "error":
            trace.add_error(one, count)
        elif kind == "summary":
            trace.add_summary(one)
        else:
            trace.state = dict(one)
        check_steps(shown(trace.text()), count)  # after every act: many trims, one after the other


@given(
    st.lists(st.tuples(OBJECTS, VALUES), max_size=9),
    st.integers(0, 10**12),
    st.lists(TEXTS, max_size=9),
    OBJECTS,
)
def test_the_bound_holds_for_any_material(
    steps: list[tuple[Any, Any]], earlier: int, texts: list[str], state: dict[str, Any]
) -> None:
    made = [Step(earlier + number, action, output) for number, (action, output) in enumerate(steps, 1)]
    errors = [{"message": text, "step": 1} for text in texts]
    plain = shown(snapshot(Tail(made, earlier), Tail(errors), Tail(texts), state))
    check_steps(plain, earlier + len(steps), given=len(steps))


def test_what_fits_is_shown_whole() -> None:
    trace = Trace()
    for number in range(1, 41):
        trace.add_step(Step(number, {"action": "tool"}, {"ok": True, "text": "é"}))
    trace.add_error("timeout", 3)
    trace.add_summary("step 1-3: searched")
    trace.state["current_goal"] = "find it"
    plain = shown(trace.text())
    assert [step["step"] for step in plain["steps"]] == list(range(1, 41))
    assert plain["steps"][0] == {"step": 1, "action": {"action": "tool"}, "output": {"ok": True, "text": "é"}}
    assert plain["errors"] == [{"message": "timeout", "step": 3}]
    assert plain["summaries"] == ["step 1-3: searched"]
    assert plain["state"] == {"current_goal": "find it"}


def test_outputs_are_cut_longest_first_with_the_number_of_characters_left_out() -> None:
    sizes = [100, 3_000, 20_000, 200, 50_000]
    made = [Step(number, {"action": "tool"}, "x" * size) for number, size in enumerate(sizes, 1)]
    errors: Tail[Mapping[str, Any]] = Tail([{"message": "e" * 500, "step": 1}])
    plain = shown(text := snapshot(Tail(made), errors, Tail(), {}))
    outputs = [step["output"] for step in plain["steps"]]
    assert [len(outputs[index]) for index in (0, 1, 3)] == [100, 3_000, 200]  # the short ones are whole
    for index in (2, 4):
        kept, _, note = outputs[index].partition("… [")
        assert note == f"{sizes[index] - len(kept)} characters left out]"
        assert set(kept) == {"x"}
    assert abs(len(outputs[2]) - len(outputs[4])) <= 2  # cut to one length
    assert len(text) > MAX_CHARS - 20  # no more is left out than must be
    assert len(plain["errors"][0]["message"]) == 500


def test_structured_outputs_are_cut_as_their_json_text() -> None:
    output = {"rows": ["r" * 50] * 900}
    plain = shown(snapshot(Tail([Step(1, {"action": "tool"}, output)]), Tail(), Tail(), {}))
    kept, _, note = plain["steps"][0]["output"].partition("… [")
    whole = json.dumps(output, ensure_ascii=False)
    assert whole.startswith(kept)
    assert note == f"{len(whole) - len(kept)} characters left out]"


def test_a_trace_holds_no_more_than_it_shows(tmp_path: Path) -> None:
    trace = Trace()
    for number in range(1, 20_001):
        trace.add_step(Step(number, {"action": "hear"}, {"words": number}))
        trace.add_error(f"error {number}", number)
        trace.add_summary(f"step {number}: done")
    assert (trace.count, len(trace.steps)) == (20_000, LAST)
    assert len(trace.errors) == len(trace.summaries) == MAX_HELD
    plain = shown(trace.text())
    assert plain["steps"][0]["note"] == "Summarized 19995 earlier steps"
    assert plain["errors"][0] == {"message": "Left out 19950 earlier errors", "step": None}
    assert plain["summaries"][0] == "Left out 19950 earlier summaries"


# ---------------------------------------------------------------------- steps from the ledger


def records_of(store: Store) -> list[Record]:
    return [store.record(entry.seq) for entry in store.entries()]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A rehearsal played and ended, with a snapshot after every step and facts after every exchange."""
    folder = tmp_path_factory.mktemp("trace")
    with loaded(new_home(folder / "home"), write_rehearsal(folder), id="talk") as session:
        summariser, snapshots = Summariser(session.rehearsal), Snapshots(session.rehearsal.store)

        def after(_: Any) -> None:
            summariser.run_if_due()
            assert snapshots.write()
            check_steps(
                shown((session.path / "trace" / "session.json").read_text("utf-8")), snapshots.trace.count
            )

        assert session.play(on_step=after)
        summariser.run_at_end()
        assert snapshots.write()
        session.end()
        yield session


def test_the_full_history_is_in_the_ledger(run: Session) -> None:
    trace = full_trace(records_of(run.rehearsal.store))
    assert [step.step for step in trace.steps] == list(range(1, len(trace.steps) + 1))
    actions = [step.action["action"] for step in trace.steps]
    projection = run.projection
    assert actions.count("call_on") == actions.count("close") == len(projection.exchanges)
    assert actions.count("hear") + actions.count("answer") == len(projection.segments)
    assert actions.count("slide") == len(projection.slides)
    assert (actions[0], actions[-1]) == ("start", "end")
    assert len(trace.summaries) == len(projection.exchanges)
    assert all(step.record is not None for step in trace.steps)


def test_the_last_snapshot_is_the_end_of_that_history(run: Session) -> None:
    plain = shown((run.path / "trace" / "session.json").read_text("utf-8"))
    by_record = {step.record: step for step in full_trace(records_of(run.rehearsal.store)).steps}
    for step in plain["steps"][1:]:
        full = by_record[step["record"]]
        assert (step["action"], step["output"]) == (dict(full.action), full.output)
    assert plain["state"]["exchanges"] == len(run.projection.exchanges)
    assert run.verify().valid


def test_the_lines_say_why_somebody_was_called_on_and_how_long_each_step_took(run: Session) -> None:
    steps = full_trace(records_of(run.rehearsal.store)).steps
    lines = list(trace_lines(steps))
    assert len(lines) == len(steps)
    for exchange in run.projection.exchanges:
        (line,) = [line for line in lines if f"calls on {exchange.agent} ({exchange.id}) because: " in line]
        assert exchange.why_this_agent in line
    timed = [
        step for step in steps if step.action["action"] in ("refresh", "judge", "call_on", "focus_brief")
    ]
    assert all(step.took_s is not None and step.took_s >= 0 and not step.waited for step in timed)
    assert all(f"{step.took_s:.3f} s" in lines[step.step - 1] for step in timed)


def test_what_the_presenter_said_is_in_no_step_but_by_its_length(run: Session) -> None:
    trace = full_trace(records_of(run.rehearsal.store))
    heard = [step for step in trace.steps if step.action["action"] in ("hear", "answer")]
    assert {key for step in heard for key in step.output} <= {"words", "claims", "tensions"}


# ---------------------------------------------------------------------- one record at a time


def record(seq: int, value: dict[str, Any] | None, *, at_s: float = 0.0, **more: Any) -> Record:
    at = f"2026-11-22T10:{int(at_s) // 60:02}:{at_s % 60:09.6f}Z"
    plain = {"op": "note", "by": "moderator", "clock_s": at_s, "at": at, **more}
    return Record(seq=seq, held=Held(value) if value is not None else None, **plain)


REFRESH = {"type": "refresh", "at_s": 0.0, "why": "timer", "made": [], "inputs": {}}
SEGMENT = {"type": "segment", "segment": {"text": "a b c", "start_s": 0.0, "end_s": 1.0}}


def test_a_step_took_the_time_since_the_record_before_it() -> None:
    steps = full_trace([
        record(1, SEGMENT, at_s=1.0),
        record(2, {"type": "receipt", "id": "r1"}, at_s=3.4, op="receipt"),  # written with the step
        record(3, REFRESH, at_s=3.5),
        record(4, Called(CallUsage("skeptic", "judgement", "m", 0, 0, 0, 0, 1.25)).plain(), at_s=9.0),
        record(5, {"type": "driver", "state": "started", "what": "run"}, at_s=50.0),
        record(6, REFRESH, at_s=50.5),
    ]).steps  # fmt: skip
    assert [(step.action["action"], step.took_s) for step in steps] == [
        ("hear", None), ("refresh", 2.5), ("call", 1.25), ("drive", None), ("refresh", 0.5),
    ]  # fmt: skip


def test_while_the_clock_is_live_a_timed_step_took_at_most_that() -> None:
    verdict = {"verdict": "unjudged", "reason": "x"}
    steps = list(full_trace([
        record(1, {"type": "clock", "at_s": 0.0, "live": True}),
        record(2, REFRESH, at_s=15.0),
        record(3, {"type": "verdict", "exchange": "x1", "judgement": verdict}, at_s=16.0),
    ]).steps)  # fmt: skip
    assert [step.waited for step in steps] == [False, True, False]
    assert "<15.000 s" in list(trace_lines(steps))[1]


def test_failures_are_errors_with_the_step_they_came_with() -> None:
    trace = full_trace([
        record(1, {**REFRESH, "failed": {"skeptic": "out of order"}}),
        record(2, {"type": "verdict", "exchange": "x1", "judgement": {
            "verdict": "unjudged", "reason": "the engine gave no judgement: out of order"}}, by="skeptic"),
        record(3, {"type": "fact-run", "state": "failed", "run": 4, "reason": "out of order"}),
    ])  # fmt: skip
    assert list(trace.errors) == [
        {"message": "skeptic: no candidate question: out of order", "step": 1},
        {"message": "skeptic: the engine gave no judgement: out of order", "step": 2},
        {"message": "summariser, run 4: out of order", "step": 2},
    ]


@pytest.mark.parametrize(
    "kind", ["verdict", "exchange_opened", "facts", "refresh", "segment", "of a later release"]
)
def test_a_record_that_this_release_does_not_know_is_a_step_and_no_crash(kind: str) -> None:
    (step,) = full_trace([record(1, {"type": kind})]).steps
    assert step.action == {"action": kind, "by": "moderator"}
    assert len(list(trace_lines([step]))) == 1


# ---------------------------------------------------------------------- a snapshot that fails


def test_a_failing_snapshot_is_one_warning_and_the_next_good_one_ends_it(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="orchestrator.memory.trace")
    with loaded(home, write_rehearsal(tmp_path), id="talk") as session:
        store = session.rehearsal.store
        snapshots = Snapshots(store)
        (session.path / "trace").write_text("in the way")
        for _ in range(3):
            store.note(Unread({"type": "x"}), by="moderator")
            assert not snapshots.write()
        (warning,) = caplog.records
        assert warning.levelno == logging.WARNING
        assert "trace/session.json could not be written" in warning.getMessage()
        (session.path / "trace").unlink()
        assert snapshots.write()
        done = caplog.records[-1]
        assert (done.levelno, done.getMessage()) == (
            logging.INFO,
            f"talk: trace of {snapshots.trace.count} steps, {len(snapshots.trace.steps)} shown",
        )
        before = (session.path / "trace" / "session.json").stat().st_mtime_ns
        assert snapshots.write()  # nothing is new
        assert (session.path / "trace" / "session.json").stat().st_mtime_ns == before


def test_a_link_in_place_of_the_folder_is_not_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with loaded(home, write_rehearsal(tmp_path)) as session:
        (session.path / "trace").symlink_to(outside)
        assert not Snapshots(session.rehearsal.store).write()
        assert list(outside.iterdir()) == []


def test_a_step_says_when_it_waited_and_nothing_it_does_not_know() -> None:
    step = Step(1, {"action": "refresh"}, {}, at_s=2.0, took_s=1.0, waited=True)
    bare = replace(step, step=2, at_s=None, took_s=None, waited=False)
    plain = shown(snapshot(Tail([step, bare]), Tail(), Tail(), {}))
    assert plain["steps"] == [
        {
            "step": 1,
            "at_s": 2.0,
            "took_s": 1.0,
            "waited": True,
            "action": {"action": "refresh"},
            "output": {},
        },
        {"step": 2, "action": {"action": "refresh"}, "output": {}},
    ]


# ---------------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {
                "type": "finding",
                "tension": {
                    "kind": "sum",
                    "a": {"slide": 2, "said_at_s": None, "quote": "a"},
                    "b": {"slide": 3, "said_at_s": None, "quote": "b"},
                    "note": "they differ",
                },
            },
            "moderator notes a contradiction (sum): slide 2 and slide 3",
        ),
        (
            {"type": "settled", "memories": ["m1"], "scratchpads": ["skeptic"], "left_out": 0},
            "keeps for later rehearsals: 1 memory, 1 scratchpad",
        ),
        (
            {"type": "flushed", "memories": ["m1", "m2"], "goals": [], "left_out": 1},
            "keeps for later rehearsals: 2 memories; 1 left out, to stay in the session",
        ),
        (
            {"type": "scratchpad-proposal", "content": "x" * 40},
            "moderator proposes a new scratchpad of 40 characters",
        ),
        (
            SpeechHeard(Segment("one", 0.0, 1.0), (Claim("s1.1", ("count",), "one", None, 0.0),)).plain(),
            "hears 1 word, 1 claim",
        ),
    ],
)
def test_a_step_is_told_in_words_and_minds_its_numbers(value: dict[str, Any], words: str) -> None:
    (line,) = trace_lines(full_trace([record(1, value)]).steps)
    assert line.endswith(f"  {words}")
