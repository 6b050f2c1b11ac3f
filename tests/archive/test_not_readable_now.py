"""A store that cannot be read now is said so, with what to set; it is never taken for damage."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from botocore import exceptions as aws

from orchestrator.cli.app import run
from orchestrator.core.archive import s3
from orchestrator.core.archive.download import list_archives
from orchestrator.core.archive.freeze import freeze, thaw
from orchestrator.core.archive.s3 import configuration, fault_of_settings
from orchestrator.core.archive.stores import FolderStore
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import create_store
from orchestrator.documents.listing import archived
from tests.helpers.board import archive_session, fetch, restore, verify_archive
from tests.helpers.sessions import PANEL, Sample, tiny_session
from tests.helpers.strict_s3 import KEY, SECRET, StrictS3, strict_s3

URL = "s3://bucket/boards"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("GREENROOM_HOME", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(s3, "BACKOFF_S", [])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    sample = tiny_session(tmp_path_factory.mktemp("tiny"))
    yield sample
    thaw(sample.root)


@pytest.fixture
def server(tiny: Sample, monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictS3]:
    """A server that holds the archive of `tiny`."""
    with strict_s3() as state:
        archive_session(tiny.root, URL, endpoint_url=state.endpoint_url)
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", state.endpoint_url)
        yield state


@pytest.mark.parametrize("which", ["all", pytest.param("one", marks=pytest.mark.slow)])
def test_cold_storage_is_no_damage(
    which: str, server: StrictS3, tiny: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = f"boards/{tiny.id}/data/{tiny.id}/shared/session-config.md"
    server.cold = set(server.objects) if which == "all" else {key}
    told = (
        "cannot be read now: it is in cold storage (GLACIER): restore it in the store first, then ask again"
    )
    for arguments in (
        ["verify", f"{URL}/{tiny.id}"],
        ["restore", tiny.id, "--from", URL, "--into", str(tmp_path / "back")],
        ["show", f"{URL}/{tiny.id}"],
    ):
        assert run(arguments) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert told in said.err
        assert said.err.count("\n") == 1
    assert not (tmp_path / "back").exists()
    assert run(["--json", "list", "--archive", URL]) == 0
    said = capsys.readouterr()
    (row,) = json.loads(said.out)["sessions"]
    assert row["state"] == ("unreadable" if which == "all" else "ended")
    assert (told in said.err) == (which == "all")
    with pytest.raises(ArchiveUnavailableError):
        archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    assert set(server.applied.values()) == {1}


def test_a_search_says_which_archives_it_could_not_look_into(
    server: StrictS3, tiny: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    server.cold = set(server.objects)
    assert run(["--json", "list", "--archive", URL, "--search", "revenue"]) == 0
    assert json.loads(capsys.readouterr().out)["not_searched"] == [tiny.id]
    server.cold = set()
    server.lies = {f"boards/{tiny.id}/data/{tiny.id}/shared/session-config.md"}
    assert run(["list", "--archive", URL, "--search", "revenue"]) == 0
    said = capsys.readouterr()
    assert "damaged" in said.out
    assert f"not searched, so there may be more: {tiny.id}" in said.out
    assert "session-config.md is changed" in said.err


@pytest.mark.parametrize("fault", ["403", "503", "400", "reset"])
def test_an_object_that_is_refused_gives_no_verdict(fault: str, server: StrictS3, tiny: Sample) -> None:
    server.faults = {len(server.requests) + 6: fault}
    with pytest.raises(ArchiveUnavailableError):
        verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
    server.every = fault
    with pytest.raises(ArchiveUnavailableError):
        list_archives(URL, endpoint_url=server.endpoint_url)


def test_an_object_that_is_gone_is_damage(server: StrictS3, tiny: Sample) -> None:
    del server.objects[f"boards/{tiny.id}/data/{tiny.id}/shared/session-config.md"]
    found = verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
    assert [(one.path, one.kind) for one in found.findings if one.path.endswith("session-config.md")] == [
        (f"data/{tiny.id}/shared/session-config.md", "missing")
    ]


def test_an_expired_token_says_which_variables(server: StrictS3, tiny: Sample) -> None:
    server.every = "400"
    with pytest.raises(
        ArchiveUnavailableError, match=r"refused \(ExpiredToken\): .* AWS_SESSION_TOKEN anew$"
    ):
        verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)


def test_a_profile_or_configuration_that_is_wrong_is_named(
    server: StrictS3, tiny: Sample, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def told() -> str:
        with pytest.raises(ArchiveUnavailableError) as raised:
            verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url)
        return str(raised.value)

    monkeypatch.setenv("AWS_PROFILE", "borad")
    assert told().startswith(
        f"{URL}: there is no AWS profile 'borad' in the AWS configuration: set AWS_PROFILE"
    )
    monkeypatch.delenv("AWS_PROFILE")
    broken = tmp_path / "config"
    broken.write_text("[default\nregion = eu-central-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(broken))
    assert told().startswith(f"{URL}: the AWS configuration {broken} cannot be read: mend that file")
    broken.write_text("[default]\nregion = eu-central-1\nretry_mode = often\n")
    assert told().startswith(f"{URL}: a setting for S3 cannot be used (InvalidRetryModeError)")
    broken.write_text("")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert told() == (
        f"{URL}: no usable keys: AWS_SECRET_ACCESS_KEY is missing: set AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY"
    )


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (aws.SSOTokenLoadError(error_msg="x"), "aws sso login"),
        (aws.UnauthorizedSSOTokenError(), "aws sso login"),
        (aws.TokenRetrievalError(provider="sso", error_msg="x"), "aws sso login"),
        (aws.CredentialRetrievalError(provider="x", error_msg="x"), "AWS_PROFILE"),
        (aws.NoCredentialsError(), "AWS_ACCESS_KEY_ID"),
        (aws.NoRegionError(), "AWS_REGION"),
        (aws.InvalidRegionError(region_name="?"), "AWS_REGION"),
        (aws.SSLError(endpoint_url="x", error=ValueError()), "AWS_CA_BUNDLE"),
        (aws.ProxyConnectionError(proxy_url="x"), "HTTPS_PROXY"),
        (aws.MissingDependencyException(msg="x"), "botocore"),
        (ValueError("Invalid endpoint: x"), "endpoint"),
    ],
)
def test_each_fault_of_the_environment_names_what_to_set(
    error: aws.BotoCoreError | ValueError, word: str
) -> None:
    told = configuration(error)
    assert told is not None
    assert word in told
    assert "\n" not in told


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.EMFILE, errno.ESTALE, errno.ETIMEDOUT])
def test_a_folder_that_cannot_be_read_now_is_no_damage_either(
    code: int, tiny: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_session(tiny.root, str(tmp_path / "archives"))
    real = FolderStore.get

    def refuse(store: FolderStore, name: str) -> bytes:
        if name.endswith("session-config.md"):
            raise store._refused(name, OSError(code, os.strerror(code)))
        return real(store, name)

    monkeypatch.setattr(FolderStore, "get", refuse)
    with pytest.raises(ArchiveUnavailableError, match=os.strerror(code).lower()):
        verify_archive(str(tmp_path / "archives"), tiny.id)


# ------------------------------------------------------------------ what lies beside it


LEFT = [".DS_Store", "Thumbs.db", "thumbs.db", "Desktop.ini", "._manifest-sha256.txt", "data/.DS_Store"]


@pytest.mark.parametrize("name", [*LEFT, "data/{id}/.DS_Store", "data/{id}/shared/._session-config.md"])
def test_what_a_desktop_left_is_extra_and_passed_over(
    name: str, tiny: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = str(tmp_path / "archives")
    archive_session(tiny.root, url)
    name = name.replace("{id}", tiny.id)
    (tmp_path / "archives" / tiny.id / name).write_bytes(b"\0\0\0\1Bud1")
    assert [(one.path, one.kind) for one in verify_archive(url, tiny.id).findings] == [(name, "extra")]
    assert run(["restore", tiny.id, "--from", url, "--into", str(tmp_path / "back")]) == 0
    assert f"{tiny.id}/{name}: extra: a desktop's file, which is passed over" in capsys.readouterr().err
    restored = sorted(path.relative_to(tmp_path / "back") for path in (tmp_path / "back").rglob("*"))
    whole = [Path(tiny.id, path.relative_to(tiny.root)) for path in tiny.root.rglob("*")]
    assert [one for one in restored if (tmp_path / "back" / one).is_file()] == sorted(
        one for one in whole if (tiny.root.parent / one).is_file()
    )
    assert archive_session(tiny.root, url).sent == 0
    thaw(tmp_path / "back" / tiny.id)


@pytest.mark.parametrize("name", ["notes.txt", "data/{id}/shared/more.md", "data/{id}/DS_Store"])
def test_nothing_else_is_passed_over(name: str, tiny: Sample, tmp_path: Path) -> None:
    url = str(tmp_path / "archives")
    archive_session(tiny.root, url)
    (tmp_path / "archives" / tiny.id / name.replace("{id}", tiny.id)).write_bytes(b"x")
    with pytest.raises(ArchiveError, match="nothing was restored"):
        restore(tiny.id, url, tmp_path / "back")


def test_a_desktops_file_that_was_archived_is_restored(tmp_path: Path) -> None:
    root, url = tmp_path / "made" / "own", str(tmp_path / "archives")
    store = create_store(
        root,
        packaged_table().seated(PANEL),
        Unread({"id": "own", "templates": {}, "deck": {"name": "plan.md"}}),
    )
    (root / ".DS_Store").write_bytes(b"own")
    freeze(store, None)
    store.close()
    archive_session(root, url)
    assert verify_archive(url, "own").valid
    assert (fetch("own", url, tmp_path / "back") / ".DS_Store").read_bytes() == b"own"
    thaw(root)


# ------------------------------------------------------------------ disks, marks and places


def test_a_full_disk_is_said_and_nothing_is_left(
    tiny: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "archives")
    archive_session(tiny.root, url)
    real: Callable[[Path, bytes], int] = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.name == "session-config.md":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ArchiveUnavailableError, match="no space left on device; nothing was restored: make"):
        restore(tiny.id, url, tmp_path / "back")
    assert not (tmp_path / "back").exists()
    rows = archived(url, "revenue", {"endpoint_url": None}, lambda line: None)
    assert [row["state"] for row in rows] == ["unreadable"]
    with pytest.raises(
        ArchiveUnavailableError, match=r"cannot be verified now: .*no space left .*set TMPDIR"
    ):
        verify_archive(url, tiny.id)


def test_a_commit_mark_that_the_store_damaged_is_told(tiny: Sample, tmp_path: Path) -> None:
    url = str(tmp_path / "archives")
    archive_session(tiny.root, url)
    mark = tmp_path / "archives" / tiny.id / "tagmanifest-sha256.txt"
    mark.chmod(0o640)
    whole = mark.read_bytes()
    for content in (b"", b"\0" * len(whole), whole[:-1], whole[1:], whole.replace(b"a", b"b", 1)):
        mark.write_bytes(content)
        told: dict[str, str] = {}
        (row,) = list_archives(url, say=told.__setitem__)
        assert row.state == "damaged"
        assert "tagmanifest-sha256.txt" in told[tiny.id]
    mark.write_bytes(whole)
    assert [one.state for one in list_archives(url)] == ["ended"]


def test_doctor_says_what_is_wrong_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault_of_settings("http://127.0.0.1:9") is None
    monkeypatch.setenv("AWS_PROFILE", "borad")
    assert str(fault_of_settings(None)).startswith("there is no AWS profile 'borad'")
