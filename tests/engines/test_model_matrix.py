"""A sample of the failure matrix; the whole is in `scripts/slow` (tests/helpers/model_matrix.py)."""

from __future__ import annotations

import pytest

from tests.helpers.model_matrix import Case, Plain, cases, plain, run
from tests.helpers.server_faults import FAULTS

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

SAMPLE = (
    Case("overloaded", 1),
    Case("key", 5),
    Case("hang", 7),
    Case("cut", 13),
    Case("contradiction", 13),
    Case("false_quote", 13),
    Case("other_kind", 14),
    Case("empty", 15),
    Case("model", 4, lasts=True),
    Case("half_json", 12, lasts=True),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    return plain(tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_whatever_fails_the_session_ends_whole_and_nothing_is_praised(whole: Plain, case: Case) -> None:
    assert run(case, whole) == []


def test_the_matrix_has_every_fault_at_every_call(whole: Plain) -> None:
    found = list(cases(whole.calls))
    assert {(one.fault, one.call) for one in found if not one.lasts} == {
        (fault, call) for fault in FAULTS for call in range(1, whole.calls + 1)
    }
    assert set(SAMPLE) - {Case("half_json", 12, lasts=True)} <= set(found)
