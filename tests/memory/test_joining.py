"""Sentences that captions cut in pieces are joined again, word for word, and lead to their records."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.memory.scribe import MAX_TAIL_CHARS, Joining, Sentence


def joined(*pieces: str) -> list[Sentence]:
    joining = Joining()
    found = [one for seq, text in enumerate(pieces, 1) for one in joining.add(text, seq, "Ines")]
    return [*found, *joining.rest()]


def test_a_sentence_is_given_once_it_is_whole() -> None:
    joining = Joining()
    assert list(joining.add("Good morning. We grew by", 1, None)) == [Sentence("Good morning.", 1, 1)]
    assert list(joining.add("eighteen percent", 2, None)) == []
    assert list(joining.add("in 2026. Next", 3, None)) == [
        Sentence("We grew by eighteen percent in 2026.", 1, 3)
    ]
    assert list(joining.rest()) == [Sentence("Next", 3, 3)]
    assert list(joining.rest()) == []


def test_speech_without_stops_is_taken_piece_by_piece() -> None:
    pieces = [f"and then number {number} went up by some more" for number in range(40)]
    assert [one.text for one in joined(*pieces)] == pieces


def test_another_speaker_ends_a_sentence() -> None:
    joining = Joining()
    list(joining.add("We grew by", 1, "Ines"))
    assert list(joining.add("How much?", 2, "Host")) == [
        Sentence("We grew by", 1, 1),
        Sentence("How much?", 2, 2),
    ]


WORDS = st.lists(st.sampled_from(["We", "grew", "by", "18%", "in", "2026.", "Costs", "fell.", "Why?", "and"]))


@given(st.lists(WORDS.map(" ".join), max_size=80))
def test_every_word_is_given_once_in_order_and_stands_in_its_record(pieces: list[str]) -> None:
    found = joined(*pieces)
    assert " ".join(one.text for one in found).split() == " ".join(pieces).split()
    for one in found:
        assert one.text.split()[0] in pieces[one.seq - 1]
        assert one.text.split()[-1] in pieces[one.last_seq - 1]
        assert one.seq <= one.last_seq
        assert len(one.text) <= MAX_TAIL_CHARS + max(map(len, pieces)) * 2
