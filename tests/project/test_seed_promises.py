"""The table of the seeds' promises names tests that there are; `conftest.py` prints what came of each."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.helpers.seed_promises import PROMISES, node_of


@pytest.mark.parametrize(("seed", "promise", "file", "test"), PROMISES)
def test_each_promise_has_its_test(seed: str, promise: str, file: str, test: str) -> None:
    path, _, name = node_of(file, test).partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), promise


def test_every_seed_of_memory_is_in_the_table_and_no_row_twice() -> None:
    assert {seed for seed, *_ in PROMISES} == {"000", "001", "002", "003"}
    assert len({promise for _, promise, *_ in PROMISES}) == len(PROMISES)
