"""The cache meter against cases that were worked out by hand from the published rules."""

from __future__ import annotations

import pytest

from orchestrator.core.context.messages import CacheMeter, InputUsage, Messages, TextBlock, tokens_of


def sent(*texts: str) -> Messages:
    """Blocks of 100 tokens a letter ("aa": 200); a star at the end marks the block."""
    blocks = tuple(TextBlock(text.rstrip("*") * 400, marked=text.endswith("*")) for text in texts)
    return Messages("strict", blocks[:1], blocks[1:])


def usage(
    *calls: tuple[float, Messages], minimum: int = 100, settings: tuple[str, ...] = ()
) -> list[InputUsage]:
    meter = CacheMeter(minimum_tokens=minimum)
    return [
        meter.call(at_s, messages, settings=settings[number] if settings else "")
        for number, (at_s, messages) in enumerate(calls)
    ]


def test_what_is_marked_is_written_once_and_read_from_then_on() -> None:
    assert usage((0, sent("a", "bb*", "c")), (10, sent("a", "bb*", "d"))) == [
        InputUsage(read=0, written=300, new=100),
        InputUsage(read=300, written=0, new=100),
    ]


def test_nothing_is_written_without_a_mark_nor_at_earlier_places() -> None:
    assert usage((0, sent("a", "b", "c")), (1, sent("a", "b", "c")))[1] == InputUsage(new=300)
    second = usage((0, sent("a", "b", "c*")), (1, sent("a", "b", "d*")))[1]
    assert second == InputUsage(read=0, written=300)  # no entry stands at "b"


def test_a_mark_that_moves_on_reads_up_to_the_last_one() -> None:
    assert usage((0, sent("a", "b*")), (5, sent("a", "b", "c*")), (9, sent("a", "b", "c", "d*", "e"))) == [
        InputUsage(0, 200, 0),
        InputUsage(200, 100, 0),
        InputUsage(300, 100, 100),
    ]


def test_a_mark_on_what_changes_each_time_is_paid_each_time() -> None:
    assert usage((0, sent("a*", "b*")), (1, sent("a*", "c*")), (2, sent("a*", "d*")))[1:] == [
        InputUsage(100, 100, 0),
        InputUsage(100, 100, 0),
    ]


@pytest.mark.parametrize(("between", "read"), [(18, 200), (19, 0)])
def test_an_entry_is_found_at_most_twenty_places_back(between: int, read: int) -> None:
    later = sent("a", "b", *"c" * between, "d*")
    assert usage((0, sent("a", "b*")), (1, later))[1].read == read


@pytest.mark.parametrize(("at_s", "read"), [(299.9, 200), (300, 0)])
def test_an_entry_lives_five_minutes(at_s: float, read: int) -> None:
    assert usage((0, sent("a", "b*")), (at_s, sent("a", "b*")))[1].read == read


def test_each_use_renews_an_entry() -> None:
    calls = [(200.0 * number, sent("a", "b*")) for number in range(5)]
    assert usage(*calls)[1:] == [InputUsage(read=200)] * 4


def test_below_the_minimum_there_is_silently_no_caching() -> None:
    assert usage((0, sent("a", "b*")), (1, sent("a", "b*")), minimum=201) == [InputUsage(new=200)] * 2
    assert usage((0, sent("a", "b*")), (1, sent("a", "b*")), minimum=200)[1] == InputUsage(read=200)


def test_other_settings_are_another_cache() -> None:
    calls = ((0, sent("a", "b*")), (1, sent("a", "b*")), (2, sent("a", "b*")))
    assert [one.read for one in usage(*calls, settings=("one", "two", "one"))] == [0, 0, 200]


def test_a_change_in_front_spoils_everything_behind_it() -> None:
    assert usage((0, sent("a*", "b*", "c*")), (1, sent("a*", "x*", "c*")))[1] == InputUsage(100, 200, 0)


def test_the_cost_is_counted_in_plain_tokens() -> None:
    assert InputUsage(read=1000, written=100, new=10).cost == pytest.approx(100 + 125 + 10)
    assert InputUsage(1, 2, 3) + InputUsage(10, 20, 30) == InputUsage(11, 22, 33)
    assert InputUsage(1, 2, 3).total == 6
    assert [tokens_of(text) for text in ("", "ab", "abcdefgh", "ü" * 4)] == [1, 1, 2, 2]
