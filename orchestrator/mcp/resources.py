"""The resources served over MCP: sessions, recaps, each agent's context, receipts.

Reading records nothing; a receipt is recorded by the program that gives a context to a model.

=======================================================  ======  ====================================
greenroom://sessions                                     JSON    the sessions, newest first
greenroom://sessions/{session}/contexts/{agent}          text    what that agent would be given now
greenroom://sessions/{session}/recap                     text    "previously on": said, decided, left open
greenroom://sessions/{session}/recap/{agent}             text    the same, as that agent may be told it
greenroom://sessions/{session}/receipts                  JSON    what was given to whom, and when
greenroom://sessions/{session}/receipts/{receipt}        JSON    one of them, with its files
greenroom://sessions/{session}/receipts/{receipt}/text   text    exactly what was given then
=======================================================  ======  ====================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from orchestrator.access.needs import RESOURCES
from orchestrator.core.errors import GreenroomError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.application import PLAIN, Opening, table_of
from orchestrator.core.table import MODERATOR
from orchestrator.mcp.scope import LIST, Scope

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.documents.listing import Glances
    from orchestrator.documents.opening import AnySession

JSON: Final = "application/json"
TEXT: Final = "text/markdown"
SESSIONS_ON_A_PAGE: Final = 20  # each brings a resource for every agent, so a page holds about a hundred
MAX_SESSIONS: Final = 200
"""Maximum number of sessions in the list, newest first. Those that have changed since the last list are
opened for it, which takes some 30 ms each, or 6 s for all."""

# Matched whole before anything becomes a path; the parts are a table's and a receipt id's.
_ADDRESS: Final = re.compile(
    rf"{re.escape(LIST)}(?:/(?P<session>[A-Za-z0-9_-]{{1,64}})"
    r"/(?:contexts/(?P<agent>[a-z][a-z0-9-]{0,31})"
    r"|(?P<recap>recap)(?:/(?P<told>[a-z][a-z0-9-]{0,31}))?"
    r"|receipts(?:/(?P<receipt>r[0-9a-f]{12})(?P<text>/text)?)?))?"
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource, or a resource template if its address has slots."""

    uri: str
    name: str
    description: str
    mime_type: str


TEMPLATES: Final = (
    Listed(
        f"{LIST}/{{session}}/contexts/{{agent}}",
        "context",
        "The context that an agent would be given now.",
        TEXT,
    ),
    Listed(
        f"{LIST}/{{session}}/recap",
        "recap",
        'The "previously on" of a session: what was said, decided and left open, each with its record.',
        TEXT,
    ),
    Listed(
        f"{LIST}/{{session}}/recap/{{agent}}",
        "recap for an agent",
        "The same for an agent's prompt, without what other agents keep to themselves.",
        TEXT,
    ),
    Listed(
        f"{LIST}/{{session}}/receipts",
        "receipts",
        "The receipts: which agent was given a context, and when.",
        JSON,
    ),
    Listed(f"{LIST}/{{session}}/receipts/{{receipt}}", "receipt", "One receipt, with its files.", JSON),
    Listed(f"{LIST}/{{session}}/receipts/{{receipt}}/text", "given", "Exactly what was given then.", TEXT),
)


def listed(scope: Scope, cursor: str | None = None) -> tuple[list[Listed], str | None]:
    """Return one page of the resources, newest sessions first, and the cursor of the next page.

    Raises:
        UsageError: *cursor* is not one that this function returned.
    """
    if cursor is not None and not re.fullmatch(r"[0-9]{1,9}", cursor):
        raise UsageError("this cursor was not given here: list from the beginning")
    start = int(cursor or 0)
    page = list(islice(scope.sessions(), start, start + SESSIONS_ON_A_PAGE + 1))
    found = [] if start else [Listed(LIST, "sessions", "The sessions, newest first.", JSON)]
    for root, opening in page[:SESSIONS_ON_A_PAGE]:
        session, where = root.name, f"in {_named(opening)}."
        for agent in _agents(opening):
            about = f"The context that {agent} would be given now {where}"
            found.append(Listed(f"{LIST}/{session}/contexts/{agent}", f"{session} {agent}", about, TEXT))
        if not opening.crew:
            about = f"What was said, decided and left open so far {where}"
            found.append(Listed(f"{LIST}/{session}/recap", f"{session} recap", about, TEXT))
        about = f"The receipts: which agent was given a context, and when, {where}"
        found.append(Listed(f"{LIST}/{session}/receipts", f"{session} receipts", about, JSON))
    more = len(page) > SESSIONS_ON_A_PAGE
    return found, str(start + SESSIONS_ON_A_PAGE) if more else None


def read(scope: Scope, uri: str) -> tuple[str, str]:
    """Return the MIME type and text of one resource.

    Raises:
        GreenroomError: There is no such resource, or it cannot be read; the message says why in one line.
    """
    match = _ADDRESS.fullmatch(uri)
    if match is None:
        raise UsageError(f"there is no such resource here: begin with {LIST}")
    scope.check(RESOURCES[_kind(match)], "this resource")
    if match["session"] is None:
        return JSON, _json({"sessions": _sessions(scope)})
    # Half of what a start would take, and tools need none of it.
    from orchestrator.documents.opening import context_then, open_any, peek, rehearsal_of

    root = scope.session(match["session"])
    with open_any(scope.home, root) as session:
        if match["agent"] is not None:
            return TEXT, peek(session, match["agent"], task="mcp").text
        if match["recap"] is not None:
            return TEXT, rehearsal_of(session).previously_on(match["told"])
        if match["receipt"] is None:
            return JSON, _json({"session": session.name, "receipts": _receipts(session)})
        if match["text"] is not None:
            return TEXT, context_then(session, match["receipt"], session.receipt(match["receipt"]).agent).text
        return JSON, _json({"receipt": match["receipt"], **session.receipt(match["receipt"]).value()})


def _kind(match: re.Match[str]) -> str:
    """Return the kind of resource that an address names, as the table of needs calls it."""
    if match["agent"] is not None:
        return "contexts"
    if match["recap"] is not None:
        return "recap"
    return "list" if match["session"] is None else "receipts"


def _sessions(scope: Scope) -> list[dict[str, Any]]:
    from orchestrator.documents.listing import Glances  # it loads what opens a session

    glances = Glances(scope.home)
    rows = [_row(glances, root, opening) for root, opening in islice(scope.sessions(), MAX_SESSIONS)]
    glances.keep()
    return rows


def _row(glances: Glances, root: Path, opening: Opening) -> dict[str, Any]:
    row = {
        "session": root.name,
        "state": "damaged",
        "deck": _title(opening),
        "date": opening.date or None,
        "presenter": opening.presenter or None,
        "exchanges": 0,
        "agents": list(_agents(opening)),
    }
    if opening.crew:
        row |= {"title": one_line(opening.title), "crew": one_line(opening.crew)}
    try:
        glance, state = glances.of(root)
        return {**row, "state": state, "exchanges": glance.exchanges}
    except GreenroomError:
        return row
    except OSError:
        return {**row, "state": "unreadable"}


def _agents(opening: Opening) -> tuple[str, ...]:
    """Return the agents that are given contexts in a session; none if its first record does not say."""
    if not opening.crew:
        return (MODERATOR, *(opening.panel or ()))
    try:
        return table_of(opening, PLAIN).seated(opening.panel or ()).agents
    except GreenroomError:  # damaged: `greenroom verify` says where
        return ()


def _named(opening: Opening) -> str:
    if not opening.crew:
        return f"the rehearsal of {_title(opening)}"
    about = f' "{one_line(opening.title)}"' if opening.title else ""
    return f"the session{about} of the crew {one_line(opening.crew)}"


def _title(opening: Opening) -> str | None:
    return opening.deck_title or opening.deck_name or None


def _receipts(session: AnySession) -> list[dict[str, Any]]:
    return [
        {"receipt": one.id, "agent": one.agent, "purpose": one.purpose, "seq": one.seq}
        for one in session.receipts()
    ]


_json: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, indent=1).encode
