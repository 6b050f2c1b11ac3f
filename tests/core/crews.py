"""What the tests of the core share: the names of the code review's files, and a held review."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from orchestrator.core import Context, Session

CODE_REVIEW: Final = Path(__file__).resolve().parents[2] / "scripts" / "examples" / "code_review"
PULL_REQUEST: Final = "shared/pull-request.md"
MEETING: Final = "shared/meeting.md"
FINDINGS: Final = "shared/findings.md"
QUESTION: Final = "tester/question.md"


def hold(session: Session) -> Context:
    """Say something, let the tester ask, and note a finding; return what the tester was given."""
    session.append(MEETING, "Alice: I simplified the total.", by="minutes")
    context = session.context("tester", task="Ask one question.", engine="my-model-1")
    session.write(QUESTION, "Which test fails?\n", by="tester", receipt=context.receipt)
    with session.transaction() as tx:
        tx.append(FINDINGS, "tester asks: Which test fails?", by="coordinator")
        tx.note("review.finding", {"severity": "high"}, by="coordinator")
    return context


def sessions_of(home: Path) -> list[str]:
    """All that stands in a home's `sessions/`, also what no session is made of yet."""
    folder = home / "sessions"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
