"""Who sees what over MCP: one presenter's own sessions and memory, whatever tool or resource is asked."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from orchestrator.access.needs import RESOURCES, TOOLS, Need
from orchestrator.access.people import Person, person_of, presenter_alone
from orchestrator.core.errors import AccessError, GreenroomError
from orchestrator.mcp.resources import TEMPLATES, listed, read
from orchestrator.mcp.scope import LIST, Scope
from orchestrator.mcp.server import call_tool
from orchestrator.memory.tools import TOOLS as ALL_TOOLS
from orchestrator.panel.config.access import read_access
from orchestrator.panel.home import Home
from tests.helpers.rehearsals import greenroom
from tests.web.people import (
    BEN,
    DANA,
    KIM,
    LEO,
    OF_BEN,
    OF_DANA,
    OF_NOBODY,
    OTTO,
    RITA,
    SETTING,
    UNKNOWN,
    Somebody,
    home_of_several,
)

PEOPLE: Final = {"dana": DANA, "ben": BEN, "rita": RITA, "otto": OTTO, "kim": KIM, "leo": LEO, "nobody": None}
SEES: Final[dict[str, set[str]]] = {
    "dana": {OF_DANA}, "ben": {OF_BEN}, "rita": {OF_DANA}, "otto": {OF_BEN},
    "kim": {OF_DANA, OF_BEN, OF_NOBODY}, "leo": set(), "nobody": set(),
}  # fmt: skip
MEMORY: Final = {"dana", "ben", "kim"}
"""Those who may ask for what is remembered."""
ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "scratchpad_read": {},
    "scratchpad_update": {"content": "One line."},
    "memory_write": {"type": "lesson", "content": "Says the figure late.", "confidence": 0.5},
    "memory_search": {"query": "figure"},
    "file_list": {},
    "file_read": {"name": "shared/deck-content.md"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    made = home_of_several(tmp_path_factory.mktemp("people") / "home")
    (made.root / "greenroom.yaml").write_text(f"access: {json.dumps(SETTING)}\n")
    return Home.open(made.root)


def _person(somebody: Somebody | None) -> Person | None:
    access = read_access(SETTING)
    assert access is not None
    if somebody is None:
        return None
    return person_of(access, somebody.identity, "", somebody.groups.split(","))


def _scope(home: Home, who: str) -> Scope:
    somebody = PEOPLE[who]
    return Scope(home, somebody.identity if somebody else None, person=_person(somebody))


def test_every_tool_and_kind_of_resource_stands_in_the_table() -> None:
    assert {one.name for one in ALL_TOOLS} == TOOLS.keys() == ARGUMENTS.keys()
    kinds = {one.uri.removeprefix(f"{LIST}/{{session}}/").partition("/")[0] for one in TEMPLATES}
    assert {*kinds, "list"} == RESOURCES.keys()


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("tool", sorted(ARGUMENTS))
def test_every_tool_each_role_and_whose_it_is(home: Home, tool: str, who: str) -> None:
    """The table: let through for those whom the rule names, refused for all others, and with the same words
    for another's session as for one that there is not."""
    scope, refused = _scope(home, who), {}
    for session in (OF_DANA, OF_BEN, OF_NOBODY, UNKNOWN):
        given = {"agent": "skeptic", "session": session, **ARGUMENTS[tool]}
        outcome = call_tool(scope, tool, given)
        has_role = (
            who in SEES and who not in ("leo", "nobody") and (TOOLS[tool] is Need.SEEN or who in MEMORY)
        )
        is_let = has_role and session in SEES[who]
        if is_let:
            assert "may not use it" not in outcome.text
            assert "there is no session" not in outcome.text
        else:
            assert outcome.is_error, (who, tool, session)
            refused[session] = outcome.text.replace(session, "THIS")
    assert len(set(refused.values())) == 1 or not refused


@pytest.mark.parametrize("who", PEOPLE)
def test_every_resource_each_role_and_whose_it_is(home: Home, who: str) -> None:
    scope = _scope(home, who)
    for kind in ("contexts/skeptic", "recap", "recap/skeptic", "receipts"):
        refused = set()
        for session in (OF_DANA, OF_BEN, OF_NOBODY, UNKNOWN):
            if session in SEES[who]:
                assert read(scope, f"{LIST}/{session}/{kind}")[1]
                continue
            with pytest.raises(GreenroomError) as told:
                read(scope, f"{LIST}/{session}/{kind}")
            refused.add(str(told.value).replace(session, "THIS"))
        assert len(refused) <= 1
    if who in ("leo", "nobody"):
        with pytest.raises(AccessError):
            read(scope, LIST)
        return
    rows = json.loads(read(scope, LIST)[1])["sessions"]
    assert {one["session"] for one in rows} == SEES[who]
    named = {one.uri.split("/")[3] for one in listed(scope)[0] if one.uri != LIST}
    assert named == SEES[who]


def test_another_presenters_memory_is_not_served(home: Home) -> None:
    given = {"agent": "skeptic", "presenter": BEN.identity}
    outcome = call_tool(_scope(home, "dana"), "scratchpad_read", given)
    assert outcome.is_error
    assert "keeps to dana@acme.example" in outcome.text


def test_the_beginning_of_anothers_id_finds_nothing(home: Home) -> None:
    """`of-` begins all four names, and is one for who sees one."""
    scope = Scope(home, DANA.identity, person=presenter_alone(DANA.identity))
    assert scope.session("of-").name == OF_DANA
    assert scope.session("last").name == OF_DANA


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "`access` is set: say with --presenter whose"),
        (("--presenter", " "), "nobody's identity"),
        (("--http", "--presenter", "dana@acme.example"), "--http: nobody signs in there"),
    ],
)
def test_the_server_does_not_start_without_saying_whose_it_is(
    home: Home, options: tuple[str, ...], why: str
) -> None:
    ended = greenroom(home.root, "mcp", *options, check=False)
    assert ended.returncode != 0
    assert why in ended.stderr
