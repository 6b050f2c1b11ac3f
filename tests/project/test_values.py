"""Public values and errors are values: copied, and pickled to another process, they say the same."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import orchestrator
from orchestrator import Home, Segment
from orchestrator.core.errors import GreenroomError
from orchestrator.memory.validation import ArgumentsRefusedError, Problem
from tests.helpers.rehearsals import played, write_rehearsal

WAYS: dict[str, Any] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_context_and_its_receipt_are_the_same_when_copied(home: Path, tmp_path: Path, way: str) -> None:
    with played(home, write_rehearsal(tmp_path), id="s1") as session:
        for agent in ("skeptic", "moderator"):
            context = session.context(agent)
            again = WAYS[way](context)
            assert again == context
            assert (again.text, again.sha256) == (context.text, context.sha256)
            for layout in (None, "watermark", "strict"):
                assert again.messages(layout) == context.messages(layout)
            assert WAYS[way](context.receipt) == context.receipt
            assert WAYS[way](context.receipt).id == context.receipt.id
        proof = session.verify()
        assert WAYS[way](proof) == proof
        assert WAYS[way](Segment("Words.", 1.0, 2.0)) == Segment("Words.", 1.0, 2.0)
        assert WAYS[way](Home(home)) == Home(home)


def _errors() -> list[type[BaseException]]:
    for module in pkgutil.walk_packages(orchestrator.__path__, "orchestrator."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: list[type[BaseException]] = []
    waiting: list[type[BaseException]] = [BaseException]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        found += [kind for kind in kinds if kind.__module__.startswith("orchestrator.")]
    return sorted(set(found), key=lambda kind: (kind.__module__, kind.__qualname__))


def test_every_error_survives_with_its_message_and_what_it_is_about() -> None:
    errors = _errors()
    assert len(errors) > 40
    for kind in errors:
        error = kind.__new__(kind, "deck.md: cannot be read: check it")
        error.__dict__.update({"file": "deck.md", "value": None, "reason": "value", "trouble": "syntax"})
        for way in WAYS.values():
            again = way(error)
            assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error)), kind


def test_an_error_that_is_made_of_something_else_than_its_message_survives_too() -> None:
    error = ArgumentsRefusedError(Problem("agent", "is missing", "name one"))
    again = WAYS["pickle"](error)
    assert (str(again), again.problems, again.code) == (str(error), error.problems, error.code)
    given = GreenroomError("deck.md: broken", file=Path("deck.md"), value="x")
    assert vars(WAYS["pickle"](given)) == {"file": "deck.md", "value": "x"}
