"""An archive in an S3 store: conditional, verified, and convergent after any failure."""

from __future__ import annotations

import hashlib
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.archive import s3
from orchestrator.core.archive.download import list_archives
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.s3 import S3Store
from orchestrator.core.archive.stores import open_store
from orchestrator.core.archive.upload import delete_archive
from orchestrator.core.errors import ArchiveConflictError, ArchiveError, UsageError
from tests.helpers.board import archive_session, bag_files, fetch, restore, verify_archive, verify_session
from tests.helpers.sessions import Sample, ended_session, tiny_session
from tests.helpers.strict_s3 import KEY, SECRET, StrictS3, strict_s3

URL = "s3://bucket/boards/archives"
PREFIX = "boards/archives/"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setattr(s3, "BACKOFF_S", [0.0] * 5)


@pytest.fixture
def server() -> Iterator[StrictS3]:
    with strict_s3() as state:
        yield state


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """One ended session for the whole module: nothing here changes it."""
    sample = ended_session(tmp_path_factory.mktemp("ended"))
    yield sample
    thaw(sample.root)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """As `sample`, of few files: for tests that go over every request."""
    sample = tiny_session(tmp_path_factory.mktemp("tiny"))
    yield sample
    thaw(sample.root)


def _objects(sample: Sample) -> dict[str, bytes]:
    return {f"{PREFIX}{sample.id}/{part.name}": part.read() for part in bag_files(sample.root)}


def test_an_archive_holds_the_bag_and_nothing_else(server: StrictS3, sample: Sample) -> None:
    archived = archive_session(sample.root, URL, endpoint_url=server.endpoint_url)
    expected = _objects(sample)
    assert server.objects == expected
    assert (archived.session, archived.archive) == (sample.id, f"{URL}/{sample.id}")
    assert (archived.objects, archived.sent) == (len(expected), len(expected))


def test_the_commit_mark_goes_last_when_all_else_is_read_back(server: StrictS3, tiny: Sample) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    *others, mark = _objects(tiny)
    first, rest, last = server.requests[0], server.requests[1:-2], server.requests[-2:]
    assert first == ("GET", "")
    assert sorted(rest[: len(others)]) == sorted(("PUT", key) for key in others)
    assert sorted(rest[len(others) :]) == sorted(("GET", key) for key in others)
    assert last == [("PUT", mark), ("GET", mark)]


def test_a_corrupt_archive_is_not_listed_and_the_next_try_says_which_object_it_is(
    server: StrictS3, tiny: Sample
) -> None:
    key = f"{PREFIX}{tiny.id}/data/{tiny.id}/shared/session-config.md"
    server.corrupts.add(key)
    with pytest.raises(ArchiveError, match=rf"^s3://bucket/{key}: reads back .*: remove this object and"):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    assert list_archives(URL, endpoint_url=server.endpoint_url) == ()
    with pytest.raises(
        ArchiveConflictError, match=rf"^s3://bucket/{key}: another content .*: if .* remove it"
    ):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    server.corrupts.clear()
    del server.objects[key]
    assert archive_session(tiny.root, URL, endpoint_url=server.endpoint_url).sent == 2
    assert server.objects == _objects(tiny)


def test_it_is_told_where_objects_may_lie_before_the_first_is_sent(server: StrictS3, tiny: Sample) -> None:
    told: list[tuple[str, int]] = []
    for _ in range(2):
        archive_session(
            tiny.root,
            URL,
            endpoint_url=server.endpoint_url,
            before_sending=lambda archive: told.append((archive, len(server.objects))),
        )
    assert told == [(f"{URL}/{tiny.id}", 0)]


def test_every_put_carries_its_digest_for_the_server_to_check(server: StrictS3, tiny: Sample) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    for (method, _), headers in zip(server.requests, server.headers, strict=True):
        if method == "PUT":
            assert headers["x-amz-checksum-sha256"]
            assert headers["if-none-match"] == "*"


def test_a_server_that_refuses_checksums_can_be_used_without(tiny: Sample) -> None:
    with strict_s3(refuses_checksums=True) as server:
        with pytest.raises(ArchiveError, match=r"NotImplemented"):
            archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url, checksums=False)
        assert server.objects == _objects(tiny)


def test_archiving_again_sends_nothing(server: StrictS3, tiny: Sample) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    assert archive_session(tiny.root, URL, endpoint_url=server.endpoint_url).sent == 0
    assert set(server.applied.values()) == {1}


@pytest.mark.parametrize("fault", ["503", "409", "500", "reset", "reset-after", "truncate"])
def test_a_passing_failure_is_retried(fault: str, tiny: Sample) -> None:
    with strict_s3(faults=dict.fromkeys(range(1, 30, 3), fault)) as server:
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        assert server.objects == _objects(tiny)
        assert set(server.applied.values()) == {1}
        assert verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url).valid


def test_a_server_that_stalls_is_left_after_the_timeout(
    tiny: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "READ_TIMEOUT_S", 0.3)
    with strict_s3(faults={2: "stall", 5: "stall", 15: "stall"}) as server:
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        assert server.objects == _objects(tiny)
        assert set(server.applied.values()) == {1}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("503", "the server answered 503 (SlowDown)"),
        ("403", "refused (AccessDenied): check the keys and their rights"),
        ("reset", "no usable answer (ConnectionClosedError): check the endpoint and try again"),
    ],
)
def test_a_lasting_failure_is_one_line_without_keys(fault: str, message: str, tiny: Sample) -> None:
    with strict_s3(every=fault) as server:
        with pytest.raises(ArchiveError) as raised:
            archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        assert str(raised.value) == f"{URL}/{tiny.id}/: {message}"
        assert len(server.requests) == (1 if fault == "403" else 1 + len(s3.BACKOFF_S))
        assert SECRET not in repr(raised.value) + str(raised.value.__cause__) + str(server.headers)


def test_a_wrong_key_and_a_wrong_clock_are_told_apart(
    server: StrictS3, tiny: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.clock_ahead_s = 3600
    with pytest.raises(
        ArchiveError, match=r"refused \(RequestTimeTooSkewed\): this machine's clock is wrong"
    ):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    server.clock_ahead_s = 0
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    with pytest.raises(ArchiveError, match=r"refused \(SignatureDoesNotMatch\): check the keys"):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    assert server.objects == {}


def test_a_bucket_that_is_not_there_is_named(server: StrictS3, tiny: Sample) -> None:
    with pytest.raises(ArchiveError, match=r"^s3://other/x: there is no such bucket: make it first$"):
        archive_session(tiny.root, "s3://other/x", endpoint_url=server.endpoint_url)


def test_without_keys_the_message_says_which_variables(
    server: StrictS3, tiny: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ArchiveError, match=r"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$"):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    assert server.requests == []


def test_a_redirect_to_another_host_is_not_followed(tiny: Sample) -> None:
    with strict_s3() as other, strict_s3(every="redirect", elsewhere=other.endpoint_url) as server:
        with pytest.raises(ArchiveError, match=r"points elsewhere \(TemporaryRedirect\)"):
            archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        assert (len(server.requests), other.requests) == (1, [])


def test_an_object_of_a_terabyte_is_not_asked_for_and_a_list_without_end_is_left(tiny: Sample) -> None:
    with strict_s3() as server:
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        server.every = "huge"
        names = [part.name for part in bag_files(tiny.root)]
        result = verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
        told = {(one.path, one.kind, one.found) for one in result.findings if one.kind == "unreadable"}
        size = "1099511627776 bytes, and no file of a session has more than 536870912"
        assert told == {(name, "unreadable", size) for name in names}
        server.every = "endless"
        for read in (
            lambda: list_archives(URL, endpoint_url=server.endpoint_url),
            lambda: verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url),
        ):
            before = len(server.requests)
            with pytest.raises(ArchiveError, match=f"{URL}: the server's list of objects has no end"):
                read()
            assert len(server.requests) < before + 10


def test_a_wrong_byte_on_the_way_back_is_found(server: StrictS3, sample: Sample) -> None:
    key = f"{PREFIX}{sample.id}/data/{sample.id}/debrief.md"
    server.lies.add(key)
    with pytest.raises(ArchiveError, match=rf"^s3://bucket/{key}: reads back with SHA-256"):
        archive_session(sample.root, URL, endpoint_url=server.endpoint_url)


def test_every_lie_is_found_by_verify_and_its_object_named(server: StrictS3, tiny: Sample) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    for key in sorted(server.objects):
        server.lies = {key}
        result = verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
        assert key.removeprefix(f"{PREFIX}{tiny.id}/") in {finding.path for finding in result.findings}


def test_another_content_is_never_overwritten(server: StrictS3, sample: Sample) -> None:
    key = f"{PREFIX}{sample.id}/data/{sample.id}/debrief.md"
    server.objects[key], server.metadata[key] = b"another", "0" * 64
    with pytest.raises(ArchiveConflictError, match=r"debrief\.md: another content is there"):
        archive_session(sample.root, URL, endpoint_url=server.endpoint_url)
    assert server.objects[key] == b"another"
    assert f"{PREFIX}{sample.id}/tagmanifest-sha256.txt" not in server.objects


def test_a_put_that_meets_another_content_is_a_conflict(server: StrictS3) -> None:
    store = S3Store("bucket", "p", server.endpoint_url)
    digests = {content: hashlib.sha256(content).hexdigest() for content in (b"one", b"two")}
    assert store.put_new("name", b"one", digests[b"one"])
    assert not store.put_new("name", b"one", digests[b"one"])
    with pytest.raises(ArchiveConflictError, match=r"^s3://bucket/p/name: another content"):
        store.put_new("name", b"two", digests[b"two"])
    assert server.objects == {"p/name": b"one"}


def test_an_object_that_is_no_part_of_the_archive_stops_it(server: StrictS3, tiny: Sample) -> None:
    key = f"{PREFIX}{tiny.id}/data/{tiny.id}/shared/added.md"
    server.objects[key], server.metadata[key] = b"more", "0" * 64
    with pytest.raises(ArchiveConflictError, match=r"shared/added\.md: is no part of this archive"):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)


def test_restored_as_it_was(server: StrictS3, sample: Sample, tmp_path: Path) -> None:
    archive_session(sample.root, URL, endpoint_url=server.endpoint_url)
    path = restore(sample.id, URL, tmp_path / "back", endpoint_url=server.endpoint_url)
    try:
        assert _contents(path) == _contents(sample.root)
        assert verify_session(path).valid
        assert [entry.name for entry in (tmp_path / "back").iterdir()] == [sample.id]
    finally:
        thaw(path)
    copy = fetch(sample.id, URL, tmp_path / "copy", endpoint_url=server.endpoint_url)
    assert _contents(copy) == _contents(sample.root)


def _contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "data/../../x", "data/other/x", "data/{id}/../../x", "a/b", "data/{id}//x"]
)
def test_names_that_leave_the_folder_are_found_and_not_written(
    name: str, server: StrictS3, tiny: Sample, tmp_path: Path
) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    name = name.replace("{id}", tiny.id)
    key = f"{PREFIX}{tiny.id}/{name}"
    server.objects[key], server.metadata[key] = b"more", "0" * 64
    result = verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
    assert [(finding.path, finding.kind) for finding in result.findings] == [(name, "extra")]
    with pytest.raises(ArchiveError, match=r"nothing was restored"):
        restore(tiny.id, URL, tmp_path / "back", endpoint_url=server.endpoint_url)
    assert not (tmp_path / "back").exists()


def test_listed_only_with_its_commit_mark(server: StrictS3, sample: Sample) -> None:
    assert list_archives(URL, endpoint_url=server.endpoint_url) == ()
    archive_session(sample.root, URL, endpoint_url=server.endpoint_url)
    (listed,) = list_archives(URL, endpoint_url=server.endpoint_url)
    assert (listed.session, listed.state, listed.deck) == (sample.id, "ended", "The plan")
    assert (listed.date, listed.presenter, listed.exchanges) == ("2026-11-20", "Presenter", 1)
    assert listed.archive == f"{URL}/{sample.id}"
    del server.objects[f"{PREFIX}{sample.id}/tagmanifest-sha256.txt"]
    assert list_archives(URL, endpoint_url=server.endpoint_url) == ()
    result = verify_archive(URL, sample.id, endpoint_url=server.endpoint_url)
    assert [(one.path, one.kind) for one in result.findings] == [("tagmanifest-sha256.txt", "missing")]


def test_removed_with_the_commit_mark_first(server: StrictS3, tiny: Sample) -> None:
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    count = delete_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
    assert count == len(_objects(tiny))
    assert server.objects == {}
    deleted = [key for method, key in server.requests if method == "DELETE"]
    assert deleted[0].endswith("/tagmanifest-sha256.txt")


@pytest.mark.slow
def test_killed_at_each_request_and_run_again_it_converges(tiny: Sample) -> None:
    expected = _objects(tiny)
    with strict_s3() as server:
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
        methods = [method for method, _ in server.requests]
    assert len(methods) > 2 * len(expected)
    for number, method in enumerate(methods, start=1):
        for fault in ("kill", "kill-after") if method == "PUT" else ("kill",):
            with strict_s3() as server:
                _archive_and_die(tiny, server, number, fault)
                before = set(server.objects)
                marked = f"{PREFIX}{tiny.id}/tagmanifest-sha256.txt" in before
                assert not marked or before == set(expected)
                archived = archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
                assert server.objects == expected
                assert set(server.applied.values()) == {1}
                assert archived.sent == len(expected) - len(before)


def _archive_and_die(sample: Sample, server: StrictS3, number: int, fault: str) -> None:
    """Archive in a process of its own, which the server kills at its *number*-th request."""
    with warnings.catch_warnings():  # later Pythons warn of forks beside threads; the child uses none of them
        warnings.simplefilter("ignore", DeprecationWarning)
        server.lock.acquire()  # until the victim is known
        pid = os.fork()
    if pid == 0:
        try:
            archive_session(sample.root, URL, endpoint_url=server.endpoint_url)
        finally:
            os._exit(1)
    server.victim, server.faults = pid, {number: fault}
    server.lock.release()
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.parametrize(
    "url", ["s3://", "s3://x", "s3://key:secret@bucket/x", "https://host/x", "ftp://x", "", "s3://UPPER/x"]
)
def test_an_address_that_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_store(url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("endpoint", ["host:9000", "ftp://host", "http://", "https://key:secret@host", ""])
def test_an_endpoint_that_is_none_is_refused(endpoint: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_store(URL, endpoint_url=endpoint)
    assert "secret" not in str(raised.value)


@pytest.mark.slow
def test_moto_takes_and_gives_the_same_archive(sample: Sample, tmp_path: Path) -> None:
    import boto3
    from moto.server import ThreadedMotoServer

    moto = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    moto.start()
    try:
        host, port = moto.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="bucket")
        expected = len(_objects(sample))
        archived = archive_session(sample.root, URL, endpoint_url=endpoint)
        assert (archived.objects, archived.sent) == (expected, expected)
        assert archive_session(sample.root, URL, endpoint_url=endpoint).sent == 0
        assert verify_archive(URL, sample.id, endpoint_url=endpoint).valid
        assert [one.session for one in list_archives(URL, endpoint_url=endpoint)] == [sample.id]
        path = fetch(sample.id, URL, tmp_path, endpoint_url=endpoint)
        assert _contents(path) == _contents(sample.root)
        assert delete_archive(URL, sample.id, endpoint_url=endpoint) == expected
        assert list_archives(URL, endpoint_url=endpoint) == ()
    finally:
        moto.stop()
