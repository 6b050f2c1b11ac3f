"""A code for another device is redeemed once, at any worker, and guesses count at all of them together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.cluster.codes import BUCKET, BucketCodes
from orchestrator.cluster.connection import Connection
from orchestrator.web.pairing import MAX_WRONG, Offers, Opened, Pairings

KEY = b"the same at all workers"
PHONE = Opened("s1", "presenter")


@pytest.fixture
def both(connection: Connection, other: Connection) -> tuple[Pairings, Pairings]:
    """The pairings of two workers."""
    first, second = (Pairings(codes=BucketCodes(one), key=KEY) for one in (connection, other))
    return first, second


def test_a_code_is_redeemed_once_at_another_worker_and_its_pass_is_known_to_all(
    both: tuple[Pairings, Pairings],
) -> None:
    first, second = both
    code = first.offer(PHONE)
    made, opened = second.redeem(code) or ("", None)
    assert opened == PHONE
    assert [one.may(made, "GET", "/room/s1/presenter") for one in both] == [True, True]
    assert [one.may(made, "GET", "/room/s2/presenter") for one in both] == [False, False]
    assert first.redeem(code) is None


def test_of_many_who_redeem_a_code_at_once_one_gets_a_pass(both: tuple[Pairings, Pairings]) -> None:
    code = both[0].offer(PHONE)

    def redeem(number: int) -> bool:
        return both[number % 2].redeem(code) is not None

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(redeem, range(6))) == 1


def test_guesses_count_at_all_workers_together(both: tuple[Pairings, Pairings]) -> None:
    both[0]._codes.change(lambda offers: (Offers(), None))  # none was tried so far
    code = both[0].offer(PHONE)
    for number in range(MAX_WRONG):
        assert both[number % 2].redeem("AAAAAAAA") is None
    assert both[1].redeem(code) is None


def test_no_code_can_be_read_where_they_are_stored(
    both: tuple[Pairings, Pairings], connection: Connection
) -> None:
    code = both[0].offer(PHONE)

    async def stored() -> bytes:
        entry = await (await connection.js.key_value(BUCKET)).get("offers")
        return entry.value or b""

    found = connection.run(stored())
    assert b'"s1"' in found
    assert code.encode() not in found


CHANGES: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "shorter": lambda one: one[:-1],
    "another session": lambda one: one.replace("s1", "s2"),
    "nothing": lambda one: "",
    "no letters": lambda one: "ä.ö.ü",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_pass_that_was_changed_opens_nothing(both: tuple[Pairings, Pairings], change: str) -> None:
    made, _ = both[1].redeem(both[0].offer(PHONE)) or ("", None)
    assert made
    for path in ("/room/s1/presenter", "/room/s2/presenter"):
        assert not both[0].may(CHANGES[change](made), "GET", path)
