"""Each segment gets its slide: the one it names, or the one whose words it says."""

from __future__ import annotations

import random

import pytest

from orchestrator.core.errors import SpeechError
from orchestrator.material.speech.slides import estimate_slides, terms
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide, Table


def deck(*slides: Slide) -> Deck:
    return Deck(kind="md", name="deck.md", sha256="0" * 64, title="Deck", slides=slides)


def speech(*texts: str, slides: tuple[int | None, ...] = ()) -> tuple[Segment, ...]:
    numbers = slides or (None,) * len(texts)
    return tuple(
        Segment(text, 10.0 * n, 10.0 * n + 9, slide=number)
        for n, (text, number) in enumerate(zip(texts, numbers, strict=True))
    )


def found(segments: tuple[Segment, ...]) -> list[tuple[int | None, bool]]:
    return [(segment.slide, segment.slide_estimated) for segment in segments]


THREE = deck(
    Slide(1, "Harbour cranes", ("Forty cranes on two quays",)),
    Slide(2, "Maintenance", ("Bearings fail after 9,000 hours",)),
    Slide(3, "What we ask for", ("EUR 2.4 M for bearings and training",)),
)


def test_told_slides_stay_and_carry_on() -> None:
    segments = speech("a", "b", "c", "d", "e", "f", slides=(None, 2, None, 1, None, 3))
    assert found(estimate_slides(segments, THREE)) == [
        (1, True), (2, False), (2, False), (1, False), (1, False), (3, False),
    ]  # fmt: skip


def test_a_told_slide_that_is_not_there_is_refused() -> None:
    with pytest.raises(SpeechError) as caught:
        estimate_slides(speech("a", "b", slides=(1, 14)), THREE)
    assert str(caught.value) == (
        "segment 2 (at 0:10) is on slide 14, but the deck deck.md has 3 slides: give this deck's recording"
    )


def test_words_find_their_slides() -> None:
    segments = speech(
        "Good morning everyone.",
        "We run forty of these at the harbour.",
        "They are old.",
        "Now to how we maintain them: maintenance is late.",
        "A bearing fails, and then the quay stands still.",
        "So this is what we are asking for.",
        "Two point four million, for training as well.",
    )
    assert found(estimate_slides(segments, THREE)) == [
        (1, True), (1, True), (1, True), (2, True), (2, True), (3, True), (3, True),
    ]  # fmt: skip


def test_nothing_but_the_slides_changes() -> None:
    segments = (Segment("cranes", 1.0, 2.0, speaker="Lee", times_estimated=True, confidence=0.5),)
    assert estimate_slides(segments, THREE) == (
        Segment("cranes", 1.0, 2.0, "Lee", 1, slide_estimated=True, times_estimated=True, confidence=0.5),
    )


def test_where_nothing_matches_the_slides_are_spread_evenly() -> None:
    assert found(estimate_slides(speech(*["Nothing of the kind."] * 6), THREE)) == [
        (1, True), (1, True), (2, True), (2, True), (3, True), (3, True),
    ]  # fmt: skip
    assert found(estimate_slides(speech(*["Still nothing."] * 2), deck(Slide(1, ""), Slide(2, "")))) == [
        (1, True), (2, True),
    ]  # fmt: skip


def test_hidden_slides_are_not_spoken_to() -> None:
    hidden = deck(
        Slide(1, "Old prices", hidden=True),
        Slide(2, "Cranes"),
        Slide(3, "Prices", hidden=True),
        Slide(4, "Prices"),
    )
    assert found(estimate_slides(speech("Cranes first.", "Then old prices."), hidden)) == [
        (2, True),
        (4, True),
    ]
    assert found(estimate_slides(speech("a", "b", slides=(None, 3)), hidden)) == [(2, True), (3, False)]
    assert found(estimate_slides(speech("Old prices."), deck(hidden.slides[0]))) == [(1, True)]
    assert estimate_slides(speech("a"), deck()) == speech("a")
    assert estimate_slides((), THREE) == ()


def test_tables_charts_notes_and_alt_texts_count() -> None:
    parts = deck(
        Slide(1, "", tables=(Table((("Depot", "Rotterdam"),)),)),
        Slide(2, "", charts=(Chart("bar", "Tonnage", ("spring",), (Series("Gdansk", (1.0,)),)),)),
        Slide(3, "", notes="Mention the insurance."),
        Slide(4, "", alt_texts=("A flooded basement",)),
    )
    segments = speech(
        "In Rotterdam", "Gdansk has the tonnage", "the insurance pays", "for a flooded basement"
    )
    assert found(estimate_slides(segments, parts)) == [(1, True), (2, True), (3, True), (4, True)]


def test_japanese_slides_are_matched_by_pairs_of_characters() -> None:
    japanese = deck(Slide(1, "会社概要"), Slide(2, "売上高の推移"), Slide(3, "今後の計画"))
    segments = speech(
        "まず会社の概要です", "売上高は伸びています", "推移をご覧ください", "今後の計画を話します"
    )
    assert [slide for slide, _ in found(estimate_slides(segments, japanese))] == [1, 2, 2, 3]


def test_terms_leave_out_what_says_nothing() -> None:
    assert terms("We’ve read the company's 9,000 bearings, and two policies — 売上高") == [
        "read", "company", "9", "000", "bearing", "two", "policy", "売上", "上高",
    ]  # fmt: skip


WORDS = [
    f"{a}{b}{c}"
    for a in ("bra", "cle", "dri", "fro", "gul")
    for b in ("man", "net", "pol", "ris")
    for c in "oaekl"
]
CHATTER = "so what you see now is that people we know keep saying much the same about it every other week"


@pytest.mark.parametrize("seed", range(5))
def test_speech_made_of_the_deck_s_words_finds_its_slides(seed: int) -> None:
    chance = random.Random(seed)
    slides = tuple(
        Slide(
            n, " ".join(chance.sample(WORDS, 3)), tuple(" ".join(chance.sample(WORDS, 6)) for _ in range(4))
        )
        for n in range(1, 16)
    )
    segments: list[Segment] = []
    truth: list[int] = []
    for slide in slides:
        own = " ".join([slide.title, *slide.lines]).split()
        for _ in range(chance.randint(1, 8)):
            words = [
                chance.choice(own if chance.random() < 0.4 else CHATTER.split())
                for _ in range(chance.randint(6, 20))
            ]
            segments.append(Segment(" ".join(words), len(segments), len(segments) + 1.0))
            truth.append(slide.number)
    right = sum(
        one.slide == number
        for one, number in zip(estimate_slides(tuple(segments), deck(*slides)), truth, strict=True)
    )
    assert right >= 0.9 * len(truth)
