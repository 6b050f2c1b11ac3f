"""The home of a crew that no program here knows: the code review of `scripts/examples`."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

from orchestrator.core.home.table_file import read_table_file

EXAMPLE = Path(__file__).resolve().parents[2] / "scripts" / "examples" / "code_review"

DIFF = "-    return sum(row.total for row in rows)\n+    return sum(map(total_of, rows))\n"
AGENTS = ["coordinator", "architect", "security", "tester"]
TABLE = {
    "name": "code-review",
    "version": 1,
    "sha256": read_table_file(EXAMPLE / "table.yaml").sha256,
}
OTHER_CREW = (
    "session pr-42 is of the crew code-review and no rehearsal: use show, context, append, write, note, "
    "verify, end and archive"
)


def crew_home(folder: Path) -> Path:
    """Make the home of the code review in *folder*."""
    shutil.copytree(EXAMPLE, folder)
    return folder


def file_row(path: str, mutability: str, by: str, text: str, revisions: int) -> dict[str, Any]:
    """Return the row of a file in the document of a crew's session."""
    return {
        "path": path,
        "mutability": mutability,
        "by": [by],
        "bytes": len(text.encode()),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "revisions": revisions,
    }


def steady(plain: Any) -> Any:
    """Return a document with the digests, days and times that differ from one run to the next masked."""
    if isinstance(plain, dict):
        return {
            key: "…" if key in ("ledger_head", "day", "at") else steady(one) for key, one in plain.items()
        }
    if isinstance(plain, list):
        return [steady(one) for one in plain]
    return re.sub(r"\br[0-9a-f]{12}\b", "RECEIPT", plain) if isinstance(plain, str) else plain
