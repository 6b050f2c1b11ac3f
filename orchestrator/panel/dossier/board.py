"""The board as the user describes it: a list in YAML or JSON, one entry a person.

    - name: Ruth Alvarez
      role: treasurer
      background: twenty years in commercial banking
      interests: [cash, customer churn]
      uses: [SAP ledger, Azure]

Only the name must be there. `uses` is what this person's house makes and uses. A mapping may hold
the list under `board`, and beside it the body's own `rules` and stages, one a line; they hold for
everybody, and every engine is given them with the members:

    rules:
      - Projects under EUR 50,000 are decided by the chair.
      - A second reading follows after four weeks.
    board:
      - name: Ruth Alvarez

The file's words stay in the session that it was given to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from orchestrator.core.errors import InputError, names_its_file
from orchestrator.core.home.user_list import (
    Entry,
    Form,
    read_entries,
    shown_name,
)
from orchestrator.panel.model.dossier import BoardMember

MOST_MEMBERS: Final = 40
"""Our own limit: the largest boards have some thirty seats, and every engine is given all of them."""
# Characters; our own limits, so that a file pasted into a field is refused.
_LONGEST: Final = {"name": 80, "role": 160, "background": 2_000}
_LISTS: Final = {
    "interests": (20, 120, "an interest"),
    "uses": (20, 200, "a thing used"),
    "rules": (40, 400, "a rule"),
}
"""The most that a list may hold, the characters of one of it, and its name in a message."""

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
