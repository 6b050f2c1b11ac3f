"""The Scribe's words: a paragraph about a session, and its "previously on".

The paragraph is made by extraction: of all that was said, the few sentences that tell most (figures,
names) are kept, word for word, and of everything else only how much there was. So nothing is made
up, and it is as short after a million entries as after a hundred.

Source: the seed of the Scribe (000), "Compression is mandatory"; DESIGN.md, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Final

from orchestrator.claims.numbers import numbers_in
from orchestrator.memory.record_types import counted
from orchestrator.memory.scribe_notes import LEFT_OUT, NOTE, TOOL, Noted, SessionContext, SessionEntry, cut
from orchestrator.render import clock

MAX_SUMMARY_BYTES: Final = 2_000
SHOWN: Final = 5
"""Of each kind of thing in a "previously on"."""
SHOWN_ENTRIES: Final = 3

SILENT: Final = "silent"
"""In the place of "unjudged": there was no answer to judge."""
_OUTCOMES: Final = {
    "satisfied": "answered",
    "unresolved": "not answered",
    SILENT: "no answer",
    "parked": "parked",
    "unjudged": "not judged",
}


MAX_LINES: Final = 5
MAX_LINE_BYTES: Final = 240
_FEWEST_WORDS: Final = 6
_LARGE = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that was said, and how much it tells."""

    score: int
    seq: int
    text: str


def line_of(words: str, seq: int) -> Line | None:
    """A sentence that may be kept; None: it tells nothing, or is too long to be kept whole."""
    spoken = words.casefold().split()
    if len(spoken) < _FEWEST_WORDS or len(words.encode()) > MAX_LINE_BYTES or words.endswith("?"):
        return None
    score = 3 * min(2, len(numbers_in(words))) + bool(_LARGE.search(words))
    return Line(score, seq, words) if score else None


def most_telling(lines: Sequence[Line]) -> list[Line]:
    """The few that tell most, in the order in which they were said; of equal ones the first."""
    found = nsmallest(MAX_LINES, lines, key=lambda one: (-one.score, one.seq))
    return sorted(found, key=lambda one: one.seq)


@dataclass(slots=True)
class Course:
    """How far a session has come: counts, and where it stands."""

    deck: str = ""
    presenter: str = ""
    slides: int = 0
    slide: int | None = None
    spoken: int = 0  # pieces of speech, answers among them
    spoken_to_s: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    open: tuple[str, str] | None = None  # the exchange that is going on, and whose it is
    dropped: int = 0  # things noted that made room for later ones


def summary_of(course: Course, lines: Sequence[Line], turns: int) -> str:
    """One paragraph: what it is about, how far it has come, and *lines* that were said."""
    if not turns:
        return "Nothing has happened yet."
    title = f'"{course.deck}"' if course.deck else "A deck without a title"
    slides = f", {counted(course.slides, 'slide')}" if course.slides else ""
    said = [f"{title}{slides}{f', presented by {course.presenter}' if course.presenter else ''}."]
    place = f", slide {course.slide} is up" if course.slide is not None else ""
    pieces = counted(course.spoken, "piece")
    said.append(f"{pieces} of speech up to {clock(course.spoken_to_s)}{place}." if course.spoken else "")
    said.append(_questions(course))
    if lines:
        quoted = "; ".join(f'"{line.text}"' for line in lines)
        said.append(f"Said on the way: {quoted}.")
    if course.dropped:
        said.append(f"{counted(course.dropped, 'older note')} made room for newer ones.")
    return cut(" ".join(one for one in said if one), MAX_SUMMARY_BYTES)


def _questions(course: Course) -> str:
    total = sum(course.outcomes.values())
    parts = [f"{course.outcomes[key]} {word}" for key, word in _OUTCOMES.items() if course.outcomes.get(key)]
    said = f"{counted(total, 'question')}: {', '.join(parts)}." if total else ""
    if course.open is not None:
        said = f"{said} {course.open[0]}, asked by {course.open[1]}, is open.".strip()
    return said


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
        lines += [f"{title}:", *(f"- {shown(one)}" for one in noted[-SHOWN:])] if noted else []
    told = context.last_said if agent is None and context.last_said else context.recent_entries
    shared = [one for one in told if one.content != LEFT_OUT and _may_see(agent, one)]
    last = shared[-entries:] if entries else []
    if last:
        lines += ["Last:", *(f"- {one.type}: {cut(one.content, 200)}" for one in last)]
    return "\n".join(lines)


def _may_see(agent: str | None, entry: SessionEntry) -> bool:
    return agent is None or entry.type not in (NOTE, TOOL) or entry.metadata.get("agent") in (None, agent)


def shown(noted: Noted) -> str:
    """Words in quotation marks, with where they stand."""
    where = f"{noted.exchange}, " if noted.exchange else ""
    return f'"{noted.text}" ({where}record {noted.seq})'
