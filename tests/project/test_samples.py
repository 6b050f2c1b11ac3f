"""The samples for several machines: valid by their own programs, and in step with the command line."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml

from orchestrator.cli.app import build
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import Log
from orchestrator.cluster.server import MAX_PAYLOAD_BYTES, _free_ports, program
from orchestrator.core.errors import ReplicaAwayError
from orchestrator.panel.config import cluster
from orchestrator.panel.config.cluster import Cluster
from orchestrator.panel.config.config import OTHER_VARIABLES, Config, read_config
from orchestrator.web.security import HEALTH, READY
from tests.helpers.certificates import Authority
from tests.project.test_topics import DOCS

SAMPLES = DOCS.parent / "samples"
SYSTEMD = SAMPLES / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((SAMPLES / "kubernetes" / "greenroom.yaml").read_text("utf-8"))
)
VALUES = SAMPLES / "kubernetes" / "nats-values.yaml"
SERVER = SAMPLES / "nats" / "nats-server.conf"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
VARIABLES = {
    *OTHER_VARIABLES,
    *(f"GREENROOM_{one.name.upper()}" for one in fields(Config)),
    *(f"{cluster.PREFIX}{key.upper()}" for key in cluster.KEYS),
}


def containers() -> dict[str, dict[str, Any]]:
    """The container of each workload, by the workload's name."""
    return {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]
        for one in MANIFESTS
        if one["kind"] in ("Deployment", "StatefulSet")
    }


def commands() -> Iterator[list[str]]:
    """Every command of the samples, as its words after `greenroom`."""
    for unit in UNITS:
        for line in re.findall(r"^Exec\w+=(.*)$", unit.read_text("utf-8"), re.MULTILINE):
            yield shlex.split(line.replace("%l", "w1"))[1:]
    for one in containers().values():
        yield one["args"][1:]
        words = one["lifecycle"]["preStop"]["exec"]["command"]
        if words[0] == "sh":
            yield shlex.split(words[2].replace("$GREENROOM_CLUSTER_WORKER", "w1"))[2:]


@pytest.mark.parametrize("words", sorted({tuple(one) for one in commands()}), ids=" ".join)
def test_every_command_with_its_options_is_one_of_the_command_line(words: Sequence[str]) -> None:
    root = typer.main.get_command(build())
    command: Any = root
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    assert not hasattr(command, "commands"), words
    command.make_context("greenroom", list(words))  # refuses an option that there is not


def test_the_commands_are_those_that_a_cluster_needs() -> None:
    assert {words[1] for words in commands()} == {"worker", "front", "drain"}


def test_every_variable_is_one_that_is_read() -> None:
    named = {name for path in FILES for name in re.findall(r"GREENROOM_[A-Z_]+", path.read_text("utf-8"))}
    assert {"GREENROOM_CLUSTER_SERVERS", "GREENROOM_CLUSTER_PASSWORD_FILE"} <= named
    assert named - VARIABLES == set()


def test_the_settings_are_taken_and_hold_no_secret(tmp_path: Path) -> None:
    (settings,) = [one["data"] for one in MANIFESTS if one["kind"] == "ConfigMap"]
    lines = (SYSTEMD / "environment").read_text("utf-8").splitlines()
    plain = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    plain["GREENROOM_CLUSTER_PASSWORD_FILE"] = "/run/credentials/x/password"  # by each unit
    for environment in (settings, plain):
        found = read_config(tmp_path / "none", environment).cluster
        assert found is not None
        assert (found.user, found.copies, found.durability) == ("greenroom", 3, "kept")
        assert all(one.startswith("tls://") for one in found.servers)
        assert (found.password, found.token) == (None, None)


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: f"{one['kind']} {one['metadata']['name']}")
def test_every_manifest_is_one_of_kubernetes(manifest: dict[str, Any]) -> None:
    for version in ("1.30", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_a_manifest_with_a_slip_would_be_refused() -> None:
    broken = json.loads(json.dumps(MANIFESTS[-1]))
    broken["spec"]["podSelektor"] = broken["spec"].pop("podSelector")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, kubernetes_validate.latest_version(), strict=True)


def test_probes_ask_what_the_server_answers_at_ports_that_are_there() -> None:
    for name, one in containers().items():
        named = {port["name"]: port["containerPort"] for port in one["ports"]}
        for probe in ("livenessProbe", "readinessProbe"):
            asked = one[probe].get("httpGet") or one[probe]["tcpSocket"]
            assert str(named[asked["port"]]) in " ".join(one["args"]), name
            assert asked.get("path") in ({READY} if probe == "readinessProbe" else {HEALTH, None})


def test_a_workload_is_selected_by_its_own_labels_and_mounts_what_it_has() -> None:
    labels = []
    for one in MANIFESTS:
        if one["kind"] not in ("Deployment", "StatefulSet"):
            continue
        spec = one["spec"]
        pod = spec["template"]["spec"]
        labels.append(spec["template"]["metadata"]["labels"])
        assert spec["selector"]["matchLabels"] == labels[-1]
        there = {volume["name"] for volume in pod["volumes"]}
        there |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
        assert {mount["name"] for mount in pod["containers"][0]["volumeMounts"]} == there
    for one in MANIFESTS:
        if one["kind"] == "Service":
            assert one["spec"]["selector"] in labels
        if one["kind"] == "PodDisruptionBudget":
            assert one["spec"]["selector"]["matchLabels"] in labels


def test_a_drain_has_time_before_the_process_is_killed() -> None:
    (pod,) = [one["spec"]["template"]["spec"] for one in MANIFESTS if one["kind"] == "StatefulSet"]
    drain = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][2]
    found = re.search(r"--timeout (\d+)", drain)
    assert found is not None
    assert int(found[1]) < pod["terminationGracePeriodSeconds"]
    unit = (SYSTEMD / "greenroom-worker.service").read_text("utf-8")
    drained, stopped = (re.search(rule, unit) for rule in (r"--timeout (\d+)", r"TimeoutStopSec=(\d+)"))
    assert drained is not None
    assert stopped is not None
    assert int(drained[1]) < int(stopped[1])


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_every_unit_is_one_of_systemd(unit: Path, tmp_path: Path) -> None:
    """Read by systemd itself where it is installed, with a program that is there in place of ours."""
    text = unit.read_text("utf-8")
    sections = re.findall(r"^\[(\w+)\]$", text, re.MULTILINE)
    assert sections == ["Unit", "Service", "Install"]
    if (systemd := shutil.which("systemd-analyze")) is None:
        return
    shell = shutil.which("true")
    assert shell is not None
    copy = tmp_path / unit.name
    copy.write_text(text.replace("/opt/greenroom/bin/greenroom", shell), "utf-8")
    done = subprocess.run(
        [systemd, "verify", "--man=no", str(copy)], capture_output=True, text=True, timeout=60, check=False
    )
    said = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, said) == (0, [])


# ---------------------------------------------------------------------- nats


def accepted(folder: Path, configuration: str) -> str:
    """What the real server says of a configuration; "" if it takes it."""
    path = folder / "server.conf"
    path.write_text(configuration, "utf-8")
    environment = {**os.environ, "NATS_NAME": "n1", "CLIENT_PASSWORD": "a1"}
    done = subprocess.run(
        [program().path, "-t", "-c", str(path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=environment,
    )
    return "" if done.returncode == 0 else done.stderr


@pytest.mark.slow
def test_three_servers_of_the_file_find_each_other_and_keep_three_copies(tmp_path: Path) -> None:
    """The file as it stands, but for hosts, ports and folders; certificates are all that a route shows."""
    pair = Authority(tmp_path).sign("server")
    ports = _free_ports(6)
    text = SERVER.read_text("utf-8").replace("/etc/nats/ca.pem", str(tmp_path / "authority.pem"))
    text = text.replace("/etc/nats/server.pem", str(pair.certificate))
    text = text.replace("/etc/nats/server.key", str(pair.key)).replace("0.0.0.0", "127.0.0.1")
    for number in range(3):
        text = text.replace(f"nats-{number + 1}.example:6222", f"127.0.0.1:{ports[3 + number]}")
    running = []
    try:
        for number in range(3):
            own = text.replace("/var/lib/nats", str(tmp_path / f"data{number}"))
            own = own.replace("127.0.0.1:4222", f"127.0.0.1:{ports[number]}")
            own = own.replace("127.0.0.1:6222", f"127.0.0.1:{ports[3 + number]}")
            path = tmp_path / f"{number}.conf"
            path.write_text(own, "utf-8")
            running.append(
                subprocess.Popen(
                    [program().path, "-c", str(path)],
                    env={**os.environ, "NATS_NAME": f"n{number}", "CLIENT_PASSWORD": "a1"},
                    stderr=subprocess.DEVNULL,
                )
            )
        servers = tuple(f"tls://127.0.0.1:{port}" for port in ports[:3])
        reached = Cluster(servers, user="greenroom", password="a1", ca=tmp_path / "authority.pem")
        connection = _connected(reached)
        try:
            Log(connection, "try").set_up()
            assert Log(connection, "try").claim("s-1", is_new=True) is not None
        finally:
            connection.close()
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.wait()


def _connected(reached: Cluster) -> Connection:
    until = time.monotonic() + 20
    while True:
        try:
            return Connection.open(reached, "try")
        except ReplicaAwayError:
            assert time.monotonic() < until
            time.sleep(0.2)


def test_the_servers_file_is_taken_by_the_server(tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("server")
    text = SERVER.read_text("utf-8").replace("/etc/nats/ca.pem", str(tmp_path / "authority.pem"))
    text = text.replace("/etc/nats/server.pem", str(pair.certificate))
    text = text.replace("/etc/nats/server.key", str(pair.key)).replace(
        "/var/lib/nats", str(tmp_path / "data")
    )
    assert accepted(tmp_path, text) == ""
    assert "sync_intervall" in accepted(tmp_path, text.replace("sync_interval", "sync_intervall"))


def test_the_charts_values_make_a_file_that_the_server_takes(tmp_path: Path) -> None:
    values = yaml.safe_load(VALUES.read_text("utf-8"))["config"]
    store = {"store_dir": str(tmp_path / "data"), **values["jetstream"]["merge"]}
    made = json.dumps({"jetstream": store, **values["merge"]}, indent=1)
    # As the chart writes it: JSON, in which `<< … >>` stands without quotes.
    assert accepted(tmp_path, re.sub(r'"<< (.*?) >>"', r"\1", made)) == ""


def test_what_is_demanded_of_the_servers_stands_in_every_file_for_them() -> None:
    values = yaml.safe_load(VALUES.read_text("utf-8"))["config"]
    assert values["jetstream"]["merge"] == {"sync_interval": "always"}
    assert values["cluster"]["replicas"] == 3
    assert values["merge"]["max_payload"] == f"<< {MAX_PAYLOAD_BYTES // 1024 // 1024}MB >>"
    assert (values["nats"]["tls"]["enabled"], values["cluster"]["tls"]["enabled"]) == (True, True)
    text = SERVER.read_text("utf-8")
    assert "\n  sync_interval: always\n" in text
    assert f"\nmax_payload: {MAX_PAYLOAD_BYTES // 1024 // 1024}MB\n" in text


def test_the_page_of_the_samples_names_each_of_them() -> None:
    named = set(re.findall(r"^\| `([\w/.-]+)`", (SAMPLES / "README.md").read_text("utf-8"), re.MULTILINE))
    assert named == {path.relative_to(SAMPLES).as_posix() for path in FILES} - {"README.md"}
