"""One session store of an agent framework at work; `bench_peers` starts it in the interpreter that has it.

    python scripts/peer_stores.py NAME append|load|write|writers|torn FOLDER [NUMBER]

Each store is used as its own documentation says for sessions that outlive the process; nothing is tuned,
and nothing is tried again. Prints one JSON document.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Protocol

LENGTHS = (100, 1000, 10_000)
ROUNDS, LOADS = 200, 7
WRITERS, EACH = 4, 100
CUT_BYTES = 7
SAID = "Presenter: Revenue in the third quarter grew by fourteen percent, most of it from three customers"


class Store(Protocol):
    """One session; made anew it is opened anew."""

    def append(self, texts: list[str]) -> None: ...
    def read(self) -> list[str]: ...
    def look_again(self) -> None: ...
    def said(self) -> str: ...


class Quiet:
    """What most stores have no words for."""

    def look_again(self) -> None:
        """Before an append where others write too, if the documentation asks for it."""

    def said(self) -> str:
        """What it tells of damage, besides an error."""
        return ""


class Async(Quiet):
    """A store whose calls are coroutines: one loop for its whole life, as in a program that uses it."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()

    def run(self, call: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(call)


class OpenAI(Async):
    """OpenAI Agents SDK: SQLiteSession on a file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.session = import_module("agents").SQLiteSession("one", folder / "store.db")

    def append(self, texts: list[str]) -> None:
        self.run(self.session.add_items([{"role": "user", "content": text} for text in texts]))

    def read(self) -> list[str]:
        return [one["content"] for one in self.run(self.session.get_items())]


class LangGraph(Quiet):
    """LangGraph: a graph of messages on SqliteSaver; an append is one update of the thread's state."""

    def __init__(self, folder: Path) -> None:
        graph, messages = import_module("langgraph.graph"), import_module("langgraph.graph.message")
        saver = import_module("langgraph.checkpoint.sqlite").SqliteSaver
        self.message = import_module("langchain_core.messages").HumanMessage
        self.folder = folder
        self.opened = saver.from_conn_string(str(folder / "store.db"))  # holds the connection open
        drawn = graph.StateGraph(messages.MessagesState)
        drawn.add_node("hear", lambda state: {"messages": []})
        drawn.add_edge(graph.START, "hear")
        self.graph = drawn.compile(checkpointer=self.opened.__enter__())
        self.config = {"configurable": {"thread_id": "one"}}

    def append(self, texts: list[str]) -> None:
        new = [self.message(content=text) for text in texts]
        self.graph.update_state(self.config, {"messages": new}, as_node="hear")

    def read(self) -> list[str]:
        found = self.graph.get_state(self.config).values.get("messages", [])
        return [str(one.content) for one in found]


class Adk(Async):
    """Google ADK: DatabaseSessionService on a SQLite file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.event = import_module("google.adk.events").Event
        self.types = import_module("google.genai.types")
        service = import_module("google.adk.sessions").DatabaseSessionService
        self.service = service(db_url=f"sqlite+aiosqlite:///{folder / 'store.db'}")
        self.about = {"app_name": "bench", "user_id": "one", "session_id": "one"}
        self.session = self.run(self.service.get_session(**self.about))
        if self.session is None:
            self.session = self.run(self.service.create_session(**self.about))

    def look_again(self) -> None:
        self.session = self.run(self.service.get_session(**self.about))

    def append(self, texts: list[str]) -> None:
        for text in texts:
            content = self.types.Content(role="user", parts=[self.types.Part(text=text)])
            self.run(self.service.append_event(self.session, self.event(author="user", content=content)))

    def read(self) -> list[str]:
        found = self.run(self.service.get_session(**self.about)).events
        return [one.content.parts[0].text for one in found]


class Microsoft(Async):
    """Microsoft Agent Framework: FileHistoryProvider, JSON lines."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        framework = import_module("agent_framework")
        self.folder, self.message = folder / "history", framework.Message
        self.history = framework.FileHistoryProvider(self.folder)

    def append(self, texts: list[str]) -> None:
        self.run(self.history.save_messages("one", [self.message("user", [text]) for text in texts]))

    def read(self) -> list[str]:
        return [one.text for one in self.run(self.history.get_messages("one"))]


class Greenroom(Quiet):
    """Greenroom: the transcript of a session, and as reading the whole context of a panelist."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        bench, public = import_module("scripts.bench"), import_module("orchestrator")
        self.path, self.is_there = bench.TRANSCRIPT, (folder / "home").exists()
        home = public.Home.open(folder / "home" if self.is_there else bench.new_home(folder))
        if self.is_there:
            self.session = public.Session.open(home, "one")
        else:
            self.session = public.Session.start(home, deck_text=bench.sample_deck(), id="one")

    def append(self, texts: list[str]) -> None:
        if len(texts) == 1:
            self.session.append(self.path, texts[0], by="transcript")
            return
        with self.session.transaction() as tx:
            for text in texts:
                tx.append(self.path, text, by="transcript")

    def read(self) -> list[str]:
        text: str = self.session.context("skeptic").text
        return [line for line in text.splitlines() if line.startswith(SAID)]

    def said(self) -> str:
        repairs = [str(one) for one in self.session.rehearsal.store.repairs]
        kinds = [one.kind for one in self.session.verify().findings]
        return "; ".join([*(f"verify: {one}" for one in kinds), *repairs])


STORES: dict[str, Callable[[Path], Store]] = {
    "greenroom": Greenroom,
    "openai-agents": OpenAI,
    "langgraph": LangGraph,
    "google-adk": Adk,
    "agent-framework": Microsoft,
}


def text(number: object) -> str:
    return f"{SAID} {number}."


def appended(name: str, folder: Path) -> Any:
    """Median of one append, and of a bare write and fdatasync between two of them, in seconds, by length."""
    found = {}
    for length in LENGTHS:
        at = folder / str(length)
        at.mkdir()
        store = STORES[name](at)
        store.append([text(one) for one in range(length)])
        bare, raw = os.open(at / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND), text(0).encode() + b"\n"
        ours, floor = [], []
        for number in range(length, length + ROUNDS):
            begin = perf_counter()
            os.write(bare, raw)
            os.fdatasync(bare)
            middle = perf_counter()
            store.append([text(number)])
            ours.append(perf_counter() - middle)
            floor.append(middle - begin)
        found[length] = (median(ours), median(floor))
    return found


def loaded(name: str, folder: Path) -> Any:
    """Seconds to open a session and have all its texts, and to read them as plain text, by length."""
    found = {}
    for length in LENGTHS:
        at = folder / str(length)  # as `append` left it
        plain = at / "plain"
        plain.write_text("\n".join(STORES[name](at).read()), "utf-8")
        ours, floor = [], []
        for _ in range(LOADS):
            begin = perf_counter()
            read = STORES[name](at).read()
            middle = perf_counter()
            lines = plain.read_text("utf-8").splitlines()
            floor.append(perf_counter() - middle)
            ours.append(middle - begin)
            assert len(lines) == len(read) == length + ROUNDS, f"{len(read)} of {length + ROUNDS} came back"
        found[length] = (median(ours), median(floor))
    return found


def written(name: str, folder: Path, number: int) -> Any:
    """One of several writers: what was acknowledged, and why the rest was not."""
    store, acknowledged, refused = STORES[name](folder), [], []
    for count in range(EACH):
        words = text(f"{number}-{count}")
        try:
            store.look_again()
            store.append([words])
        except Exception as error:  # noqa: BLE001 (each store has errors of its own)
            refused.append(f"{type(error).__name__}: {error}"[:120])
        else:
            acknowledged.append(words)
    return {"acknowledged": acknowledged, "refused": refused}


def by_writers(name: str, folder: Path) -> Any:
    """Several processes write one session; how many were acknowledged, and of those kept."""
    STORES[name](folder).append([text("first")])
    command = [sys.executable, __file__, name, "write", str(folder)]
    running = [subprocess.Popen([*command, str(one)], stdout=subprocess.PIPE) for one in range(WRITERS)]
    came = [json.loads(one.communicate()[0].splitlines()[-1]) for one in running]
    acknowledged = [words for one in came for words in one["acknowledged"]]
    kept = STORES[name](folder).read()
    refused = [why for one in came for why in one["refused"]]
    return {
        "asked": WRITERS * EACH,
        "acknowledged": len(acknowledged),
        "kept": len({*acknowledged} & {*kept}),
        "doubled": len(kept) - len({*kept}),
        "refused": refused[:1],
    }


def torn(name: str, folder: Path) -> Any:
    """The end of the store's last file is missing, as after a crash: what is left, and who says so."""
    pid = os.fork()
    if pid == 0:  # ends without closing anything, as a kill does
        store = STORES[name](folder)
        for number in range(50):
            store.append([text(number)])
        os._exit(0)
    os.waitpid(pid, 0)
    told: list[str] = []
    listening = logging.Handler(logging.WARNING)
    listening.emit = lambda record: told.append(record.getMessage()[:120])  # type: ignore[method-assign]
    logging.getLogger().addHandler(listening)
    found: dict[str, Any] = {"read": None, "after": None, "error": ""}
    last = max(
        (one for one in _files(name, folder) if one.stat().st_size), key=lambda one: one.stat().st_mtime
    )
    os.truncate(last, last.stat().st_size - CUT_BYTES)
    try:
        store = STORES[name](folder)
        found["read"] = len(store.read())
        told += [store.said()]
        store.append([text("after")])
        found["after"] = len(STORES[name](folder).read())
        told += [store.said()]
    except Exception as error:  # noqa: BLE001 (the same)
        found["error"] = f"{type(error).__name__}: {error}"[:160]
    return {**found, "file": last.name, "said": "; ".join(dict.fromkeys(one for one in told if one))}


def _files(name: str, folder: Path) -> list[Path]:
    if name == "greenroom":
        return [folder / "home" / "sessions" / "one" / "ledger" / "ledger.jsonl"]
    return [one for one in folder.rglob("*") if one.is_file() and not one.name.endswith("-shm")]


WORKS: dict[str, Callable[..., Any]] = {
    "append": appended,
    "load": loaded,
    "write": lambda name, folder, number: written(name, folder, int(number)),
    "writers": by_writers,
    "torn": torn,
}

if __name__ == "__main__":
    name, work, folder, *more = sys.argv[1:]
    print(json.dumps(WORKS[work](name, Path(folder), *more)))
