"""A model with little room: what an agent's files are shortened to, and that a receipt names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.context.receipt import cut_bytes, joined, receipt_of, sections
from orchestrator.panel.home import Home
from orchestrator.panel.loop.fitting import DECK, kept_within
from orchestrator.rehearsal.session import Session

pytestmark = pytest.mark.nameless  # what is carried over takes room, and is never shortened

SLIDES = "".join(f"# Slide {number}\n\n- Point {number}: {'word ' * 40}\n\n---\n\n" for number in range(1, 9))
AGENT = "skeptic"
KNOWLEDGE = f"templates/{AGENT}/domain-knowledge.md"


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with Session.start(Home.open(home), deck_text=SLIDES.removesuffix("---\n\n")) as made:
        yield made


def size_of(session: Session) -> int:
    return sum(block.size_bytes for block in session.context(AGENT).blocks)


def kept_of(session: Session, over: int, slide: int | None = None) -> dict[str, tuple[int, ...]]:
    context = session.context(AGENT)
    return dict(kept_within(context, size_of(session) - over, slide))


def slides_in(deck: str, ends: tuple[int, ...]) -> list[int]:
    raw = deck.encode()
    sent = "".join(raw[start:end].decode() for start, end in zip(ends[::2], ends[1::2], strict=True))
    return [int(number) for number in re.findall(r"^## Slide (\d+)", sent, re.MULTILINE)]


def test_where_there_is_room_nothing_is_left_out(session: Session) -> None:
    assert kept_of(session, 0) == {}


def test_the_fields_knowledge_goes_first_from_its_end_and_in_whole_sections(session: Session) -> None:
    text = next(one for one in session.context(AGENT).blocks if one.path == KNOWLEDGE).inner
    parts = sections(text)
    assert kept_of(session, 1) == {KNOWLEDGE: joined(parts[:-1])}
    assert kept_of(session, parts[-1][1] - parts[-1][0] + 1) == {KNOWLEDGE: joined(parts[:-2])}


def test_of_the_deck_the_slides_farthest_from_the_one_that_is_asked_about_go(session: Session) -> None:
    context = session.context(AGENT)
    deck = next(one for one in context.blocks if one.path == DECK).inner
    knowledge = next(one for one in context.blocks if one.path == KNOWLEDGE).inner
    rest = sum(end - start for start, end in sections(knowledge)[1:])
    others = sum(
        one.size_bytes
        for one in context.blocks
        if one.path in ("shared/external-intel.md", "shared/board-dossier.md")
    )
    kept = kept_of(session, rest + others + 600, slide=3)
    assert slides_in(deck, kept[DECK]) == [1, 2, 3, 4, 5]
    assert slides_in(deck, kept_of(session, 10**6, slide=3)[DECK]) == [3]  # it stays, however little room


def test_the_messages_are_shortened_and_say_so_and_the_context_stays_whole(session: Session) -> None:
    context = session.context(AGENT)
    kept = kept_of(session, 2_000)
    short = replace(context, receipt=replace(context.receipt, kept=kept))
    whole_text = "".join(one.text for one in (*context.laid_out().system, *context.laid_out().user))
    short_text = "".join(one.text for one in (*short.laid_out().system, *short.laid_out().user))
    cut = cut_bytes(kept, {one.path: one.size_bytes for one in context.blocks})
    assert cut >= 2_000
    note = f"[{cut} bytes of this file are left out here: the model has little room.]\n"
    assert note in short_text
    assert len(whole_text.encode()) - len(short_text.encode()) == cut - len(note.encode())
    assert short.text == context.text


def test_a_receipt_keeps_what_was_sent_and_is_another_than_of_the_whole(session: Session) -> None:
    receipt = session.context(AGENT).receipt
    short = replace(receipt, kept={KNOWLEDGE: (0, 10)})
    assert short.id != receipt.id
    assert receipt_of(short.value()) == short
    assert "kept" not in receipt.value()


@given(st.lists(st.text("ab\n# é", max_size=12), max_size=12))
def test_the_sections_of_any_text_are_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    parts = sections(text)
    assert "".join(text.encode()[start:end].decode() for start, end in parts) == text
    assert joined(parts) == (0, len(text.encode()))
