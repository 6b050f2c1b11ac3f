"""A crew of another kind on the core alone: a code review. Run it with the folder of a home:

    python code_review.py HOME

HOME gets the crew's templates and table from `code_review/` beside this file, if it has none yet.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from orchestrator.core import Home

DIFF = "-    return sum(row.total for row in rows)\n+    return sum(map(total_of, rows))\n"
ASKS = {
    "architect": "Why does `total_of` not live beside the row?",
    "security": "Which caller can hand in rows that nobody checked?",
    "tester": "Which test fails where a row has no total?",
}


def my_model(agent: str, text: str) -> str:
    """Stand where your own model is called: *text* is all that the agent is given."""
    assert f"templates/{agent}/role.md" in text
    return ASKS[agent] + "\n"


def main(home_folder: Path) -> str:
    """Hold the review, prove it and archive it; return the ledger's head, to be kept elsewhere."""
    if not (home_folder / "table.yaml").exists():
        shutil.copytree(Path(__file__).with_suffix(""), home_folder, dirs_exist_ok=True)
    home = Home(home_folder)
    files = {"shared/pull-request.md": DIFF}
    with home.start("pr-42", files, title="PR 42") as session, session.guard():
        session.append("shared/meeting.md", "Alice: I simplified the total.", by="minutes")
        for agent in ASKS:
            context = session.context(agent, task="Ask one question.", engine="my-model-1")
            question = my_model(agent, context.text)
            session.write(f"{agent}/question.md", question, by=agent, receipt=context.receipt)
        with session.transaction() as tx:
            tx.append("shared/findings.md", f"tester asks: {ASKS['tester']}", by="coordinator")
            tx.note("review.finding", {"severity": "high"}, by="coordinator")
        assert session.replay(context.receipt).text == context.text
        head = session.end()
        assert session.verify().valid
        session.archive()
    return head


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
