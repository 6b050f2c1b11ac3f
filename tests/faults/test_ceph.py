"""An archive in a real S3-compatible server: Ceph's object gateway, which scripts/ceph starts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
import pytest
from mypy_boto3_s3 import S3Client

from orchestrator.cli.app import run
from orchestrator.core.archive.download import list_archives
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.s3 import S3Store
from orchestrator.core.archive.upload import delete_archive
from orchestrator.core.errors import ArchiveConflictError, ArchiveError
from tests.helpers.board import archive_session, bag_files, restore, verify_archive
from tests.helpers.figures import not_run, note
from tests.helpers.homes import ROOT, new_home
from tests.helpers.sessions import Sample, ended_session

PROGRAMS = ("ceph-mon", "ceph-mgr", "ceph-osd", "radosgw", "radosgw-admin", "ceph")
CEPH = ROOT / "scripts" / "ceph"
URL = "s3://bucket/boards"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    missing = [one for one in PROGRAMS if shutil.which(one) is None]
    if missing or os.geteuid() != 0:
        why = f"not installed: {', '.join(missing)}" if missing else "only root starts it"
        not_run("archive", "all of it on a real S3 server (Ceph)", why)
        pytest.skip(f"no Ceph: {why}")
    folder = tmp_path_factory.mktemp("ceph") / "ceph"
    subprocess.run([CEPH, "start", folder], check=True, timeout=300)
    try:
        url, key, secret = (folder / "endpoint").read_text().split()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", key)
            patch.setenv("AWS_SECRET_ACCESS_KEY", secret)
            patch.setenv("GREENROOM_S3_ENDPOINT", url)
            yield url
    finally:
        subprocess.run([CEPH, "stop", folder], check=True, timeout=120)
    assert _daemons(folder) == []


@pytest.fixture
def s3(endpoint: str) -> Iterator[S3Client]:
    """A client of the tests' own, and an empty bucket."""
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    yield client
    for key in _objects(client):
        client.delete_object(Bucket="bucket", Key=key)
    client.delete_bucket(Bucket="bucket")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    sample = ended_session(tmp_path_factory.mktemp("ended"))
    yield sample
    thaw(sample.root)


def _daemons(folder: Path) -> list[str]:
    """Processes that were started with this folder's configuration."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{folder}/ceph.conf".encode() in line:
            found.append(line.decode())
    return found


def _objects(client: S3Client) -> dict[str, bytes]:
    keys = [one["Key"] for one in client.list_objects_v2(Bucket="bucket").get("Contents", ())]
    return {key: client.get_object(Bucket="bucket", Key=key)["Body"].read() for key in keys}


def _expected(root: Path) -> dict[str, bytes]:
    return {f"boards/{root.name}/{part.name}": part.read() for part in bag_files(root)}


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    paths = [root, *root.rglob("*")]
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in paths
    }


def test_archived_listed_verified_restored_and_not_sent_again(
    endpoint: str, s3: S3Client, sample: Sample, tmp_path: Path
) -> None:
    expected = _expected(sample.root)
    done = archive_session(sample.root, URL, endpoint_url=endpoint)
    assert (done.objects, done.sent) == (len(expected), len(expected))
    assert _objects(s3) == expected
    assert [one.session for one in list_archives(URL, endpoint_url=endpoint)] == [sample.id]
    assert verify_archive(URL, sample.id, endpoint_url=endpoint).valid
    path = restore(sample.id, URL, tmp_path, endpoint_url=endpoint)
    assert _tree(path) == _tree(sample.root)
    thaw(path)
    assert archive_session(sample.root, URL, endpoint_url=endpoint).sent == 0
    assert delete_archive(URL, sample.id, endpoint_url=endpoint) == len(expected)
    assert _objects(s3) == {}
    note("archive", "on Ceph: archive, list, verify, restore, again, remove", count=6)


def test_another_content_is_a_conflict_and_stays(endpoint: str, s3: S3Client, sample: Sample) -> None:
    key = f"boards/{sample.id}/data/{sample.id}/debrief.md"
    s3.put_object(Bucket="bucket", Key=key, Body=b"another")
    with pytest.raises(ArchiveConflictError, match=r"debrief\.md: another content is there"):
        archive_session(sample.root, URL, endpoint_url=endpoint)
    assert _objects(s3) == {key: b"another"}
    store = S3Store("bucket", "boards", endpoint)
    with pytest.raises(ArchiveConflictError, match=r"debrief\.md: another content is there"):
        store.put_new(key.removeprefix("boards/"), b"mine", "0" * 64)
    assert _objects(s3) == {key: b"another"}


@pytest.mark.parametrize("is_after", [False, True])
def test_killed_at_some_puts_and_run_again_it_converges(
    endpoint: str, s3: S3Client, sample: Sample, is_after: bool
) -> None:
    expected = _expected(sample.root)
    points, wrong = (1, 2, len(expected) // 2, len(expected) - 1, len(expected)), []
    for number in points:
        pid = os.fork()
        if pid == 0:
            _archive_and_die(sample.root, endpoint, number, is_after)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        before = _objects(s3)
        is_marked = f"boards/{sample.id}/tagmanifest-sha256.txt" in before
        sent = archive_session(sample.root, URL, endpoint_url=endpoint).sent
        if (
            not before.items() <= expected.items()
            or (is_marked and before != expected)
            or sent != len(expected) - len(before)
            or _objects(s3) != expected
        ):
            wrong.append(number)
        delete_archive(URL, sample.id, endpoint_url=endpoint)
    when = "behind" if is_after else "before"
    note("archive", f"kill -9 {when} a put to Ceph, run again", count=len(points), wrong=len(wrong))
    assert wrong == []


def _archive_and_die(root: Path, endpoint: str, number: int, is_after: bool) -> None:
    """Archive, and kill this process before its *number*-th put, or behind it."""
    real, begun = S3Store._put, iter(range(1, 1_000_000))

    def put(store: S3Store, client: S3Client, name: str, content: bytes, sha256: str) -> None:
        at = next(begun)
        if at == number and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        real(store, client, name, content, sha256)
        if at == number:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        S3Store._put = put  # type: ignore[method-assign,assignment]
        archive_session(root, URL, endpoint_url=endpoint)
    finally:
        os._exit(1)


def test_two_archivers_of_one_session_at_once_send_it_once(
    endpoint: str, s3: S3Client, sample: Sample
) -> None:
    expected, rounds, wrong = _expected(sample.root), 10, 0
    for _ in range(rounds):
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(archive_session, sample.root, URL, endpoint_url=endpoint) for _ in range(2)]
            sent = sum(one.result().sent for one in both)
        wrong += sent != len(expected) or _objects(s3) != expected
        delete_archive(URL, sample.id, endpoint_url=endpoint)
    note("archive", "two archivers at once on Ceph", count=rounds, wrong=wrong)
    assert wrong == 0


def test_other_bytes_that_ceph_takes_with_a_wrong_checksum_are_found_by_us(
    endpoint: str, s3: S3Client, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., None] = S3Store._put

    def put(store: S3Store, client: S3Client, name: str, content: bytes, sha256: str) -> None:
        real(store, client, name, content[:-1] if name.endswith("debrief.md") else content, sha256)

    monkeypatch.setattr(S3Store, "_put", put)
    with pytest.raises(ArchiveError, match=r"/debrief\.md: ") as raised:
        archive_session(sample.root, URL, endpoint_url=endpoint)
    assert list_archives(URL, endpoint_url=endpoint) == ()
    by = "us" if "reads back with SHA-256" in str(raised.value) else "the server"
    note("archive", "wrong bytes under a right checksum to Ceph", count=1, told=f"found by {by}")
    monkeypatch.undo()
    s3.delete_object(Bucket="bucket", Key=f"boards/{sample.id}/data/{sample.id}/debrief.md")
    archive_session(sample.root, URL, endpoint_url=endpoint)
    assert _objects(s3) == _expected(sample.root)


def test_erase_with_archives_leaves_no_object(
    endpoint: str, s3: S3Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = ["--home", str(new_home(tmp_path / "home")), "--json"]
    deck = tmp_path / "deck.md"
    deck.write_text("# Plan\n\n- Revenue grew 18% in 2026\n")
    assert run([*home, "run", str(deck), "--id", "s1", "--exchanges", "0", "--archive", URL]) == 0
    assert _objects(s3) == _expected(tmp_path / "home" / "sessions" / "s1")
    capsys.readouterr()
    assert run([*home, "erase", "s1", "--yes", "--archives"]) == 0
    assert f"{URL}/s1" in json.loads(capsys.readouterr().out)["removed"]
    assert _objects(s3) == {}
    note("archive", "erase --archives on Ceph", count=1)


def test_a_start_that_fails_halfway_leaves_no_daemon(endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    failing = tmp_path / "bin" / "radosgw"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    path = f"{failing.parent}:{os.environ['PATH']}"
    folder = tmp_path / "ceph"
    done = subprocess.run(
        [CEPH, "start", folder], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"ceph: did not start: see {folder}/log")
    assert _daemons(folder) == []
