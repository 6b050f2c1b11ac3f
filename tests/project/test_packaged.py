"""Files that come with the package: read once, shared safely, and one line where one is broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from orchestrator.core import packaged
from orchestrator.core.errors import InstallationError
from orchestrator.core.packaged import PACKAGE, packaged_yaml


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What these tests read is not what the package keeps."""
    yield
    packaged_yaml.cache_clear()


def put(folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    (folder / "a.yaml").write_bytes(content)
    monkeypatch.setattr(packaged, "PACKAGE", folder)


READ = sorted(one for one in PACKAGE.rglob("*.yaml") if "samples" not in one.parts)  # those are for people


@pytest.mark.parametrize("as_written", [False, True], ids=["values", "as-written"])
@pytest.mark.parametrize("path", READ, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_packaged_file_is_read_alike_with_and_without_libyaml(
    path: Path, as_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = path.relative_to(PACKAGE).as_posix()
    with_it = packaged_yaml(name, as_written=as_written)
    packaged_yaml.cache_clear()
    for loader in ("CSafeLoader", "CBaseLoader"):  # as where PyYAML was built without the library
        monkeypatch.delattr(yaml, loader, raising=False)
    assert with_it == packaged_yaml(name, as_written=as_written) != {}


def test_lists_are_tuples_and_values_can_stay_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, monkeypatch, b"a: [no, {b: [4.20]}]\n")
    assert packaged_yaml("a.yaml") == {"a": (False, {"b": (4.2,)})}
    assert packaged_yaml("a.yaml", as_written=True) == {"a": ("no", {"b": ("4.20",)})}


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe\x00", b"a: \x01", None])
def test_a_broken_or_missing_file_is_named_in_one_line(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, monkeypatch, content or b"")
    if content is None:
        (tmp_path / "a.yaml").unlink()
    with pytest.raises(InstallationError, match="install Greenroom again") as caught:
        packaged_yaml("a.yaml")
    assert caught.value.file == str(tmp_path / "a.yaml")
    assert "\n" not in str(caught.value)
