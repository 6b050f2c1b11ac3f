"""How the presenter spoke: fillers and hedges on word boundaries, pace, pauses, talk share."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.speech.delivery import (
    FILLER,
    HEDGE,
    Pause,
    Repeated,
    delivery_of,
    marks,
    repeated_in,
    said_in,
)
from orchestrator.material.speech.read import read_speech
from orchestrator.material.speech.slides import ReadAloud, read_aloud
from orchestrator.material.speech.stream import timed
from orchestrator.material.speech.times import Stretch, pace_of, stretches, windows, words_in
from orchestrator.material.values import LiveSegment, Segment

# -- fillers and hedges, word by word


def counted(text: str) -> list[str]:
    return [mark.word for mark in marks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Words that hold a filler or hedge, or look like one.
        ("The likely volume is an assumption; the number is human, and the album is likewise dumb.", []),
        ("A well-known sort, the right kind, unlike the so-called thinker.", []),
        # um, uh, er
        ("The clock is, um, the clock is running. Uh, and ummm, yes.", ["um", "uh", "ummm"]),
        ("Uh-huh. The drum, the sum and the umbrella.", []),
        # you know
        ("That is not, you know, luck.", ["you know"]),
        ("But you know, it works. It works, you know?", ["you know", "you know"]),
        ("As you know, we grew. You know that we grew. Do you know why? If you know, tell us.", []),
        ("We will let you know, by May. It is more than you know.", []),
        # I mean
        ("I mean, it works. And I mean we tried.", ["I mean", "I mean"]),
        ("By revenue I mean recurring revenue. I mean what I say. Do you know what I mean?", []),
        # like
        ("It was like 40 percent, and it took like two years.", ["like", "like"]),
        ("It is, like, the best. You could have like an extra button.", ["like", "like"]),
        ("I would like a pause. It looks like 40 percent. Markets like Japan, and people like you.", []),
        ("We do like the plan. It feels like a start; much like last year. If you would like, ask.", []),
        # so, well, right
        ("That was last year, so. Um, so, um, this year.", ["so", "um", "so", "um"]),
        (
            "So, in the third quarter we grew, so that we could hire. It is so good. I think so too.",
            ["I think"],
        ),
        (
            "Well, of course. That is, well, hard. Costs as well, and well above plan. We did well.",
            ["well"] * 2,
        ),
        ("That was last year, right? The right decision. Right. On the left, right, and behind.", ["right"]),
        # basically, kind of, to be honest
        ("So basically we stopped. It is, basically, done.", ["basically"] * 2),
        ("It is basically the same number.", []),
        ("It is kind of late and we sort of knew.", ["kind of", "sort of"]),
        ("This kind of project. What sort of rate? A kind of truck. It is kind of you.", []),
        ("To be honest, it failed. To be honest it failed.", ["to be honest"] * 2),
        ("To be honest with you is easier than to explain it. To be honest about it took a year.", []),
        # hedges
        ("We hope to maybe finish, and I hope to see you.", ["we hope to", "maybe"]),
        ("I think it works. I think about it. What I think is clear. The way I think.", ["I think"]),
        ("It is, I believe, done. I believe in it. We believe that it works.", ["I believe"]),
        (
            "Perhaps, possibly, hopefully and presumably somewhat.",
            ["perhaps", "possibly", "hopefully", "presumably", "somewhat"],
        ),
        ("We cannot possibly wait. Perhaps most importantly, we grew.", []),
        (
            "More or less. No more or less than ten. In a way that works, in a way.",
            ["more or less", "in a way"],
        ),
        ("", []),
    ],
)
def test_what_counts_and_what_does_not(text: str, expected: list[str]) -> None:
    assert counted(text) == expected


ALWAYS = ("um", "uh", "maybe", "probably", "hopefully", "presumably", "somewhat")
"""Words that count wherever they stand."""

plain_words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
neutral = st.lists(
    st.sampled_from(["the", "plan", "is", "good", "and", "we", "sell", "boats", "in", "March"]), max_size=6
)


@given(word=st.sampled_from(ALWAYS), before=plain_words, after=plain_words)
def test_no_hit_inside_another_word(word: str, before: str, after: str) -> None:
    for longer in (before + word, word + after, before + word + after, f"{word}_{after}", f"{word}-{after}"):
        assume(not re.fullmatch(r"u+m+|u+h+|erm+|uhm+", longer) and longer not in ALWAYS)
        assert counted(f"we sell {longer} boats") == []


@given(
    word=st.sampled_from(ALWAYS),
    left=st.sampled_from(["", '"', "(", "“", "— ", "… "]),
    right=st.sampled_from(["", ".", ",", "?", "…", '"', ")", "”", " —", "!"]),
    before=neutral,
    after=neutral,
)
def test_punctuation_and_case_make_no_difference(
    word: str, left: str, right: str, before: list[str], after: list[str]
) -> None:
    text = " ".join([*before, f"{left}{word}{right}", *after])
    for variant in (text, text.upper(), text.title()):
        assert counted(variant) == [word]


@given(
    st.lists(
        st.sampled_from([*ALWAYS, "you", "know", "like", "so", "well", "I", "think", ",", ".", "kind", "of"])
    )
)
def test_what_is_found_stands_there_and_nothing_overlaps(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = marks(text)
    assert all(text[mark.start : mark.end].lower() == mark.word.lower() for mark in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(text[mark.start : mark.end].strip() for mark in marks(text))


@given(
    st.lists(st.lists(st.sampled_from([*ALWAYS, "the", "boats", "are", "and", "of"]), max_size=8), max_size=8)
)
def test_the_whole_is_the_sum_of_the_segments(texts: list[list[str]]) -> None:
    segments = [Segment(" ".join(words), float(at), float(at) + 1) for at, words in enumerate(texts)]
    told = delivery_of(segments, (None,))
    assert told.said is not None
    assert told.count(FILLER) + told.count(HEDGE) == sum(len(marks(one.text)) for one in segments)
    assert sum(count for _, count in (*told.common(FILLER), *told.common(HEDGE))) == len(told.said)


def test_other_languages_are_not_counted() -> None:
    german = Segment("Wir fahren um die Insel, um so mehr Gäste zu holen, und das ist so gut wie nie.", 0, 9)
    portuguese = Segment("Este é um projeto para os clientes, e não é um risco para nós em março.", 0, 9)
    assert said_in([german]) is None
    assert said_in([portuguese]) is None


# -- real speech, counted by hand; `unsure` is what an ear may also count and the rules leave out

REAL = [
    ("earnings22/4482110.aligned.nlp", 10, ["I guess", "you know"], ["so"]),
    ("earnings22/4482110.aligned.nlp", 20, ["uh", "um", "um", "sort of", "uh", "I guess"], []),
    ("qmsum/ES2004a.json", 182, [], []),
    ("qmsum/ES2004a.json", 205, ["I suppose"], ["so"]),
    ("qmsum/ES2004a.json", 216, ["um"], ["kind of"]),
    ("qmsum/ES2004a.json", 229, ["maybe"], ["right"]),
    ("qmsum/ES2004a.json", 242, [], []),
    ("qmsum/ES2004a.json", 246, ["sort of", "I mean", "sort of"], ["sort of"]),
    ("qmsum/ES2004a.json", 261, ["like"], []),
    ("qmsum/ES2004a.json", 290, ["um", "I think", "probably"], []),
    ("qmsum/ES2004a.json", 301, ["I mean"], ["you know"]),
    ("qmsum/ES2004a.json", 309, ["probably", "I mean", "kind of"], []),
    ("qmsum/education_17.json", 21, ["I mean"], []),
    ("qmsum/education_17.json", 27, [], []),
    ("qmsum/education_17.json", 37, ["I think"], []),
    ("qmsum/education_17.json", 51, [], []),
    ("qmsum/education_17.json", 67, ["probably", "I think"], []),
    ("qmsum/education_17.json", 70, ["I think"], ["sort of"]),
    ("qmsum/education_17.json", 88, [], []),
    ("qmsum/education_17.json", 105, ["maybe"], []),
    ("qmsum/education_17.json", 113, [], []),
]


@pytest.mark.parametrize(("name", "turn", "expected", "unsure"), REAL)
def test_real_turns_are_counted_as_by_hand(
    shared: Path, name: str, turn: int, expected: list[str], unsure: list[str]
) -> None:
    text = _turns(shared / "transcripts" / name)[turn]
    assert counted(text) == expected
    assert all(word.lower() in text.lower() for word in unsure)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("02-problems-solved", ["well", "probably"]),
        ("03-how-works", ["maybe", "you know", "you know", "maybe", "you know"]),
        ("04-benefits", []),
        ("05-principles", ["well", "right", "you know"]),
    ],
)
def test_whole_captions_are_counted_as_by_hand(shared: Path, name: str, expected: list[str]) -> None:
    recording = read_speech(shared / "transcripts" / "innersource" / f"{name}.en.vtt")
    assert [one.mark.word for one in said_in(recording.segments) or ()] == expected


def test_words_that_hold_um_or_like_are_never_hit_in_real_speech(shared: Path) -> None:
    """Every word with um, uh, like, well or right in it, in an hour of earnings calls and meetings."""
    names = [
        "earnings22/4482110.aligned.nlp",
        "earnings22/4474955.aligned.nlp",
        "earnings21/4386541.gold.nlp",
    ]
    names += ["qmsum/ES2004a.json", "qmsum/education_17.json"]
    seen = 0
    for text in (text for name in names for text in _turns(shared / "transcripts" / name)):
        hits = {(mark.start, mark.end) for mark in marks(text)}
        for word in re.finditer(r"\b\w*(?:um|uh|like|well|right|think|mean|kind)\w+\b", text):
            seen += 1
            other = hits - {word.span()}  # "presumably" itself is one
            assert not any(start < word.end() and word.start() < end for start, end in other), word[0]
    assert seen > 50


def _turns(path: Path) -> list[str]:
    if path.suffix == ".json":
        turns = json.loads(path.read_text("utf-8"))["meeting_transcripts"]
        return [re.sub(r"\{\w+\}", "", turn["content"]) for turn in turns]
    names, *rows = (line.split("|") for line in path.read_text("utf-8").splitlines())
    token, speaker, punctuation = (names.index(name) for name in ("token", "speaker", "punctuation"))
    turns_of: list[list[str]] = []
    last = None
    for row in rows:
        if row[speaker] != last:
            turns_of.append([])
            last = row[speaker]
        turns_of[-1].append(row[token] + row[punctuation])
    return [" ".join(words) for words in turns_of]


# -- pace


def even(words: int, start_s: float, end_s: float, speaker: str | None = "P") -> Segment:
    return Segment("boat " * words, start_s, end_s, speaker)


def test_pace_is_told_minute_by_minute() -> None:
    segments = [
        even(150, 0, 60),
        even(200, 60, 120),
        even(190, 120, 180),
        even(40, 180, 240),
        even(9, 250, 255),
    ]
    minutes = windows(segments)
    assert minutes == (
        Stretch(0, 60, 150),
        Stretch(60, 120, 200),
        Stretch(120, 180, 190),
        Stretch(180, 240, 40),
    )
    assert stretches(minutes, fast=True) == (Stretch(60, 180, 195),)
    assert stretches(minutes, fast=False) == (Stretch(180, 240, 40),)
    assert pace_of(segments) == round(589 * 60 / 245)


def test_estimated_times_have_no_pace() -> None:
    segments = [replace(even(150, 0, 60), times_estimated=True)]
    assert pace_of(segments) is None
    assert windows(segments) == ()
    assert delivery_of(segments, ("P", None)).pauses is None


@given(st.lists(st.tuples(st.integers(0, 60), st.floats(0.5, 90), st.floats(0, 20)), max_size=12))
def test_no_word_is_lost_between_minutes(pieces: list[tuple[int, float, float]]) -> None:
    """Where every minute is spoken through, the minutes' words are all words."""
    at_s, segments = 0.0, []
    for words, length_s, _ in pieces:
        segments.append(even(words, at_s, at_s + length_s))
        at_s += length_s
    whole = [one for one in windows(segments) if one.end_s <= at_s]
    if at_s >= 60 and at_s % 60 == 0 and len(whole) == at_s // 60:
        assert sum(one.words_per_minute for one in whole) == pytest.approx(
            sum(p[0] for p in pieces), abs=len(whole)
        )
    assert sum(words_in(one.text) for one in segments) == sum(words for words, _, _ in pieces)


# -- pauses, monologue, talk share


def test_pauses_the_longest_monologue_and_the_share_of_the_talking() -> None:
    segments = [
        even(10, 0, 10),
        even(10, 16, 20),  # after 6 s of silence
        even(10, 20, 30, "Host"),
        even(10, 36, 40),  # the host spoke before it: no pause of the presenter
        even(10, 41, 50),
        even(10, 70, 90),  # a question was put meanwhile
    ]
    told = delivery_of(segments, ("P", None), asked_at_s=[55.0])
    assert told.pauses == (Pause(10, 6, segments[0]),)
    assert told.monologue == (0, 20)
    assert told.talk_share == round(47 / 57, 3)
    assert delivery_of(segments, ("P", None)).monologue == (36, 90)
    assert delivery_of(segments, ("P", None)).pauses == (
        Pause(10, 6, segments[0]),
        Pause(50, 20, segments[4]),
    )


def test_words_whose_end_nobody_told_have_no_pace_and_no_pause_behind_them() -> None:
    typed = [timed(LiveSegment("one two three four five. " * 20, 60.0 * n), 0.0) for n in range(4)]
    told = delivery_of(typed, (None,))
    assert (told.words_per_minute, told.minutes, told.pauses, told.words) == (None, (), None, 400)
    spoken = even(100, 240, 300)
    told = delivery_of([*typed, spoken, even(10, 306, 310)], ("P", None))
    assert (told.words_per_minute, told.pauses) == (103, (Pause(300, 6, spoken),))


def test_nothing_said_is_nothing_measured() -> None:
    told = delivery_of([], (None,))
    assert (told.words, told.words_per_minute, told.pauses, told.monologue, told.talk_share) == (0,) + (
        None,
    ) * 4


# -- said again and again, and read aloud


def again(*texts: str, shown: Sequence[str] = ()) -> list[tuple[str, int]]:
    pieces = [Segment(text, 10.0 * at, 10.0 * at + 9) for at, text in enumerate(texts)]
    return [(one.words, one.times) for one in repeated_in(pieces, shown)]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (("At the end of the day it pays.", "And, um, at the end of the day, we go.") * 2,
         [("At the end of the day", 4)]),
        (("We go at the end", "of the day and at the end of the day.") * 2, [("at the end of the day", 4)]),
        (("At the end of the day.",) * 3, []),  # three times is no habit
        (("The end is near. The end is far, the end. Is it?",) * 2, [("The end is", 4)]),
        (("We go. To the park. In the sun. So there.",) * 4, [("To the park", 4), ("In the sun", 4)]),
        (("It grew by three point five percent a year.", "It grew by 4% a year.") * 2, [("It grew by", 4)]),
        (("Since the third quarter of 2026.",) * 4, []),
        (("Am Ende des Tages zählt das.",) * 4, [("Am Ende des Tages zählt das", 4)]),
        (("We do so now. We do so, yes. We do so.",) * 2, [("We do so", 6)]),
        (("We do so too. We do so too. We do so. We do so.",) * 2, [("We do so too", 4), ("We do so", 4)]),
        (("Adjusted E B I T D A.",) * 4, []),  # spelled
    ],
)  # fmt: skip
def test_strings_of_words_that_are_said_again_and_again(
    texts: tuple[str, ...], found: list[tuple[str, int]]
) -> None:
    assert again(*texts) == found


def test_what_stands_on_a_slide_is_named_as_often_as_it_must_be() -> None:
    said = [f"The trusted committer {does}." for does in ("decides", "reads", "asks", "merges")]
    assert again(*said) == [("The trusted committer", 4)]
    assert again(*said, shown=["Who is the Trusted Committer?", "Nobody decides"]) == []
    assert again(*said, shown=["Trusted committer", "The"]) == [("The trusted committer", 4)]


def test_in_a_long_talk_once_in_400_words_is_not_often() -> None:
    said = ("I would say that it is so.",) * 5
    other = " ".join(f"word{number}" for number in range(2000))
    assert again(*said) == [("I would say that it is so", 5)]
    assert again(*said, other) == []


def test_a_string_says_when_it_was_said() -> None:
    pieces = [Segment("In my humble view.", at, at + 2) for at in (3.0, 9.0, 30.0, 50.0)]
    assert repeated_in(pieces) == (Repeated("In my humble view", (3.0, 9.0, 30.0, 50.0)),)


SLIDES = """# The year

- Orders grew in every region that we have looked at
- The depot in the harbour opens in the spring of next year

---
# Thanks

- Orders grew
"""


READ = (
    "Orders grew in every region that we have looked at. And, um, the depot in the harbour opens in the "
    "spring of next year."
)


@pytest.mark.parametrize(
    ("talk", "found"),
    [
        ([(1, "The year."), (1, READ)],
         (ReadAloud(1, 1.0, 24),)),
        ([(1, "Orders grew in every region that we have looked at, which I am glad of."),
          (1, "The depot in the harbour opens next year.")], ()),
        ([(2, READ)], ()),  # while another slide was shown
        ([(1, " ".join(READ.split(". ")[::-1]))], ()),  # in another order
        ([(2, "Thanks. Orders grew.")], ()),  # three words are said anyway
        ([], ()),
    ],
)  # fmt: skip
def test_a_slide_is_read_aloud_where_most_of_its_words_are_said_in_its_order(
    talk: list[tuple[int | None, str]], found: tuple[ReadAloud, ...]
) -> None:
    assert read_aloud(read_deck_text(SLIDES), talk) == found
