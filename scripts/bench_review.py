"""How soon a review of many archived sessions is there, and what it asks of a store.

    scripts/bench review [SESSIONS] [ON_S3]

One real session is archived; the others are its ledger and debrief with other ids, dates, presenters
and words. They have all that the catalogue reads and are no valid bags: their digests do not fit. The
session that is opened is the real one. Wall clock and, behind it, processor time: on a machine that
does other work only the latter says what the code costs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.testclient import TestClient

ROOT = Path(__file__).resolve().parents[1]
SESSIONS, ON_S3 = 10_000, 1_000
ROUNDS = 15
MAX_MS = {"first page": 100, "search, in every session": 100, "search, in few": 100, "one session": 200}
MIN_A_SECOND = 500
"""What is promised: milliseconds for a page, and sessions a second when all is read anew."""


def main(arguments: Sequence[str]) -> int:
    """Print the figures; returns the exit code."""
    count, on_s3 = (*map(int, arguments), *(SESSIONS, ON_S3)[len(arguments) :])
    with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        real = _real(Path(folder))
        archives = real.parent
        for number in range(count - 1):
            for name, content in _variant(real, number):
                path = archives / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        met = [_folder(archives, real.name, count), _s3(real, on_s3)]
    return 0 if all(met) else 1


def _real(folder: Path) -> Path:
    """One session as it is archived, by the bundled demo."""
    home = folder / "home"
    for name in ("templates", "session-templates"):
        subprocess.run(["cp", "-R", ROOT / "agents" / name, _made(home) / name], check=True)
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "demo", "--offline"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return next(iter((home / "archives").iterdir()))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _variant(real: Path, number: int) -> Iterator[tuple[str, bytes]]:
    from orchestrator.core.archive.bag import (
        COMMIT_MARK,
        DECLARATION_NAME,
        INFO_NAME,
        MANIFEST_NAME,
    )
    from orchestrator.core.archive.manifest import render_manifest

    begun = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=37 * number)
    session = f"{begun:%Y%m%d-%H%M%S}-{number:06x}"
    inside = real / "data" / real.name
    changed = {
        real.name.encode(): session.encode(),
        b"Dana Whitfield": f"Presenter {number % 211}".encode(),
        b"workshop": f"workshop{number % 997}".encode(),
    }
    for name in ("ledger/ledger.jsonl", "debrief.json"):
        content = (inside / name).read_bytes()
        for old, new in changed.items():
            content = content.replace(old, new)
        day = (inside / "ledger/ledger.jsonl").read_bytes().partition(b'"at":"')[2][:19]
        content = content.replace(b'"at":"' + day, f'"at":"{begun:%Y-%m-%dT%H:%M:%S}'.encode())
        yield f"{session}/data/{session}/{name}", content
    names = (MANIFEST_NAME, DECLARATION_NAME, INFO_NAME)
    yield f"{session}/{COMMIT_MARK}", render_manifest(dict.fromkeys(names, "0" * 64))  # in form, and no more


def _folder(archives: Path, real: str, count: int) -> bool:
    from starlette.testclient import TestClient

    from orchestrator.core.archive.stores import open_store
    from orchestrator.review.catalogue import of_archives, update
    from orchestrator.web.open_sessions import OpenSessions
    from orchestrator.web.server import application
    from orchestrator.web.site import Site

    catalogue, store = of_archives(str(archives)), open_store(str(archives))
    with _timed() as spent:
        update(catalogue, None, store)
    rate = count / spent[0]
    size = catalogue.path.stat().st_size / 1e6
    print(f"{count} sessions read anew: {rate:.0f} a second ({count / spent[1]:.0f} a processor second)")
    print(f"the catalogue has {size:.0f} MB, {size * 1000 / count:.0f} kB a session")
    met = rate >= MIN_A_SECOND
    with _timed() as spent:
        update(catalogue, None, store)
    print(f"nothing new: {spent[0] * 1000:.0f} ms")
    site = Site(None, str(archives), OpenSessions(None))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        client.get("/review")
        addresses = {
            "first page": "/review",
            "search, in every session": "/review?q=cold",
            "search, in few": "/review?q=workshop7",
            "one session": f"/review/{real}",
        }
        for name, address in addresses.items():
            first, *others = [_milliseconds(client, address) for _ in range(ROUNDS + 1)]
            wall, cpu = (median(one[kind] for one in others) for kind in (0, 1))
            met = met and max(first[0], wall) < MAX_MS[name]
            print(
                f"{name}: {first[0]:.0f} ms at first, then {wall:.0f} ms, {cpu:.0f} ms of it processor time"
            )
    return met


def _s3(real: Path, count: int) -> bool:
    import logging

    import boto3
    from moto.server import ThreadedMotoServer

    from orchestrator.core.archive.s3 import S3Store
    from orchestrator.review.catalogue import of_archives, update

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        os.environ[name] = "testing"
    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3.client("s3", endpoint_url=endpoint)
        client.create_bucket(Bucket="bench-archives")
        for number in range(count):
            for name, content in _variant(real, number):
                client.put_object(Bucket="bench-archives", Key=name, Body=content)
        store, asked = S3Store("bench-archives", "", endpoint), Counter[str]()
        store.folders()  # makes the client
        store._client().meta.events.register("before-call.s3", _counting(asked))
        catalogue = of_archives("s3://bench-archives")
        with _timed() as spent:
            update(catalogue, None, store)
        print(f"{count} sessions on S3 read anew in {spent[0]:.1f} s: {_told(asked)}")
        asked.clear()
        with _timed() as spent:
            update(catalogue, None, store)
        print(f"nothing new on S3: {spent[0] * 1000:.0f} ms: {_told(asked)}")
        return asked["GetObject"] == 0 and asked["ListObjectsV2"] <= -(-count // 1000)
    finally:
        server.stop()


def _counting(asked: Counter[str]) -> Callable[..., None]:
    def count(model: Any, **_: Any) -> None:
        asked[model.name] += 1

    return count


def _told(asked: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(asked.items())) or "nothing asked"


@contextmanager
def _timed() -> Iterator[list[float]]:
    spent: list[float] = []
    wall, cpu = time.perf_counter(), _processor_s()
    yield spent
    spent += [time.perf_counter() - wall, max(_processor_s() - cpu, 1e-6)]


def _processor_s() -> float:
    """Of this process and of those it has started and ended: many sessions are read in processes."""
    return time.process_time() + sum(os.times()[2:4])


def _milliseconds(client: TestClient, address: str) -> tuple[float, float]:
    with _timed() as spent:
        client.get(address).raise_for_status()
    return spent[0] * 1000, spent[1] * 1000
