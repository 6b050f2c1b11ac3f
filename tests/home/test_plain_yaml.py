"""YAML that a user writes is data, wherever it is read: whatever else it holds is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.core.errors import AnswersError, ConfigurationError
from orchestrator.panel.answers import read_answers
from orchestrator.panel.config.config import Config, read_config
from orchestrator.panel.personas.outline import Findings, read_front_matter

_ANCHORS = ", ".join(
    f"&{name} [{', '.join([f'*{of}'] * 9)}]" for of, name in zip("abcdefg", "bcdefgh", strict=True)
)
BOMB = f"[&a [x, x, x], {_ANCHORS}]"
"""About 400 bytes that are 14 million words once they are written out."""

TRAPS = {
    BOMB: "has an alias (*a)",
    "&a [*a]": "has an alias (*a)",
    "[" * 3000: "is nested too deeply",
    "2026-13-45": "holds a value that cannot be read",
    "9" * 5000: "holds a value that cannot be read",
    "2020-01-01 10:10:10+99:99": "holds a value that cannot be read",
    "!!bool x": "holds a value that cannot be read",
    "!!timestamp x": "holds a value that cannot be read",
    "!!int ''": "holds a value that cannot be read",
    "{[a]: b}": "is not YAML: found unhashable key",
    "!!python/object:os.system x": "is not YAML: could not determine a constructor for the tag",
    "a\x01": "is not YAML: it holds",
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_in_greenroom_yaml_or_a_variable_is_refused_in_one_line(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "greenroom.yaml"
    path.write_text(f"# mine\nminutes: {trap}\n", "utf-8")
    with pytest.raises(ConfigurationError) as of_file:
        read_config(path, {})
    with pytest.raises(ConfigurationError) as of_variable:
        read_config(tmp_path / "none", {"GREENROOM_MINUTES": trap})
    assert str(of_file.value).startswith(f"{path}, line ")
    assert str(of_variable.value).startswith("GREENROOM_MINUTES: ")
    for refused in (str(of_file.value), str(of_variable.value)):
        assert TRAPS[trap] in refused
        assert refused.isprintable()
        assert len(refused) < len(str(path)) + 250


@pytest.mark.parametrize("trap", [BOMB, "&a [*a]", "[" * 3000])
def test_a_trap_in_answers_is_refused_in_one_line(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "answers.yaml"
    for key in ("text", "agent", "park", "other"):
        path.write_text(f"- text: Yes.\n- {key}: {trap}\n", "utf-8")
        with pytest.raises(AnswersError) as refused:
            read_answers(path)
        assert str(refused.value).startswith(f"{path} {TRAPS[trap]}")


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_in_a_persona_is_one_finding(trap: str) -> None:
    findings = Findings("persona.md")
    read_front_matter(findings, f"id: skeptic\nname: {trap}\n")
    [found] = findings.found
    assert TRAPS[trap] in found.message


def test_a_value_is_shown_by_its_beginning(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_config(tmp_path / "none", {"GREENROOM_ENGINE": "x" * 100_000})
    words = "but must be one of offline, claude, openai, model"
    assert str(refused.value) == f"GREENROOM_ENGINE: engine is '{'x' * 79}…, {words}"


def test_what_is_no_file_in_its_place_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "greenroom.yaml"

    def refusal() -> str:
        with pytest.raises(ConfigurationError) as refused:
            read_config(path, {})
        path.rmdir() if path.is_dir() else path.unlink()
        return str(refused.value).removeprefix(f"{path}: ")

    os.mkfifo(path)
    assert refusal() == "is not a file: make it one, or remove it"
    path.mkdir()
    assert refusal() == "is not a file: make it one, or remove it"
    path.symlink_to("nowhere")
    assert refusal() == "is a link that leads nowhere: make it a file, or remove it"
    path.write_bytes(b"minutes: \xff")
    assert refusal() == "is not UTF-8 text: save it as UTF-8"
    path.write_bytes(b"# " + b"x" * 70_000)
    assert refusal() == "is larger than 64 KB: shorten it"
    assert read_config(path, {}) == Config()
