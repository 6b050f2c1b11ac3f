"""A client that a generator makes from the API's description plays whole loops with it.

The generator needs an older typer than the command line, so it gets an environment of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.crews import AGENTS, crew_home
from tests.web.conftest import Served

pytestmark = pytest.mark.slow

GENERATOR = "openapi-python-client>=0.29,<0.30"
NO_INDEX = "NO PACKAGE INDEX: no client is generated from the API's description"
CONFIG = """
content_type_overrides:
  image/png: application/octet-stream
  audio/wav: application/octet-stream
post_hooks: []
"""
"""The generator knows no pictures and no sound; what it writes is formatted by nobody."""

PRELUDE = """
import json, sys
from io import BytesIO
from greenroom_client import Client, models
from greenroom_client.types import File

at, deck_path = sys.argv[1:]
client = Client(base_url=at, raise_on_unexpected_status=True)

def ask(operation, *path, **given):
    answer = operation.sync(*path, client=client, **given)
    assert answer is not None and not isinstance(answer, models.Problem), (operation.__name__, answer)
    return answer
"""

REHEARSAL = """
from greenroom_client.api.contexts import get_context
from greenroom_client.api.debrief import download_debrief, get_debrief, judge_answer
from greenroom_client.api.decks import read_deck
from greenroom_client.api.room import (
    add_speech, answer_question, call_on_panelist, end_session, put_question, record_verdict, show_slide,
)
from greenroom_client.api.sessions import get_session, list_sessions, start_session, verify_session

with open(deck_path, "rb") as file:
    body = models.BodyReadDeck(deck=File(payload=BytesIO(file.read()), file_name="deck.md"))
deck = ask(read_deck, body=body)
started = ask(start_session, body=models.Starting(deck=deck.deck, id="first", presenter="Dana"))
said = [
    models.Spoken(text="The second hub pays for itself in 31 months.", slide=2, start_s=1.0, end_s=6.0),
    models.Spoken(text="The plan costs 6.4 million euros.", slide=3, start_s=7.0, end_s=11.0),
]
taken = ask(add_speech, "first", body=said)
ask(show_slide, "first", body=models.ShownSlide(slide=4))
told = get_context.sync_detailed("first", "skeptic", client=client)
context, receipt = told.parsed, told.headers["greenroom-receipt"]

own = models.OwnQuestion(
    agent="skeptic",
    question="What is the 31 months made of?",
    quote="pays for itself in 31 months",
    receipt=receipt,
)
put = ask(put_question, "first", body=own)
ask(add_speech, "first", body=models.Spoken(text="Of the saved freight alone, at volumes of this year."))
verdict = models.OwnVerdict(
    verdict=models.OwnVerdictVerdict.SATISFIED,
    reason="names what it counts",
    quote="Of the saved freight alone",
)
judged = ask(record_verdict, "first", body=verdict)

room = ask(call_on_panelist, "first", body=models.CalledOn())
asked_by = room.question.agent
room = ask(answer_question, "first", body=models.Answer(text="We signed the lease for ten years."))
last = (room.question.exchange if room.question else room.closed[-1].exchange)
mine = ask(
    judge_answer, "first", body=models.Judging(exchange=put.id, verdict=models.JudgingVerdictType0.GIVEN)
)
refused = show_slide.sync("first", client=client, body=models.ShownSlide(slide=99))

ended = ask(end_session, "first", body=models.Ending())
debrief = ask(get_debrief, "first")
page = ask(download_debrief, "first", models.DownloadDebriefForm.MD)
proof = ask(verify_session, "first", head=ended.ledger_head)
whole = ask(get_session, "first", trace=True)
print(json.dumps({
    "deck": [deck.title, len(deck.slides) > 5, deck.tensions[0].class_],
    "started": [started.session, started.state],
    "segments": taken.segments,
    "context": context[:20],
    "put": [put.agent, put.turns[0].question, put.outcome],
    "judged": [judged.turns[0].verdict, judged.turns[0].answer, judged.outcome],
    "asked by one of the panel": asked_by in ("skeptic", "analyst", "contrarian"),
    "judged by a person": [mine.verdict, mine.by],
    "refused": [type(refused).__name__, refused.status, refused.code],
    "ended": ended.state,
    "debrief": [debrief.deck == deck.title, [one.id for one in debrief.exchanges] == ["x1", last]],
    "page": page.splitlines()[0],
    "verified": [proof.valid, proof.findings, proof.ledger_head == ended.ledger_head],
    "listed": [(one.session, one.state) for one in ask(list_sessions).sessions],
    "shown": [whole.records == proof.records, whole.trace.steps[0].action["action"]],
}))
"""

CREW = """
from greenroom_client.api.contexts import get_context
from greenroom_client.api.crews import add_note, start_crew_session
from greenroom_client.api.files import append_to_file, read_file, write_file
from greenroom_client.api.room import call_on_panelist, end_session
from greenroom_client.api.sessions import archive_session, get_session, list_sessions, verify_session

files = models.StartingCrewFiles.from_dict({"shared/pull-request.md": "+ x\\n"})
started = ask(start_crew_session, body=models.StartingCrew(id="pr-42", title="PR 42", files=files))
said = models.FileText(text="Alice: simpler.", by="minutes")
appended = ask(append_to_file, "pr-42", "shared/meeting.md", body=said)
told = get_context.sync_detailed("pr-42", "tester", client=client)
context, receipt = told.parsed, told.headers["greenroom-receipt"]
asked = models.FileText(text="Which test fails?", by="tester", receipt=receipt)
written = ask(write_file, "pr-42", "tester/question.md", body=asked)
fields = models.NewNoteFields.from_dict({"severity": "high"})
noted = ask(add_note, "pr-42", body=models.NewNote(type_="review.finding", fields=fields, by="coordinator"))
refused = call_on_panelist.sync("pr-42", client=client, body=models.CalledOn())
then = get_context.sync("pr-42", "tester", client=client, at=receipt)
ended = ask(end_session, "pr-42", body=models.Ending())
proof = ask(verify_session, "pr-42", head=ended.ledger_head)
archived = ask(archive_session, "pr-42", body=models.Archiving())
whole = ask(get_session, "pr-42")
print(json.dumps({
    "started": [started.session, started.crew, started.agents],
    "appended": [appended.path, appended.record],
    "written": [written.revision, written.record],
    "noted": noted.record,
    "read": read_file.sync("pr-42", "tester/question.md", client=client),
    "context": [context[:19], then == context],
    "refused": [type(refused).__name__, refused.status, refused.code],
    "ended": ended.state,
    "verified": [proof.valid, proof.table.name],
    "archived": [archived.session, archived.sent],
    "listed": [(one.session, one.crew, one.state) for one in ask(list_sessions).sessions],
    "shown": [whole.title, whole.exchanges, whole.usage, whole.notes[0].fields.to_dict()],
}))
"""

LOOPS: dict[str, tuple[str, dict[str, Any]]] = {
    "a rehearsal": (
        REHEARSAL,
        {
            "deck": ["Fennmark Cold Chain: a second hub at Saltmere", True, "computed"],
            "started": ["first", "active"],
            "segments": 2,
            "context": "^^^ file 1 of 11: te",
            "put": ["skeptic", "What is the 31 months made of?", None],
            "judged": ["satisfied", "Of the saved freight alone, at volumes of this year.", "satisfied"],
            "asked by one of the panel": True,
            "judged by a person": ["given", "Dana"],
            "refused": ["Problem", 422, "usage"],
            "ended": "ended",
            "debrief": [True, True],
            "page": "# Debrief: Fennmark Cold Chain: a second hub at Saltmere",
            "verified": [True, [], True],
            "listed": [["first", "ended"]],
            "shown": [True, "start"],
        },
    ),
    "a crew's session": (
        CREW,
        {
            "started": ["pr-42", "code-review", AGENTS],
            "appended": ["shared/meeting.md", 4],
            "written": [1, 6],
            "noted": 7,
            "read": "Which test fails?",
            "context": ["^^^ file 1 of 5: te", True],
            "refused": ["Problem", 409, "other_crew"],
            "ended": "ended",
            "verified": [True, "code-review"],
            "archived": ["pr-42", 0],
            "listed": [["pr-42", "code-review", "ended"]],
            "shown": ["PR 42", [], None, {"severity": "high"}],
        },
    ),
}
"""What is played, by what a program writes that knows the client alone, and what it is to print."""


@dataclass(frozen=True)
class Generated:
    """A client, and the Python that can import it."""

    python: Path
    folder: Path
    said: str  # by the generator

    def run(self, script: str, *arguments: str) -> Any:
        done = subprocess.run(
            [self.python, "-c", PRELUDE + script, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def generated(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """The client that is made from what a running server says of itself."""
    folder = tmp_path_factory.mktemp("client")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, timeout=120)
    programs = folder / "venv" / "bin"
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet", GENERATOR]
    installed = subprocess.run(install, capture_output=True, text=True, timeout=300, check=False)
    if installed.returncode != 0:
        pytest.skip(f"{NO_INDEX} ({installed.stderr.strip().splitlines()[-1]})")
    (folder / "config.yaml").write_text(CONFIG)
    options = ["--meta", "none", "--output-path", "greenroom_client", "--config", "config.yaml"]
    source = ["--url", f"{server.url}/api/v1/openapi.json"]
    made = subprocess.run(
        [str(programs / "openapi-python-client"), "generate", *source, *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return Generated(programs / "python", folder, made.stdout + made.stderr)


def test_nothing_of_the_description_is_left_out_of_the_client(generated: Generated) -> None:
    assert generated.said.strip() == "Generating greenroom_client"


@pytest.mark.parametrize("loop", LOOPS)
def test_the_client_plays(
    generated: Generated, serve: Callable[..., Served], loop: str, tmp_path: Path
) -> None:
    script, expected = LOOPS[loop]
    home = crew_home(tmp_path / "crew") if script is CREW else None
    deck = Path(__file__).resolve().parents[2] / "orchestrator" / "rehearsal" / "demo" / "deck.md"
    assert generated.run(script, serve(home).url, str(deck)) == expected
