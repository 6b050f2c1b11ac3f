"""The board's file: what is read, and the one line that every other file gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import InputError
from orchestrator.panel.dossier.brought import read_board
from orchestrator.panel.engines.model.situation import members_of, rules_of
from orchestrator.panel.model.reply import BoardMember
from tests.helpers.rehearsals import greenroom

BOARD = """\
- name: Ines Example
  role: treasurer
  background: twenty years in banking
  interests: [cash, season-ticket churn]
- name: Otto Example
  role: yes
- Vera Example
"""


def board(tmp_path: Path, text: str | bytes, name: str = "board.yaml") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_board_is_read_in_its_order_and_as_written(tmp_path: Path) -> None:
    assert read_board(board(tmp_path, BOARD)) == (
        BoardMember("Ines Example", "treasurer", "twenty years in banking", ("cash", "season-ticket churn")),
        BoardMember("Otto Example", "yes"),  # YAML would make a truth of it
        BoardMember("Vera Example"),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("board.json", '[{"name": "Ines Example", "interests": ["cash", "tax"]}]'),
        ("board.yml", "board:\n- name: Ines Example\n  interests: cash, tax\n"),
        ("board.yaml", "\ufeff- {name: Ines Example, interests: [cash, tax]}\n"),
        ("board.yaml", "- name: |\n    Ines\n    Example\n  interests:\n  - cash\n  - tax\n  - ''\n"),
    ],
)
def test_other_ways_to_write_it(tmp_path: Path, name: str, text: str) -> None:
    assert read_board(board(tmp_path, text, name)) == (
        BoardMember("Ines Example", interests=("cash", "tax")),
    )


RULES = """\
rules:
- Projects under EUR 50,000, or 3 months, are decided by the chair.
- A second reading follows after four weeks.
board:
- name: Ines Example
  uses: [SAP ledger, Azure]
- Otto Example
"""


def test_the_bodys_own_rules_and_what_houses_use_reach_every_member(tmp_path: Path) -> None:
    rules = (
        "Projects under EUR 50,000, or 3 months, are decided by the chair.",
        "A second reading follows after four weeks.",
    )
    members = (
        BoardMember("Ines Example", uses=("SAP ledger", "Azure"), rules=rules),
        BoardMember("Otto Example", rules=rules),
    )
    assert read_board(board(tmp_path, RULES)) == members
    lines = f"rules: |\n  {rules[0]}\n  {rules[1]}\n" + RULES.partition("weeks.\n")[2]
    assert read_board(board(tmp_path, lines)) == members


BOMB = "".join(
    [
        "a: &a [x, x, x]\n",
        *(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(8)),
    ]
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("b.yaml", "", "is empty: give a list of board members"),
        ("b.yaml", "[]\n", "the list is empty: begin each entry with `- name: …`"),
        ("b.yaml", "name: Ines\n", "is not a list of board members: begin each entry with `- name: …`"),
        ("b.yaml", "just words\n", "is not a list of board members: begin each entry with `- name: …`"),
        ("b.yaml", "- role: chair\n", ", line 1: has no name: begin each member with `- name: …`"),
        ("b.yaml", "- name: A\n- - b\n", ", line 2: is no entry: begin it with `- name: …`"),
        (
            "b.yaml",
            "- name: A\n- name: B\n  intrests: [cash]\n",
            ", line 2: unknown key 'intrests': did you mean interests?",
        ),
        (
            "b.yaml",
            "- name: A\n  height: 44\n",
            ", line 1: unknown key 'height': there are name, role, background, interests, uses, rules",
        ),
        ("b.yaml", "- name: [a, b]\n", ", line 1: name is not a text: write it in one line"),
        (
            "b.yaml",
            "- name: A\n  interests: {a: b}\n",
            ", line 1: interests is neither a text nor a list of texts",
        ),
        ("b.yaml", "- name: A\n- name: A\n", ", line 2: 'A' is in the list already: name each member once"),
        (
            "b.yaml",
            "- name: A\n\trole: chair\n",
            ", line 2: is not YAML: a tab stands where YAML wants spaces",
        ),
        ("b.yaml", "- name: 'A\n", ", line 2: is not YAML: found unexpected end of stream"),
        ("b.yaml", BOMB, ", line 2: has an alias (*a): write it out"),
        ("b.yaml", "- &x {name: A}\n- *x\n", ", line 2: has an alias (*x): write it out"),
        ("b.yaml", "- " * 100 + "a\n", ", line 1: is nested too deeply: give a plain list"),
        ("b.yaml", "[" * 5000, ", line 1: is nested too deeply: give a plain list"),
        ("b.yaml", "? [a]\n: b\n", ", line 1: is not YAML: found unhashable key"),
        ("b.yaml", "- name: " + "a" * 81, ", line 1: name is longer than 80 characters: shorten it"),
        (
            "b.yaml",
            "- name: A\n  interests: [" + "a," * 21 + "]\n",
            ", line 1: has 21 interests (limit 20): shorten it",
        ),
        (
            "b.yaml",
            "rules: [" + "a" * 401 + "]\nboard: [A]\n",
            ", line 2: a rule is longer than 400 characters: shorten it",
        ),
        ("b.yaml", b"- name: \xff\n", "is not UTF-8 text: save it as UTF-8"),
        ("b.yaml", "- name: \0\n", "holds NUL, so it is no text: give a list of board members"),
        ("b.yaml", "- name: \x07\n", "is not YAML: it holds characters that are not text"),
        ("b.yaml", "#" * (256 * 1024 + 1), "is larger than 256 KB: shorten it"),
        ("b.json", "[{]", ", line 1: is not JSON: expecting property name enclosed in double quotes"),
        ("b.json", "[" * 100_000, "numbers too long or brackets too deep: give a plain list"),
        ("b.json", '[{"name": true}]', ": item 1: name is not a text: write it in one line"),
        ("b.json", "[1]", ": item 1: is no entry: begin it with `- name: …`"),
    ],
)
def test_every_other_file_gets_one_line(tmp_path: Path, name: str, text: str | bytes, message: str) -> None:
    path = board(tmp_path, text, name)
    with pytest.raises(InputError) as refused:
        read_board(path)
    said = str(refused.value)
    assert said.removeprefix(f"{path}").lstrip(": ") == message.lstrip(": ")
    assert "\n" not in said


def test_a_board_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file: give a list of board members"):
        read_board(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="is not a file: give a list of board members"):
        read_board(tmp_path)


def test_too_many_members(tmp_path: Path) -> None:
    path = board(tmp_path, "".join(f"- name: Member {number}\n" for number in range(41)))
    with pytest.raises(InputError, match=r"has 41 members \(limit 40\): shorten it"):
        read_board(path)
    path = board(tmp_path, "- a\n" * 501)
    with pytest.raises(InputError, match=r"has 501 entries \(limit 500\): shorten it"):
        read_board(path)


def test_a_bad_board_stops_a_start_before_anything_is_made(home: Path, tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# Plan\n\nRevenue grew 18%.\n", "utf-8")
    path = board(tmp_path, "- role: chair\n")
    for command in ("start", "run", "dossier"):
        done = greenroom(home, command, deck, "--board", path, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"greenroom: {path}, line 1: has no name: begin each member with `- name: …`\n"
    assert not (home / "sessions").exists() or not list((home / "sessions").iterdir())


def test_the_bodys_rules_have_a_field_of_their_own_and_are_no_member() -> None:
    board = (BoardMember("Ines Example", "chair", rules=("Two readings.",)), BoardMember("Otto Example"))
    assert members_of(board) == [{"name": "Ines Example", "role": "chair"}, {"name": "Otto Example"}]
    assert rules_of(board) == ["Two readings."]
