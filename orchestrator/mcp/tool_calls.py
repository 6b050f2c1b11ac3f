"""Tool calls over MCP: the six tools, with whom and what they are about as arguments.

A call that names a session works as an agent does there: it sees that session's presenter, and what
it writes is a proposal in the session's ledger. A call without one reads and writes long-term memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from pydantic import Field

from orchestrator.core.errors import GreenroomError, SessionFrozenError, UsageError
from orchestrator.core.store.store import Store
from orchestrator.mcp.scope import Scope
from orchestrator.memory.arguments import Arguments, parsed, schema_of
from orchestrator.memory.consent import same_name
from orchestrator.memory.database import existing
from orchestrator.memory.notebook import Notebook
from orchestrator.memory.proposals import ProposalLog
from orchestrator.memory.tools import BY_NAME, Desk, Outcome, Tool, call, refused
from orchestrator.panel.records.kinds import KINDS


class ForMemory(Arguments):
    """Whom a memory tool is about."""

    agent: str = Field(
        description="The agent whose notebook it is: skeptic, analyst, contrarian, moderator, …"
    )
    session: str | None = Field(
        None,
        description="A session that goes on: its id, or last. A write is then a proposal in it, "
        "kept for good when it ends, if the presenter agreed. Left out, long-term memory itself is read and "
        "written.",
    )
    presenter: str | None = Field(
        None,
        description="Who presents. Left out: the session's presenter, or the only one who agreed to be "
        "remembered.",
    )


class ForFiles(Arguments):
    """Whom a file tool is about."""

    agent: str = Field(description="Who reads: skeptic, analyst, contrarian, moderator, …")
    session: str = Field(description="The session: its id, or last.")


def input_schema(tool: Tool, scope: Scope) -> dict[str, Any]:
    """The tool's arguments as MCP clients see them: whom it is about, then its own."""
    about, own = schema_of(_about(tool)), tool.schema()
    if scope.presenter is not None:
        about["properties"].pop("presenter", None)
    required = [*about.get("required", ()), *own.get("required", ())]
    return {**own, "properties": {**about["properties"], **own["properties"]}, "required": required}


def call_tool(scope: Scope, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
    """Run one tool; whatever goes wrong by what was asked for is an error outcome, never an exception."""
    tool = BY_NAME.get(name)
    given = dict(arguments or {})
    try:
        if tool is None:
            return call(Desk("", None), name, given)  # it says which tools there are
        kind = _about(tool)
        mine = {key: given.pop(key) for key in kind.model_fields if key in given}
        about = parsed(kind, mine)
        with ExitStack() as opened:
            if isinstance(about, ForFiles):
                store = _opened(opened, scope, about.session)
                desk = Desk(about.agent, None, store)
            else:
                desk = Desk(about.agent, _notebook(opened, scope, tool, about))
            return call(desk, name, given)
    except (GreenroomError, OSError) as error:
        return refused(error)


def _about(tool: Tool) -> type[ForMemory | ForFiles]:
    return ForFiles if tool.needs_session else ForMemory


def _opened(opened: ExitStack, scope: Scope, session: str) -> Store:
    store = Store(scope.session(session), kinds=KINDS)
    opened.callback(store.close)
    return store


def _notebook(opened: ExitStack, scope: Scope, tool: Tool, about: ForMemory) -> Notebook:
    db = opened.enter_context(existing(scope.home.root))
    if about.session is None:
        agent = scope.agent(about.agent)
        return Notebook(db, agent, scope.whose(db, about.presenter), embed=scope.embed)
    store = _opened(opened, scope, about.session)
    store.layout.order(about.agent)  # has a seat
    presenter = store.opening.presenter
    if about.presenter is not None and not same_name(about.presenter, presenter):
        raise UsageError(f"{store.root.name} is a rehearsal of {presenter}'s: leave `presenter` out")
    if not store.frozen:
        agreed = store.opening.is_remembered  # to this rehearsal
        log = ProposalLog(store, about.agent, presenter)
        return Notebook(db if agreed else None, about.agent, presenter, log, scope.embed)
    if tool.writes:
        raise SessionFrozenError(
            f"{store.root.name} has ended, so nothing is written there any more: leave `session` out to "
            "write long-term memory"
        )
    return Notebook(db, about.agent, presenter, embed=scope.embed)
