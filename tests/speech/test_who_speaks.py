"""Every program's way to name speakers is read, and what no label fits is nobody's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.material.speech.read import Recording, read_speech
from orchestrator.material.speech.speakers import presenter_of

TALK = (
    ("Mia Falk", "Good morning, we ask for three million euros for a second store in the south."),
    ("Tom Reed", "What for?"),
    ("Mia Falk", "For the rent, the shelves and the first stock, as slide two shows."),
    ("Kim Vo", "And who runs it: you or we?"),
    ("Mia Falk", "A team of nine people, and here is the thing: six of them are with us today."),
    ("Tom Reed", "I see, thank you."),
)
"""Colons within the words, and a speaker who speaks once."""
Turn = tuple[int, str, str]


def at(number: int) -> int:
    return 5 * number


def stamp(number: int) -> str:
    return f"0:{at(number):02}"


def long_stamp(number: int) -> str:
    return f"00:00:{at(number):02}"


def vtt(cue: Callable[[int, str, str], str]) -> Callable[[Sequence[Turn]], str]:
    return lambda turns: (
        "WEBVTT\n\n"
        + "".join(
            f"{cue(number, name, words)}\n\n".replace(
                "TIMES", f"{long_stamp(number)}.000 --> 00:00:{at(number) + 4:02}.000"
            )
            for number, name, words in turns
        )
    )


def srt(cue: Callable[[str, str], str]) -> Callable[[Sequence[Turn]], str]:
    return lambda turns: "".join(
        f"{number + 1}\n{long_stamp(number)},000 --> 00:00:{at(number) + 4:02},000\n{cue(name, words)}\n\n"
        for number, name, words in turns
    )


def text(turn: Callable[[int, str, str], str]) -> Callable[[Sequence[Turn]], str]:
    return lambda turns: "".join(turn(*one) for one in turns)


FORMS: dict[str, tuple[str, Callable[[Sequence[Turn]], str]]] = {
    "Zoom": ("vtt", vtt(lambda n, name, words: f"{n + 1}\nTIMES\n{name}: {words}")),
    "Zoom, saved captions": ("txt", text(lambda n, name, words: f"[{name}] 10:00:{at(n):02}\n{words}\n\n")),
    "Teams": ("vtt", vtt(lambda n, name, words: f"4f0c-{n}/12-0\nTIMES\n<v {name}>{words}</v>")),
    "Teams, copied": ("txt", text(lambda n, name, words: f"{name}   {stamp(n)}\n{words}\n")),
    "Webex": ("vtt", vtt(lambda n, name, words: f'{n + 1} "{name}" (1234567)\nTIMES\n{words}')),
    "Meet": ("txt", text(lambda n, name, words: f"{long_stamp(n)}\n\u00a0\n{name}: {words}\n")),
    "Meet, an extension": (
        "txt",
        text(lambda n, name, words: f"{name} (06/17/2024, 09:{n:02} AM)\n{words}\n\n"),
    ),
    "Otter": ("txt", text(lambda n, name, words: f"{name}  {stamp(n)}  \n{words}\n\n")),
    "Otter, in SRT": ("srt", srt(lambda name, words: f"{name}: {words}")),
    "Rev": ("txt", text(lambda n, name, words: f"{name} ({long_stamp(n)}):\n{words}\n\n")),
    "Descript": ("txt", text(lambda n, name, words: f"[{long_stamp(n)}] {name}: {words}\n\n")),
    "Descript, in Markdown": (
        "txt",
        text(lambda n, name, words: f"**{name}:** [{long_stamp(n)}] {words}\n\n"),
    ),
    "Trint": ("txt", text(lambda n, name, words: f"{name}\n[{long_stamp(n)}] {words}\n\n")),
    "Fireflies": ("txt", text(lambda n, name, words: f"{name}\n{stamp(n)}\n{words}\n\n")),
    "Fathom": ("txt", text(lambda n, name, words: f"{stamp(n)} - {name} (Acme)\n  {words}\n\n")),
    "Fathom, with a mark": ("txt", text(lambda n, name, words: f"@{stamp(n)} - {name}\n{words}\n\n")),
    "Grain": ("txt", text(lambda n, name, words: f"{name} ({long_stamp(n)})\n{words}\n\n")),
    "tl;dv": ("txt", text(lambda n, name, words: f"{long_stamp(n)} {name}: {words}\n")),
    "Riverside": ("txt", text(lambda n, name, words: f"{name} ({long_stamp(n)}.120)\n{words}\n\n")),
    "a table of times": ("txt", text(lambda n, name, words: f"{long_stamp(n)} {name}\n{words}\n\n")),
    "a list": ("txt", text(lambda n, name, words: f"- {name}: {words}\n")),
    "bold": ("txt", text(lambda n, name, words: f"**{name}**: {words}\n\n")),
    "bold heads": ("txt", text(lambda n, name, words: f"**{name}** {stamp(n)}\n{words}\n\n")),
    "headings": ("txt", text(lambda n, name, words: f"## {name} {stamp(n)}\n\n{words}\n\n")),
    "capitals, as in court": ("txt", text(lambda n, name, words: f"MS. {name.upper()}: {words}\n\n")),
    "broadcast": ("srt", srt(lambda name, words: f">> {name}: {words}")),
    "a line of its own": ("srt", srt(lambda name, words: f"{name}:\n{words}")),
}
"""As the programs' own documents and exports have them."""


def read(folder: Path, name: str, content: str) -> Recording:
    path = folder / name
    path.write_text(content, "utf-8")
    return read_speech(path)


def said(recording: Recording) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in recording.segments]


def numbered(talk: Sequence[tuple[str, str]]) -> list[Turn]:
    return [(number, *turn) for number, turn in enumerate(talk)]


@pytest.mark.parametrize("form", FORMS)
def test_who_speaks_is_read_in_the_form_of_each_program(tmp_path: Path, form: str) -> None:
    suffix, write = FORMS[form]
    recording = read(tmp_path, f"talk.{suffix}", write(numbered(TALK)))
    found = [
        (name and name.removesuffix(" (Acme)").removeprefix("MS. ").title(), words)
        for name, words in said(recording)
    ]
    assert found == list(TALK)
    presenter = presenter_of(recording.segments)
    assert ((presenter.label or "").removesuffix(" (Acme)").removeprefix("MS. ").title(), presenter.how) == (
        "Mia Falk",
        "speaks most",
    )
    assert recording.notices == ()


NAMES = (
    *("Mia Falk (she/her)", "Falk, Mia", "Mia Falk | Acme", "Mia Falk - Acme", "Mia Falk [Acme]", "Mia"),
    *("Dr. Mia von Falk", "M. J. Falk", "Mia Falk, CFO", "Mia O'Falk", "d'Arc Mia", "Mia Falk (Guest)"),
    *("+1 415-555-0100", "+1 (415) ***-**12", "Speaker 2", "SPEAKER_02", "Speaker A", "Sprecher 2"),
    *("Спикер №2", "Миа Фалк", "話者 2", "田中", "Mia Falk-Høst", "van der Falk", "Al-Falk Mia", "MIA FALK"),
    *("miafalk", "mia.falk@acme.com", "iPhone of Mia", "mia_f99", "Room 4 (Berlin)", "Mia F", "Mia Falk Jr."),
)
"""As people write themselves, and as programs number those whom they do not know."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "form", ["Zoom", "Teams", "Webex", "Otter", "Otter, in SRT", "Descript", "a list", "tl;dv"]
)
def test_a_speaker_may_be_written_in_any_way(tmp_path: Path, form: str, name: str) -> None:
    talk = [(name if who == "Mia Falk" else who, words) for who, words in TALK]
    suffix, write = FORMS[form]
    recording = read(tmp_path, f"talk.{suffix}", write(numbered(talk)))
    assert said(recording) == talk
    assert presenter_of(recording.segments).label == name


@pytest.mark.parametrize(
    "label", ["[SPEAKER_00]: ", "[SPEAKER_00] ", "(Speaker_00)\n", "(speaker 0): ", "SPEAKER_00: "]
)
def test_a_number_in_brackets_is_a_speaker(tmp_path: Path, label: str) -> None:
    form = srt(lambda name, words: f"{label.replace('0', '1') if name == 'Tom Reed' else label}{words}")
    recording = read(tmp_path, "a.srt", form(numbered(TALK[:3])))
    own = label.strip("[](): \n")
    one, other = own, own.replace("0", "1")
    assert said(recording) == [(one, TALK[0][1]), (other, TALK[1][1]), (one, TALK[2][1])]


def test_sounds_in_brackets_are_nobody(tmp_path: Path) -> None:
    recording = read(tmp_path, "a.srt", srt(lambda _, words: f"[Music] {words}")(numbered(TALK)))
    assert said(recording) == [(None, f"[Music] {words}") for _, words in TALK]


@pytest.mark.parametrize("tag", ["<v ->", "<v Unknown>", "<v Unknown Speaker>", "<v >", ""])
def test_a_voice_without_a_name_is_nobody(tmp_path: Path, tag: str) -> None:
    form = vtt(lambda _, name, words: f"TIMES\n{tag if name == 'Tom Reed' else f'<v {name}>'}{words}")
    recording = read(tmp_path, "a.vtt", form(numbered(TALK)))
    assert said(recording) == [(None if name == "Tom Reed" else name, words) for name, words in TALK]
    assert recording.notices == (
        "pieces 2 (0:05), 6 (0:25): it is not said who speaks, so the words are nobody's",
    )
    assert presenter_of(recording.segments).label == "Mia Falk"


def test_a_label_that_is_not_understood_is_nobody_and_not_whoever_was_named_last(tmp_path: Path) -> None:
    text = (
        "Mia Falk: We ask for 3 million.\n\n???: I believe it earns 40 percent.\n\nMia Falk: It earns 12.\n\n"
    )
    odd = "the one at the back: I believe it earns 40 percent.\n\n"
    for strange in (
        "tom: I believe it earns 40 percent.\n\n",
        "Tom Reed: I believe it earns 40 percent.\n\n",
    ):
        recording = read(tmp_path, "a.txt", text.split("???")[0] + strange + "We go on.\n\n" + text[-27:])
        assert "Mia Falk" not in [one.speaker for one in recording.segments if "40" in one.text]
    assert said(read(tmp_path, "a.txt", text + odd))[1][0] is None


def test_a_caption_goes_on_only_where_a_program_labels_changes(tmp_path: Path) -> None:
    changes = ["Mia: One.", "Two.", "Tom: Three.", "Four.", "Mia: Five."]
    each = ["Mia: One.", "Mia: Two.", "Three.", "Tom: Four.", "Mia: Five."]
    found = [
        [
            one.speaker
            for one in read(
                tmp_path, "a.srt", srt(lambda _, words: words)(numbered([("", one) for one in lines]))
            ).segments
        ]
        for lines in (changes, each)
    ]
    assert found == [["Mia", "Mia", "Tom", "Tom", "Mia"], ["Mia", "Mia", None, "Tom", "Mia"]]


def test_two_who_speak_in_one_caption_are_told_apart(tmp_path: Path) -> None:
    cues = [("", "Mia: One.\nTom: Two?"), ("", "Mia: Three,\nand four."), ("", "Tom: Five.")]
    assert said(read(tmp_path, "a.srt", srt(lambda _, words: words)(numbered(cues)))) == [
        ("Mia", "One."),
        ("Tom", "Two?"),
        ("Mia", "Three, and four."),
        ("Tom", "Five."),
    ]


def test_heads_and_feet_of_a_document_are_nobodys_words(tmp_path: Path) -> None:
    talk = text(lambda _, name, words: f"{name}: {words}\n")(numbered(TALK))
    head = "Budget review (2026-11-20 10:00 GMT) - Transcript\nAttendees\nMia Falk, Tom Reed, Kim Vo\n"
    foot = "Meeting ended after 00:20:15 👋\nThis editable transcript was computer generated.\n"
    recording = read(tmp_path, "a.txt", head + talk + foot)
    assert said(recording) == list(TALK)
    assert recording.notices == ("left out as head or foot of the document: 5 lines",)


def test_a_head_holds_for_all_paragraphs_below_it(tmp_path: Path) -> None:
    text = (
        "Mia Falk  0:03\nOne.\n\nHere is the thing: two.\n\nTom Reed  0:20\nThree?\n\nMia Falk  0:30\nFour.\n"
    )
    assert said(read(tmp_path, "a.txt", text)) == [
        ("Mia Falk", "One."),
        ("Mia Falk", "Here is the thing: two."),
        ("Tom Reed", "Three?"),
        ("Mia Falk", "Four."),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    form=st.sampled_from([one for one in FORMS if one not in ("capitals, as in court", "Fathom")]),
    turns=st.lists(
        st.tuples(st.sampled_from(["Mia Falk", "Tom Reed", "Kim Vo"]), st.integers(1, 9)),
        min_size=4,
        max_size=9,
    ).filter(lambda turns: len({name for name, _ in turns}) * 2 <= len(turns)),
)
def test_no_word_is_ever_given_to_somebody_else(
    tmp_path: Path, form: str, turns: list[tuple[str, int]]
) -> None:
    talk = [(name, " ".join(["word"] * count) + f" of {name.split()[0].lower()}.") for name, count in turns]
    suffix, write = FORMS[form]
    for name, words in said(read(tmp_path, f"talk.{suffix}", write(numbered(talk)))):
        assert name is None or words.endswith(f"of {name.split()[0].lower()}.")


def test_one_who_speaks_on_two_devices_is_one_and_two_of_one_name_are_two(tmp_path: Path) -> None:
    def speakers(*names: str) -> list[str | None]:
        file = tmp_path / "talk.txt"
        file.write_text("".join(f"{name}: Words number {at}.\n\n" for at, name in enumerate(names)))
        return [one.speaker for one in read_speech(file).segments]

    tom, phone, sam = "Tom Reed", "Tom Reed (iPhone)", "Sam Neil (Guest)"
    assert speakers(tom, sam, phone, tom, sam, phone) == [tom, sam, tom, tom, sam, tom]
    numbered = ("Speaker", "Speaker (2)", "Speaker", "Speaker (2)")
    assert speakers(*numbered) == list(numbered)


def test_a_colon_in_the_words_under_heads_with_times_begins_no_speaker(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    turns = ("Tom Reed", "Mia Falk", "Tom Reed", "Mia Falk", "Tom Reed")
    file.write_text(
        "".join(
            f"[{name}] 14:03:{10 * at:02}\nTwo: the price.\nThree: the rent.\n\n"
            for at, name in enumerate(turns)
        )
    )
    assert [(one.speaker, one.text) for one in read_speech(file).segments] == [
        (name, "Two: the price. Three: the rent.") for name in turns
    ]
