"""LangGraph drives a news desk and Greenroom keeps the record. Run it as code_review.py is run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from orchestrator.core import Home, Session

SOURCES = "The bridge closed on 3 May. The council voted 7 to 4 to close it.\n"
WRITES = {"researcher": "shared/notes.md", "writer": "shared/draft.md", "checker": "shared/checks.md"}


class State(TypedDict):
    said: str  # the last answer is all that LangGraph carries; the texts are the session's files


def my_model(agent: str, text: str) -> str:
    """Stand where your own models are called: *text* is all that the agent is given."""
    draft = "The council closed the bridge on 3 May" + (", 7 votes to 4." if "how many" in text else ".")
    check = "nothing is missing" if "7 votes" in text else "how many voted for it?"
    return {"researcher": "Closed on 3 May; voted 7 to 4.", "writer": draft, "checker": check}[agent]


def node(session: Session, agent: str) -> Callable[[State], State]:
    def turn(state: State) -> State:
        context = session.context(agent, task=f"Your turn, after: {state['said']}", engine="my-model-1")
        said = my_model(agent, context.text)
        write = session.write if agent == "writer" else session.append  # by the class of the agent's file
        write(WRITES[agent], f"{said}\n", by=agent, receipt=context.receipt)
        return {"said": said}

    return turn


def main(folder: Path) -> str:
    """Write the article, prove the record and archive it; return the ledger's head, to be kept elsewhere."""
    if not (folder / "table.yaml").exists():
        shutil.copytree(Path(__file__).with_suffix(""), folder, dirs_exist_ok=True)
    with Home(folder).start("bridge", {"shared/sources.md": SOURCES}, title="The bridge") as session:
        graph = StateGraph(State)
        for before, agent in zip((START, "researcher", "writer"), WRITES, strict=True):
            graph.add_node(agent, node(session, agent)).add_edge(before, agent)
        graph.add_conditional_edges("checker", lambda state: END if "nothing" in state["said"] else "writer")
        graph.compile().invoke({"said": "the sources"})
        head = session.end()
        assert session.verify().valid
        session.archive()
    return head


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
