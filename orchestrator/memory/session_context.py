"""What the Scribe knows of a session: its entries, its context, and the words in which it is told.

The summary is made by extraction: of all that was said, the few sentences that tell most (figures,
names) are kept, word for word, and of everything else only how much there was. So nothing is made
up, and it is as short after a million entries as after a hundred.

Source: the seed of the Scribe (000), "Session Schema", "Compression is mandatory"; DESIGN.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from heapq import nsmallest
from typing import Any, Final

from orchestrator.core.legible import clock, counted
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.panel.records.memory import KeptKind
from orchestrator.panel.records.telling import NOTE, TOOL
from orchestrator.panel.render import COUNTED_WORDS

MAX_CONTENT_BYTES: Final = 480
"""Of one entry: three or four sentences. What is longer is cut, and says so."""
MAX_FIELD_BYTES: Final = 80
"""Of one text beside it: a name, an id, a tool."""
LEFT_OUT: Final = "[left out: marked sensitive]"

GOAL: Final = "goal"
DECISION: Final = "decision"
BLOCKER: Final = "blocker"
KINDS: Final[tuple[KeptKind, ...]] = (GOAL, DECISION, BLOCKER)
"""Of what a model reads for the Scribe."""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One event of a session."""

    timestamp: str  # RFC 3339, UTC: when its record was written
    type: str  # of telling.ENTRY_TYPES
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
    names = ("goals", "decisions", "blockers", "open_questions")
    lists: dict[str, Sequence[Noted]] = {name: getattr(context, name) for name in names}
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


# ---------------------------------------------------------------------- in words

MAX_SUMMARY_BYTES: Final = 2_000
"""One paragraph: five sentences of `MAX_LINE_BYTES` and some 800 bytes of counts and names."""
MAX_LINES: Final = 5
MAX_LINE_BYTES: Final = 240
"""Some 40 words: a sentence is kept whole or not at all, and a longer one is rarely one."""
_FEWEST_WORDS: Final = 6
"""A shorter sentence tells little by itself: "That is 4 percent."."""
SHOWN: Final = 5
"""Of each kind of thing in a "previously on": the newest, for all five to be read at a glance."""
SHOWN_ENTRIES: Final = 3

_LARGE = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")


@dataclass(slots=True)
class Course:
    """How far a session has come: counts, where it stands, and what was said on the way."""

    deck: str = ""
    presenter: str = ""
    slides: int = 0
    slide: int | None = None
    spoken: int = 0  # pieces of speech, answers among them
    spoken_to_s: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)  # people, and how many answers they judged
    open: tuple[str, str] | None = None  # the exchange that is going on, and whose it is
    dropped: int = 0  # things noted that made room for later ones
    _lines: list[tuple[int, int, str]] = field(default_factory=list)  # how little it tells, record, words

    def hear(self, words: str, seq: int) -> None:
        """Keep a sentence if it is among the few that tell most; of equal ones the first."""
        if len(words.split()) < _FEWEST_WORDS or len(words.encode()) > MAX_LINE_BYTES or words.endswith("?"):
            return
        score = 3 * min(2, len(numbers_in(words))) + bool(_LARGE.search(words))
        if score:
            best = nsmallest(MAX_LINES, [*self._lines, (-score, seq, words)], key=lambda line: line[:2])
            self._lines = sorted(best, key=lambda line: line[1])  # as they were said

    def summary(self, turns: int) -> str:
        """One paragraph: what it is about, how far it has come, and the sentences that were kept."""
        if not turns:
            return "Nothing has happened yet."
        title = f'"{self.deck}"' if self.deck else "A deck without a title"
        slides = f", {counted(self.slides, 'slide')}" if self.slides else ""
        said = [f"{title}{slides}{f', presented by {self.presenter}' if self.presenter else ''}."]
        if self.spoken:
            place = f", slide {self.slide} is up" if self.slide is not None else ""
            said.append(f"{counted(self.spoken, 'piece')} of speech up to {clock(self.spoken_to_s)}{place}.")
        counts = [f"{many} {word}" for key, word in COUNTED_WORDS.items() if (many := self.outcomes.get(key))]
        if total := sum(self.outcomes.values()):
            said.append(f"{counted(total, 'question')}: {', '.join(counts)}.")
        if self.judges:
            said.append(f"Judged by {', by '.join(f'{name}: {many}' for name, many in self.judges.items())}.")
        if self.open is not None:
            said.append(f"{self.open[0]}, asked by {self.open[1]}, is open.")
        if self._lines:
            quoted = "; ".join(f'"{words}"' for _, _, words in self._lines)
            said.append(f"Said on the way: {quoted}.")
        if self.dropped:
            said.append(f"{counted(self.dropped, 'older note')} made room for newer ones.")
        return cut(" ".join(said), MAX_SUMMARY_BYTES)


def previously_on(context: SessionContext, *, entries: int = SHOWN_ENTRIES, agent: str | None = None) -> str:
    """What somebody who comes back has to know, in a few lines; every quotation names its record.

    Args:
        entries: How many of the last events are told; to the presenter, of a session that is over, the
            last words that were said.
        agent: For whom: notes and tool calls of other agents are private. None: for the presenter.
    """
    lines = [context.summary]
    for title, noted in (
        ("Decided", context.decisions),
        ("Goals", context.goals),
        ("In the way", context.blockers),
        ("Left open", context.open_questions),
    ):
        lines += [f"{title}:", *map(_quoted, noted[-SHOWN:])] if noted else []
    told = context.last_said if agent is None and context.last_said else context.recent_entries
    shared = [one for one in told if one.content != LEFT_OUT and _may_see(agent, one)]
    last = shared[-entries:] if entries else []
    if last:
        lines += ["Last:", *(f"- {one.type}: {cut(one.content, 200)}" for one in last)]
    return "\n".join(lines)


def _may_see(agent: str | None, entry: SessionEntry) -> bool:
    return agent is None or entry.type not in (NOTE, TOOL) or entry.metadata.get("agent") in (None, agent)


def _quoted(noted: Noted) -> str:
    """Words in quotation marks, with where they stand."""
    where = f"{noted.exchange}, " if noted.exchange else ""
    return f'- "{noted.text}" ({where}record {noted.seq})'
