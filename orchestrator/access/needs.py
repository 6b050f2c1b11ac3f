"""The table: what each route, page, stream and tool needs. What does not stand in it is refused.

A route is named by its method and its template. A session in a path is called `session`; where a query names
sessions, `IN_QUERY` says in which parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


class Need(Enum):
    """What a request needs to be let through."""

    OPEN = "open"
    """Nothing."""
    SIGNED_IN = "any signed in"
    """A person with a role; what is listed is only what that person may see."""
    PRESENTER = "presenter"
    """A person who may rehearse; what is kept is that person's own."""
    SEEN = "session that may be seen"
    """One's own session, or, for a reviewer, one of the groups named."""
    OWN = "own session"
    """One's own session, as a presenter."""
    KEEPER = "keeper"
    """A keeper, who may do everything else as well."""


_API: Final = "/api/v1"
_S: Final = f"{_API}/sessions/{{session}}"

ROUTES: Final[Mapping[str, Need]] = {
    # what a load balancer, a style sheet and the way in need
    "GET /static": Need.OPEN,
    f"GET {_API}/health": Need.OPEN,
    f"GET {_API}/health/ready": Need.OPEN,
    "GET /metrics": Need.KEEPER,  # and Prometheus, by its token
    "GET /sign-in": Need.OPEN,
    "GET /sign-in/back": Need.OPEN,
    "POST /sign-out": Need.OPEN,
    "GET /w/{code}": Need.OPEN,  # a code contains its own secret
    # lists, which hold only what may be seen
    "GET /": Need.SIGNED_IN,
    "GET /example": Need.SIGNED_IN,
    "GET /review": Need.SIGNED_IN,
    "GET /review/progress": Need.SIGNED_IN,
    f"GET {_API}/sessions": Need.SIGNED_IN,
    f"GET {_API}/openapi.json": Need.SIGNED_IN,
    f"GET {_API}/speech": Need.SIGNED_IN,
    # to read a session
    "GET /review/{session}": Need.SEEN,
    "GET /review/{session}/contexts/{receipt}": Need.SEEN,
    "GET /review/{session}/questions/{exchange}": Need.SEEN,
    "GET /review/{session}/export": Need.SEEN,
    "GET /review/{session}/redacted": Need.SEEN,
    "GET /review/compare": Need.SEEN,
    "GET /debrief/{session}": Need.SEEN,
    "GET /watch/{session}": Need.SEEN,
    f"GET {_S}": Need.SEEN,
    f"GET {_S}/comments": Need.SEEN,
    f"POST {_S}/comments": Need.SEEN,
    f"GET {_S}/debrief": Need.SEEN,
    f"GET {_S}/debrief/{{form}}": Need.SEEN,
    f"GET {_S}/delivery": Need.SEEN,
    f"GET {_S}/files/{{path:path}}": Need.SEEN,
    f"GET {_S}/intel": Need.SEEN,
    f"POST {_S}/judge": Need.SEEN,
    f"GET {_S}/recap": Need.SEEN,
    f"GET {_S}/records": Need.SEEN,
    f"GET {_S}/slides/{{number}}.png": Need.SEEN,
    f"GET {_S}/verify": Need.SEEN,
    # to rehearse in it
    "GET /room/{session}": Need.OWN,
    "GET /room/{session}/audience": Need.OWN,
    "GET /room/{session}/devices": Need.OWN,
    "GET /room/{session}/here": Need.OWN,
    "GET /room/{session}/presenter": Need.OWN,
    "GET /dossier/of/{session}": Need.OWN,
    f"GET {_S}/again": Need.OWN,
    f"POST {_S}/answer": Need.OWN,
    f"POST {_S}/answer/back": Need.OWN,
    f"POST {_S}/answer/done": Need.OWN,
    f"POST {_S}/answer/talk": Need.OWN,
    f"POST {_S}/ask": Need.OWN,
    f"PUT {_S}/blank": Need.OWN,
    f"GET {_S}/contexts/{{agent}}": Need.OWN,  # it may write a receipt
    f"POST {_S}/dismiss": Need.OWN,
    f"POST {_S}/drill": Need.OWN,
    f"POST {_S}/drive": Need.OWN,
    f"POST {_S}/end": Need.OWN,
    f"POST {_S}/files/{{path:path}}": Need.OWN,
    f"PUT {_S}/files/{{path:path}}": Need.OWN,
    f"POST {_S}/intel": Need.OWN,
    f"POST {_S}/intel/search": Need.OWN,
    f"WS {_S}/microphone": Need.OWN,
    f"POST {_S}/notes": Need.OWN,
    f"POST {_S}/park": Need.OWN,
    f"POST {_S}/pause": Need.OWN,
    f"POST {_S}/questions": Need.OWN,
    f"POST {_S}/resume": Need.OWN,
    f"GET {_S}/room": Need.OWN,  # it counts as a page that is open
    f"GET {_S}/room/events": Need.OWN,
    f"POST {_S}/segments": Need.OWN,
    f"PUT {_S}/segments/{{number}}": Need.OWN,
    f"PUT {_S}/slide": Need.OWN,
    f"GET {_S}/sound": Need.OWN,
    f"GET {_S}/sound/{{exchange}}/{{turn}}": Need.OWN,
    f"DELETE {_S}/sound": Need.OWN,
    f"DELETE {_S}/sound/{{exchange}}/{{turn}}": Need.OWN,
    f"POST {_S}/speaking": Need.OWN,
    f"PUT {_S}/title": Need.OWN,
    f"POST {_S}/verdict": Need.OWN,
    # to prepare and to begin one; a deck is known by the digest of its content, which who sent it has
    "GET /dossier/{deck}": Need.PRESENTER,
    "GET /new": Need.PRESENTER,
    "GET /new/slides/{deck}": Need.PRESENTER,
    f"GET {_API}/asking": Need.PRESENTER,
    f"POST {_API}/check": Need.PRESENTER,
    f"POST {_API}/crew/sessions": Need.PRESENTER,
    f"POST {_API}/decks": Need.PRESENTER,
    f"GET {_API}/decks/sample": Need.PRESENTER,
    f"GET {_API}/decks/{{deck}}": Need.PRESENTER,
    f"GET {_API}/decks/{{deck}}/dossier": Need.PRESENTER,
    f"POST {_API}/decks/{{deck}}/dossier": Need.PRESENTER,
    f"DELETE {_API}/decks/{{deck}}/dossier": Need.PRESENTER,
    f"PUT {_API}/decks/{{deck}}/dossier/questions/{{number}}": Need.PRESENTER,
    f"POST {_API}/decks/{{deck}}/dossier/rehearse": Need.PRESENTER,
    f"GET {_API}/decks/{{deck}}/slides/{{number}}.png": Need.PRESENTER,
    f"POST {_API}/dossier": Need.PRESENTER,
    f"GET {_API}/materials/kept/{{material}}": Need.PRESENTER,
    f"POST {_API}/materials/{{kind}}": Need.PRESENTER,
    f"POST {_API}/questions": Need.PRESENTER,
    f"POST {_API}/sessions": Need.PRESENTER,
    # what is remembered of oneself
    f"GET {_API}/briefing/{{agent}}": Need.PRESENTER,
    f"PUT {_API}/consent": Need.PRESENTER,
    f"GET {_API}/goals": Need.PRESENTER,
    f"POST {_API}/goals": Need.PRESENTER,
    f"DELETE {_API}/goals/{{goal}}": Need.PRESENTER,
    f"POST {_API}/goals/{{goal}}/done": Need.PRESENTER,
    f"GET {_API}/memories": Need.PRESENTER,
    f"DELETE {_API}/memories": Need.PRESENTER,
    f"GET {_API}/memories/{{memory}}": Need.PRESENTER,
    f"PATCH {_API}/memories/{{memory}}": Need.PRESENTER,
    f"DELETE {_API}/memories/{{memory}}": Need.PRESENTER,
    f"GET {_API}/remembered": Need.PRESENTER,
    f"PUT {_API}/scratchpads/{{agent}}": Need.PRESENTER,
    # for good, or to places outside
    f"DELETE {_S}": Need.KEEPER,
    f"GET {_S}/erasure": Need.KEEPER,
    f"POST {_S}/archive": Need.KEEPER,
    f"POST {_API}/demo": Need.KEEPER,
}
"""By method and template, what a request to the HTTP server needs. `WS` stands for a WebSocket."""

IN_QUERY: Final[Mapping[str, tuple[str, ...]]] = {"GET /review/compare": ("a", "b")}
"""By route, the parameters of the query that name sessions."""

TOOLS: Final[Mapping[str, Need]] = {
    "scratchpad_read": Need.PRESENTER,
    "scratchpad_update": Need.PRESENTER,
    "memory_write": Need.PRESENTER,
    "memory_search": Need.PRESENTER,
    "file_list": Need.SEEN,
    "file_read": Need.SEEN,
}
"""By tool of the MCP server, what a call needs; a call that names a session needs to see that one as well."""

RESOURCES: Final[Mapping[str, Need]] = {
    "list": Need.SIGNED_IN,
    "contexts": Need.SEEN,
    "recap": Need.SEEN,
    "receipts": Need.SEEN,
}
"""By kind of resource of the MCP server, what reading it needs."""
