"""The whole life of a session of a crew that Greenroom has never heard of, as MCP clients see it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core import Home as CoreHome
from orchestrator.core import Session
from orchestrator.core.errors import OtherCrewError, SessionNotFoundError
from orchestrator.mcp.resources import listed, read
from orchestrator.mcp.scope import Scope
from orchestrator.mcp.server import call_tool
from orchestrator.panel.home import Home
from tests.helpers.crews import AGENTS, DIFF, OTHER_CREW, crew_home

LIST = "greenroom://sessions"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A review that goes on: one thing said, and one question asked from a context."""
    home = CoreHome(crew_home(tmp_path / "crew"))
    with home.start("pr-42", {"shared/pull-request.md": DIFF}, title="PR 42") as session:
        session.append("shared/meeting.md", "Alice: simpler.", by="minutes")
        context = session.context("tester", task="Ask one question.", engine="my-model-1")
        session.write("tester/question.md", "Which test fails?\n", by="tester", receipt=context.receipt)
        yield session


@pytest.fixture
def scope(session: Session, tmp_path: Path) -> Scope:
    return Scope(Home.open(tmp_path / "crew"))


def told(scope: Scope, name: str, **arguments: Any) -> Any:
    outcome = call_tool(scope, name, arguments)
    assert json.loads(outcome.text) == outcome.value
    return outcome.value if not outcome.is_error else outcome.value["message"]


def test_its_agents_and_receipts_are_listed_and_no_recap(scope: Scope) -> None:
    found, more = listed(scope)
    where = 'in the session "PR 42" of the crew code-review.'
    assert more is None
    assert [(one.uri, one.description) for one in found] == [
        (LIST, "The sessions, newest first."),
        *(
            (f"{LIST}/pr-42/contexts/{agent}", f"The context that {agent} would be given now {where}")
            for agent in AGENTS
        ),
        (
            f"{LIST}/pr-42/receipts",
            f"The receipts: which agent was given a context, and when, {where}",
        ),
    ]


def test_the_list_says_whose_it_is(scope: Scope, session: Session) -> None:
    row = {
        "session": "pr-42",
        "state": "active",
        "deck": None,
        "date": None,
        "presenter": None,
        "exchanges": 0,
        "agents": AGENTS,
        "title": "PR 42",
        "crew": "code-review",
    }
    assert json.loads(read(scope, LIST)[1]) == {"sessions": [row]}
    session.end()
    assert json.loads(read(scope, LIST)[1]) == {"sessions": [{**row, "state": "ended"}]}


def test_contexts_and_receipts_are_read_and_nothing_is_recorded(scope: Scope, session: Session) -> None:
    (receipt,) = session.receipts()
    head = session.ledger_head
    kind, now = read(scope, f"{LIST}/pr-42/contexts/tester")
    assert (kind, now.startswith("^^^ file 1 of 5: templates/tester/role.md")) == ("text/markdown", True)
    assert "Which test fails?" in now
    assert json.loads(read(scope, f"{LIST}/pr-42/receipts")[1]) == {
        "session": "pr-42",
        "receipts": [
            {"receipt": receipt.id, "agent": "tester", "purpose": "Ask one question.", "seq": receipt.seq}
        ],
    }
    one = json.loads(read(scope, f"{LIST}/pr-42/receipts/{receipt.id}")[1])
    assert (one["receipt"], one["agent"], one["engine"]) == (receipt.id, "tester", "my-model-1")
    assert read(scope, f"{LIST}/pr-42/receipts/{receipt.id}/text")[1] == session.replay(receipt).text
    assert session.ledger_head == head


@pytest.mark.parametrize("address", ["recap", "recap/tester"])
def test_a_recap_says_what_this_is(scope: Scope, address: str) -> None:
    with pytest.raises(OtherCrewError) as refused:
        read(scope, f"{LIST}/pr-42/{address}")
    assert str(refused.value) == OTHER_CREW


def test_an_agent_reads_what_its_order_names_until_the_end_and_then_all(
    scope: Scope, session: Session
) -> None:
    def paths(agent: str) -> list[str]:
        found = told(scope, "file_list", agent=agent, session="pr-42", prefix="")
        return [one["path"] for one in found["files"]]

    def text(agent: str, path: str) -> Any:
        found = told(scope, "file_read", agent=agent, session="pr-42", path=path)
        return found["text"] if isinstance(found, dict) else found

    shared = ["shared/meeting.md", "shared/pull-request.md"]
    assert (paths("tester"), paths("security")) == ([*shared, "tester/question.md"], shared)
    assert paths("coordinator") == [*shared, "tester/question.md"]  # its order names each one's question
    assert text("tester", "shared/pull-request.md") == DIFF
    assert text("coordinator", "tester/question.md") == "Which test fails?\n"
    assert text("security", "tester/question.md") == (
        "tester/ is private while the session goes on, and can be read once it has ended: until then you may "
        "read shared/, facts/ and security/"
    )
    session.end()
    assert text("security", "tester/question.md") == "Which test fails?\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("scratchpad_read", {}),
        ("scratchpad_update", {"content": "Ask for tests."}),
        ("memory_write", {"type": "lesson", "content": "Ask for tests.", "confidence": 0.8, "tags": []}),
        ("memory_search", {"query": "tests"}),
    ],
)
def test_the_tools_of_memory_say_that_such_a_crew_keeps_none(
    scope: Scope, session: Session, name: str, arguments: dict[str, Any]
) -> None:
    head = session.ledger_head
    assert told(scope, name, agent="tester", session="pr-42", **arguments) == (
        "pr-42 is a session of the crew code-review, which keeps no memory of a presenter: use file_list and "
        "file_read, or leave `session` out"
    )
    assert session.ledger_head == head


def test_a_server_of_one_presenter_serves_no_crew(scope: Scope) -> None:
    own = Scope(scope.home, presenter="Ines")
    assert json.loads(read(own, LIST)[1]) == {"sessions": []}
    with pytest.raises(SessionNotFoundError):
        read(own, f"{LIST}/pr-42/contexts/tester")
