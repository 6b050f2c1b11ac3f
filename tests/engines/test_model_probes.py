"""What a service can do is what it was seen to do; which wire is spoken is what serves better."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.doctor import checks
from orchestrator.core.errors import EngineError
from orchestrator.panel.config.config import Config
from orchestrator.panel.debrief.parts import bill_lines, bill_of
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.probing import Probe, probe_settings
from orchestrator.panel.engines.model.settings import (
    CHAT,
    MESSAGES,
    Settings,
    model_settings,
)
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.conftest import ROOT
from tests.helpers.claude_requests import Asked, engine_on, requests_of
from tests.helpers.homes import new_home
from tests.helpers.loopback_servers import Answer, Loopback
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import played, write_rehearsal
from tests.helpers.server_faults import Fault

over_both = pytest.mark.parametrize("wire", [MESSAGES, CHAT])


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("played")
    return played(new_home(folder / "home"), write_rehearsal(folder), exchanges=1)


@pytest.fixture
def asked(session: Session) -> Asked:
    return requests_of(session)


def probed(server: MessagesServer, wire: str | None = None) -> Probe:
    if wire is not None:
        server.speaks = wire
    return probe_settings(
        Settings(base_url=server.url, api_key=server.key, wire=wire, engine="model", model="m", retries=0)
    )


def seen(probe: Probe) -> dict[str, Any]:
    """What a probe says that a schema or a tool shows."""
    return {"enforces": probe.enforces, "uses_tools": probe.uses_tools, "is_verbatim": probe.is_verbatim}


@over_both
@pytest.mark.parametrize(
    ("ignores", "enforces", "uses_tools"),
    [
        ((), True, True),
        (("schemas",), False, True),
        (("tools",), True, False),
        (("schemas", "tools", "effort"), False, False),
    ],
)
def test_what_is_taken_and_ignored_is_not_counted_as_had(
    wire: str, ignores: tuple[str, ...], enforces: bool, uses_tools: bool
) -> None:
    with MessagesServer(ignores=frozenset(ignores)) as server:
        probe = probed(server, wire)
        sent = [str(taken.sent) for taken in server.requests]
    assert seen(probe) == {"enforces": enforces, "uses_tools": uses_tools, "is_verbatim": True}
    assert "json_schema" in sent[0]  # it was offered the schema, and took it
    assert [taken.status for taken in server.requests] == [200, 200]


@over_both
@pytest.mark.parametrize("feature", ["schemas", "tools", "effort"])
@pytest.mark.parametrize("is_silent", [False, True], ids=["named", "silent"])
def test_what_is_refused_is_found_out_and_nothing_else_is_lost(
    wire: str, feature: str, is_silent: bool
) -> None:
    with MessagesServer(lacks=frozenset({feature}), is_silent=is_silent) as server:
        probe = probed(server, wire)
    known = {"enforces": feature != "schemas", "uses_tools": feature != "tools", "is_verbatim": True}
    assert seen(probe) == known
    assert ("effort" in probe.knows) == (feature != "effort")


@over_both
def test_a_rehearsal_on_a_server_that_ignores_the_schema_is_asked_without_one(
    asked: Asked, wire: str
) -> None:
    """In words it is told the shape, and it keeps to it; the start says so."""
    with (
        MessagesServer(ignores=frozenset({"schemas"}), speaks=wire) as server,
        engine_on(server, wire=wire, engine="model", model="m") as engine,
    ):
        engine.check()
        assert engine.notices == [
            "m enforces no schema, so the shape of a reply is asked for in words",
        ]
        assert engine.reply(*asked["judgement"]).verdict == "satisfied"
    assert "json_schema" in str(server.requests[0].sent)
    assert "json_schema" not in str(server.requests[-1].sent)


# ---------------------------------------------------------------------- which wire is spoken


@pytest.mark.parametrize(
    ("speaks", "changed", "wire", "asks"),
    [
        (CHAT, {}, CHAT, [CHAT]),
        (MESSAGES, {}, MESSAGES, [MESSAGES]),
        ("both", {}, CHAT, [CHAT]),
        ("both", {"ignores": frozenset({"schemas"})}, CHAT, [CHAT, MESSAGES]),
        (CHAT, {"lacks": frozenset({"schemas"})}, CHAT, [CHAT]),
        (MESSAGES, {"lacks": frozenset({"schemas"})}, MESSAGES, [MESSAGES]),
    ],
)
def test_a_model_of_ones_own_is_spoken_to_over_the_wire_that_it_serves_better(
    asked: Asked, speaks: str, changed: dict[str, Any], wire: str, asks: list[str]
) -> None:
    with (
        MessagesServer(speaks=speaks, **changed) as server,
        engine_on(server, wire=None, engine="model", model="m") as engine,
    ):
        engine.check()
        heard = [taken.wire for taken in server.requests if taken.status == 200]
        assert engine.reply(*asked["judgement"]).verdict == "satisfied"
        last = server.requests[-1]
    assert (engine.probes["m"].wire, list(dict.fromkeys(heard)), last.wire) == (wire, asks, wire)


@pytest.mark.parametrize(("better", "worse"), [(MESSAGES, CHAT), (CHAT, MESSAGES)])
def test_of_two_wires_the_one_whose_schema_is_enforced_is_spoken(
    asked: Asked, better: str, worse: str
) -> None:
    with (
        MessagesServer(speaks="both", ignores_on={worse: frozenset({"schemas"})}) as server,
        engine_on(server, wire=None, engine="model", model="m") as engine,
    ):
        assert engine.reply(*asked["judgement"]).verdict == "satisfied"  # nobody had to check first
        assert server.requests[-1].wire == better
        assert "json_schema" in str(server.requests[-1].sent)


def test_a_server_that_speaks_neither_is_told_apart_from_one_that_is_not_there() -> None:
    with Loopback(lambda method, target: Answer(404, {"content-type": "application/json"}, (b"{}",))) as one:
        settings = Settings(base_url=one.url, wire=None, engine="model", model="m", retries=0)
        with pytest.raises(EngineError) as error:
            probe_settings(settings)
        assert str(error.value) == (
            f"{one.host} has neither a Messages API nor a Chat Completions API: check the address"
        )
        assert one.seen == ["POST /v1/chat/completions", "POST /v1/messages"]


# ---------------------------------------------------------------------- keys and addresses


KEYS = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-anthropic", "ANTHROPIC_AUTH_TOKEN": "t0ken"}


def test_no_makers_key_goes_to_an_address_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**KEYS, "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"}.items():
        monkeypatch.setenv(name, value)
    with Loopback(lambda method, target: Answer(403)) as server:
        settings = model_settings(Config(model="m", model_url=server.url, retries=0), engine="model")
        with pytest.raises(EngineError):
            probe_settings(settings)
    assert server.seen == ["POST /v1/chat/completions", "POST /v1/messages"]
    for secret in ("sk-openai", "sk-anthropic", "t0ken", "org-1", "proj-1"):
        assert secret not in str(server.headers)


@pytest.mark.parametrize(
    ("path", "chat", "messages"),
    [
        ("", "/v1/chat/completions", "/v1/messages"),
        ("/", "/v1/chat/completions", "/v1/messages"),
        ("/v1", "/v1/chat/completions", "/v1/messages"),
        ("/v1/", "/v1/chat/completions", "/v1/messages"),
        (
            "/openai/deployments/m",
            "/openai/deployments/m/chat/completions",
            "/openai/deployments/m/v1/messages",
        ),
        ("/openai/v1", "/openai/v1/chat/completions", "/openai/v1/messages"),
    ],
)
def test_an_address_is_taken_with_and_without_its_version(path: str, chat: str, messages: str) -> None:
    with Loopback(lambda method, target: Answer(403)) as server:
        for wire in (CHAT, MESSAGES):
            settings = Settings(base_url=f"{server.url}{path}", api_key="k", wire=wire, retries=0)
            with pytest.raises(EngineError):
                probe_settings(settings)
    assert server.seen == [f"POST {chat}", f"POST {messages}"]


def test_openai_is_asked_where_the_environment_says() -> None:
    with Loopback(lambda method, target: Answer(403)) as server:
        known = {"OPENAI_BASE_URL": f"{server.url}/v1", **KEYS}
        settings = model_settings(Config(model="m", retries=0), environment=known, engine="openai")
        with pytest.raises(EngineError, match="does not let this key use m: check the key's rights"):
            probe_settings(settings)
    assert server.seen == ["POST /v1/chat/completions"]
    assert server.headers[0]["authorization"] == "Bearer sk-openai"


# ---------------------------------------------------------------------- doctor


Made = Callable[[str], Answer]


def row(home: Path, url: str) -> tuple[str, str]:
    (home / "greenroom.yaml").write_text(f"model: m\nmodel_url: {url}\nretries: 0\n", "utf-8")
    (found,) = [one for one in checks(Home.open(home)) if one.name == "engine model"]
    return found.state, found.detail.replace(url.removeprefix("http://"), "HERE")


@pytest.mark.parametrize(
    ("changed", "state", "starts", "ends"),
    [
        (
            {"always": Fault("broken")},
            "warning",
            "m at HERE: a small question brought nothing usable: HERE is busy or broken (500, server error)",
            "tried 1 times",
        ),
        ({"ignores": frozenset({"schemas"})}, "ok", "m at HERE by its ", "; does without structured output"),
        ({"ignores": frozenset({"tools"})}, "ok", "m at HERE by its ", "; does without tools"),
        (
            {"answers_as": "m-mini"},
            "ok",
            "m at HERE by its Chat Completions API: m-mini answered; ",
            "quotes",
        ),
        ({"listed": {"max_model_len": 8192}}, "ok", "m at HERE by its ", ", room for 8,192 tokens"),
        ({"listed": {"meta": {"n_ctx": 4096}}}, "ok", "m at HERE by its ", ", room for 4,096 tokens"),
    ],
)
def test_doctor_says_what_was_seen_and_nothing_else(
    home: Path, changed: dict[str, Any], state: str, starts: str, ends: str
) -> None:
    with MessagesServer(speaks="both", key="none", models=("m",), **changed) as server:
        found, detail = row(home, server.url)
    assert found == state
    assert detail.startswith(starts)
    assert detail.endswith(ends)
    if state != "ok":
        assert "has " not in detail


# ---------------------------------------------------------------------- who answered


@over_both
def test_the_model_that_answered_stands_in_the_ledger_and_on_the_bill(
    home: Path, tmp_path: Path, wire: str
) -> None:
    with (
        MessagesServer(answers_as="m-mini", speaks=wire) as server,
        engine_on(server, wire=wire, engine="model", model="m") as engine,
        played(home, write_rehearsal(tmp_path), engine=engine, exchanges=1) as session,
    ):
        calls = session.projection.calls
        assert {(one.model, one.answered) for one in calls} == {("m", "m-mini")}
        assert f"On {len(calls)} calls another model answered: m-mini." in bill_lines(bill_of(calls))
        assert asdict(calls[0])["answered"] == "m-mini"


@over_both
@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "x" * 201, "half \ud800"])
def test_a_name_that_no_line_can_hold_is_none(asked: Asked, wire: str, name: str) -> None:
    with (
        MessagesServer(answers_as=name, speaks=wire) as server,
        engine_on(server, wire=wire, engine="model", model="m") as engine,
    ):
        engine.reply(*asked["notes"])
        assert [one.answered for one in engine.take_usage()] == [None]


def test_a_probe_of_an_engine_is_of_its_model() -> None:
    with (
        MessagesServer(speaks=CHAT) as server,
        engine_on(server, wire=None, engine="model", model="m") as one,
    ):
        assert isinstance(one, ModelEngine)
        one.check()
        assert {model: probe.answered for model, probe in one.probes.items()} == {"m": "m"}


def test_no_connection_of_a_wire_that_was_only_tried_is_left_open() -> None:
    program = """
import gc
from orchestrator.panel.engines.model.probing import probe_settings
from orchestrator.panel.engines.model.settings import Settings
from tests.helpers.messages_server import MessagesServer
with MessagesServer(speaks="messages", key="none") as server:
    print(probe_settings(Settings(base_url=server.url, wire=None, engine="model", model="m")).wire)
    gc.collect()
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"messages\n", b"")
