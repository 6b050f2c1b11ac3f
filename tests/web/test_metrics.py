"""/metrics: figures that Prometheus reads, in which no id, name or word of anybody stands."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from orchestrator.core.clock import Timings
from orchestrator.panel.home import Home
from orchestrator.web.metrics import COUNTER, GAUGE, HISTOGRAM, MEDIA_TYPE, Family, Metrics, written
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.probes import served
from orchestrator.web.readiness import Readiness
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.rehearsals import DECK

TOKEN = "of-the-site"
METRICS_TOKEN = "of-prometheus"


def site_of(home: Path, **given: str) -> Site:
    opened = Home.open(home)
    hosts = frozenset({"testserver"})
    token, metrics_token = given.get("token"), given.get("metrics_token")
    return Site(
        opened,
        str(opened.archives),
        OpenSessions(opened),
        hosts=hosts,
        token=token,
        metrics_token=metrics_token,
    )


@pytest.fixture
def client(home: Path) -> Iterator[TestClient]:
    with TestClient(application(site_of(home))) as made:
        yield made


def parsed(text: str) -> dict[str, Metric]:
    return {one.name: one for one in text_string_to_metric_families(text)}


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    family = families[re.sub("_(total|bucket|sum|count)$", "", name)]
    return sum(
        one.value
        for one in family.samples
        if one.name == name and all(one.labels[key] == text for key, text in labels.items())
    )


def test_a_parser_reads_back_the_whole_text_as_it_was_meant() -> None:
    timings = Timings((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7.0):
        timings.observe(seconds)
    strange = 'a "quoted" \\ line\nand another, {x="y"} é'
    families = [
        Family("a_total", COUNTER, "Counts\nof \\ all.", {(("x", strange), ("y", "")): 3}),
        Family("b", GAUGE, "A gauge.", {(): -1.5}),
        Family("c_seconds", HISTOGRAM, "Seconds.", {(("x", "1"),): timings}),
        Family("d", GAUGE, "Without samples.", {}),
    ]
    read = parsed(written(families))
    assert [(one.name, one.type, one.documentation) for one in read.values()] == [
        ("a", "counter", "Counts\nof \\ all."),
        ("b", "gauge", "A gauge."),
        ("c_seconds", "histogram", "Seconds."),
        ("d", "gauge", "Without samples."),
    ]
    assert [(one.labels, one.value) for one in read["a"].samples] == [({"x": strange, "y": ""}, 3.0)]
    assert value(read, "b") == -1.5
    assert [(one.name, one.labels.get("le"), one.value) for one in read["c_seconds"].samples] == [
        ("c_seconds_bucket", "0.1", 2.0),
        ("c_seconds_bucket", "1", 3.0),
        ("c_seconds_bucket", "+Inf", 4.0),
        ("c_seconds_sum", None, 7.65),
        ("c_seconds_count", None, 4.0),
    ]


def test_requests_are_counted_by_the_template_of_their_route(client: TestClient) -> None:
    for path in (
        "/api/v1/health",
        "/api/sessions/secret-one",
        "/api/v1/sessions/secret-two",
        "/secret-three",
        "/static/style.css",
    ):
        client.get(path)
    client.request("BREW", "/api/v1/health")
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert "secret" not in answer.text
    families = parsed(answer.text)
    name, route = "greenroom_requests_total", "/api/v1/sessions/{session}"
    assert value(families, name, route="/api/v1/health", method="GET", status="2xx") == 1
    assert value(families, name, route=route, method="GET", status="4xx") == 2
    assert value(families, name, route="none", method="GET", status="4xx") == 1
    assert value(families, name, route="/static", status="2xx") == 1
    assert value(families, name, method="other") == 1
    assert value(families, "greenroom_request_seconds_count", route=route) == 2
    assert value(families, "greenroom_request_seconds_bucket", route=route, le="+Inf") == 2


def test_what_security_refuses_is_counted_too(home: Path) -> None:
    with TestClient(application(site_of(home, token=TOKEN))) as client:
        client.get("/api/v1/sessions")
        text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    assert value(parsed(text), "greenroom_requests_total", route="none", status="4xx") == 1


def test_a_rehearsal_moves_sessions_writes_and_syncs_and_leaves_no_word(
    client: TestClient, home: Path
) -> None:
    before = parsed(client.get("/metrics").text)
    begun = client.post("/api/v1/sessions", json={"deck_text": DECK, "presenter": "Zaphod"})
    assert begun.status_code == 201, begun.text
    session = begun.json()["session"]
    refused = client.post(
        f"/api/v1/sessions/{session}/files/shared/presenter-transcript.md",
        json={"text": "\x00", "by": "presenter"},
    )
    text = client.get("/metrics").text
    after = parsed(text)
    assert value(after, "greenroom_sessions_open") == 1
    written_ = value(after, "greenroom_writes_total") - value(before, "greenroom_writes_total")
    synced = value(after, "greenroom_sync_seconds_count") - value(before, "greenroom_sync_seconds_count")
    assert written_ == synced
    assert written_ > 0
    assert refused.status_code >= 400
    assert session not in text
    assert "Zaphod" not in text


def test_refused_writes_and_streams_are_counted() -> None:
    metrics = Metrics()
    metrics.refused("session_busy")
    metrics.refused("session_busy")
    metrics.stream("sse", 1)
    families = parsed(metrics.text())
    assert value(families, "greenroom_refused_writes_total", code="session_busy") == 2
    assert value(families, "greenroom_streams_open", kind="sse") == 1
    metrics.stream("sse", -1)
    assert value(parsed(metrics.text()), "greenroom_streams_open", kind="sse") == 0


def test_the_process_is_described_as_prometheus_names_it() -> None:
    families = parsed(Metrics().text())
    assert value(families, "process_cpu_seconds_total") > 0
    assert value(families, "process_resident_memory_bytes") > 1_000_000
    assert value(families, "process_max_fds") >= value(families, "process_open_fds") > 2
    assert value(families, "process_start_time_seconds") > 1.7e9


def test_a_part_of_the_process_adds_its_own_figures() -> None:
    metrics = Metrics()
    metrics.sources["log"] = lambda: [Family("greenroom_takeovers_total", COUNTER, "Takeovers.", {(): 2})]
    assert value(parsed(metrics.text()), "greenroom_takeovers_total") == 2


def test_many_threads_lose_no_count() -> None:
    timings = Timings((1.0,))

    def count() -> None:
        for _ in range(2000):
            timings.observe(0.5)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    counts, sum_s = timings.read()
    assert counts == (16_000, 0)
    assert math.isclose(sum_s, 8_000)


@pytest.mark.parametrize(
    ("sent", "status"),
    {None: 401, "wrong": 401, TOKEN: 200, METRICS_TOKEN: 200}.items(),
)
def test_with_a_token_the_metrics_need_it_or_their_own(home: Path, sent: str | None, status: int) -> None:
    headers = {} if sent is None else {"authorization": f"Bearer {sent}"}
    with TestClient(application(site_of(home, token=TOKEN, metrics_token=METRICS_TOKEN))) as client:
        assert client.get("/metrics", headers=headers).status_code == status


def test_the_token_of_the_metrics_opens_nothing_else(home: Path) -> None:
    headers = {"authorization": f"Bearer {METRICS_TOKEN}"}
    with TestClient(application(site_of(home, token=TOKEN, metrics_token=METRICS_TOKEN))) as client:
        for path in ("/", "/api/v1/sessions", "/metrics/", "/metrics/x", "/api/v1/openapi.json"):
            assert client.get(path, headers=headers).status_code == 401


# ---------------------------------------------------------------------- probes


def test_the_address_for_probes_answers_three_paths_and_no_other() -> None:
    readiness = Readiness()
    with (
        served("127.0.0.1", 0, readiness, Metrics(), None) as port,
        httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        named = {"host": "10.1.2.3:8717"}
        assert client.get("/api/v1/health", headers=named).json() == {"status": "ok"}
        assert client.get("/api/v1/health/ready", headers=named).status_code == 200
        assert "process_cpu_seconds" in parsed(client.get("/metrics").text)
        assert client.get("/api/v1/sessions").status_code == 404
        assert client.post("/metrics").status_code == 405
        readiness.draining.set()
        answer = client.get("/api/v1/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")


def test_past_loopback_the_metrics_of_a_worker_need_their_token() -> None:
    for token, sent, status in ((None, None, 401), ("t", None, 401), ("t", "t", 200), ("t", "u", 401)):
        headers = {} if sent is None else {"authorization": f"Bearer {sent}"}
        with served("0.0.0.0", 0, Readiness(), Metrics(), token) as port:
            answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", headers=headers)
        assert answer.status_code == status
