"""What a rehearsal's memories are recalled by: what its slides say, and no figure and no title alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.material.deck.read import read_deck_text
from orchestrator.memory.embedding import Embedder, HttpEmbedder
from orchestrator.memory.session_memory import TOPIC_LINES, take_along, topic_of
from orchestrator.panel.records.setup import Options
from tests.helpers.embeddings_server import EmbeddingsServer
from tests.helpers.memories import INES, NOW, at, keep, opened

DECK = read_deck_text("# The year in numbers\n\n- Customer churn is 6% a year\n- 412\n")
OPTIONS = Options(
    "s1", INES, ("skeptic",), "offline", "watermark", "section-breaks", "moderate", 20, 8, remember=True
)
ABOUT_CHURN = (
    "Churn was given by month when asked.",
    "Left the churn of pharmacies out.",
    "Blames customers leaving on the season.",
)


def carried(home: Path, embed: Embedder | None = None) -> list[str]:
    """What the skeptic of a session on DECK remembers, with the reasons: older memories about churn, then
    newer ones about other things, of which three have a number in them.
    """
    with opened(home) as db:
        for day, content in enumerate(ABOUT_CHURN):
            keep(db, content, now=at(day))
        for day in range(3, 9):
            keep(db, f"The penguins of number {day} are fed at noon.", now=at(day))
    text = take_along(home, OPTIONS, DECK, embed=embed, now=at(30)).carried.texts["skeptic"]
    return [line.partition("0.8: ")[2] for line in text.splitlines() if "confidence 0.8: " in line]


def test_it_is_the_focus_and_what_slides_say_without_figures() -> None:
    deck = read_deck_text(
        "# Ferries in 2026\n\n- Passengers grew 12 %\n- 4,711\n\n"
        "| Route | Boats |\n|---|---|\n| North 2 | 7 |\n\n---\n\n# Money\n\n- A new grant by May\n- Money\n"
    )
    assert topic_of(deck, ("churn in Q3", "2027")).splitlines() == [
        "churn in",
        "Ferries in",
        "Money",
        "Passengers grew %",
        "A new grant by May",
        "Route Boats",
        "North",
    ]


def test_of_a_long_deck_every_slide_is_in_it() -> None:
    words = [chr(97 + n // 26) + chr(97 + n % 26) for n in range(90)]
    slides = (
        f"# Slide {word}\n\n" + "".join(f"- Line {word} {other}\n" for other in words[:9]) for word in words
    )
    lines = topic_of(read_deck_text("\n---\n".join(slides))).splitlines()
    assert len(lines) == TOPIC_LINES
    assert {word for line in lines for word in line.split()} >= set(words)


def test_by_words_what_a_slide_says_is_recalled_and_not_what_shares_a_number(tmp_path: Path) -> None:
    assert carried(tmp_path) == [
        "Blames customers leaving on the season. (recalled: words in common: customer)",
        "Left the churn of pharmacies out. (recalled: words in common: churn)",
        "Churn was given by month when asked. (recalled: words in common: churn)",
        "The penguins of number 8 are fed at noon. (recalled: recent: 2026-11-30)",
        "The penguins of number 7 are fed at noon. (recalled: recent: 2026-11-29)",
    ]


def test_by_meaning_too_and_the_lines_are_sent_once_for_all_agents(tmp_path: Path) -> None:
    def answer(plain: dict[str, Any]) -> tuple[int, Any]:
        themes = ("churn customers leaving", "penguins fed noon")
        data = [
            {
                "index": n,
                "embedding": [float(any(w in text.lower() for w in one.split())) for one in themes] + [0.5],
            }
            for n, text in enumerate(plain["input"])
        ]
        return 200, {"data": data}

    with EmbeddingsServer(answer) as server:
        found = carried(tmp_path, HttpEmbedder(server.url, "small"))
    assert [one.partition(" (recalled: close in meaning: ")[0] for one in found[:3]] == [
        "Blames customers leaving on the season.",
        "Left the churn of pharmacies out.",
        "Churn was given by month when asked.",
    ]
    topics = [one["input"] for one in server.requests if "Customer churn is a year" in one["input"]]
    assert topics == [["The year in numbers", "Customer churn is a year"]]


def test_a_deck_of_figures_alone_brings_back_what_is_recent(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        keep(db, "The penguins of number 7 are fed at noon.")
    taken = take_along(tmp_path, OPTIONS, read_deck_text("# 2026\n\n- 12 %\n- 4,711\n"), now=NOW)
    assert "(recalled: recent: 2026-11-22)" in taken.carried.texts["skeptic"]
