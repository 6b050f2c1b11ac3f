"""A slide's type fits its sheet: all of its text is seen, as large as can be, wherever slides are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web, faults_of_axe
from tests.web.conftest import Serve, Served
from tests.web.test_rehearsal import in_room

if TYPE_CHECKING:
    from playwright.sync_api import Page

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

DECKS: Final = ("goit_product_pitch_2026", "lfe_annual_review_template", "openchain_basic_ja")
"""Those with the most text on a slide, of three scripts."""
WINDOWS: Final = {
    "": ((1280, 800), (390, 844), (844, 390), (640, 400)),  # the last: a laptop at a zoom of 200 %
    "/audience": ((1280, 720),),
    "/presenter": ((1024, 680), (390, 844)),
}
SHEETS = """async () => {
  for (const card of document.querySelectorAll(".slide-card")) card.hidden = false;
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  return [...document.querySelectorAll(".sheet")].filter((sheet) => sheet.clientWidth > 0).map((sheet) => {
    const box = sheet.firstElementChild;
    return {
      size: Number(sheet.style.getPropertyValue("--size")),
      isWhole: box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth,
      says: sheet.lastElementChild.checkVisibility() ? sheet.lastElementChild.textContent : "",
    };
  });
}"""
"""Every slide of a page, shown at once, and what is seen of each."""
IS_PREVIEW_WHOLE: Final = """() => {
  const { scrollHeight, clientHeight } = document.querySelector(".slide-scroll");
  return scrollHeight <= clientHeight;
}"""


def uploaded(page: Page, served: Served, deck: Any) -> Page:
    page.goto(f"{served.url}/new")
    page.set_input_files("#file", deck)
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    return page


def markdown(text: str) -> dict[str, Any]:
    return {"name": "deck.md", "mimeType": "text/markdown", "buffer": text.encode()}


@pytest.mark.parametrize("deck", DECKS)
def test_no_slide_loses_text_wherever_it_is_shown(serve: Serve, web: Web, deck: str, shared: Path) -> None:
    served = serve()
    page = uploaded(web.window().new_page(), served, shared / "decks" / f"{deck}.pptx")
    seen = {"preview": page.evaluate(SHEETS)}
    page.click("#begin")
    page.wait_for_url("**/room/*")
    session = page.url.rsplit("/", 1)[1]
    for path, sizes in WINDOWS.items():
        in_room(page, served, session, path)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            seen[f"{path} {width}"] = page.evaluate(SHEETS)
    assert all(seen.values())
    lost = [
        (where, at) for where, all_ in seen.items() for at, one in enumerate(all_, 1) if not one["isWhole"]
    ]
    assert lost == []


def test_a_slide_of_the_preview_is_shown_large(serve: Serve, web: Web) -> None:
    deck = markdown("".join(f"# Slide {number}\n\n- Costs {number} million\n\n" for number in range(1, 16)))
    page = uploaded(web.window(viewport={"width": 1280, "height": 800}).new_page(), serve(), deck)
    assert page.evaluate(IS_PREVIEW_WHOLE)
    page.locator("#slides button").nth(2).click()
    expect(page.locator("#large-title")).to_have_text("3. Slide 3")
    expect(page.locator("#large-slide")).to_contain_text("Costs 3 million")
    box = page.locator("#large-slide .sheet").bounding_box()
    assert box is not None
    assert box["width"] > 900
    assert box["y"] + box["height"] <= 800
    assert faults_of_axe(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#large")).not_to_be_visible()


def test_few_words_are_large_and_what_does_not_fit_is_said(serve: Serve, web: Web) -> None:
    lines = [f"- Line {number} of a slide that says more than anybody reads\n" for number in range(200)]
    deck = markdown(f"# Few\n\n- One line\n\n# Some\n\n{''.join(lines[:14])}\n# Too many\n\n{''.join(lines)}")
    few, some, many = uploaded(web.window().new_page(), serve(), deck).evaluate(SHEETS)
    assert few == {"size": 1.5, "isWhole": True, "says": ""}
    assert few["size"] > some["size"] > many["size"]
    assert (some["isWhole"], some["says"]) == (True, "")
    assert many == {"size": 0.4, "isWhole": False, "says": "More text than fits here"}
