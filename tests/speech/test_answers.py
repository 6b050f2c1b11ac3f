"""Prepared answers are read as written and given to the questions they name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import AnswersError
from orchestrator.core.home.plain_yaml import MAX_LIST_BYTES
from orchestrator.panel.answers import (
    KEYS,
    Answer,
    pick_answer,
    read_answers,
    unasked,
)


def read(folder: Path, content: str | bytes, name: str = "answers.yaml") -> tuple[Answer, ...]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_answers(path)


YAML = """\ufeff# what I will say
- yes
- 4.20
- 2026-11-22
- text: >
    We counted them
    twice.
- {text: "Booked, not pipeline.", agent: Skeptic}
- text: |
    From the audited accounts:
      page 12.
  exchange: x2
  claim: d3.2
  agent: ~
"""


def test_yaml_is_taken_as_written(tmp_path: Path) -> None:
    assert read(tmp_path, YAML) == (
        Answer("yes"),
        Answer("4.20"),
        Answer("2026-11-22"),
        Answer("We counted them twice."),
        Answer("Booked, not pipeline.", agent="skeptic"),
        Answer("From the audited accounts: page 12.", exchange="x2", claim="d3.2"),
    )


def test_json_is_the_same(tmp_path: Path) -> None:
    items = [
        "Yes.",
        {"text": "No.\nNever.", "agent": None, "exchange": "X1"},
        {"text": "Maybe.", "claim": "s17.1", "verdict": "Partly"},
    ]
    maybe = Answer("Maybe.", claim="s17.1", verdict="partly")
    expected = (Answer("Yes."), Answer("No. Never.", exchange="x1"), maybe)
    assert read(tmp_path, json.dumps(items), "answers.json") == expected
    assert read(tmp_path, json.dumps(items[0:1] + items[2:])) == (expected[0], expected[2])  # JSON is YAML
    assert read(tmp_path, "[]") == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", " is empty: give a list of answers ([] for none)"),
        ("text: Yes.", " is no list of answers: begin each answer with `- text: …`"),
        ("- Yes.\n- 'No.", " is not YAML: found unexpected end of stream (line 2)"),
        ("- Yes.\n- \x01", " is not YAML: it holds characters that are not text"),
        ("- !!python/object:os.system x\n- [a]", ": item 2 is neither a text nor a mapping: write `text: …`"),
        (
            "- Yes.\n- {text: No., agnet: skeptic}",
            ": item 2 has the unknown key 'agnet': did you mean agent?",
        ),
        (
            "- {text: No., zzz: 1}",
            ": item 1 has the unknown key 'zzz': there are " + ", ".join(KEYS),
        ),
        ("- {agent: skeptic}", ": item 1 has no text: write what is answered under text"),
        ("- ''", ": item 1 has no text: write what is answered under text"),
        ("- {text: No., exchange: second}", ": item 1: exchange is not an exchange such as x1"),
        ("- {text: No., verdict: good}", ": item 1: verdict is not given, partly or not"),
        ("- {text: No., claim: 3}", ": item 1: claim is not a claim such as d3.2, d3.t1 or s17.1"),
        ("- {text: No., agent: ../x}", ": item 1: agent is not an agent's id such as skeptic"),
        ("- &a [*a]", " has an alias (*a): write it out (line 1)"),
        (b"- \xff", " is not UTF-8 text: save it as UTF-8"),
        ("[" * 20_000, " is nested too deeply: give a plain list (line 1)"),
        (b"- a\n" * (MAX_LIST_BYTES // 4 + 1), " is larger than 256 KB: give a list of answers"),
    ],
)
def test_refusals_name_the_item(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(AnswersError) as caught:
        read(tmp_path, content)
    assert str(caught.value) == f"{tmp_path / 'answers.yaml'}{message}"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path, words in [
        (tmp_path / "missing", "does not exist: give the path of a list of answers"),
        (tmp_path, "is not a file: give a YAML or JSON list of answers"),
        (tmp_path / "fifo", "is not a file: give a YAML or JSON list of answers"),
        (Path("a\0b"), "cannot be read: no path that can be"),
    ]:
        with pytest.raises(AnswersError) as caught:
            read_answers(path)
        assert str(caught.value).endswith(f" {words}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=80), st.text("-:[]{}&*!|>'\"#ab~ \n\t,?%@`", max_size=60).map(str.encode)
    )
)
def test_any_bytes_are_refused_in_one_line_or_are_answers(tmp_path: Path, content: bytes) -> None:
    for name in ("a.yaml", "a.json"):
        refusal = ""
        answers: tuple[Answer, ...] = ()
        try:
            answers = read(tmp_path, content, name)
        except AnswersError as error:
            refusal = str(error)
        assert refusal.isprintable()  # one line
        assert all(answer.text == " ".join(answer.text.split()) != "" for answer in answers)


LISTED = (
    Answer("0"),
    Answer("1", agent="skeptic"),
    Answer("2", claim="d3.2"),
    Answer("3", exchange="x2"),
    Answer("4"),
    Answer("5", agent="skeptic", exchange="x9"),
)


@pytest.mark.parametrize(
    ("used", "agent", "exchange", "claim", "index"),
    [
        (set(), "analyst", "x1", None, 0),  # nothing names it: the first without a name
        (set(), "skeptic", "x1", None, 1),
        (set(), "skeptic", "x1", "d3.2", 2),  # the claim says more than the agent
        (set(), "skeptic", "x2", "d3.2", 3),  # and the exchange more than the claim
        (set(), "skeptic", "x9", None, 5),
        (set(), "analyst", "x9", None, 0),  # all that an answer names must fit
        ({1}, "skeptic", "x1", None, 0),
        ({0, 1}, "skeptic", "x1", None, 4),
        ({0, 4}, "analyst", "x1", None, None),  # those left name other questions
        ({0, 1, 2, 3, 4, 5}, "skeptic", "x2", "d3.2", None),
        ({0, 4}, "analyst", "x3", None, None),
    ],
)
def test_an_answer_goes_to_the_question_that_it_names(
    used: set[int], agent: str, exchange: str, claim: str | None, index: int | None
) -> None:
    assert pick_answer(LISTED, frozenset(used), agent=agent, exchange=exchange, claim=claim) == index


def test_an_answer_names_its_question_by_words_of_it_or_by_its_slide(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(
        "- In order.\n"
        "- {slide: 4, text: Two.}\n"
        "- {question: Which  BANK, text: Nordbank.}\n"
        "- {question: which bank, slide: 9, text: None does.}\n"
    )
    answers = read_answers(file)
    assert [one.names for one in answers[1:]] == [
        ("slide 4",),
        ("question Which BANK",),
        ("question which bank", "slide 9"),
    ]

    def picked(*questions: str, slide: int | None = None, used: frozenset[int] = frozenset()) -> int | None:
        return pick_answer(
            answers, used, agent="skeptic", exchange="x1", claim=None, slide=slide, questions=questions
        )

    assert picked("Who lends it?") == 0
    assert picked("Who lends it?", slide=4) == 1
    assert picked("Which bank lends it?", slide=4) == 2  # words say more than a slide
    assert picked("Who lends it?", "Then which bank is it?", slide=9) == 2
    assert picked("Which bank lends it?", slide=9, used=frozenset({0, 2})) == 3
    assert picked("Who lends it?", used=frozenset({0})) is None
    assert unasked(answers, frozenset({0, 2})) == [
        "answer 2 (slide 4)",
        "answer 4 (question which bank, slide 9)",
    ]
    file.write_text("- {slide: four, text: Two.}\n")
    with pytest.raises(AnswersError, match="item 1: slide is not the number of a slide such as 3"):
        read_answers(file)
