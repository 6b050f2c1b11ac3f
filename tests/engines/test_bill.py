"""What a session's calls came to: the sum, and the words of a footer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.panel.debrief.parts import bill_json, bill_lines, bill_of
from orchestrator.panel.engines.prices import prices_read_at, search_usd
from orchestrator.panel.model.usage import CallUsage, Total, total
from orchestrator.panel.records.moderator import Called

CALL = CallUsage("skeptic", "judgement", "m1", 9_000, 500, 500, 80, 1.25, cost_usd=0.004, promised=0.9)
SHORT = replace(CALL, read=0, new=9_500)


def test_a_call_is_read_back_from_its_record() -> None:
    one = replace(CALL, searches=2, budget_share=0.5, answered="m1-mini")
    assert Called.read(Called(one).plain()) == Called(one)
    later = ("searches", "budget_share", "answered")
    old = {name: item for name, item in Called(CALL).plain().items() if name not in later}
    assert Called.read(old) == Called(CALL)


def test_a_call_that_reads_less_than_promised_sets_off_the_alarm() -> None:
    assert (CALL.alarm, SHORT.alarm, replace(SHORT, reported=False).alarm) == (False, True, False)
    assert bill_of([CALL, SHORT]).total.alarms == 1


def test_sums_add_up_and_an_unknown_price_stays_unknown() -> None:
    unknown = replace(CALL, model="llama", cost_usd=None)
    assert total([CALL, CALL]) + total([SHORT]) == total([CALL, CALL, SHORT])
    assert total([CALL, unknown]).cost_usd is None
    assert (Total() + total([unknown])).cost_usd is None
    assert (total([CALL]).input, total([CALL]).tokens) == (10_000, 10_080)


def test_without_calls_there_is_no_bill() -> None:
    assert bill_lines(bill_of([])) == []
    plain = bill_json(bill_of([]))
    assert (plain["calls"], plain["input_tokens"], plain["cost_usd"], plain["prices_read_at"]) == (
        0,
        0,
        0,
        None,
    )


def test_the_bill_in_words() -> None:
    assert "".join(bill_lines(bill_of([CALL, CALL]))) == (
        "2 calls to m1: 18,000 tokens read from the cache, 1,000 written to it, 1,000 new, 160 output; "
        f"$0.0080 by the prices of {prices_read_at()}."
    )
    local = replace(CALL, model="llama", cost_usd=None, read=0, written=0, new=10_000, reported=False)
    assert " ".join(bill_lines(bill_of([local]))) == (
        "1 call to llama: 0 tokens read from the cache, 0 written to it, 10,000 new, 80 output; the cost is "
        "not known, since no price is known for llama. On 1 call the server said nothing about its cache."
    )
    several = [replace(SHORT, searches=1, budget_share=0.7), replace(CALL, model="m2", budget_share=0.85)]
    first, second, third = bill_lines(bill_of(several))
    assert first.startswith("2 calls to m1, m2 with 1 web search: ")
    assert second == "1 call read less from the cache than the layout promises."
    assert third == "85% of the session's budget was used."


def test_who_answered_is_said_where_it_is_not_who_was_asked() -> None:
    bill = bill_of([CALL, replace(CALL, answered="m0"), replace(CALL, answered="m1-mini")])
    assert bill_lines(bill)[1:] == ["On 2 calls another model answered: m0, m1-mini."]
    assert (bill_json(bill)["models"], bill_json(bill)["answered_by"]) == (["m1"], ["m0", "m1-mini"])
    assert "answered_by" not in bill_json(bill_of([CALL]))


def test_a_budget_that_was_used_up_is_said() -> None:
    *_, last = bill_lines(bill_of([replace(CALL, budget_share=1.02)]))
    assert last == "The session's budget was used up: from then on the panel worked offline."


def test_searches_have_a_price() -> None:
    assert search_usd(3) == pytest.approx(0.03)
