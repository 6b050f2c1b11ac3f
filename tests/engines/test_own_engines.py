"""An engine of one's own: as docs/engines.md has it, given in Python or brought by a distribution."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import pytest
from starlette.testclient import TestClient

import orchestrator.panel.engines
from orchestrator.cli.doctor import checks
from orchestrator.core.errors import ConfigurationError, EngineError, UsageError
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from orchestrator.panel.config.config import Config
from orchestrator.panel.config.engine_names import engine_names
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.by_name import engine_named
from orchestrator.panel.engines.model.wire import Wire
from orchestrator.panel.engines.protocol import OnText, Request
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.helpers.own_engines import PAGE, install, page_engine
from tests.helpers.rehearsals import write_rehearsal

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")
GONE = (
    "there is no engine 'plain' here, which this session asks: install what brings it, or open the session "
    "in Python with Session.open(…, engine=…)"
)


def test_the_pages_engine_plays_a_whole_rehearsal(home: Path, tmp_path: Path) -> None:
    files, made = write_rehearsal(tmp_path), Home.open(home)
    engine = page_engine()(made.config)
    with Session.start(made, files.deck, id="ferries", presenter="Ines", engine=engine) as session:
        session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
        assert session.play()
        asked = session.projection.exchanges
        assert len(asked) >= 3
        assert {one.turns[0].question.endswith('": how do you know?') for one in asked} == {True}
        assert {one.outcome for one in asked if one.turns[0].answer} == {"satisfied"}
        session.end()
        assert session.verify().valid
        assert session.failures == ()
        assert session.projection.debrief_failed is None


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed distributions, one of which brings the page's engine as `plain`."""
    folder = install(tmp_path / "site")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "greenroom_plain", raising=False)
    return folder


def test_a_program_runs_an_installed_engine_and_reads_the_session_without_it(
    home: Path, tmp_path: Path
) -> None:
    files, folder = write_rehearsal(tmp_path), install(tmp_path / "site")

    def greenroom(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "orchestrator.cli", "--home", str(home), *arguments],
            cwd=PAGE.parents[2],
            env={**os.environ, "PYTHONPATH": str(path or "")},
            capture_output=True,
            text=True,
            check=False,
        )

    run = ("run", str(files.deck), "--speech", str(files.speech), "--id", "own", "--engine", "plain")
    refused = greenroom(*run)
    assert (refused.returncode, refused.stderr) == (
        2,
        "greenroom: --engine 'plain': use offline, claude, openai or model\n",
    )
    done = greenroom(*run, path=folder)
    assert done.returncode == 0, done.stderr
    assert "How do you know?" in done.stderr
    shown, verified = greenroom("show", "own"), greenroom("verify", "own")
    assert (shown.returncode, shown.stderr, verified.returncode) == (0, "", 0)
    assert "How do you know?" in shown.stdout
    assert "Asked and judged by the engine `plain`" in greenroom("debrief", "own").stdout


def test_a_session_goes_on_without_the_engine_that_was_uninstalled(
    home: Path,
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    command, files = Commands(home, capsys), write_rehearsal(tmp_path)
    command("start", str(files.deck), "--id", "own", "--engine", "plain")
    assert command.json("ask", "own")["question"].endswith('": how do you know?')
    command("answer", "own", "By the ticket machines.")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(site)])
    refused = command("feed", "own", str(files.speech), check=False)
    assert (refused.returncode, refused.stderr) == (1, f"greenroom: {GONE}\n")
    assert command.json("end", "own")["valid"]


def test_an_installed_engine_is_taken_wherever_one_is_named(
    home: Path, site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = write_rehearsal(tmp_path).deck
    assert engine_names() == ("offline", "claude", "openai", "model", "plain")
    (home / "greenroom.yaml").write_text("engine: plain\n", "utf-8")
    made = Home.open(home)
    assert made.config.engine == "plain"
    command = Commands(home, capsys)
    assert command.json("dossier", str(deck))["engine"] == "plain"
    assert command.json("check", str(deck), "--engine", "plain")["claims"]
    assert [(one.state, one.name) for one in checks(made) if one.name == "engine plain"] == [
        ("ok", "engine plain")
    ]
    server = Site(made, str(made.archives), OpenSessions(made))
    with TestClient(application(server), base_url="http://127.0.0.1") as client:
        assert 'id="engine-plain" name="engine" value="plain" checked' in client.get("/new").text
        begun = client.post("/api/v1/sessions", json={"sample": True, "id": "s1", "engine": "plain"})
        assert begun.status_code == 201, begun.text
        with deck.open("rb") as file:
            looked = client.post("/api/v1/check", files={"deck": file}, data={"engine": "plain"})
        assert looked.status_code == 200, looked.text
        refused = client.post("/api/v1/sessions", json={"sample": True, "engine": "plan"})
        assert refused.status_code == 422
        assert (
            "there is no engine 'plan': use offline, claude, openai, model or plain"
            in refused.json()["detail"]
        )
    server.close()
    with Session.open(made, "s1") as session:
        assert session.rehearsal.options.engine == "plain"


def test_an_unknown_name_is_refused_with_those_that_there_are(
    home: Path, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(home, capsys)("run", "x.md", "--engine", "plan", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        "greenroom: --engine 'plan': use offline, claude, openai, model or plain\n",
    )
    with pytest.raises(UsageError) as caught:
        Session.start(Home.open(home), deck_text="# Plan\n", engine="plan")
    assert str(caught.value) == "there is no engine 'plan': use offline, claude, openai, model or plain"
    (home / "greenroom.yaml").write_text("engine: plan\n", "utf-8")
    with pytest.raises(ConfigurationError) as wrong:
        assert Home.open(home).config
    assert str(wrong.value).endswith(
        "line 1: engine is 'plan', but must be one of offline, claude, openai, model, plain"
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("", "the engine 'broken' cannot be made (AttributeError: "),
        ("import nowhere_at_all", "the engine 'broken' cannot be made (ModuleNotFoundError: "),
        (
            "def Plain(config): raise KeyError('URL')",
            "the engine 'broken' cannot be made (KeyError: 'URL'): ",
        ),
        ("def Plain(config): return None", "the engine 'broken' cannot be made (AttributeError: "),
        ("class Plain:\n  name = 'other'\n  def __init__(self, config): pass", "calls itself 'other'"),
        (
            "from orchestrator import EngineError\ndef Plain(config): raise EngineError('set PLAIN_URL')",
            "set PLAIN_URL",
        ),
    ],
)
def test_an_engine_that_cannot_be_made_is_one_line(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    says: str,
) -> None:
    monkeypatch.syspath_prepend(install(tmp_path / "site", "broken", code=code))
    monkeypatch.delitem(sys.modules, "greenroom_plain", raising=False)
    refused = Commands(home, capsys)(
        "start", str(write_rehearsal(tmp_path).deck), "--engine", "broken", check=False
    )
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert says in refused.stderr
    with pytest.raises(EngineError):
        engine_named("broken", Config())
    (row,) = [one for one in checks(Home.open(home)) if one.name == "engine broken"]
    assert row.state == "missing"
    assert says in row.detail


def test_what_an_engines_own_check_raises_is_one_line_and_one_row(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = """
class Plain:
    name = "checks"
    def __init__(self, config): pass
    def check(self): raise KeyError("URL")
    def close(self): raise KeyError("URL")
    def reply(self, request, context=None): return None
"""
    monkeypatch.syspath_prepend(install(tmp_path / "site", "checks", code=code))
    monkeypatch.delitem(sys.modules, "greenroom_plain", raising=False)
    says = "the engine 'checks' cannot be looked at (KeyError): mend it"
    rows = checks(Home.open(home))
    assert [(one.state, one.detail) for one in rows if one.name == "engine checks"] == [("missing", says)]
    assert {one.name for one in rows} >= {"memory", "network", "S3"}
    deck = str(write_rehearsal(tmp_path).deck)
    refused = Commands(home, capsys)("run", deck, "--engine", "checks", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.splitlines()[-1] == f"greenroom: {says}"
    assert "Traceback" not in refused.stderr


def test_a_wire_that_fails_by_a_mistake_is_a_row_of_the_doctors(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(settings: object) -> object:
        raise KeyError("choices")

    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("GREENROOM_MODEL", "any")
    monkeypatch.setattr("orchestrator.panel.engines.model.probing.probe_settings", probe)
    rows = {one.name: (one.state, one.detail) for one in checks(Home.open(home))}
    said = ("missing", "the engine openai cannot be looked at (KeyError): mend it")
    assert rows["engine openai"] == said


@pytest.mark.parametrize("name", ["offline", "claude", "recorded", "scripted"])
def test_nobody_else_brings_an_engine_of_the_packages_own_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(install(tmp_path / "site", name))
    assert engine_names() == ("offline", "claude", "openai", "model")


class Mistaken:
    """Raises what no engine should, with the presenter's words in it, or gives what nobody asked for."""

    name = "mistaken"

    def __init__(self, *, gives: bool) -> None:
        self.gives = gives

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if self.gives:
            return cast(R, 5)
        raise ValueError("Revenue grew eighteen percent")


class Begun(Mistaken):
    """The same, in a call that is not waited for."""

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        future: Future[R] = Future()
        future.set_exception(ValueError("Revenue grew eighteen percent"))
        return future


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        (Mistaken(gives=False), "the engine failed by a mistake of its own (ValueError): tell its authors"),
        (Begun(gives=False), "the engine failed by a mistake of its own (ValueError): tell its authors"),
        (Mistaken(gives=True), "the engine gave int for a DebriefRequest: it must be DebriefWords"),
    ],
    ids=["raises", "raises later", "gives a number"],
)
def test_an_engines_own_mistake_is_a_failed_call_and_tells_nothing_that_was_said(
    home: Path, tmp_path: Path, engine: Mistaken, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    files, made = write_rehearsal(tmp_path), Home.open(home)
    with Session.start(made, files.deck, id="ferries", presenter="Ines", engine=engine) as session:
        session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
        assert session.play()
        session.ask("skeptic", question="Who pays?")
        assert session.answer("The city.").verdict == "unjudged"
        session.end()
        assert session.verify().valid
        assert session.projection.debrief_failed == says
        failures = [session.projection.debrief_failed, *session.projection.failed.values()]
        assert not any("eighteen" in one for one in failures)
    assert "eighteen" not in caplog.text


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise KeyError('x')", "the engine failed by a mistake of its own (KeyError): tell its authors"),
        ("raise EngineError('set PLAIN_URL')", "set PLAIN_URL"),
    ],
)
def test_a_rehearsal_whose_engine_gave_nothing_says_so_and_exits_with_1(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    why: str,
) -> None:
    code = f"""
from orchestrator.panel.engines import EngineError
class Plain:
    name = "raises"
    def __init__(self, config): pass
    def reply(self, request, context=None): {code}
"""
    monkeypatch.syspath_prepend(install(tmp_path / "site", "raises", code=code))
    monkeypatch.delitem(sys.modules, "greenroom_plain", raising=False)
    command, files = Commands(home, capsys), write_rehearsal(tmp_path)
    run = ("run", str(files.deck), "--speech", str(files.speech), "--id", "own", "--engine", "raises")
    done = command(*run, check=False)
    told = re.escape(f"he engine `raises` gave no usable reply to 0 calls (0 times: {why})").replace(
        "0", r"\d+"
    )
    assert done.returncode == 1
    assert re.fullmatch(
        f"greenroom: t{told}: mend it, or rehearse with another engine", done.stderr.splitlines()[-1]
    )
    page = command("debrief", "own").stdout
    assert re.search(f"T{told}\\.", page)
    assert "Asked and judged by" not in page
    assert command.json("verify", "own")["valid"]


# ---------------------------------------------------------------------- what an author is given


def _requests() -> set[str]:
    classes = inspect.getmembers(protocol, inspect.isclass)
    return {name for name, one in classes if issubclass(one, protocol.Request)}


def _offers() -> set[str]:
    classes = inspect.getmembers(protocol, inspect.isclass)
    return {
        name
        for name, one in classes
        if getattr(one, "_is_protocol", False) and name not in ("Protocol", "Engine")
    }


def test_all_requests_offers_and_results_can_be_imported_from_one_place() -> None:
    public = set(orchestrator.panel.engines.__all__)
    assert public >= _requests()
    assert public >= _offers()
    assert sorted(public) == sorted(orchestrator.panel.engines._WHERE)
    for name in public:
        assert getattr(orchestrator.panel.engines, name) is not None


def test_the_page_names_every_request_and_every_offer() -> None:
    page, _, wire = PAGE.read_text("utf-8").partition("## A wire of one's own")
    rows = _rows(page)
    requests = _requests() - {"Request", "SeatRequest"}
    assert rows == requests | _offers()
    named = set(re.findall(r"`(?:tuple\[)?([A-Z]\w+)", page))
    assert named - set(orchestrator.panel.engines.__all__) <= {"Session"}
    members = {name for name in vars(Wire) if not name.startswith("_")} | set(Wire.__annotations__)
    assert {name.partition("(")[0] for row in _rows(wire) for name in row.split("`, `")} == members


def _rows(page: str) -> set[str]:
    """The names in the first cells of a page's tables."""
    return {
        name
        for row in page.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])
    }
