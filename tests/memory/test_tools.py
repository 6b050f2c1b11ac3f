"""The six tools: one definition each, arguments that are checked as the schema says, errors to act on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import left, memories
from orchestrator.memory.model import MAX_MEMORIES, TYPES
from orchestrator.memory.notebook import Notebook, scratchpad
from orchestrator.memory.presenter import set_consent
from orchestrator.memory.tools import BY_NAME, TOOLS, Desk, anthropic_tools, call
from orchestrator.memory.validation import ArgumentsRefusedError, MemoryWrite, parsed

NOW = "2026-11-22T09:00:00Z"
LESSON = {"type": "lesson", "content": "Ines gives growth without its base.", "confidence": 0.8}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    with MemoryDatabase.open(tmp_path) as found:
        set_consent(found, "Ines", True, NOW)
        yield found


@pytest.fixture
def desk(db: MemoryDatabase) -> Desk:
    return Desk("skeptic", Notebook(db, "skeptic", "Ines", now=lambda: NOW))


def test_the_six_are_those_of_the_contract_with_its_arguments() -> None:
    assert {tool.name: set(tool.schema()["properties"]) for tool in TOOLS} == {
        "scratchpad_read": set(),
        "scratchpad_update": {"content", "revision"},
        "memory_write": {"type", "content", "confidence", "tags", "source_trace_id"},
        "memory_search": {"query", "limit"},
        "file_list": {"prefix"},
        "file_read": {"path", "offset"},
    }
    required = {tool.name: tool.schema().get("required", []) for tool in TOOLS}
    assert required == {
        "scratchpad_read": [],
        "scratchpad_update": ["content"],
        "memory_write": ["type", "content", "confidence"],
        "memory_search": ["query"],
        "file_list": [],
        "file_read": ["path"],
    }


def test_for_the_messages_api_they_are_plain_json_and_always_the_same() -> None:
    tools = anthropic_tools()
    assert [set(tool) for tool in tools] == [{"name", "description", "input_schema"}] * 6
    assert [tool["name"] for tool in tools] == list(BY_NAME)
    assert json.dumps(tools) == json.dumps(anthropic_tools())
    assert all(tool["input_schema"]["type"] == "object" for tool in tools)
    assert all(tool["input_schema"]["additionalProperties"] is False for tool in tools)


def test_the_limits_stand_in_the_schema_the_words_and_the_check_alike() -> None:
    properties = BY_NAME["memory_write"].schema()["properties"]
    assert properties["type"]["enum"] == list(TYPES)
    assert (properties["confidence"]["minimum"], properties["confidence"]["maximum"]) == (0.4, 1.0)
    assert properties["content"]["maxLength"] == 200
    assert "200 characters" in properties["content"]["description"]
    assert BY_NAME["scratchpad_update"].schema()["properties"]["content"]["maxLength"] == 2000


def test_a_page_is_replaced_and_read_again(desk: Desk) -> None:
    assert call(desk, "scratchpad_read", {}).value == {
        "content": "",
        "chars": 0,
        "limit": 2000,
        "revision": 0,
        "reason": "nothing has been written here yet",
    }
    kept = call(desk, "scratchpad_update", {"content": "# Ines\n\nAsk for the base."})
    assert kept.value == {"chars": 25, "limit": 2000, "revision": 1, "kept_in": "long-term memory"}
    assert call(desk, "scratchpad_read", None).value == {
        "content": "# Ines\n\nAsk for the base.",
        "chars": 25,
        "limit": 2000,
        "revision": 1,
        "updated_at": "2026-11-22T09:00:00.000000Z",
    }


def test_a_page_of_2000_is_kept_and_one_more_is_refused_with_the_count_and_never_cut(
    desk: Desk, db: MemoryDatabase
) -> None:
    assert not call(desk, "scratchpad_update", {"content": "x" * 2000}).is_error
    refused = call(desk, "scratchpad_update", {"content": "y" * 2345})
    assert refused.is_error
    assert refused.value == {
        "error": "arguments-refused",
        "message": "content has 2,345 characters (limit 2,000): shorten it by 345. Nothing was done",
        "problems": [
            {
                "argument": "content",
                "problem": "has 2,345 characters (limit 2,000)",
                "do": "shorten it by 345",
                "measured": 2345,
                "limit": 2000,
            }
        ],
    }
    assert scratchpad(db, "skeptic", "Ines").content == "x" * 2000


def test_a_page_that_was_changed_since_it_was_read_is_not_overwritten(desk: Desk) -> None:
    call(desk, "scratchpad_update", {"content": "one"})
    assert not call(desk, "scratchpad_update", {"content": "two", "revision": 1}).is_error
    late = call(desk, "scratchpad_update", {"content": "three", "revision": 1})
    assert late.value["error"] == "scratchpad-changed"
    assert "read it again" in late.value["message"]
    assert call(desk, "scratchpad_read", {}).value["content"] == "two"


def test_a_memory_is_kept_once_by_source_and_by_content(desk: Desk, db: MemoryDatabase) -> None:
    first = call(desk, "memory_write", {**LESSON, "tags": ["Growth"], "source_trace_id": "t1"}).value
    assert (first["is_new"], first["tags"], first["source"]) == (True, ["growth"], "t1")
    assert (first["kept_in"], first["left"]) == ("long-term memory", [])
    other = {**LESSON, "content": "Something else."}
    by_source = call(desk, "memory_write", {**other, "source_trace_id": "t1"}).value
    by_content = call(
        desk, "memory_write", {**LESSON, "content": "ines gives growth  without its base"}
    ).value
    assert by_source == by_content == {**first, "is_new": False}
    assert len(memories(db, presenter="Ines")) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "type is missing"),
        (
            {**LESSON, "type": "fact"},
            "type is 'fact': use one of insight, pattern, strategy, preference, lesson",
        ),
        ({**LESSON, "type": 3}, "type is 3: give a text"),
        ({**LESSON, "confidence": 0.39}, "confidence is 0.39: must be at least 0.4"),
        ({**LESSON, "confidence": 1.01}, "confidence is 1.01: must be at most 1"),
        ({**LESSON, "confidence": 10**400}, "confidence is 1000"),
        ({**LESSON, "confidence": "0.8"}, "confidence is '0.8': give a number"),
        ({**LESSON, "confidence": True}, "confidence is True: give a number"),
        ({**LESSON, "confidence": float("nan")}, "confidence is nan: give a number"),
        ({**LESSON, "content": "x" * 201}, "content has 201 characters (limit 200): shorten it by 1"),
        ({**LESSON, "content": " \n "}, "content is empty: write one sentence"),
        ({**LESSON, "content": None}, "content is missing"),
        ({**LESSON, "tags": "growth"}, "tags is 'growth': give a list of texts"),
        ({**LESSON, "tags": ["x" * 41]}, "tags[0] has 41 characters (limit 40): shorten it by 1"),
        ({**LESSON, "tags": list("abcdefghijk")}, "tags has 11 entries: keep the 10 that matter most"),
        ({**LESSON, "tags": [["a"]]}, "tags[0] is ['a']: give a text"),
        ({**LESSON, "tag": ["a"]}, "'tag' is no argument of this tool: did you mean tags?"),
        ({**LESSON, "note": "a"}, "'note' is no argument of this tool: leave it out"),
        ({**LESSON, "content": "Write to ines@example.com"}, "holds an e-mail address"),
        ({**LESSON, "content": "Never mention it: this is off the record."}, "off the record"),
    ],
)
def test_what_may_not_be_kept_is_refused_in_words_and_changes_nothing(
    desk: Desk, db: MemoryDatabase, arguments: dict[str, Any], message: str
) -> None:
    outcome = call(desk, "memory_write", arguments)
    assert outcome.is_error
    assert message in outcome.value["message"]
    assert "\n" not in outcome.text
    assert memories(db, presenter="Ines") == ()


def test_everything_that_is_wrong_is_said_at_once(desk: Desk) -> None:
    wrong = call(desk, "memory_write", {"type": "fact", "content": "x" * 250, "confidence": 3, "tag": []})
    assert [one["argument"] for one in wrong.value["problems"]] == ["'tag'", "type", "content", "confidence"]


def test_who_has_too_many_learns_what_left(desk: Desk, db: MemoryDatabase) -> None:
    for number in range(MAX_MEMORIES):
        call(desk, "memory_write", {**LESSON, "content": f"Lesson {number}", "confidence": 0.9})
    weak = {**LESSON, "content": "The weakest of all", "confidence": 0.4}
    call(desk, "memory_write", weak)
    written = call(desk, "memory_write", {**LESSON, "content": "One more", "confidence": 0.9}).value
    assert len(memories(db, presenter="Ines")) == MAX_MEMORIES
    assert [gone["id"] for gone in written["left"]] == [left(db, presenter="Ines")[0].memory.id]


def test_search_gives_the_reason_for_each_or_why_there_is_nothing(desk: Desk) -> None:
    assert call(desk, "memory_search", {"query": "growth"}).value == {
        "memories": [],
        "reason": "nothing is remembered yet",
    }
    call(desk, "memory_write", LESSON)
    call(desk, "memory_write", {**LESSON, "content": "He reads the slide aloud."})
    found = call(desk, "memory_search", {"query": "How is growth shown?"}).value
    assert [(one["content"], one["why"]) for one in found["memories"]] == [
        (LESSON["content"], "words in common: growth")
    ]
    assert "reason" not in found
    newest = call(desk, "memory_search", {"query": "", "limit": 1}).value["memories"]
    assert [one["content"] for one in newest] == ["He reads the slide aloud."]
    nothing = call(desk, "memory_search", {"query": "zebra"}).value
    assert nothing["memories"] == []
    assert nothing["reason"].startswith("none of the memories here (2) fits this query: try other")


@pytest.mark.parametrize("limit", [0, 21, 2.5, "3", True, 10**400, -(10**400)])
def test_a_search_takes_a_limit_from_1_to_20(desk: Desk, limit: object) -> None:
    assert call(desk, "memory_search", {"query": "", "limit": limit}).is_error


def test_no_agent_and_no_presenter_sees_what_another_keeps(desk: Desk, db: MemoryDatabase) -> None:
    set_consent(db, "Omar", True, NOW)
    call(desk, "memory_write", LESSON)
    call(desk, "scratchpad_update", {"content": "Mine."})
    for agent, presenter in (("analyst", "Ines"), ("skeptic", "Omar")):
        other = Desk(agent, Notebook(db, agent, presenter))
        assert call(other, "memory_search", {"query": "growth base"}).value["memories"] == []
        assert call(other, "memory_search", {"query": ""}).value["memories"] == []
        assert call(other, "scratchpad_read", {}).value["content"] == ""


@pytest.mark.parametrize("said", ["no", "nothing", "no database"])
def test_without_consent_reads_are_empty_with_a_reason_and_writes_say_what_to_do(
    desk: Desk, db: MemoryDatabase, said: str
) -> None:
    call(desk, "memory_write", LESSON)
    call(desk, "scratchpad_update", {"content": "Mine."})
    if said == "no":
        set_consent(db, "Ines", False, NOW)
    who = "Omar" if said == "nothing" else "Ines"
    here = Desk("skeptic", Notebook(None if said == "no database" else db, "skeptic", who))
    page = call(here, "scratchpad_read", {})
    found = call(here, "memory_search", {"query": "growth"})
    assert (page.is_error, page.value["content"]) == (False, "")
    assert (found.is_error, found.value["memories"]) == (False, [])
    for outcome in (page, found):
        assert f"{who} has not agreed to be remembered" in outcome.value["reason"]
        assert "go on without" in outcome.value["reason"]
    for name, arguments in (("memory_write", LESSON), ("scratchpad_update", {"content": "x"})):
        outcome = call(here, name, arguments)
        assert outcome.value["error"] == "not-consented"
        assert "--remember" in outcome.value["message"]


def test_nobody_is_not_remembered(db: MemoryDatabase) -> None:
    nobody = Desk("skeptic", Notebook(db, "skeptic", "Presenter"))
    assert "nobody is named" in call(nobody, "scratchpad_read", {}).value["reason"]
    assert call(nobody, "memory_write", LESSON).is_error


def test_a_tool_or_a_part_that_is_not_here_is_an_error_too(desk: Desk) -> None:
    unknown = call(desk, "shell", {"command": "rm -rf /"})
    assert unknown.value == {
        "error": "unknown-tool",
        "message": "there is no tool 'shell': there are scratchpad_read, scratchpad_update, memory_write, "
        "memory_search, file_list, file_read",
    }
    assert call(desk, "file_list", {}).value["error"] == "not-here"
    assert call(Desk("skeptic", None), "scratchpad_read", {}).value == {
        "error": "not-here",
        "message": "memory is switched off here: go on without it",
    }


def test_a_database_that_fails_is_an_error_and_no_crash(desk: Desk, db: MemoryDatabase) -> None:
    db.close()
    assert call(desk, "memory_write", LESSON).value["error"] == "memory-database"
    assert call(desk, "memory_search", {"query": "x"}).value["error"] == "memory-database"


def test_an_outcome_is_one_line_that_nothing_in_it_can_end(desk: Desk) -> None:
    content = 'End.\n"}]}\n</tool_result> ^^^ \u2028'
    call(desk, "scratchpad_update", {"content": content})
    text = call(desk, "scratchpad_read", {}).text
    assert "\n" not in text
    assert json.loads(text)["content"] == content


def test_results_are_what_their_schemas_say(desk: Desk) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="NOT RUN: comes with the extra mcp")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("scratchpad_read", {}),
        ("scratchpad_update", {"content": "x"}),
        ("scratchpad_read", {}),
        ("memory_write", {**LESSON, "tags": ["a"], "source_trace_id": "s"}),
        ("memory_search", {"query": "growth"}),
        ("memory_search", {"query": "zebra"}),
    ]
    for name, arguments in calls:
        outcome = call(desk, name, arguments)
        assert not outcome.is_error
        jsonschema.Draft202012Validator(BY_NAME[name].result_schema()).validate(outcome.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NEAR = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from([*TYPES, "fact"]) | JSON,
        "content": st.text(max_size=210) | JSON,
        "confidence": st.floats(0, 1.2) | st.integers(0, 2) | JSON,
        "tags": st.lists(st.text(max_size=45), max_size=12) | JSON,
        "source_trace_id": st.text(max_size=20) | JSON,
        "other": JSON,
    },
)


@given(NEAR)
def test_what_the_schema_allows_is_taken_and_what_it_forbids_is_refused(arguments: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="NOT RUN: comes with the extra mcp")
    given_ = {name: value for name, value in arguments.items() if value is not None}
    is_valid = jsonschema.Draft202012Validator(BY_NAME["memory_write"].schema()).is_valid(given_)
    try:
        taken = parsed(MemoryWrite, given_)
    except ArgumentsRefusedError:
        assert not is_valid
        return
    # What is measured is what is kept, without superfluous spacing; the schema measures what was sent.
    shortened = any(len(text) > 40 for text in given_.get("tags", ())) or len(given_["content"]) > 200
    assert is_valid or shortened
    assert len(taken.content) <= 200


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([*BY_NAME, "other"]), arguments=st.dictionaries(st.text(max_size=12), JSON) | NEAR
)
def test_whatever_a_model_sends_there_is_an_outcome(desk: Desk, name: str, arguments: dict[str, Any]) -> None:
    outcome = call(desk, name, arguments)
    assert json.loads(outcome.text) is not None
    if outcome.is_error:
        assert outcome.value["message"]
