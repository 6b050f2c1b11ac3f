"""The MCP server, driven by the SDK's own client in a real process: memory, sessions, contexts, receipts."""

from __future__ import annotations

import asyncio
import http.client
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from orchestrator.core.errors import GreenroomError
from orchestrator.mcp.resources import read
from orchestrator.mcp.scope import Scope
from orchestrator.mcp.server import build, call_tool, input_schema
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.memories import memories
from orchestrator.memory.notebook import settle
from orchestrator.memory.presenter import set_consent
from orchestrator.memory.tools import BY_NAME, TOOLS, Desk, call
from orchestrator.panel.home import Home
from orchestrator.panel.records.memory import ScratchpadProposed
from orchestrator.rehearsal.session import Session
from tests.helpers.rehearsals import ROOT, greenroom

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

if TYPE_CHECKING:
    from mcp import Client

NOW = "2026-11-22T09:00:00Z"
LESSON = {"type": "lesson", "content": "Ines gives growth without its base.", "confidence": 0.8}
DECK = "# Harbour ferries\n\n---\n\n# Revenue\n\n- Revenue grew 18% to EUR 4.2M in 2026\n"

needs_sdk = pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None,
    reason="NOT RUN: the MCP SDK is not installed (the extra mcp), so no client drove the server",
)


def with_sdk(test: Callable[..., None]) -> Callable[..., None]:
    """A test that starts a server and a client, which takes seconds."""
    return cast(Callable[..., None], needs_sdk(pytest.mark.slow(test)))


@pytest.fixture
def rehearsal(home: Path) -> Iterator[Session]:
    """A rehearsal of Ines's that goes on, one of Omar's, and Ines's consent."""
    with MemoryDatabase.open(home) as db:
        set_consent(db, "Ines", True, NOW)
    here = Home.open(home)
    Session.start(here, deck_text="# Yard\n\n- We sell\n", id="omars", presenter="Omar").close()
    with Session.start(here, deck_text=DECK, id="ferries", presenter="Ines") as session:
        session.context("skeptic", purpose="candidate-question")
        session.slide(2)
        yield session


def drive(home: Path, steps: Callable[[Client], Awaitable[None]], *options: str, mode: str = "auto") -> None:
    """Start `greenroom mcp` as a client does, and take these steps with it."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "orchestrator.cli", "--home", str(home), "mcp", *options],
        env={"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        cwd=str(home),
    )

    async def run() -> None:
        async with Client(server, mode=mode, read_timeout_seconds=300) as client:
            await steps(client)

    asyncio.run(run())


async def used(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call that has to succeed; its text and its structure say the same."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert json.loads(text_of(result)) == result.structured_content
    return dict(result.structured_content)


async def refused(client: Client, name: str, **arguments: Any) -> str:
    """What a model is told by a call that has to fail: one line."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    plain = json.loads(text_of(result))
    assert set(plain) <= {"error", "message", "problems"}
    assert "\n" not in plain["message"]
    return str(plain["message"])


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


async def resource(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    return str(getattr(contents, "text"))  # noqa: B009 (a union: a blob has none)


@with_sdk
@pytest.mark.parametrize("mode", ["auto", "legacy"])  # the newest protocol, and that of older clients
def test_a_client_drives_a_rehearsals_memory_from_the_first_proposal_to_the_next_rehearsal(
    rehearsal: Session, home: Path, mode: str
) -> None:
    store = rehearsal.rehearsal.store

    async def during(client: Client) -> None:
        me = {"agent": "skeptic", "session": "ferries"}
        listed = await used(client, "file_list", prefix="shared/", **me)
        assert "shared/deck-content.md" in [one["path"] for one in listed["files"]]
        deck = await used(client, "file_read", path="shared/deck-content.md", **me)
        assert "Revenue grew 18% to EUR 4.2M in 2026" in deck["text"]
        assert (await used(client, "scratchpad_read", **me))["content"] == ""
        kept = await used(client, "memory_write", tags=["growth"], **LESSON, **me)
        assert (kept["is_new"], kept["kept_in"]) == (True, "this session, as a proposal")
        await used(client, "scratchpad_update", content="Ask for the base.", **me)
        assert (await used(client, "scratchpad_read", **me))["content"] == "Ask for the base."
        for other in ({"agent": "analyst", "session": "ferries"}, {"agent": "skeptic"}):
            assert (await used(client, "memory_search", query="", **other))["memories"] == []

    async def afterwards(client: Client) -> None:
        (found,) = (await used(client, "memory_search", agent="skeptic", query="growth"))["memories"]
        assert found["content"] == LESSON["content"]
        assert found["source"] == f"ferries/{seq}"
        assert (await used(client, "scratchpad_read", agent="skeptic"))["content"] == "Ask for the base."
        told = await refused(client, "memory_write", agent="skeptic", session="ferries", **LESSON)
        assert "has ended" in told
        assert "leave `session` out" in told
        again = await used(client, "memory_write", agent="skeptic", **LESSON)
        assert (again["is_new"], again["id"]) == (False, found["id"])

    drive(home, during, mode=mode)
    seq = store.catch_up() - 1
    with MemoryDatabase.open(home) as db:
        assert memories(db, presenter="Ines") == ()
        records = [store.record(number) for number in range(1, store.seq + 1)]
        settle(records, db, session="ferries", presenter="Ines", now=NOW)
    rehearsal.end()
    assert rehearsal.verify().valid
    drive(home, afterwards, mode=mode)


@with_sdk
def test_it_offers_the_six_with_whom_they_are_about_and_what_they_give(
    rehearsal: Session, home: Path
) -> None:
    async def steps(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == list(BY_NAME)
        for name, tool in tools.items():
            own = BY_NAME[name]
            about = {"agent", "session"} if own.needs_session else {"agent", "session", "presenter"}
            assert set(tool.input_schema["properties"]) == about | set(own.schema()["properties"])
            needed = ["agent", "session"] if own.needs_session else ["agent"]
            assert tool.input_schema["required"] == [*needed, *own.schema().get("required", [])]
            assert tool.description == own.description
            assert tool.output_schema == own.result_schema()
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is not own.writes

    drive(home, steps)


@with_sdk
def test_what_is_wrong_is_told_as_in_a_tool_loop_and_changes_nothing(rehearsal: Session, home: Path) -> None:
    wrong = {"type": "fact", "content": "x" * 201, "confidence": 3, "tag": ["a"]}

    async def steps(client: Client) -> None:
        result = await client.call_tool("memory_write", {"agent": "skeptic", **wrong})
        assert result.is_error
        assert text_of(result) == call(Desk("skeptic", None), "memory_write", wrong).text
        told = await refused(client, "scratchpad_update", agent="skeptic", content="x" * 2001)
        assert told == "content has 2,001 characters (limit 2,000): shorten it by 1. Nothing was done"
        assert "agent is missing: give a text" in await refused(client, "scratchpad_read")
        assert "did you mean skeptic?" in await refused(client, "scratchpad_read", agent="sceptic")
        assert "there is no tool 'shell'" in await refused(client, "shell", command="ls")
        assert (await used(client, "memory_search", agent="skeptic", query=""))["memories"] == []

    drive(home, steps)


@with_sdk
def test_without_consent_reads_are_empty_with_a_reason_and_writes_are_refused(
    rehearsal: Session, home: Path
) -> None:
    async def steps(client: Client) -> None:
        omar = {"agent": "skeptic", "presenter": "Omar"}
        page = await used(client, "scratchpad_read", **omar)
        found = await used(client, "memory_search", query="x", **omar)
        assert (page["content"], found["memories"]) == ("", [])
        for told in (
            page["reason"],
            found["reason"],
            await refused(client, "memory_write", **LESSON, **omar),
            await refused(client, "scratchpad_update", content="x", **omar),
        ):
            assert "Omar has not agreed to be remembered" in told
            assert "--remember" in told

    drive(home, steps)
    with MemoryDatabase.open(home) as db:
        assert memories(db, presenter="Omar") == ()


@with_sdk
def test_sessions_contexts_and_receipts_are_resources(rehearsal: Session, home: Path) -> None:
    context = rehearsal.context("skeptic", purpose="candidate-question")
    rehearsal.slide(1)
    records = rehearsal.rehearsal.store.catch_up()

    async def steps(client: Client) -> None:
        listed = {one.uri for one in (await client.list_resources()).resources}
        assert {
            "greenroom://sessions",
            "greenroom://sessions/ferries/contexts/skeptic",
            "greenroom://sessions/ferries/contexts/moderator",
            "greenroom://sessions/ferries/recap",
            "greenroom://sessions/ferries/receipts",
            "greenroom://sessions/omars/receipts",
        } <= listed
        assert len((await client.list_resource_templates()).resource_templates) == 6
        sessions = json.loads(await resource(client, "greenroom://sessions"))["sessions"]
        assert [(one["session"], one["presenter"], one["state"]) for one in sessions] == [
            ("ferries", "Ines", "active"),
            ("omars", "Omar", "active"),
        ]
        now = await resource(client, "greenroom://sessions/ferries/contexts/skeptic")
        assert now == rehearsal.rehearsal.peek("skeptic", purpose="test").text
        assert await resource(client, "greenroom://sessions/ferries/recap") == rehearsal.previously_on()
        receipts = json.loads(await resource(client, "greenroom://sessions/ferries/receipts"))["receipts"]
        assert (receipts[-1]["receipt"], receipts[-1]["agent"]) == (context.receipt.id, "skeptic")
        at = f"greenroom://sessions/ferries/receipts/{context.receipt.id}"
        one = json.loads(await resource(client, at))
        assert one["files"] == [list(file) for file in context.receipt.files]
        assert await resource(client, f"{at}/text") == context.text

    drive(home, steps)
    assert rehearsal.rehearsal.store.catch_up() == records


def test_an_agents_recap_leaves_out_what_others_keep_to_themselves(rehearsal: Session, home: Path) -> None:
    with rehearsal.transaction() as tx:
        tx.note(ScratchpadProposed("Ask for the base."), by="skeptic")
    scope, at = Scope(Home.open(home)), "greenroom://sessions/ferries/recap"
    told = {agent: read(scope, f"{at}{agent}")[1] for agent in ("", "/skeptic", "/analyst")}
    assert told == {
        "": rehearsal.previously_on(),
        "/skeptic": rehearsal.previously_on("skeptic"),
        "/analyst": rehearsal.previously_on("analyst"),
    }
    assert {agent: "Ask for the base." in text for agent, text in told.items()} == {
        "": True,
        "/skeptic": True,
        "/analyst": False,
    }


@pytest.mark.parametrize(
    "uri",
    [
        "greenroom://sessions/nothing/recap",
        "greenroom://sessions/ferries/recap/regulator",
        "greenroom://sessions/ferries/recap/",
        "greenroom://sessions/nothing/receipts",
        "greenroom://sessions/../../etc/receipts",
        "greenroom://sessions/%2e%2e/receipts",
        "greenroom://sessions/ferries/ledger/ledger.jsonl",
        "greenroom://sessions/ferries/contexts/regulator",
        "greenroom://sessions/ferries/receipts/r000000000000",
        "greenroom://sessions/ferries/receipts\n",
        "file:///etc/passwd",
        "",
    ],
)
def test_a_resource_that_is_not_there_is_an_error_of_one_line(
    rehearsal: Session, home: Path, uri: str
) -> None:
    with pytest.raises(GreenroomError) as told:
        read(Scope(Home.open(home)), uri)
    assert "\n" not in str(told.value)


@with_sdk
def test_the_protocol_carries_such_an_error(rehearsal: Session, home: Path) -> None:
    from mcp.shared.exceptions import MCPError

    async def steps(client: Client) -> None:
        with pytest.raises(MCPError, match=r"there is no session 'nothing' here: greenroom://sessions has"):
            await client.read_resource("greenroom://sessions/nothing/receipts")
        with pytest.raises(MCPError, match="this cursor was not given here"):
            await client.list_resources(cursor="x")

    drive(home, steps)


@with_sdk
def test_two_servers_at_once_keep_the_same_thing_once_and_lose_nothing(
    rehearsal: Session, home: Path
) -> None:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "orchestrator.cli", "--home", str(home), "mcp"],
        env={"PYTHONPATH": str(ROOT)},
        cwd=str(home),
    )
    news: list[bool] = []

    async def write(client: Client, own: str) -> None:
        for number in range(10):
            both = await used(
                client, "memory_write", agent="skeptic", **{**LESSON, "content": f"Both {number}"}
            )
            news.append(both["is_new"])
            await used(client, "memory_write", agent="skeptic", **{**LESSON, "content": f"{own} {number}"})

    async def run() -> None:
        async with Client(server) as one, Client(server) as two:
            await asyncio.gather(write(one, "One"), write(two, "Two"), write(two, "Three"))

    asyncio.run(run())
    with MemoryDatabase.open(home) as db:
        assert len(memories(db, presenter="Ines", agent="skeptic")) == 40
    assert sorted(news) == [False] * 20 + [True] * 10


@with_sdk
def test_it_can_keep_to_one_presenter(rehearsal: Session, home: Path) -> None:
    async def steps(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert not any("presenter" in tool.input_schema["properties"] for tool in tools)
        sessions = json.loads(await resource(client, "greenroom://sessions"))["sessions"]
        assert [one["session"] for one in sessions] == ["omars"]
        assert "keeps to Omar" in await refused(client, "scratchpad_read", agent="skeptic", presenter="Ines")
        for session in ("ferries", "fer"):
            told = await refused(client, "file_list", agent="skeptic", session=session)
            assert f"there is no session '{session}' here" in told
        own = await used(client, "file_list", agent="skeptic", session="last")
        assert own["files"]

    drive(home, steps, "--presenter", "Omar")


def hostile_sessions() -> list[str]:
    names = [
        "../ferries",
        "..",
        "sessions/ferries",
        "/etc",
        "ferries/",
        "ferries\n",
        "ferries\0",
        "",
        "%2e%2e",
    ]
    return [*names, "-rf", "x" * 65, ".records", "FERRIES", "．．", "~"]


@pytest.mark.parametrize("name", hostile_sessions())
def test_a_session_is_named_by_its_id_and_never_by_a_path(
    rehearsal: Session, home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home / "sessions")  # so that a path from here would lead to one
    outcome = call_tool(Scope(Home.open(home)), "file_list", {"agent": "skeptic", "session": name})
    assert outcome.is_error
    assert outcome.value["error"] == "session-not-found"
    assert "\n" not in outcome.value["message"]


def test_a_session_is_also_found_by_its_beginning_or_as_the_last(rehearsal: Session, home: Path) -> None:
    scope = Scope(Home.open(home))
    for name in ("ferries", "ferr", "last"):
        assert scope.session(name) == rehearsal.path


def test_whom_a_call_is_about_is_asked_where_several_could_be_meant(rehearsal: Session, home: Path) -> None:
    with MemoryDatabase.open(home) as db:
        set_consent(db, "Omar", True, NOW)
    scope = Scope(Home.open(home))
    told = call_tool(scope, "scratchpad_read", {"agent": "skeptic"})
    assert told.value["message"] == "several presenters are remembered: name one as `presenter`: Ines, Omar"
    assert not call_tool(scope, "scratchpad_read", {"agent": "skeptic", "presenter": "Omar"}).is_error
    assert not call_tool(scope, "scratchpad_read", {"agent": "skeptic", "session": "ferries"}).is_error
    other = {"agent": "skeptic", "session": "ferries", "presenter": "Omar"}
    assert "is a rehearsal of Ines's" in call_tool(scope, "scratchpad_read", other).value["message"]


def test_a_session_that_has_ended_gives_what_was_kept_and_takes_no_more(
    rehearsal: Session, home: Path
) -> None:
    scope = Scope(Home.open(home))
    about = {"agent": "skeptic", "session": "ferries"}
    call_tool(scope, "scratchpad_update", {**about, "content": "Proposed, and never moved."})
    call_tool(scope, "scratchpad_update", {"agent": "skeptic", "content": "Kept."})
    rehearsal.end()
    assert call_tool(scope, "scratchpad_read", about).value["content"] == "Kept."
    told = call_tool(scope, "scratchpad_update", {**about, "content": "Too late."})
    assert told.value["error"] == "session-frozen"
    assert "leave `session` out" in told.value["message"]
    assert call_tool(scope, "scratchpad_read", about).value["content"] == "Kept."


def test_where_nothing_was_ever_remembered_no_database_is_made(home: Path) -> None:
    scope = Scope(Home.open(home))
    assert "nobody is named" in call_tool(scope, "scratchpad_read", {"agent": "skeptic"}).value["reason"]
    named = {"agent": "skeptic", "presenter": "Ines", **LESSON}
    assert call_tool(scope, "memory_write", named).value["error"] == "not-consented"
    assert not (home / NAME).exists()


def test_the_schema_says_whom_a_tool_is_about_first(home: Path) -> None:
    schemas = {tool.name: input_schema(tool, Scope(Home.open(home))) for tool in TOOLS}
    assert list(schemas["memory_write"]["properties"])[:3] == ["agent", "session", "presenter"]
    assert schemas["file_read"]["required"] == ["agent", "session", "path"]
    assert all(schema["additionalProperties"] is False for schema in schemas.values())


@with_sdk
def test_on_standard_output_there_is_the_protocol_and_nothing_else(rehearsal: Session, home: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    call_ = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_write", "arguments": {"agent": "skeptic", "content": "what was said"}},
    }
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = [json.dumps(hello), json.dumps(done), "no JSON", '{"id": 7', "", json.dumps(call_)]
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        replies: list[dict[str, Any]] = []
        while not replies or replies[-1].get("id") != 2:
            replies.append(json.loads(process.stdout.readline()))
        rest, told = process.communicate(timeout=300)  # which closes its input: the client is gone
    assert [reply["id"] for reply in replies if reply.get("id")] == [1, 2]
    assert replies[-1]["result"]["isError"] is True
    assert (rest, told, process.returncode) == ("", "", 0)


@with_sdk
def test_calls_that_were_taken_are_answered_though_the_input_has_ended(home: Path) -> None:
    """A client may write all it wants and close its end: every call that is carried out is also answered."""
    with MemoryDatabase.open(home) as db:
        set_consent(db, "Ines", True, NOW)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    def called(number: int) -> dict[str, Any]:
        words = {
            "agent": "skeptic",
            "type": "insight",
            "confidence": 0.9,
            "content": f"Insight number {number}.",
        }
        params = {"name": "memory_write", "arguments": words}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *map(called, range(2, 22)),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "mcp"],
        input="".join(json.dumps(one) + "\n" for one in messages),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert sorted(answers) == list(range(1, 22))
    with MemoryDatabase.open(home) as db:
        kept = {one.content for one in memories(db, presenter="Ines")}
    answered = {n for n, one in answers.items() if n > 1 and not one["result"]["isError"]}
    assert kept == {f"Insight number {number}." for number in answered}
    assert len(kept) == 20


@with_sdk
def test_an_interrupt_ends_it_though_its_client_is_still_there(home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        process.stdin.write(json.dumps(ping) + "\n")
        process.stdin.flush()
        assert process.stdout.readline()  # it serves
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == -signal.SIGINT


@contextmanager
def over_http(home: Path) -> Iterator[str]:
    """A server over HTTP in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "mcp", "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("serving MCP at http://127.0.0.1:"), said
        yield said.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=300)


@with_sdk
def test_over_http_it_serves_this_machine_and_refuses_pages_of_others(rehearsal: Session, home: Path) -> None:
    from mcp import Client

    async def steps(address: str) -> None:
        async with Client(address) as client:
            assert (await used(client, "memory_write", agent="skeptic", **LESSON))["is_new"]
            assert len((await used(client, "memory_search", agent="skeptic", query=""))["memories"]) == 1

    with over_http(home) as address:
        asyncio.run(steps(address))
        port = int(address.rpartition(":")[2].partition("/")[0])
        for headers in (
            {"Host": "rebound.example"},
            {"Host": "127.0.0.1:80.evil.example"},
            {"Host": "localhost:1@evil.example"},
            {"Origin": "https://evil.example"},
            {"Origin": "http://127.0.0.1:1.evil.example"},
        ):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            connection.request("POST", "/mcp", body, {**sent, **headers})
            assert connection.getresponse().status in (403, 421)
            connection.close()


@with_sdk
def test_options_that_cannot_be_meant_are_wrong_usage(home: Path) -> None:
    for arguments, told in (
        (("mcp", "--port", "8000"), "--port is for --http: stdio has none"),
        (("mcp", "--http", "--port", "70000"), "--port 70000: give a number from 0 to 65535"),
    ):
        done = greenroom(home, *arguments, check=False)
        assert (done.returncode, done.stderr) == (2, f"greenroom: {told}\n")


def test_without_the_sdk_one_line_says_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    with pytest.raises(GreenroomError, match=r"needs the extra mcp .*: pip install 'greenroom\[mcp\]'"):
        build(Scope(Home.open(home)))
