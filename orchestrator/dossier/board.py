"""The board as the user describes it: a list in YAML or JSON, one entry a person.

    - name: Ruth Alvarez
      role: treasurer
      background: twenty years in commercial banking
      interests: [cash, customer churn]

Only the name must be there. What this file says stays in the session that it was given to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from orchestrator.dossier.model import BoardMember
from orchestrator.entries import Entry, Form, read_entries, shown_name
from orchestrator.errors import InputError

MOST_MEMBERS: Final = 40
"""The largest boards have some thirty seats."""
MOST_INTERESTS: Final = 20
_LONGEST: Final = {"name": 80, "role": 160, "background": 2_000}
_LONGEST_INTEREST: Final = 120

_FORM: Final = Form(
    what="a list of board members",
    example="- name: …",
    keys=("name", "role", "background", "interests"),
    lists=frozenset({"interests"}),
    bare="name",
    inside="board",
)


def read_board(path: Path) -> tuple[BoardMember, ...]:
    """The members in the order of the file.

    Raises:
        InputError: The file cannot be read or is no such list: one line that names file and line.
    """
    members: list[BoardMember] = []
    for entry in read_entries(path, _FORM):
        member = _member(entry)
        if member.name in {other.name for other in members}:
            raise InputError(f"{entry.where}: {member.name!r} is in the list already: name each member once")
        members.append(member)
    if len(members) > MOST_MEMBERS:
        raise InputError(f"{shown_name(path)}: has {len(members)} members (limit {MOST_MEMBERS}): shorten it")
    return tuple(members)


def _member(entry: Entry) -> BoardMember:
    if entry.text("name") is None:
        raise InputError(f"{entry.where}: has no name: begin each member with `- name: …`")
    for key, longest in _LONGEST.items():
        if len(entry.text(key) or "") > longest:
            raise InputError(f"{entry.where}: {key} is longer than {longest} characters: shorten it")
    interests = entry.lists.get("interests", ())
    if len(interests) > MOST_INTERESTS:
        raise InputError(
            f"{entry.where}: has {len(interests)} interests (limit {MOST_INTERESTS}): shorten it"
        )
    for interest in interests:
        if len(interest) > _LONGEST_INTEREST:
            raise InputError(
                f"{entry.where}: an interest is longer than {_LONGEST_INTEREST} characters: shorten it"
            )
    return BoardMember(
        name=entry.text("name") or "",
        role=entry.text("role") or "",
        background=entry.text("background") or "",
        interests=interests,
    )
