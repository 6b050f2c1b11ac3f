"""A real server's replies, played back: what is made of them, and what `doctor` says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from orchestrator.cli.doctor import checks
from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.probing import Probe, probe_settings
from orchestrator.panel.engines.model.settings import CHAT, MESSAGES, Settings
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import requests_of
from tests.helpers.homes import new_home
from tests.helpers.loopback_servers import Answer, Loopback
from tests.helpers.rehearsals import played, write_rehearsal

REPLIES: Final[Mapping[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("llama_cpp_replies.yaml").read_text("utf-8")
)
MODEL: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("played")
    return played(new_home(folder / "home"), write_rehearsal(folder), exchanges=1)


@contextmanager
def llama(chat: str = "checked", messages: str = "schema_ignored") -> Iterator[Loopback]:
    """A server that gives these replies, by their names in the file."""

    def answer(method: str, target: str) -> Answer:
        name = {"/v1/models": "models", "/v1/messages": messages, "/v1/chat/completions": chat}.get(target)
        if name == "checked" and '"tools"' in one.bodies[-1].decode():
            name = "tool_not_used"
        reply = REPLIES[name or "no_such_path"]
        headers = {"content-type": "application/json; charset=utf-8"}
        return Answer(reply["status"], headers, (reply["body"].strip().encode(),))

    with Loopback(answer) as one:
        yield one


def settings(url: str, wire: str | None = None) -> Settings:
    return Settings(base_url=url, wire=wire, engine="model", model="smollm2", retries=0, first_wait_s=0.01)


def test_each_reply_is_json_as_it_came() -> None:
    assert all(json.loads(one["body"]) for one in REPLIES.values())


def test_it_is_spoken_to_over_the_wire_on_which_it_enforces_a_schema() -> None:
    with llama() as server:
        probe = probe_settings(settings(server.url))
    said = Probe(
        wire=CHAT,
        seconds=probe.seconds,
        knows=probe.knows,
        answered=MODEL,
        is_cached=True,
        is_verbatim=False,
        uses_tools=False,
        window=8192,
        bytes_per_token=probe.bytes_per_token,
    )
    assert (probe, probe.enforces) == (said, True)
    # The quote was wrong, and sent back; then the tool and the window. The other wire could not do more.
    chat = "POST /v1/chat/completions"
    assert server.seen == [chat, chat, chat, "GET /v1/models"]


def test_doctor_says_of_it_what_was_seen(home: Path) -> None:
    with llama() as server:
        (home / "greenroom.yaml").write_text(
            f"model: smollm2\nmodel_url: {server.url}\nretries: 0\n", "utf-8"
        )
        (found,) = [one for one in checks(Home.open(home)) if one.name == "engine model"]
    assert re.sub(r"took \S+ s", "took 1 s", found.detail) == (
        f"smollm2 at {server.host} by its Chat Completions API: {MODEL} answered; a small question took 1 s; "
        "has structured output, caching, room for 8,192 tokens; does without tools, exact quotes"
    )


def test_while_it_loads_its_model_nothing_is_said_of_what_it_can_do(home: Path) -> None:
    with llama("loading", "loading") as server:
        (home / "greenroom.yaml").write_text(
            f"model: smollm2\nmodel_url: {server.url}\nretries: 0\n", "utf-8"
        )
        (found,) = [one for one in checks(Home.open(home)) if one.name == "engine model"]
    nothing = f"a small question brought nothing usable: {server.host} is busy or broken"
    assert found.state == "warning"
    assert found.detail == (f"smollm2 at {server.host}: {nothing} (503, loading its model); tried 1 times")
    assert server.seen == ["POST /v1/chat/completions"]


@pytest.mark.parametrize("wire", [CHAT, MESSAGES])
def test_its_own_two_figures_are_said_of_a_request_that_is_too_long(session: Session, wire: str) -> None:
    with (
        llama("too_long", "too_long") as server,
        ModelEngine(settings(server.url, wire)) as engine,
        pytest.raises(EngineError) as refused,
    ):
        engine.reply(*requests_of(session)["focus_brief"])
    assert str(refused.value).startswith(
        "the context is too long for smollm2 (18,031 tokens of at most 8,192): "
    )
    assert len(server.seen) == 1


def test_a_wrong_address_is_said_to_be_one() -> None:
    with llama("no_such_path", "no_such_path") as server, pytest.raises(EngineError) as error:
        probe_settings(settings(server.url))
    assert str(error.value) == (
        f"{server.host} has neither a Messages API nor a Chat Completions API: check the address"
    )
