"""A NATS server with a configuration of a test's own, on loopback, at a port that it chooses itself."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.cluster.server import program


@contextmanager
def nats_server(folder: Path, configuration: str) -> Iterator[int]:
    """Run a server in *folder*, with JetStream synced at every write by default; yield its port."""
    folder.mkdir(parents=True, exist_ok=True)
    path, log = folder / "server.conf", folder / "server.log"
    jetstream = "" if "jetstream {" in configuration else "jetstream { sync_interval: always }\n"
    told = f'server_name: n1\nlisten: "127.0.0.1:-1"\nports_file_dir: {json.dumps(str(folder))}\n'
    path.write_text(f"{told}{jetstream}{configuration}\n", "utf-8")
    command = [program().path, "-c", str(path), "-sd", str(folder / "data"), "-l", str(log)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        yield _port(folder, process, log)
    finally:
        process.terminate()
        process.wait(10)


def _port(folder: Path, process: subprocess.Popen[bytes], log: Path) -> int:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        for found in folder.glob("*.ports"):
            if text := found.read_text("utf-8"):
                address: str = json.loads(text)["nats"][0]
                return int(address.rpartition(":")[2])
        time.sleep(0.02)
    raise AssertionError(log.read_text("utf-8") if log.is_file() else "the server did not begin")
