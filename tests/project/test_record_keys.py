"""What a record carries is named in its class: nobody else reads its JSON by a key, or its type by a word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "orchestrator"

OF_JSON = (
    "core/store/ledger.py", "core/store/application.py",
    "panel/records/",
)  # fmt: skip
"""Where a value is JSON: its classes, the line that it is written as, and what any release's records hold."""


def breaches(module: str, source: str) -> Iterator[str]:
    """What *source*, as the text of the file *module*, does with a record's JSON, a line each."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(ast.Name("held") | ast.Attribute(attr="held"), "fields"):
                if not module.startswith(OF_JSON):
                    yield f"{module}:{node.lineno}: reads a record's JSON: read its class"
            case ast.keyword("effects", value=ast.List() | ast.Tuple() as effects):
                if any(isinstance(one, ast.Constant) for one in effects.elts):
                    yield f"{module}:{node.lineno}: names a type by a word: say Class.TYPE"
            case ast.Compare(ast.Attribute(ast.Name("record") | ast.Attribute(attr="held"), "type")):
                if any(isinstance(one, ast.Constant) for one in ast.walk(node)):
                    yield f"{module}:{node.lineno}: compares a type with a word: say Class.TYPE"
            case ast.arg("value", ast.expr() as annotation) if module.startswith("core/store/"):
                if any(word in ast.unparse(annotation) for word in ("Mapping", "dict", "Any")):
                    yield f"{module}:{node.lineno}: takes a record's value that is no Value"


def test_no_key_of_a_record_stands_outside_its_class() -> None:
    found = [
        line
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in breaches(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("loop/x.py", 'record.held.fields["made"]'),
        ("loop/x.py", 'record.held.fields.get("made")'),
        ("verify/x.py", "held.fields"),
        ("web/api/x.py", 'once(effects=[INTEL, "verdict"])'),
        ("web/api/x.py", 'once(effects=("verdict",))'),
        ("memory/x.py", 'record.type == "verdict"'),
        ("memory/x.py", 'record.type in ("verdict", VerdictGiven.TYPE)'),
        ("core/store/x.py", "def note(value: Value | Mapping[str, Any] | None): ..."),
        ("core/store/x.py", "def note(*, value: dict[str, Any]): ..."),
    ],
)
def test_one_that_does_is_found(module: str, source: str) -> None:
    assert len(list(breaches(module, source))) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("panel/records/x.py", "record.held.fields"),
        ("web/api/x.py", "once(effects=[INTEL, ExchangeOpened.TYPE])"),
        ("memory/x.py", "record.type != VerdictGiven.TYPE"),
        (
            "core/store/x.py",
            "def note(value: Value | str | None, fields: Mapping[str, Any] | None = None): ...",
        ),
        ("loop/x.py", "dataclasses.fields(held)"),
    ],
)
def test_one_that_does_not_is_none(module: str, source: str) -> None:
    assert list(breaches(module, source)) == []
