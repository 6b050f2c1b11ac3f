"""What is heavy is loaded by whoever uses it: not by the core, not by an offline rehearsal, not by help."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.homes import ROOT

pytestmark = pytest.mark.slow  # real processes

SERVICES = {"anthropic", "boto3", "botocore", "httpx2", "openai"}
"""Clients of services, 70 MB: none has a part in an offline rehearsal."""
CLIENTS = {"orchestrator.core.outbound.aws", "orchestrator.core.outbound.client"}
"""The two modules that make such clients; they are imported where one is made."""
CORE = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "orchestrator" / "core").rglob("*.py")
)

OFFLINE = """
from orchestrator.rehearsal.session import Session
from orchestrator.panel.home import Home
deck = "# Sales\\n\\n- Sales grew 18% to EUR 4.2M in 2026\\n"
with Session.start(Home.open({home!r}), deck_text=deck) as session:
    session.context("skeptic", purpose="candidate-question")
    session.end()
    session.archive()
"""


def loaded_by(code: str) -> set[str]:
    """The modules of other distributions that a new process loads to run *code*, by their first names."""
    program = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"{code}\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print()\n"
        "print(json.dumps(sorted(new - set(sys.stdlib_module_names) - {'orchestrator'})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name for name in json.loads(done.stdout.splitlines()[-1]) if not name.startswith("_")}


def command(*words: str) -> str:
    """Code that runs a command in this process."""
    return f"from orchestrator.cli.app import run\nassert run({list(words)!r}) == 0"


def test_no_module_of_the_core_loads_another_distribution_but_two_that_are_loaded_when_used() -> None:
    assert set(CORE) > CLIENTS
    alone = [name for name in CORE if name not in CLIENTS]
    assert loaded_by("import " + ", ".join(alone)) == set()
    assert {*map(loaded_by_client, CLIENTS)} == {"boto3", "httpx2"}


def loaded_by_client(name: str) -> str:
    """The one of the services' clients that the module makes."""
    (found,) = loaded_by(f"import {name}") & (SERVICES - {"botocore"})
    return found


@pytest.mark.parametrize(
    "code",
    [
        "import orchestrator.core.archive.stores",
        "import orchestrator.core.archive.s3",
        "import orchestrator.rehearsal.session",
        "import orchestrator.panel.engines",
        command("run", "--help"),
        command("list", "--help"),
        command("archive", "--help"),
    ],
)
def test_no_client_of_a_service_is_loaded_to_import_or_to_explain(code: str) -> None:
    assert loaded_by(code) & SERVICES == set()


def test_an_offline_rehearsal_and_its_list_load_no_client_of_a_service(home: Path) -> None:
    assert loaded_by(OFFLINE.format(home=str(home))) & SERVICES == set()
    assert loaded_by(command("--home", str(home), "list")) & SERVICES == set()
