"""The Scribe's notes: an entry for each event of a session, and the context made of them.

Source: the seed of the Scribe (000), "Session Schema"; DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

USER: Final = "user"
AGENT: Final = "agent"
TOOL: Final = "tool"
ERROR: Final = "error"
NOTE: Final = "note"
ENTRY_TYPES: Final = (USER, AGENT, TOOL, ERROR, NOTE)

MAX_CONTENT_BYTES: Final = 480
"""Of one entry: three or four sentences. What is longer is cut, and says so."""
MAX_FIELD_BYTES: Final = 80
LEFT_OUT: Final = "[left out: marked sensitive]"
TRANSCRIPT: Final = "shared/presenter-transcript.md"


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One event of a session."""

    timestamp: str  # RFC 3339, UTC: when its record was written
    type: str  # one of ENTRY_TYPES
    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)  # seq; where known: clock_s, speaker, agent, …
    tool_name: str | None = None
    tool_result: str | None = None
    confidence: float | None = None  # of the speech-to-text program


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that was said, verbatim (masked where it had to be), and the record that says it."""

    text: str
    seq: int  # where the words begin; captions spread a sentence over several records
    speaker: str | None = None  # who said it; None: nobody is named
    exchange: str | None = None  # said in the answer to this question
    agent: str | None = None  # whose question that was


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What matters of a session so far; its size is bounded, however long the session is."""

    recent_entries: tuple[SessionEntry, ...] = ()  # the last 10, oldest first
    entities: Mapping[str, Noted] = field(default_factory=dict)  # what is named, and the words it stands in
    goals: tuple[Noted, ...] = ()
    decisions: tuple[Noted, ...] = ()
    blockers: tuple[Noted, ...] = ()
    open_questions: tuple[Noted, ...] = ()  # asked and not answered to anybody's satisfaction
    summary: str = ""  # one paragraph
    turn_count: int = 0  # entries in all
    last_said: tuple[SessionEntry, ...] = ()  # of a session that is over: the last words of anybody


def cut(text: str, most_bytes: int) -> str:
    """*text* in at most so many bytes of UTF-8; a mark where something is missing."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most_bytes:
        return text
    kept = raw[: most_bytes - 3].decode("utf-8", "ignore")
    words, _, rest = kept.rpartition(" ")
    return f"{words if words and len(rest) < 40 else kept}…"


def to_plain(context: SessionContext) -> dict[str, Any]:
    """As JSON shows it: the seed's fields, and for each thing noted the record that says it."""
    lists = {
        "goals": context.goals,
        "decisions": context.decisions,
        "blockers": context.blockers,
        "open_questions": context.open_questions,
    }
    return {
        "recent_entries": [asdict(one) for one in context.recent_entries],
        "entities": {name: noted.text for name, noted in context.entities.items()},
        **{name: [noted.text for noted in found] for name, found in lists.items()},
        "sources": {
            "entities": {name: noted.seq for name, noted in context.entities.items()},
            **{name: [noted.seq for noted in found] for name, found in lists.items()},
        },
        "summary": context.summary,
        "turn_count": context.turn_count,
    }
