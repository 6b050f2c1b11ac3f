"""What the moderator says: one phrase at a time, filled in, kept as a record, shown sparingly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator import Home, Session
from orchestrator.panel.answers import Answer
from orchestrator.panel.loop.moderator import OF_EACH, asked, choose, question_lines, say, spoken
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.personas.orchestration import PHRASE_HEADINGS, read_phrases
from tests.helpers.live_feeds import quicken
from tests.helpers.rehearsals import ROOT, greenroom, greenroom_json, write_rehearsal
from tests.helpers.steady import DECK, SteadyEngine, recording, rehearsed, running_on

OF_SOMEBODY = ("Calling on a panelist", "Follow-up", "Further question", "Coming back")
"""Said of a panelist, whose name and title are known."""
LIBRARY = "templates/moderator/phrase-library.md"
PATH = "moderator/generated-phrases.md"


@given(
    st.dictionaries(
        st.sampled_from(PHRASE_HEADINGS), st.lists(st.text(min_size=1), unique=True).map(tuple), max_size=5
    ),
    st.text(),
)
def test_the_choice_is_of_the_library_and_the_same_for_the_same_deck(
    known: dict[str, tuple[str, ...]], deck: str
) -> None:
    chosen = choose(known, deck)
    assert chosen == choose(known, deck)
    assert list(chosen) == [heading for heading, texts in known.items() if texts]
    for heading, texts in chosen.items():
        assert len(texts) == len(set(texts)) == min(OF_EACH, len(known[heading]))
        assert set(texts) <= set(known[heading])


def test_another_deck_hears_other_phrases() -> None:
    known = {"Opening": tuple("abcdefghij")}
    assert len({choose(known, f"deck {number}")["Opening"] for number in range(100)}) == 10


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), presenter="Ines") as begun:
        yield begun


def library(home: Path, **headings: str) -> None:
    """Put one library in place: by heading (with underscores), phrases separated by `|`; else "Heading."."""
    parts = ["---\nid: moderator\nkind: phrase-library\n---\n\n# Phrases\n"]
    for heading in PHRASE_HEADINGS:
        texts = headings.get(heading.replace(" ", "_").replace("-", "_"), f"{heading}.").split("|")
        parts.append(f"\n## {heading}\n\n" + "".join(f'- "{text}"\n' for text in texts))
    (home / LIBRARY).write_text("".join(parts), "utf-8")


def lines(session: Session) -> list[str]:
    """The lines that were said, as the file shows them."""
    return session.read(PATH).partition("## Said\n\n")[2].splitlines()


def test_phrases_take_turns_and_none_is_said_twice_in_a_row(home: Path) -> None:
    library(home, Transition="One.|Two.|Three.", Acknowledging_an_answer="Noted.")
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        for _ in range(7):
            with session.transaction() as tx:
                assert say(session.rehearsal, tx, "Transition")
                assert say(session.rehearsal, tx, "Acknowledging an answer") or True
        said = [one.text for one in session.projection.said if one.occasion == "Transition"]
        assert sorted(said[:3]) == ["One.", "Three.", "Two."]
        assert said == [*said[:3] * 2, said[0]]
        assert {one.text for one in session.projection.said} - set(said) == {
            "Noted."
        }  # the only one there is


@pytest.mark.nameless
def test_a_phrase_whose_slots_cannot_be_filled_is_not_said(home: Path) -> None:
    library(
        home,
        Opening="Welcome, {presenter}.|Begin.",
        Closing="Bye, {presenter}.",
        Stalling="On {slide}.|Wait.",
    )
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as nameless:
        with nameless.transaction() as tx:
            assert say(nameless.rehearsal, tx, "Opening")
            assert say(nameless.rehearsal, tx, "Stalling")
            assert not say(nameless.rehearsal, tx, "Closing")
        assert [one.text for one in nameless.projection.said] == ["Begin.", "Wait."]
    named = Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), presenter="Ines {slide}")
    with named:
        with named.transaction() as tx:
            assert say(named.rehearsal, tx, "Closing", slide=4)
        assert named.projection.said[0].text == "Bye, Ines {slide}."


def test_names_titles_slides_and_minutes_are_filled_in(home: Path) -> None:
    library(
        home, Calling_on_a_panelist="{agent_name}, {agent_title}, on slide {slide}; {minutes_left} minutes."
    )
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), minutes=12) as session:
        with session.transaction() as tx:
            assert say(
                session.rehearsal, tx, "Calling on a panelist", agent="skeptic", slide=3, exchange="x1"
            )
        (said,) = session.projection.said
        assert (said.text, said.exchange, said.after) == (
            "Marcus Webb, Chair of the audit and finance committee, on slide 3; 12 minutes.",
            "x1",
            0,
        )
        assert said.phrase == "{agent_name}, {agent_title}, on slide {slide}; {minutes_left} minutes."


def test_the_sessions_phrases_are_of_the_library_and_stand_in_its_file(session: Session, home: Path) -> None:
    known = read_phrases((home / LIBRARY).read_text("utf-8"), LIBRARY)
    assert set(session.projection.phrases) == set(known)
    for heading, texts in session.projection.phrases.items():
        assert len(texts) == 3
        assert set(texts) <= set(known[heading])
    shown = session.read(PATH)
    assert "{presenter}" not in shown
    for texts in session.projection.phrases.values():
        for text in texts:
            assert text.replace("{presenter}", "Ines") in shown


def test_every_line_is_a_record_and_a_line_of_the_file(home: Path) -> None:
    answers = ("No.", "Yes.", Answer("", park=True), "Back.")
    speech = running_on(200, slide_s=60)
    with rehearsed(
        home, speech, *answers, mode="hand-raise", minutes=4, exchanges=3, presenter="Ines"
    ) as session:
        session.end()
        said = session.projection.said
        assert [one.occasion for one in said] == [
            "Opening",
            "Calling on a panelist",
            "Follow-up",
            "Transition",
            "Calling on a panelist",
            "Parking",
            "Calling on a panelist",
            "Transition",
            "Time warning 80",
            "Closing",
        ]
        shown = [
            f"- [{int(one.at_s) // 60}:{int(one.at_s) % 60:02}] {one.occasion}"
            + (f" ({one.exchange})" if one.exchange else "")
            + f': "{one.text}"'
            for one in said
        ]
        assert lines(session) == shown
        assert [one.after for one in said] == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
        for path in session.path.glob("shared/*.md"):  # what every panelist is given stays free of it
            assert not any(one.text in path.read_text("utf-8") for one in said if one.occasion != "Parking")


def test_two_sessions_on_one_deck_say_the_same(home: Path) -> None:
    said = []
    for name in ("a", "b"):
        with rehearsed(home, running_on(200), "One.", id=name, minutes=4, exchanges=2) as session:
            said.append(session.projection.said)
    assert said[0] == said[1]
    assert len(said[0]) > 4


def test_an_engine_that_fails_costs_no_word(home: Path) -> None:
    """The library steps in for the phrases; at a break the moderator plays for time."""
    speech = recording((0, 9, None, 1), (9, 18, None, 2), (18, 27, None, 3), (27, 36, None, 4))
    with rehearsed(home, speech, engine=SteadyEngine(fails=True), minutes=60) as session:
        assert [one.occasion for one in session.projection.said] == ["Opening", "Stalling"]
        session.end()
        assert session.projection.said[-1].occasion == "Closing"


def test_the_end_is_spoken_once_even_if_it_takes_two_attempts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(rehearsal: OpenRehearsal) -> None:
        raise RuntimeError

    monkeypatch.setattr("orchestrator.rehearsal.ending._write_debrief", broken)
    with pytest.raises(RuntimeError):
        session.end()
    assert session.state == "closing"
    monkeypatch.undo()
    session.end()
    assert [one.occasion for one in session.projection.said] == ["Closing"]


def test_each_phrase_of_this_projects_library_is_plain(home: Path) -> None:
    """At most 30 words, no two of them alike, and one for each occasion that can always be said."""
    known = read_phrases((ROOT / "agents" / LIBRARY).read_text("utf-8"), LIBRARY)
    texts = [text for options in known.values() for text in options]
    assert len(set(texts)) == len(texts)
    for heading, options in known.items():
        always = {"agent_name", "agent_title"} if heading in OF_SOMEBODY else set()
        assert any(set(re.findall(r"\{(\w+)\}", text)) <= always for text in options), heading
        assert len(options) >= 3, heading
        for text in options:
            assert len(text.split()) <= 30, text
            assert text[0].isupper() or text.startswith("{"), text
            assert text.endswith((".", "?")), text


@pytest.mark.own_memory  # what a failing memory says stands in the same output
def test_the_terminal_shows_them_sparingly(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    options: list[str | Path] = ["--speech", files.speech, "--mode", "hand-raise", "--exchanges", "3"]
    done = greenroom(home, "run", files.deck, *options, "--id", "r1")
    with Session.open(Home.open(home), "r1") as session:
        shown = [
            line for one in session.projection.said if (line := spoken(session.rehearsal, one)) is not None
        ]
        assert [
            one.occasion for one in session.projection.said if spoken(session.rehearsal, one) is None
        ] == ["Transition"] * (sum(one.asked_at_s < 119 for one in session.projection.exchanges))
        put = {one.id: question_lines(session.rehearsal, one) for one in session.projection.exchanges}
        told = []
        for one in session.projection.said:
            told += [words] if (words := spoken(session.rehearsal, one)) is not None else []
            if one.occasion == "Calling on a panelist" and one.exchange is not None:
                told += [f"{one.exchange} of at most 3", *put[one.exchange]]
    assert " ".join(done.stderr.split()) == " ".join(" ".join(told).split())
    assert max(len(line) for line in done.stderr.splitlines()) <= 100
    assert shown[0].startswith("Diana Chen (0:00): ")
    assert greenroom(home, "--quiet", "run", files.deck, *options).stderr == ""
    asked = greenroom_json(home, "run", files.deck, *options)
    assert [one["occasion"] for one in asked["said"]][:2] == ["Opening", "Calling on a panelist"]


def test_the_prompt_shows_them_between_the_questions(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    done = greenroom(home, "run", files.deck, "--answers", "-", "--exchanges", "2", stdin="park\n\n")
    said = [line for line in done.stderr.splitlines() if line.removeprefix("> ").startswith("Diana Chen")]
    assert len(said) == 5  # opening, call, parked, call, closing
    questions = [line.split()[0] for line in done.stderr.splitlines() if line.endswith(" of at most 2")]
    assert questions == ["x1", "x2"]


def test_live_a_raised_hand_is_called_on_at_a_pause_and_the_answer_may_park(
    home: Path, tmp_path: Path
) -> None:
    files = write_rehearsal(tmp_path)
    quicken(home)
    greenroom(home, "start", files.deck, "--id", "s1", "--mode", "hand-raise")
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "feed", "s1", "-"]
    pipe = subprocess.PIPE
    feeding = subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stderr=pipe, stdout=subprocess.DEVNULL, text=True
    )
    assert feeding.stdin is not None
    assert feeding.stderr is not None

    def speak(text: str) -> None:
        assert feeding.stdin is not None
        feeding.stdin.write(json.dumps({"text": text, "speaker": "Ines", "slide": 1}) + "\n")
        feeding.stdin.flush()

    heard = [feeding.stderr.readline()]
    speak("Revenue grew eighteen percent to four point two million euros in 2026.")
    heard += [feeding.stderr.readline() for _ in range(3)]
    sleep(3)  # words that come sooner than they can be said were on their way when the question was put
    speak("Let me come back to that.")
    heard.append(feeding.stderr.readline())
    feeding.stdin.close()
    assert feeding.wait(60) == 0
    feeding.stderr.close()
    with Session.open(Home.open(home), "s1") as session:
        assert [one.occasion for one in session.projection.said] == [
            "Opening",
            "Calling on a panelist",
            "Parking",
        ]
        (exchange,) = session.projection.exchanges
        assert (exchange.outcome, exchange.why_this_agent.split(";")[0]) == ("parked", "raised a hand")
        name = session.rehearsal.name_of(exchange.agent)
        opening, called, parked = (spoken(session.rehearsal, one) for one in session.projection.said)
    assert [line.rstrip("\n") for line in heard] == [
        opening,
        called,
        f'  slide {exchange.slide}: "{exchange.quote}"',  # and not in the question once more
        f"{name}: {asked(exchange)}",
        parked,
    ]
