"""Keep an archive of this release in tests/archives/, for every later release to rebuild.

    .venv/bin/python scripts/keep_archive.py

Run once a release, before its tag. An archive that is kept is never made again.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from orchestrator import Home, Rehearsal, __version__
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from tests.helpers.board import archive_session

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "orchestrator" / "rehearsal" / "demo"


def main() -> int:
    target = ROOT / "tests" / "archives" / __version__
    if target.exists():
        print(f"{target} is there already: what is kept is never made again", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("templates", "session-templates"):
            shutil.copytree(ROOT / "agents" / name, home / name)
        with Rehearsal.start(
            Home.open(home), DEMO / "deck.md", id="demo", presenter="Dana Whitfield"
        ) as session:
            answers = read_answers(DEMO / "answers.yaml")
            session.play(read_speech(DEMO / "speech.vtt"), answers=answers)
            session.end()
            archive_session(session.path, str(target))
            texts = {one.id: session.replay(one).sha256 for one in session.receipts()}
    (target / "contexts.json").write_text(json.dumps(texts, indent=1) + "\n", "utf-8")
    print(f"kept {target}: {len(texts)} contexts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
