"""The presenter's window, on a phone: the question and its buttons, the dark screen, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.web.browser import Web, faults_of_axe
from tests.web.conftest import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}
API = "/api/v1/sessions/s1"


def place(page: Page, selector: str) -> dict[str, float]:
    box: dict[str, float] = page.locator(selector).evaluate("one => one.getBoundingClientRect().toJSON()")
    return box


def test_a_question_is_large_moves_nothing_and_has_the_buttons_of_its_turn(
    serve: Callable[..., Served], web: Web
) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        phone = web.open(f"{served.url}/room/s1/presenter", viewport=PHONE)
        phone.wait_for_selector("[data-connected=yes]")
        phone.click("#go")
        expect(phone.locator("#pause")).to_be_visible()
        before = place(phone, "#stage-slide"), place(phone, ".room-actions")
        question = client.post(f"{API}/ask", json={}).json()["question"]
        expect(phone.locator("#question-text")).to_have_text(question["text"])
        assert (place(phone, "#stage-slide"), place(phone, ".room-actions")) == before
        assert place(phone, "#question")["height"] > place(phone, "#stage-slide")["height"]
        assert (
            phone.evaluate("getComputedStyle(document.getElementById('question-text')).fontSize") == "20.8px"
        )
        buttons = phone.locator("#question button:visible")
        assert buttons.all_inner_texts() == ["That was it", "Come back later"]
        for button in buttons.all():
            expect(button).to_be_in_viewport(ratio=1)
        assert faults_of_axe(phone) == []
        said = {"text": "We measure it against two carriers.", "start_s": question["put_at_s"] + 0.1}
        client.post(f"{API}/segments", json=said)
        with phone.expect_response("**/answer/done") as answered:
            phone.click("#done")
        assert answered.value.ok
        if client.get(f"{API}/room").json()["question"] is None:  # else a follow-up is open
            client.post(f"{API}/ask", json={})
        phone.click("#park")
        expect(phone.locator("#question")).to_be_hidden()


def test_behind_the_last_slide_there_is_none(serve: Callable[..., Served], web: Web) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        phone = web.open(f"{served.url}/room/s1/presenter", viewport=PHONE)
        shown = []
        for number in (1, 5, 10):
            client.put(f"{API}/slide", json={"slide": number})
            expect(phone.locator("#slide-name")).to_contain_text(f"{number} of 10")
            shown.append([phone.get_attribute(one, "aria-disabled") for one in ("#previous", "#next")])
    assert shown == [["true", "false"], ["false", "false"], ["false", "true"]]


def test_after_a_reload_the_cursor_is_where_it_was(serve: Callable[..., Served], web: Web) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
    page = web.open(f"{served.url}/room/s1")
    for is_typing in (True, False):
        page.wait_for_selector("[data-connected=yes]")
        page.evaluate(f"document.getElementById('words').{'focus' if is_typing else 'blur'}()")
        page.reload()
        page.wait_for_selector("[data-connected=yes]")
        assert page.evaluate("document.activeElement.id") == ("words" if is_typing else "")


@pytest.mark.parametrize("start", ["/", "/new"])
def test_the_starting_page_leads_to_the_rehearsal_that_is_under_way(
    serve: Callable[..., Served], web: Web, start: str
) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        title = client.get(f"{API}/room").json()["title"]
        page = web.open(f"{served.url}{start}")
        assert page.locator(".under-way").count() == 0
        page.goto(f"{served.url}/room/s1")
        client.post(f"{API}/drive")
        page.go_back()
        expect(page.locator(".under-way")).to_have_text(f"Under way: {title}")
        page.click(".under-way a")
        page.wait_for_url("**/room/s1")
        client.post(f"{API}/end", json={"without_debrief": True})
        page.wait_for_url("**/debrief/s1")
        page.goto(f"{served.url}{start}")
        assert page.locator(".under-way").count() == 0


def test_what_was_refused_is_told_until_the_room_is_another_one(
    serve: Callable[..., Served], web: Web
) -> None:
    web.forgive("status of 409")
    served = serve()
    with served.client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        client.post(f"{API}/drive")
        client.post(f"{API}/ask", json={})
        phone = web.open(f"{served.url}/room/s1/presenter", viewport=PHONE)
        phone.click("#done")
        expect(phone.locator("#refused")).to_contain_text("Nothing was said to this question yet")
        client.put(f"{API}/slide", json={"slide": 2})
        expect(phone.locator("#refused")).to_be_empty()
