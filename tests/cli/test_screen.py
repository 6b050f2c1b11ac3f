"""The screen as a new user meets it: the dialogue, the prompt, the help, and one word for one thing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.dialogue import say
from orchestrator.panel.config.config import Config
from orchestrator.panel.personas.orchestration import read_orchestration
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import ROOT, greenroom, greenroom_json, write_rehearsal
from tests.helpers.terminals import Seen, at_terminal

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

QUESTIONS = re.compile(r"^x\d+ of at most \d+(?:, again)?$", re.M)


def dialogue_of(done: str) -> list[str]:
    """The blocks of a dialogue, each from the chair's call to what came of the answer, on one line."""
    return [" ".join(block.split()) for block in done.split("\n\n")]


# -- the dialogue of a run


def test_a_run_shows_the_dialogue_as_it_goes(home: Path, tmp_path: Path) -> None:
    """Each question below the words that it is about, then the answer, then what came of it."""
    files = write_rehearsal(tmp_path)
    done = greenroom(home, "run", files.deck, "--answers", files.answers, "--id", "r1", "--presenter", "Ines")
    blocks = dialogue_of(done.stderr)
    for exchange in greenroom_json(home, "show", "r1")["exchanges"]:
        (block,) = [one for one in blocks if f" {exchange['id']} of at most 8 " in one]
        about = f'"{exchange["quote"]}"' if exchange["quote"] else "(general)"
        answer = exchange["turns"][0]["answer"]
        after = f"Ines: {answer}" if answer else "no answer"
        assert block.index(about) < block.index("?") < block.index(after)
        assert not answer or re.search(r" (not judged|answered|not answered|asked again)", block)
    assert done.stderr.rstrip().splitlines()[-1].startswith("Diana Chen (0:00): ")  # the closing word
    assert max(len(line) for line in done.stderr.splitlines()) <= 100


@pytest.mark.parametrize("columns", [80, 100])
def test_at_a_terminal_the_page_at_the_end_is_not_the_dialogue_again(
    home: Path, tmp_path: Path, columns: int
) -> None:
    files = write_rehearsal(tmp_path)
    arguments = ("run", files.deck, "--speech", files.speech, "--answers", files.answers)
    seen = at_terminal(home, *arguments, columns=columns)
    assert seen.code == 0
    assert len(QUESTIONS.findall(seen.text)) >= 3
    assert not re.search(r"^     (You|Why): ", seen.text, re.M)
    assert "…" not in seen.text
    paths = ("Debrief ", "Archive ")  # one word each: a path cannot be wrapped
    assert max(len(line) for line in seen.lines if not line.startswith(paths)) <= columns
    piped = greenroom(home, *arguments).stdout
    assert re.search(r"^     You: ", piped, re.M)  # in a file the questions stand on the page


def test_quiet_shows_no_dialogue(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    assert greenroom(home, "--quiet", "run", files.deck, "--answers", files.answers).stderr == ""


def test_a_decks_words_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say('  slide 1: "The \x9b31mleading\u202e ferry\r\n\x1b]0;operator"')
    assert capsys.readouterr().err == '  slide 1: "The �31mleading� ferry �]0;operator"\n'


# -- typed answers


def typed(home: Path, folder: Path, *lines: str, exchanges: int = 3) -> Seen:
    files = write_rehearsal(folder)
    arguments = ("run", files.deck, "--answers", "-", "--id", "r1", "--exchanges", str(exchanges))
    return at_terminal(home, *arguments, typed=lines)


def answers(home: Path) -> list[str | None]:
    exchanges = greenroom_json(home, "show", "r1")["exchanges"]
    return [turn["answer"] or None for one in exchanges for turn in one["turns"]]


def test_typed_answers_are_judged_at_once_and_the_chair_closes(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    arguments = ("run", files.deck, "--answers", "-", "--id", "r1", "--exchanges", "3")
    given = ("First.\r", "Second.\r", "?none\r", "Third.\r")
    seen = at_terminal(home, *arguments, typed=given, verdicts=("g\r", "what\r", "partly\r", "\r"))
    assert seen.code == 0
    assert answers(home) == ["First.", "Second.", "Third."]
    assert seen.text.index("?back") < seen.text.index("Diana Chen")  # the keys come before all else
    prompts = [at for at, line in enumerate(seen.lines) if line.startswith("> ") and "?" not in line]
    assert all(seen.lines[number + 1].startswith("  not judged") for number in prompts)
    shown = greenroom_json(home, "show", "r1")
    judged = [one["turns"][0].get("person", {}).get("verdict") for one in shown["exchanges"]]
    assert judged == ["given", None, None]  # what was said of the second was taken back
    assert "3 questions: 1 answered, 2 not judged. Judged by" in seen.text
    said = shown["said"]
    assert said[-1]["occasion"] == "Closing"
    assert said[-1]["text"] in " ".join(seen.text.split())


def test_what_did_not_answer_it_is_asked_once_more_for_one_key(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    arguments = ("run", files.deck, "--answers", "-", "--id", "r1", "--exchanges", "1")
    verdicts = ("?back\r", "?time\r", "?\r", "n\r", "As I said.\r", "a\r", "?not\r", "\r")
    seen = at_terminal(home, *arguments, typed=("First.\r", "Second.\r"), verdicts=verdicts)
    assert seen.code == 0
    assert answers(home) == ["First.", "Second."]
    (one,) = greenroom_json(home, "show", "r1")["exchanges"]
    assert [turn["person"]["verdict"] for turn in one["turns"]] == ["not", "not"]
    assert "First this answer: judge it, or press Enter." in seen.text
    assert "Nothing is answered here: a puts the question once more, Enter goes on." in seen.text
    assert seen.text.count("?parked  what was set aside") == 2  # at the beginning, and for "?"
    assert " used" in seen.text
    assert "x1 of at most 1, again" in seen.text


@pytest.mark.parametrize(
    "pasted",
    [
        "One line.\nAnother line.\n",
        "One line.\nAnother line.\r",  # the last line without an end, and Enter
        "\x1b[200~One line.\nAnother line.\x1b[201~\r",  # a terminal that marks what was pasted
    ],
)
def test_a_paste_is_one_answer(home: Path, tmp_path: Path, pasted: str) -> None:
    assert typed(home, tmp_path, pasted, "Second.\r", exchanges=2).code == 0
    assert answers(home) == ["One line. Another line.", "Second."]


def test_an_empty_enter_is_asked_about_once(home: Path, tmp_path: Path) -> None:
    seen = typed(home, tmp_path, "\r", "It is 5.\r", "\r", "\r", exchanges=2)
    assert answers(home) == ["It is 5.", None]
    assert seen.text.count("Enter once more leaves the question without an answer") == 2
    assert "\n  no answer\n" in seen.text


def test_the_end_of_the_input_ends_the_line_of_the_prompt(home: Path, tmp_path: Path) -> None:
    seen = typed(home, tmp_path, "\x04", "\x04", exchanges=1)
    assert answers(home) == [None]
    assert "\nNothing was entered." in seen.text
    assert "\n  no answer\n" in seen.text


def test_a_pipe_that_gives_an_empty_line_gives_no_answer(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    lines = "First.\n\nThird.\n"
    greenroom(home, "run", files.deck, "--answers", "-", "--id", "r1", "--exchanges", "3", stdin=lines)
    assert answers(home) == ["First.", None, "Third."]


def test_a_question_mark_asks_the_program(home: Path, tmp_path: Path) -> None:
    lines = ("?", "?time", "?back", "?parked", "park", "?parked", "?back", "A.", "B.")
    seen = typed(home, tmp_path, *(f"{line}\r" for line in lines), exchanges=4)
    asked = re.findall(r"^(x\d) of at most 4$", seen.text, re.M)
    assert asked == ["x1", "x1", "x2", "x3", "x4"]  # shown twice, as it was asked for
    assert "\n0:00 of 20:00 used: 0:00 presenting, 0:00 answering.\n" in seen.text
    assert "\nNothing is set aside that could come back.\n" in seen.text
    assert "\nNothing is set aside.\n" in seen.text
    exchanges = greenroom_json(home, "show", "r1")["exchanges"]
    assert [one["outcome"] for one in exchanges] == ["parked", "parked", "unjudged", "unjudged"]
    assert [one["comes_back_to"] for one in exchanges] == [None, None, "x1", None]
    listed = next(line for line in seen.lines if line.startswith("  x1 "))
    assert exchanges[0]["turns"][0]["question"][:20] in listed


def test_the_last_question_is_not_set_aside_for_a_parked_one(home: Path, tmp_path: Path) -> None:
    seen = typed(home, tmp_path, "park\r", "?back\r", "It is 5.\r", exchanges=2)
    assert "This is the last of 2 questions: answer it, or park it." in seen.text
    assert answers(home) == ["park", "It is 5."]


def test_ctrl_c_keeps_everything_and_resume_puts_the_question_again(home: Path, tmp_path: Path) -> None:
    seen = typed(home, tmp_path, "First.\r", "half\x03", exchanges=2)
    assert (seen.code, seen.lines[-1]) == (1, "greenroom: stopped; go on with `greenroom resume r1`")
    again = at_terminal(home, "resume", "r1", typed=["Second.\r"])
    assert again.code == 0
    assert answers(home) == ["First.", "Second."]
    head = QUESTIONS.findall(again.text)
    assert head == ["x2 of at most 2"]
    assert "\n\n\n" not in again.text.partition("x2 of at most 2")[0]
    about = greenroom_json(home, "show", "r1")["exchanges"][1]["quote"]
    assert (about or "(general)") in " ".join(again.text.split())


# -- commands of one question


def test_a_follow_up_stands_below_the_words_that_it_is_about(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    asked = greenroom_json(home, "ask", "s1")
    pressed = greenroom(home, "answer", "s1", "I don't know.").stdout
    assert pressed.startswith("asked again: ")
    assert pressed.index(asked["quote"] or "(general)") < pressed.rindex("?")
    closed = greenroom(home, "answer", "s1", "Ines, by Friday.").stdout
    assert closed == "not judged: yours to judge\nThe exchange is closed: not judged.\n"
    shown = greenroom(home, "show", "s1").stdout
    assert f"x1  {_name(shown)}: not judged\n" in shown
    assert (asked["quote"] or "(general)") in shown
    assert "unjudged" not in shown


def _name(shown: str) -> str:
    return next(line for line in shown.splitlines() if line.startswith("x1  "))[4:].split(":")[0]


def test_a_feed_says_what_becomes_of_words_while_a_question_is_open(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    nothing_open = greenroom(home, "feed", "s1", files.speech).stderr
    assert "is open" not in nothing_open
    greenroom(home, "ask", "s1")
    line = json.dumps({"text": "It is 5 boats.", "speaker": "Ines"}) + "\n"
    live = greenroom(home, "feed", "s1", "-", stdin=line).stderr.splitlines()
    assert re.fullmatch(
        r"note: x1 of .* is open: what is said now is its answer; `greenroom park s1` sets it aside", live[0]
    )
    assert any("x1: taken as the answer to " in one for one in live)
    greenroom(home, "ask", "s1")
    recorded = greenroom(home, "feed", "s1", files.speech).stderr.splitlines()
    assert recorded[0].endswith(
        "is open, and a recording is no answer: `greenroom answer s1` answers it, "
        "`greenroom park s1` sets it aside"
    )
    assert greenroom_json(home, "answer", "s1", "Six.")["outcome"] == "unjudged"


def test_a_time_that_goes_back_is_said_once(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    lines = [{"text": f"Word {at}.", "start_s": at, "end_s": at + 1} for at in (10, 4, 3, 12)]
    done = greenroom(home, "feed", "s1", "-", stdin="".join(json.dumps(line) + "\n" for line in lines))
    told = [line for line in done.stderr.splitlines() if "goes back" in line]
    words = "note: a time goes back to 4 s: these words are set at 10 s, as those before them; "
    assert told == [f"{words}so is whatever goes back from here on"]


# -- help


def test_the_help_of_run_names_every_default(home: Path) -> None:
    shown = " ".join(greenroom(home, "run", "--help").stdout.split())
    library = (ROOT / "agents" / "templates" / "moderator" / "orchestration.md").read_text("utf-8")
    rules: Any = read_orchestration(library, "orchestration.md").defaults
    assert f"{rules.mode} (the default)" in shown
    assert f"{rules.intensity} (the default)" in shown
    assert f"The time you will have; default: {int(rules.minutes)}." in shown
    assert f"at most; default: {rules.exchanges}." in shown
    assert f"{Config().engine} (the default)" in shown
    assert f"{Config().layout} (the default)" in shown
    assert "default: archives/ of the home" in shown
    assert "[default: max]" in shown


def test_the_help_of_feed_names_the_keys_of_a_line(home: Path) -> None:
    shown = greenroom(home, "feed", "--help").stdout
    for key in ("text", "speaker", "slide", "start_s", "end_s", "confidence", "final"):
        assert f'"{key}"' in shown


# -- one word for one thing, and one count


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Everything that is shown of a session of each outcome that the offline panel comes to."""
    home = new_home(tmp_path_factory.mktemp("home"))
    files = write_rehearsal(home)
    answers = ("It is 5.", "park", "We do not know.", "We do not know.")  # and to the others none
    (home / "a.yaml").write_text("".join(f"- text: {json.dumps(one)}\n" for one in answers), "utf-8")
    run = greenroom(home, "run", files.deck, "--speech", files.speech, "--answers", home / "a.yaml")
    return {
        "dialogue": run.stderr,
        "screen": run.stdout,
        "check": greenroom(home, "check", files.deck).stdout,
        "show": greenroom(home, "show", "last").stdout,
        "recap": greenroom(home, "recap", "last").stdout,
        **{
            form: greenroom(home, "debrief", "last", "--format", form).stdout
            for form in ("text", "md", "html")
        },
    }


def test_every_page_says_the_same_word(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        for word in ("tension", "finding", "unjudged", "satisfied", "unresolved"):
            assert not re.search(rf"\b{word}", page), (name, word)


def test_counts_agree_between_screen_debrief_and_recap(pages: dict[str, str]) -> None:
    (count,) = set(re.findall(r"\d+ questions: [^.<]*\.", " ".join(pages["screen"].split())))
    assert "no answer" in count
    for name in ("recap", "text", "md", "html"):
        assert count in " ".join(pages[name].split()), name


def test_a_recap_says_what_is_read_without_a_model(pages: dict[str, str]) -> None:
    assert pages["recap"].splitlines()[-1] == (
        "Read without a model: of goals, decisions and blockers only what was announced in plain words, "
        "such as “We have decided to …”, “Our goal is …”, “The blocker is …”."
    )


# -- erase


def test_erase_without_a_terminal_wants_yes(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    path = greenroom_json(home, "start", files.deck, "--id", "s1")["path"]
    refused = greenroom(home, "erase", "s1", check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"greenroom: this removes {path} for good, and there is no terminal to ask at: add --yes\n"
    )
    assert Path(path).is_dir()
    greenroom(home, "erase", "s1", "--yes")
    assert not Path(path).exists()


@pytest.mark.parametrize("said", ["n\r", "\x03"])
def test_whoever_does_not_mean_it_erases_nothing(home: Path, tmp_path: Path, said: str) -> None:
    path = Path(greenroom_json(home, "start", write_rehearsal(tmp_path).deck, "--id", "s1")["path"])
    seen = at_terminal(home, "erase", "s1", typed=[said])
    assert (seen.code, seen.lines[-1]) == (1, "greenroom: stopped")
    assert path.is_dir()


def test_prepared_answers_that_have_run_out_are_spoken_of_once(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    few = tmp_path / "few.yaml"
    few.write_text("- It is 5.\n- It is 6.\n", "utf-8")
    run = greenroom(home, "run", files.deck, "--answers", few, "--id", "r1")
    assert run.stderr.count("note: all 2 answers are used, ") == 1
    assert "follow-ups included" in " ".join(greenroom(home, "run", "--help").stdout.split())


def test_a_prepared_answer_whose_question_was_not_asked_is_named_at_the_end(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "named.yaml"
    file.write_text("- It is 5.\n- {question: the price of tea, agent: skeptic, text: Two.}\n", "utf-8")
    run = greenroom(home, "run", write_rehearsal(tmp_path).deck, "--answers", file, "--id", "r1")
    told = (
        "note: answer 2 (question the price of tea, agent skeptic) was not used: no such question was asked\n"
    )
    assert run.stderr.count(told) == 1
