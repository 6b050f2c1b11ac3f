"""Ask for the replies of the demonstration that do not fit its requests any more, and for those alone.

`scripts/record_demo` tells which they are. With `--by NAME` they are asked for and written down: of a model
(`--engine claude` or `model`), or of a reader, by files in a folder (`--desk FOLDER`): a request comes as
`NNN-agent-kind.md`, the reader writes the JSON object that it asks for as `NNN-agent-kind.json`. What Dana
Whitfield answers to a question that has no answer yet is asked for in the same way, as a text
(`NNN-answer.md`, `NNN-answer.txt`), and added to the list of her answers.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Final

import yaml

from orchestrator.core.packaged import PACKAGE
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines.model.received import json_in
from orchestrator.panel.engines.model.service import Service
from orchestrator.panel.engines.model.settings import MESSAGES, model_settings
from orchestrator.panel.engines.model.tasks import Task
from orchestrator.panel.engines.recorded import (
    FILE,
    VERSION,
    RecordedReply,
    Recording,
    Replies,
    read_recording,
    recorded_engine,
    request_digest,
)
from orchestrator.panel.home import Home
from orchestrator.panel.model.exchange import Exchange
from orchestrator.rehearsal.demo.rehearsals import (
    ACTS,
    FOLDER,
    Act,
    begin_act,
    memory_begun_anew,
)

DAY_S: Final = 24 * 3600.0
"""A reader may take as long as that for one reply."""
AGENTS: Final = PACKAGE.parent / "agents"


class UnansweredError(Exception):
    """A question was put for which no answer is prepared."""

    def __init__(self, act: Act, exchange: Exchange) -> None:
        super().__init__()
        self.act, self.exchange = act, exchange


@dataclass
class Desk:
    """A folder at which a reader sits."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        begun = [int(one.name[:3]) for one in self.folder.glob("[0-9][0-9][0-9]-*.md")]
        self._numbers = count(max(begun, default=0) + 1)
        self._lock = Lock()

    def asked(self, name: str, text: str, suffix: str) -> str:
        """What the reader writes beside this text."""
        with self._lock:
            page = self.folder / f"{next(self._numbers):03}-{name}.md"
        page.write_text(text, "utf-8")
        print(f"asked: {page.name}", file=sys.stderr, flush=True)
        reply = page.with_suffix(suffix)
        while not reply.exists() or not reply.read_text("utf-8").strip():
            time.sleep(0.5)
        time.sleep(0.5)  # it may still be being written
        return reply.read_text("utf-8").strip()

    def reply(self, task: Task, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The reader's reply to a request; asked again as long as it is no JSON object."""
        said = [f"# system\n\n{_words(request['system'])}"]
        said += [f"# {turn['role']}\n\n{_words(turn['content'])}" for turn in request["messages"]]
        while True:
            text = self.asked(f"{task.agent}-{task.kind}", "\n\n".join(said), ".json")
            try:
                found = json.loads(text)
            except ValueError as error:
                said.append(f"# Not JSON: {error}. Reply once more.")
                continue
            if isinstance(found, dict):
                return found


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def _model(name: str) -> Callable[[Task, Mapping[str, Any]], Mapping[str, Any]]:
    """Asks a model's service."""
    settings = replace(model_settings(Config(), engine=name), wire=MESSAGES)  # as requests are recorded

    def reply(task: Task, request: Mapping[str, Any]) -> Mapping[str, Any]:
        with closing(Service(settings)) as service:
            whole = {**request, "model": settings.model_for(task.kind)}
            message = service.submit(service.wire.sent(whole)).result()
        text = "".join(block.get("text", "") for block in message["content"])
        found = json_in(text, lambda _: True)
        if found is None:
            raise SystemExit(f"{task.kind} of {task.agent}: the model sent no JSON object")
        return found

    return reply


def write_recording(recording: Recording, path: Path = FILE) -> None:
    """Write *recording* to this file, a reply a line, so that a change shows as one."""
    head = json.dumps({"recording": VERSION, "by": recording.by, "on": recording.on}, ensure_ascii=False)
    lines = ",\n".join(
        json.dumps(
            {
                "agent": one.agent,
                "kind": one.kind,
                "request": one.request,
                "repair": one.repair,
                "reply": one.reply,
            },
            ensure_ascii=False,
        )
        for one in recording.replies
    )
    path.write_text(f'{head[:-1]}, "replies": [\n{lines}\n]}}\n', "utf-8")


def play(replies: Replies, *, needs_answers: bool) -> None:
    """Play both rehearsals in a home that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "home"
        root.mkdir()
        for part in ("templates", "session-templates"):
            shutil.copytree(AGENTS / part, root / part)
        home = Home.open(root)
        with memory_begun_anew(home):
            for act in ACTS:
                engine = recorded_engine(replies, deadline_s=DAY_S)
                with closing(engine), begin_act(home, act, engine) as session:

                    def look(rehearsal: Any, act: Act = act) -> None:
                        used = rehearsal.projection.answers_used
                        loaded = rehearsal.projection.playback
                        open_ = rehearsal.projection.open
                        is_waiting = open_ is not None and open_.turns[-1].answer is None
                        if needs_answers and is_waiting and _is_out(loaded.answers, used, open_):
                            raise UnansweredError(act, open_)

                    session.play(on_step=look)
                    session.end()


def _is_out(answers: Any, used: Any, open_: Exchange) -> bool:
    return not any(answer.exchange == open_.id for index, answer in enumerate(answers) if index not in used)


def add_answer(act: Act, exchange: Exchange, text: str) -> None:
    """Add what she answers to the list of the act."""
    path = FOLDER / act.answers
    listed = yaml.safe_load(path.read_text("utf-8")) or []
    listed.append({"exchange": exchange.id, "text": text})
    head = "# What Dana Whitfield answers to the questions whose replies are recorded; in order.\n\n"
    path.write_text(head + yaml.safe_dump(listed, allow_unicode=True, width=110, sort_keys=False), "utf-8")


def question(exchange: Exchange) -> str:
    """What the one who answers for her is shown."""
    turns = [f"Asked: {turn.question}\nAnswered: {turn.answer or ''}" for turn in exchange.turns]
    return (
        f"{exchange.agent}, about slide {exchange.slide}: {exchange.quote!r}\n\n" + "\n\n".join(turns) + "\n"
    )


def main() -> int:
    """Tell what is stale, or ask for it; the exit status is 1 where something is stale."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--by", help="who replies, as the demonstration will say it")
    parser.add_argument("--desk", type=Path, help="the folder at which a reader replies")
    parser.add_argument("--engine", choices=("claude", "model"), help="the model that replies")
    given = parser.parse_args()
    kept = read_recording() if FILE.exists() else Recording("", "")
    if given.by is None:
        replies = Replies(kept.replies)
        play(replies, needs_answers=False)
        for one in replies.stale:
            print(f"stale: {one.kind} of {one.agent}")
        unused = len(kept.replies) - len(replies.played)
        print(f"{len(replies.played)} replies were played, {len(replies.stale)} stale, {unused} unused")
        return bool(replies.stale or unused)
    if (given.desk is None) == (given.engine is None):
        parser.error("with --by, name the --desk of a reader or the --engine of a model")
    desk = Desk(given.desk) if given.desk is not None else None
    ask = desk.reply if desk is not None else _model(given.engine)
    asked = list(kept.replies)

    def write() -> None:
        write_recording(Recording(given.by, f"{datetime.now(UTC):%Y-%m-%d}", tuple(asked)))

    def note(task: Task, request: Mapping[str, Any], is_repair: bool) -> Mapping[str, Any]:
        reply = ask(task, request)  # kept at once: a reader may go away
        asked.append(RecordedReply(task.agent, task.kind, request_digest(request), reply, is_repair))
        write()
        return reply

    while True:
        replies = Replies(asked, note)
        try:
            play(replies, needs_answers=desk is not None)
        except UnansweredError as missing:
            assert desk is not None
            add_answer(
                missing.act, missing.exchange, desk.asked("answer", question(missing.exchange), ".txt")
            )
            continue
        asked[:] = {one.request: one for one in replies.played}.values()
        write()
        return 0


if __name__ == "__main__":
    sys.exit(main())
