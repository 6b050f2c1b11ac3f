"""Each document that `--json` prints is as its model says, which the API describes itself by too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from orchestrator.documents.models.base import PersonVerdict
from orchestrator.documents.models.commands import (
    AnsweredDocument,
    AskedDocument,
    DoctorDocument,
    EndedDocument,
    FedDocument,
    PanelDocument,
    ParkedDocument,
    ProgressDocument,
    RestoredDocument,
    RunDocument,
    SlideDocument,
    StartedDocument,
    StateOnlyDocument,
    TitledDocument,
)
from orchestrator.documents.models.debrief import DebriefDocument
from orchestrator.documents.models.memories import BriefingDocument, GoalsDocument, MemoriesDocument
from orchestrator.documents.models.preparation import CheckDocument, DossierDocument
from orchestrator.documents.models.sessions import (
    ArchivedDocument,
    ContextMessages,
    ContextReceipt,
    ErasedDocument,
    IntelDocument,
    RecapDocument,
    SessionDocument,
    SessionList,
    StateDocument,
    VerificationDocument,
)
from tests.helpers.commands import Commands
from tests.helpers.described import held

DEMO = Path(__file__).resolve().parents[2] / "orchestrator" / "rehearsal" / "demo"

Steps = list[tuple[type[BaseModel], str]]

LOOP: Steps = [
    (StartedDocument, "start {demo}/deck.md --id t1 --presenter Dana"),
    (FedDocument, "feed t1 {demo}/speech.vtt"),
    (SlideDocument, "slide t1 3"),
    (AskedDocument, "ask t1"),
    (AnsweredDocument, "answer t1 Yes."),
    (PersonVerdict, "judge t1 x1 given --note Fine."),
    (AskedDocument, "ask t1"),
    (ParkedDocument, "park t1"),
    (StateOnlyDocument, "pause t1"),
    (StateDocument, "resume t1 --repair-only"),
    (ContextReceipt, "context t1 skeptic --as receipt"),
    (IntelDocument, "intel t1"),
    (EndedDocument, "end t1"),
    (TitledDocument, "title t1 Mine"),
    (SessionDocument, "show t1 --trace"),
    (VerificationDocument, "verify t1"),
    (RecapDocument, "recap t1"),
    (DebriefDocument, "debrief t1 --format json"),
    (ContextMessages, "context t1 analyst --as messages"),
    (ArchivedDocument, "archive t1 --to {at}/bags"),
    (SessionList, "list --archive {at}/bags"),
    (RestoredDocument, "restore t1 --from {at}/bags --into {at}"),
    (ProgressDocument, "progress"),
    (GoalsDocument, "goal add Brevity --presenter Dana"),
    (GoalsDocument, "goal list"),
    (BriefingDocument, "briefing skeptic --presenter Dana"),
    (ErasedDocument, "erase t1 --yes --archives"),
    (SessionList, "list"),
]
DEMONSTRATED: Steps = [
    (SessionList, "list --search Hexley"),
    (SessionDocument, "show last"),
    (DebriefDocument, "debrief last --format json"),
    (MemoriesDocument, "memory list"),
    (RecapDocument, "recap last"),
]
ALONE: Steps = [
    (CheckDocument, "check {demo}/deck.md --speech {demo}/speech.vtt"),
    (DossierDocument, "dossier {demo}/deck.md"),
    (RunDocument, "run {demo}/deck.md --speech {demo}/speech.vtt --answers {demo}/answers.yaml"),
    (DoctorDocument, "doctor"),
    (PanelDocument, "panel check"),
]


def unlike(commands: Commands, steps: Steps, at: Path) -> list[str]:
    """What the commands print that is not as their models say, in one home after the other."""
    return [
        f"{command}: {fault}"
        for model, command in steps
        for fault in held(model, commands.json(*command.format(demo=DEMO, at=at).split()))
    ]


@pytest.fixture
def commands(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


def test_a_rehearsal_step_by_step(commands: Commands, tmp_path: Path) -> None:
    assert unlike(commands, LOOP, tmp_path) == []


def test_a_demonstration(commands: Commands, tmp_path: Path) -> None:
    commands("demo")
    assert unlike(commands, DEMONSTRATED, tmp_path) == []


def test_what_needs_no_session_and_a_run(commands: Commands, tmp_path: Path) -> None:
    assert unlike(commands, ALONE, tmp_path) == []


def test_a_key_more_or_less_is_seen() -> None:
    assert held(SlideDocument, {"slide": 3}) == []
    assert held(SlideDocument, {"slide": 3, "title": "Costs"}) != []
    assert held(SlideDocument, {}) != []


def test_no_model_is_loaded_to_list_sessions(home: Path) -> None:
    """Making the validators of a list would take it a seventh longer (55 ms of 390)."""
    program = (
        "import sys\n"
        "from orchestrator.cli.app import run\n"
        f"code = run(['--home', {str(home)!r}, '--json', 'list'])\n"
        "print(code, [name for name in sys.modules if 'documents.models' in name], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == "0 []\n"
