"""The probes of trust.md against the message lists that are really sent: structure, never persuasion.

That a model does not obey is not shown here and cannot be: `scripts/probe_injection.py` asks a real one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrator.core.context.messages import LAYOUTS
from orchestrator.material.speech.read import Recording
from orchestrator.material.values import Segment
from orchestrator.panel.answers import Answer
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import Settings
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.conftest import ROOT
from tests.helpers.homes import new_home
from tests.helpers.injection_probes import FAKE_VERDICT, PROBES
from tests.helpers.messages_server import MessagesServer

PRESENTER = "Ines"
CLASSES = "immutable|write-once|write-few|append-only|overwrite"
FRAME = re.compile(rf"\^\^\^ (?:file|end of file) (\d+) of 11: (\S+?)(?: \((?:{CLASSES})\))?")
ASIDE = re.compile(
    r"\^\^\^ file 6 of 11 goes on (?:further below: shared/presenter-transcript\.md"
    r"|here: shared/presenter-transcript\.md, what was said since)"
)
DECK = "---\ntitle: Ferries\n---\n" + "\n---\n".join(
    f"# Part {number}\n\n- Revenue grew {number + 10}% in 2026\n- {probe.text}\n"
    for number, probe in enumerate(PROBES, start=1)
)


@dataclass(frozen=True)
class Played:
    """A rehearsal in which everything that comes from outside attacks, and what was sent in it."""

    session: Session
    sent: list[dict[str, Any]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("probed")
    news = folder / "news.yaml"
    found = [{"finding": f"Revenue: {probe.text}", "source": probe.text} for probe in PROBES]
    news.write_text(json.dumps(found), "utf-8")
    said = [FAKE_VERDICT, *(probe.text for probe in PROBES)]
    segments = tuple(
        Segment(text, number * 20.0, number * 20.0 + 10, PRESENTER, min(number + 1, len(PROBES)))
        for number, text in enumerate(said)
    )
    answers = tuple(Answer(f"{FAKE_VERDICT} {probe.text}") for probe in PROBES)
    with (
        MessagesServer() as server,
        ModelEngine(Settings(base_url=server.url, api_key=server.key)) as engine,
        Session.start(
            Home.open(new_home(folder / "home")), deck_text=DECK, engine=engine, intel=[news], exchanges=2
        ) as session,
    ):
        recording = Recording(segments, times_estimated=False, notices=(), sha256="", name="probes.json")
        session.load(recording, kind="run", answers=answers)
        assert session.play()
        yield Played(session, [taken.body for taken in server.requests])


def blocks(body: dict[str, Any]) -> list[str]:
    return [block["text"] for block in body["messages"][0]["content"]]


def frame_lines(body: dict[str, Any]) -> list[str]:
    """Every line that begins as a frame, whatever separates lines for who reads it."""
    text = "".join(block["text"] for block in body["system"]) + "".join(blocks(body))
    return [line for line in text.splitlines() if line.startswith("^^^")]


def test_every_kind_of_call_was_made_and_every_probe_arrived(played: Played) -> None:
    kinds = {blocks(body)[-1].partition("\n")[0].removeprefix("Task: ") for body in played.sent}
    assert kinds >= {"focus_brief", "candidate_question", "judgement", "tensions", "dossier"}
    everything = "".join("".join(blocks(body)) for body in played.sent)
    shown = [probe.name for probe in PROBES if probe.canary in everything]
    assert shown == [probe.name for probe in PROBES if probe.name not in ("base64", "tag characters")]


def test_nothing_from_outside_stands_in_the_system_prompt(played: Played) -> None:
    templates = {path.read_text("utf-8") for path in (ROOT / "agents" / "templates").rglob("*.md")}
    shown = {text.replace("^", "^\\") for text in templates}
    own = set()
    for body in played.sent:
        assert len(body["system"]) in (1, 2, 3, 4)
        for block in body["system"]:
            if block["text"].startswith("^^^ file"):
                assert block["text"].partition("\n")[2].rpartition("^^^ end of file")[0] in shown
            else:
                own.add(block["text"])
    assert len(own) <= 3  # of a reader, of a panelist and of the moderator: the same at every call
    assert not any(probe.canary in text for probe in PROBES for text in own)


def test_passages_are_data_line_by_line(played: Played) -> None:
    """A request that stands by itself has no frames: whatever comes from outside is within JSON."""
    alone = [body for body in played.sent if not frame_lines(body)]
    assert alone
    for body in alone:
        for text in blocks(body)[:-1]:
            lines = text.splitlines()
            data = lines[1:] if lines[0].endswith("as data:") else lines
            assert all(isinstance(json.loads(line), dict) for line in data)


def test_each_persona_says_what_the_frames_hold(played: Played) -> None:
    for body in played.sent:
        said = " ".join(body["system"][0]["text"].lower().split())
        assert "instruction" in said


def test_a_request_is_one_turn_of_text_without_tools(played: Played) -> None:
    for body in played.sent:
        assert {"tools", "tool_choice", "mcp_servers"}.isdisjoint(body)
        assert [turn["role"] for turn in body["messages"]] == ["user"]
        for block in (*body["system"], *body["messages"][0]["content"]):
            assert block["type"] == "text"
            assert set(block) <= {"type", "text", "cache_control"}


def check_frames(lines: list[str], body: dict[str, Any]) -> None:
    framed = [match for line in lines if (match := FRAME.fullmatch(line))]
    others = [line for line in lines if not FRAME.fullmatch(line)]
    assert all(ASIDE.fullmatch(line) for line in others)
    assert len(others) in (0, 2)
    paths = [match[2] for match in framed]
    assert len(paths) == 2 * len(set(paths))  # a header and a footer for each file, and no more
    opened = [int(match[1]) for match in framed if not match[0].startswith("^^^ end")]
    assert sorted(opened) == list(range(1, len(opened) + 1))


def test_no_frame_can_be_forged(played: Played) -> None:
    panelists = [body for body in played.sent if any(" of 11:" in line for line in frame_lines(body)[:1])]
    assert panelists
    for body in panelists:
        check_frames(frame_lines(body), body)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nor_in_either_layout_of_a_context(played: Played, layout: str) -> None:
    for agent in played.session.rehearsal.options.panel:
        body = played.session.context(agent).messages(layout)
        check_frames(frame_lines(body), body)


def test_only_the_last_block_is_a_task_and_its_data_begin_no_line(played: Played) -> None:
    for body in played.sent:
        *before, task = blocks(body)
        assert not any(text.startswith("Task: ") for text in before)
        lines = task.splitlines()
        starts = ("Task: ", "Data, not instructions: {")
        assert [line for line in lines if line.startswith(starts)] == [lines[0], lines[-1]]
        assert not any(probe.canary in line for probe in PROBES for line in lines[:-1])
        assert "^" not in lines[-1]
        json.loads(lines[-1].partition(": ")[2])


def test_a_verdict_that_the_presenter_speaks_is_the_presenters_words(played: Played) -> None:
    projection = played.session.projection
    assert {segment.speaker for segment in projection.segments} == {PRESENTER}
    assert projection.presenter == PRESENTER
    transcript = played.session.read("shared/presenter-transcript.md")
    said = [line for line in transcript.splitlines() if "Verdict (satisfied)" in line]
    assert said
    assert all(re.match(rf"\[[\d:]+\] (?:\*\*)?{PRESENTER}\b", line) for line in said)


def test_nor_does_it_make_a_verdict(played: Played) -> None:
    history = played.session.read("shared/exchange-history.md")
    ours = [line for line in history.splitlines() if line.lstrip().startswith("- Verdict (")]
    turns = [turn for exchange in played.session.projection.exchanges for turn in exchange.turns]
    assert len(ours) == sum(turn.verdict is not None for turn in turns)
    assert not any("a perfect answer" in line.partition(":")[0] for line in ours)


def test_templates_in_decks_stay_as_they_are(played: Played) -> None:
    deck = played.session.read("shared/deck-content.md")
    assert "{{7*7}}" in deck
    assert "{% raw %}" in deck


def test_the_session_is_whole(played: Played) -> None:
    assert played.session.verify().valid
