"""The page of the HTTP API: its examples run as they stand."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import ROOT, Served

PAGE = ROOT / "orchestrator" / "docs" / "http.md"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="NO CURL: the examples of http.md are not run")
def test_the_examples_run(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve()
    examples = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    script = "set -e\n" + "\n".join(examples).replace("http://127.0.0.1:8716", served.url)
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert '"valid":true' in done.stdout
    assert '{"seq":21,' in done.stdout
    assert "What is the 31 months made of?" in done.stdout
    assert "greenroom-receipt: r" in (tmp_path / "headers.txt").read_text()
    assert (tmp_path / "context.md").read_text("utf-8").startswith("^^^ file 1 of 11")


def operations(api: TestClient) -> str:
    """Every operation as the page lists it: its name, its address, and its first sentence."""
    rows = ["| operation | address | |", "|---|---|---|"]
    for path, methods in api.get("/api/v1/openapi.json").json()["paths"].items():
        for method, one in methods.items():
            first = re.split(r"[.:;](?:\s|$)", one["description"], maxsplit=1)[0].replace("\n", " ")
            address = f"{method.upper()} {path.removeprefix('/api/v1')}"
            rows.append(f"| `{one['operationId']}` | `{address}` | {first} |")
    return "\n".join(rows)


def test_every_operation_is_on_the_page_by_its_name(api: TestClient) -> None:
    listed = re.search(r"^\| operation .*?(?=\n\n)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert listed is not None
    made = operations(api)
    assert listed[0] == made, f"write it anew, and keep each name that a client may call:\n{made}"


def test_every_status_is_on_the_page() -> None:
    from orchestrator.web.problems import STATUS

    page = PAGE.read_text("utf-8")
    assert [int(status) for _, status in STATUS if not re.search(rf"\| [\d, ]*{int(status)}\b", page)] == []
