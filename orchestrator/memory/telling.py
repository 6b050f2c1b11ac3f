"""The Scribe's words: a paragraph about a session, and its "previously on"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from orchestrator.memory.compressing import Line
from orchestrator.memory.scribe_notes import LEFT_OUT, NOTE, TOOL, Noted, SessionContext, SessionEntry, cut
from orchestrator.render import clock

MAX_SUMMARY_BYTES: Final = 2_000
SHOWN: Final = 5
"""Of each kind of thing in a "previously on"."""
SHOWN_ENTRIES: Final = 3

_OUTCOMES: Final = {
    "satisfied": "answered",
    "unresolved": "not answered",
    "parked": "parked",
    "unjudged": "not judged",
}


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


def summary_of(course: Course, prose: str, lines: Sequence[Line], turns: int) -> str:
    """One paragraph: what it is about, how far it has come, and what was said that tells most.

    *prose* is an engine's, where one wrote it; else *lines* are quoted.
    """
    if not turns:
        return "Nothing has happened yet."
    title = f'"{course.deck}"' if course.deck else "A deck without a title"
    slides = f", {counted(course.slides, 'slide')}" if course.slides else ""
    said = [f"{title}{slides}{f', presented by {course.presenter}' if course.presenter else ''}."]
    place = f", slide {course.slide} is up" if course.slide is not None else ""
    pieces = counted(course.spoken, "piece")
    said.append(f"{pieces} of speech up to {clock(course.spoken_to_s)}{place}." if course.spoken else "")
    said.append(_questions(course))
    if prose:
        said.append(prose)
    elif lines:
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


def counted(number: int, noun: str) -> str:
    """ "1 slide", "3 slides"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


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
