"""A sample of the failure matrix; the whole is in `scripts/slow` (tests/helpers/model_matrix.py)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from orchestrator.panel.engines.model.settings import CHAT, MESSAGES
from tests.helpers.model_matrix import IGNORES, Case, Plain, cases, plain, run
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
    Case(IGNORES, 1, lasts=True),
    Case("stream_error", 7, wire=CHAT),
    Case("cut", 13, wire=CHAT),
    Case("false_quote", 13, wire=CHAT),
    Case("truncated", 4, lasts=True, wire=CHAT),
    Case("overloaded", 12, lasts=True, wire=CHAT),
    Case(IGNORES, 1, lasts=True, wire=CHAT),
)


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Plain]:
    return {wire: plain(tmp_path_factory.mktemp("matrix"), wire) for wire in (MESSAGES, CHAT)}


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_whatever_fails_the_session_ends_whole_and_nothing_is_praised(
    wholes: Mapping[str, Plain], case: Case
) -> None:
    assert run(case, wholes[case.wire]) == []


@pytest.mark.parametrize("wire", [MESSAGES, CHAT])
def test_the_matrix_has_every_fault_at_every_call(wholes: Mapping[str, Plain], wire: str) -> None:
    whole = wholes[wire]
    found = list(cases(whole.calls, wire=wire))
    assert {(one.fault, one.call) for one in found if not one.lasts} == {
        (fault, call) for fault in FAULTS for call in range(1, whole.calls + 1)
    }
    own = {one for one in SAMPLE if one.wire == wire and not (one.lasts and one.call == 12)}
    assert own <= set(found)
