"""The presenter's own questions: a text file with one on each line, or a list in YAML or JSON.

A line may begin with its slide: "slide 4: Who pays if the harbour freezes?". In a list:

    - text: Who pays if the harbour freezes?
      slide: 4
      agent: skeptic
    - What does it cost in the second year?

Only the text is required. Values passed in by a program have the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from orchestrator.core.errors import InputError, names_its_file
from orchestrator.core.home.plain_yaml import (
    YAML_SUFFIXES,
    Entry,
    Form,
    hint,
    read_entries,
    read_text,
    shown_name,
)
from orchestrator.core.legible import one_line
from orchestrator.material.values import BroughtQuestion, Deck
from orchestrator.panel.model.reply import BoardMember

# ---------------------------------------------------------------------- board
# The board as the user describes it: a list in YAML or JSON, one entry a person.
#
#     - name: Ruth Alvarez
#       role: treasurer
#       background: twenty years in commercial banking
#       interests: [cash, customer churn]
#       uses: [SAP ledger, Azure]
#
# Only the name must be there. `uses` is what this person's house makes and uses. A mapping may hold the
# list under `board`, and beside it the body's own `rules` and stages, one a line; they hold for everybody,
# and every engine is given them with the members:
#
#     rules:
#       - Projects under EUR 50,000 are decided by the chair.
#       - A second reading follows after four weeks.
#     board:
#       - name: Ruth Alvarez
#
# The file's words stay in the session that it was given to.


MAX_MEMBERS: Final = 40
"""Maximum number of members; our own limit, since the largest boards have some thirty seats and every engine
gets all of them.
"""
# Characters; our own limits, so that a file pasted into a field is refused.
_MAX_CHARS: Final = {"name": 80, "role": 160, "background": 2_000}
_LISTS: Final = {
    "interests": (20, 120, "an interest"),
    "uses": (20, 200, "a thing used"),
    "rules": (40, 400, "a rule"),
}
"""Maps each list of a member to its maximum length, the maximum characters of one item, and the item's name
in a message.
"""

_FORM: Final = Form(
    what="a list of board members",
    example="- name: …",
    keys=("name", "role", "background", "interests", "uses", "rules"),
    lists=frozenset({"interests", "uses", "rules"}),
    sentences=frozenset({"rules"}),
    bare="name",
    inside="board",
)


@names_its_file
def read_board(path: Path) -> tuple[BoardMember, ...]:
    """Read the board's members, in the order of the file.

    Raises:
        InputError: The file cannot be read or is not a list of members; the message names file and line.
    """
    members: list[BoardMember] = []
    for entry in read_entries(path, _FORM):
        member = _member(entry)
        if member.name in {other.name for other in members}:
            raise InputError(f"{entry.where}: {member.name!r} is in the list already: name each member once")
        members.append(member)
    if len(members) > MAX_MEMBERS:
        raise InputError(f"{shown_name(path)}: has {len(members)} members (limit {MAX_MEMBERS}): shorten it")
    return tuple(members)


def _member(entry: Entry) -> BoardMember:
    if entry.text("name") is None:
        raise InputError(f"{entry.where}: has no name: begin each member with `- name: …`")
    for key, longest in _MAX_CHARS.items():
        if len(entry.text(key) or "") > longest:
            raise InputError(f"{entry.where}: {key} is longer than {longest} characters: shorten it")
    for key, (most, longest, one) in _LISTS.items():
        found = entry.lists.get(key, ())
        if len(found) > most:
            raise InputError(f"{entry.where}: has {len(found)} {key} (limit {most}): shorten it")
        if any(len(text) > longest for text in found):
            raise InputError(f"{entry.where}: {one} is longer than {longest} characters: shorten it")
    return BoardMember(
        name=entry.text("name") or "",
        role=entry.text("role") or "",
        background=entry.text("background") or "",
        interests=entry.lists.get("interests", ()),
        uses=entry.lists.get("uses", ()),
        rules=entry.lists.get("rules", ()),
    )


# ---------------------------------------------------------------------- brought


MAX_QUESTIONS: Final = 100
"""Maximum number of questions: as many as the largest rehearsal has (`config`, `exchanges`)."""
MAX_CHARS: Final = 500
"""Maximum number of characters of one question, which is said in one breath; our own limit."""

_BROUGHT_FORM: Final = Form(
    what="a list of questions", example="- text: …", keys=("text", "slide", "agent"), bare="text"
)
_MARK: Final = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s+")
"""Matches what people write before the lines of a list."""
_AT: Final = re.compile(r"slide\s+(\d+)\s*:\s*", re.IGNORECASE)
"""Matches the slide at which a question is asked, written before the question in its line."""


@dataclass(frozen=True, slots=True)
class Given:
    """A question, with the place that messages name: "questions.txt, line 3"."""

    where: str
    question: BroughtQuestion


def read_sent(name: str, text: str) -> tuple[BroughtQuestion, ...]:
    """Read the questions of a file that was sent over HTTP under *name*.

    Raises:
        InputError: As for `read_questions`.
    """
    suffix = Path(name).suffix.lower() if Path(name).suffix.lower() in YAML_SUFFIXES else ".txt"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"questions{suffix}"
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            return tuple(one.question for one in read_questions(path))
        except InputError as error:
            raise InputError(str(error).replace(str(path), one_line(shown_name(name))[:80])) from None


@names_its_file
def read_questions(path: Path) -> tuple[Given, ...]:
    """Read the questions of a file, in the order of the file.

    Raises:
        InputError: The file cannot be read or is not a list of questions; the message names file and line,
            and what to do.
    """
    name = shown_name(path)
    if path.suffix.lower() in YAML_SUFFIXES:
        entries = read_entries(path, _BROUGHT_FORM)
        return tuple(_given(one.where, {key: one.text(key) for key in _BROUGHT_FORM.keys}) for one in entries)
    lines = enumerate(read_text(path, "a file with one question a line").splitlines(), start=1)
    return tuple(_given(f"{name}, line {number}", _of_line(line)) for number, line in lines if one_line(line))


def _of_line(line: str) -> dict[str, Any]:
    text = _MARK.sub("", line.strip(), count=1)
    at = _AT.match(text)
    return {"text": text} if at is None else {"text": text[at.end() :], "slide": at[1]}


def questions_of(given: object) -> tuple[Given, ...]:
    """Read questions passed in by a program: a file's path, or a list of texts, mappings and
    `BroughtQuestion`s.

    Raises:
        TypeError: *given* is neither a path nor a list.
        InputError: As for `read_questions`; without a file, the message names the question's number.
    """
    if isinstance(given, str | Path):
        return read_questions(Path(given))
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        raise TypeError(f"questions is {type(given).__name__}, not a file's path or a list")
    return tuple(_of_value(f"question {number}", one) for number, one in enumerate(given, start=1))


def _of_value(where: str, one: object) -> Given:
    if isinstance(one, BroughtQuestion):
        _check_length(where, one.text)
        return Given(where, one)
    plain = _of_line(one) if isinstance(one, str) else one
    if not isinstance(plain, Mapping):
        raise TypeError(f"{where} is {type(one).__name__}, not a text or a mapping")
    if unknown := [key for key in plain if key not in _BROUGHT_FORM.keys]:
        known = hint(str(unknown[0]), _BROUGHT_FORM.keys, f"there are {', '.join(_BROUGHT_FORM.keys)}")
        raise InputError(f"{where}: unknown key {one_line(str(unknown[0]))[:40]!r}: {known}")
    return _given(where, plain)


def _given(where: str, plain: Mapping[str, Any]) -> Given:
    text, agent = plain.get("text"), plain.get("agent")
    for key, value in (("text", text), ("agent", agent)):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{where}: {key} is {type(value).__name__}, not a text")
    words = one_line((text or "").replace("\0", "").encode("utf-8", "replace").decode())
    if not words:
        raise InputError(f"{where}: has no question: write it under text")
    _check_length(where, words)
    return Given(
        where, BroughtQuestion(words, _slide(where, plain.get("slide")), one_line(agent or "") or None)
    )


def _check_length(where: str, text: str) -> None:
    if len(text) > MAX_CHARS:
        raise InputError(
            f"{where}: the question has {len(text):,} characters (limit {MAX_CHARS}): shorten it"
        )


def _slide(where: str, given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not re.fullmatch(r"[1-9]\d{0,4}", str(given)):
        raise InputError(f"{where}: slide is {str(given)[:40]!r}, but must be the number of a slide")
    return int(given)


def check_questions(given: Sequence[Given], deck: Deck, panel: Iterable[str]) -> None:
    """Check that the questions fit: their slides are in the deck, their panelists have seats, and they are
    not too many.

    Raises:
        InputError: A question does not fit; the message names the question, and what would fit.
    """
    if len(given) > MAX_QUESTIONS:
        raise InputError(
            f"there are {len(given)} questions of your own (limit {MAX_QUESTIONS}): "
            "keep those that you fear most"
        )
    numbers, seats = {slide.number for slide in deck.slides}, tuple(panel)
    for one in given:
        slide, agent = one.question.slide, one.question.agent
        if slide is not None and slide not in numbers:
            raise InputError(
                f"{one.where}: there is no slide {slide}: the deck has 1 to {len(numbers)}; "
                "without a slide it is put in between"
            )
        if agent is not None and agent not in seats:
            do = hint(agent, seats, f"there are {', '.join(seats)}")
            raise InputError(f"{one.where}: {agent[:40]!r} does not sit on the panel: {do}")


def each_once(given: Sequence[Given]) -> tuple[tuple[BroughtQuestion, ...], tuple[str, ...]]:
    """Return every question once, and a line for each question that repeats another for the same slide."""
    kept: dict[tuple[str, int | None], Given] = {}
    notices: list[str] = []
    for one in given:
        key = (one.question.text.casefold(), one.question.slide)
        first = kept.setdefault(key, one)
        if first is not one:
            notices.append(f"{one.where} is the same question as {first.where}: it is put once")
    return tuple(one.question for one in kept.values()), tuple(notices)
