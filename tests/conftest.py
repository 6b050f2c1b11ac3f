"""What all tests share: real files, a home to write in, and an environment that is not the user's."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import hypothesis
import pytest

from tests.helpers import memory_modes, replicas
from tests.helpers.homes import new_home
from tests.helpers.installed import NO_INDEX
from tests.helpers.memory_modes import VARIABLE
from tests.helpers.seed_promises import PROMISES, node_of
from tests.web.browser import NO_BROWSER

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
NO_SHARED = "no real decks and recordings: shared/data does not lie beside the checkout"

# A run in CI tries the same examples every time, so that it fails for the change and not by chance.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_configure() -> None:
    """No test meets the keys, buckets or settings of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "AWS_", "GREENROOM_")):
            del os.environ[name]
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    if mode := os.environ.get(VARIABLE):
        memory_modes.apply(mode)
    if os.environ.get(replicas.VARIABLE):
        replicas.apply()


def pytest_collection_finish() -> None:
    """Keep the collector from looking through all that is loaded by now, again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for why in (NO_SHARED, NO_BROWSER, NO_INDEX):
        skipped = [
            report
            for report in terminalreporter.stats.get("skipped", [])
            if isinstance(report.longrepr, tuple) and why in report.longrepr[2]
        ]
        if skipped:
            line = f"{len(skipped)} tests did not run: {why}"
            terminalreporter.write_sep("=", line, yellow=True, bold=True)
    _tell_promises(terminalreporter)


def _tell_promises(terminalreporter: pytest.TerminalReporter) -> None:
    """What each promise of the memory seeds came to in this run; nothing where none of their tests ran."""
    outcomes: dict[str, set[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            outcomes.setdefault(report.nodeid.partition("[")[0], set()).add(outcome)
    rows = [(seed, promise, node_of(file, test)) for seed, promise, file, test in PROMISES]
    if not any(node in outcomes for *_, node in rows):
        return
    terminalreporter.write_sep("=", "the seeds' promises")
    for seed, promise, node in rows:
        came = outcomes.get(node, {"not run"})
        worst = next(one for one in ("failed", "error", "not run", "skipped", "passed") if one in came)
        terminalreporter.write_line(f"{seed}  {worst:<8} {promise:<70} {node.removeprefix('tests/')}")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real decks, transcripts and archives; a test that needs it is skipped without."""
    if not SHARED.is_dir():
        pytest.skip(NO_SHARED)
    return SHARED


@pytest.fixture(autouse=True)
def _nameless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a test marked so, memory modes give no name to a presenter who has none."""
    if request.node.get_closest_marker("nameless") is not None:
        monkeypatch.setattr(memory_modes, "name", None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of the test's own: the checkout's templates and blueprints, and no session yet."""
    return new_home(tmp_path / "home")
