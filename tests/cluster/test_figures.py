"""What a worker adds to metrics and readiness: the log's seconds, takeovers, how far behind, the clock."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from orchestrator.cluster import figures
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.figures import Figures, ready_checks
from orchestrator.cluster.server import Servers
from orchestrator.cluster.status import ServerTime
from orchestrator.web.metrics import Metrics
from orchestrator.web.readiness import Readiness


def test_a_workers_figures_stand_beside_the_others() -> None:
    counted = Figures(behind=lambda: 7)
    counted.took_over()
    counted.took_over()
    counted.log.observe(0.002)
    metrics = Metrics()
    metrics.sources["cluster"] = counted.read
    read = {
        (one.name, one.labels.get("le")): one.value
        for family in text_string_to_metric_families(metrics.text())
        for one in family.samples
    }
    assert read["greenroom_takeovers_total", None] == 2
    assert read["greenroom_log_behind", None] == 7
    assert (read["greenroom_log_seconds_count", None], read["greenroom_log_seconds_sum", None]) == (1, 0.002)
    assert (
        read["greenroom_log_seconds_bucket", "0.001"],
        read["greenroom_log_seconds_bucket", "0.0025"],
    ) == (
        0,
        1,
    )


@pytest.mark.slow
def test_a_worker_is_ready_while_the_log_answers_and_not_when_it_is_gone(tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    servers.start()
    connection = Connection.open(servers.cluster, "test")
    try:
        checks = ready_checks(connection)
        assert asyncio.run(Readiness(checks).read()).faults == (("log", ""), ("clock", ""))
        servers.kill("n1", signal.SIGKILL)
        until = time.monotonic() + 30
        while connection.is_connected and time.monotonic() < until:
            time.sleep(0.05)
        found = dict(asyncio.run(Readiness(checks).read()).faults)
        assert found["log"] == "no server of the cluster answers: start them"
    finally:
        connection.close()
        servers.stop()


@pytest.mark.slow
@pytest.mark.parametrize(("ahead_s", "told"), [(2.5, "2.5 s ahead of"), (-90.0, "90.0 s behind")])
def test_a_worker_whose_clock_differs_is_not_ready(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, ahead_s: float, told: str
) -> None:
    monkeypatch.setattr(figures, "server_time", lambda _: ServerTime("n1", "2.15.1", ahead_s))
    found = dict(asyncio.run(Readiness(ready_checks(connection)).read()).faults)
    assert found == {"log": "", "clock": f"this machine's clock is {told} the servers': set it"}


@pytest.mark.slow
def test_the_servers_are_asked_for_their_time_now_and_then(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def tell(_: Connection) -> ServerTime:
        asked.append(1)
        return ServerTime("n1", "2.15.1", 0.0)

    monkeypatch.setattr(figures, "server_time", tell)
    (_, clock) = ready_checks(connection)
    assert [clock.look() for _ in range(5)] == [None] * 5
    assert len(asked) == 1
    monkeypatch.setattr(figures, "CLOCK_EVERY_S", -1.0)
    clock.look()
    assert len(asked) == 2
