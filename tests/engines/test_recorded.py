"""Recorded replies: each for its request, and what happens where there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from inspect import CORO_CLOSED, getcoroutinestate
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError, InstallationError
from orchestrator.panel.engines.model import service
from orchestrator.panel.engines.model.settings import Settings
from orchestrator.panel.engines.model.tasks import Task
from orchestrator.panel.engines.recorded import (
    RecordedReply,
    Recording,
    Replies,
    read_recording,
    request_digest,
)


def request(text: str) -> dict[str, Any]:
    return {"model": "m", "system": [{"type": "text", "text": "Be brief."}], "messages": [
        {"role": "user", "content": [{"type": "text", "text": text}]}
    ]}  # fmt: skip


def task(kind: str = "judgement", agent: str = "skeptic") -> Task:
    one: Any = Task.__new__(Task)
    object.__setattr__(one, "agent", agent)
    object.__setattr__(one, "kind", kind)
    found: Task = one
    return found


def reply(text: str, answer: str, agent: str = "skeptic", *, repair: bool = False) -> RecordedReply:
    return RecordedReply(agent, "judgement", request_digest(request(text)), {"text": answer}, repair)


def text_of(message: Mapping[str, Any]) -> str:
    text: str = message["content"][0]["text"]
    return text


def test_a_reply_is_found_by_its_request_whatever_the_order() -> None:
    replies = Replies([reply("one", "first"), reply("two", "second")])
    assert text_of(replies(task(), request("two"), False)) == '{"text": "second"}'
    assert text_of(replies(task(), request("one"), False)) == '{"text": "first"}'
    assert replies.stale == []


def test_the_digest_is_of_the_words_alone() -> None:
    plain = request("one")
    marked = {**request("one"), "model": "another", "max_tokens": 7}
    marked["messages"][0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    assert request_digest(plain) == request_digest(marked)
    assert request_digest(plain) != request_digest(request("One"))
    assistant = {**plain, "messages": [{**plain["messages"][0], "role": "assistant"}]}
    assert request_digest(plain) != request_digest(assistant)


def test_the_sessions_of_each_run_have_other_names() -> None:
    one, other = (f"- 2026-12-0{n}, 2026120{n}-101112-abc12{n}/x4, skeptic: open" for n in (1, 2))
    assert request_digest(request(one)) == request_digest(request(other))


def test_the_day_of_what_is_recalled_is_that_of_each_run() -> None:
    one, other = (f"- insight, 2026-12-0{n}, confidence 0.8: Decided: two." for n in (1, 2))
    assert request_digest(request(one)) == request_digest(request(other))
    assert request_digest(request(one)) != request_digest(request(f"{one} 2026-12-01."))


def test_for_a_request_that_has_changed_the_next_reply_of_its_kind_is_played_and_counted() -> None:
    listed = [
        reply("one", "first"),
        reply("two", "of another", "analyst"),
        reply("one", "mended", repair=True),
        reply("two", "second"),
    ]
    replies = Replies(listed)
    assert text_of(replies(task(), request("changed"), False)) == '{"text": "first"}'
    assert text_of(replies(task(), request("also changed"), False)) == '{"text": "second"}'
    assert replies.stale == [listed[0], listed[3]]
    with pytest.raises(
        EngineError, match=r"no reply to such a request was recorded \(judgement of skeptic\)"
    ):
        replies(task(), request("once more"), False)


def test_who_is_asked_is_asked_for_what_is_missing_alone() -> None:
    asked: list[str] = []

    def ask(task: Task, request: Mapping[str, Any], is_repair: bool) -> Mapping[str, Any]:
        asked.append(request["messages"][0]["content"][0]["text"])
        return {"text": "new"}

    replies = Replies([reply("one", "first")], ask)
    for text in ("one", "two", "two"):
        replies(task(), request(text), False)
    assert asked == ["two"]
    assert [one.reply["text"] for one in replies.played] == ["first", "new", "new"]


def test_a_recording_is_read_as_it_stands_in_its_file(tmp_path: Path) -> None:
    whole = Recording("a reader", "2026-11-26", (reply("one", "é"), reply("two", "second", repair=True)))
    plain = {"recording": 1, **asdict(whole)}
    (tmp_path / "replies.json").write_text(json.dumps(plain), "utf-8")
    assert read_recording(tmp_path / "replies.json") == whole


@pytest.mark.parametrize("text", ["", "{}", '{"recording": 2, "by": "x", "on": "y", "replies": []}', "[]"])
def test_a_file_that_is_no_recording_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "replies.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InstallationError, match=r"replies\.json: the demonstration's replies cannot be read"):
        read_recording(path)


def test_a_call_that_is_cut_off_before_it_begins_leaves_nothing_to_complain_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C while the first call's library is loaded: a second of the demonstration's ten."""

    def pressed(_: service.Service) -> None:
        raise KeyboardInterrupt

    async def call() -> None:
        raise AssertionError

    monkeypatch.setattr(service.Service, "_load", pressed)
    one = call()
    with pytest.raises(KeyboardInterrupt):
        service.Service(Settings()).submit(one)
    assert getcoroutinestate(one) == CORO_CLOSED
