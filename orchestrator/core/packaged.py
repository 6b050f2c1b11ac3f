"""Reading YAML that comes with the package: word lists, the question bank, prices."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import InstallationError

PACKAGE: Final = Path(__file__).resolve().parents[1]


@cache
def packaged_yaml(name: str | Path, *, as_written: bool = False) -> Any:
    """Return the contents of the file *name*, a path within the package, read once in a process.

    Lists come as tuples, since every caller is given the same value.

    Args:
        as_written: Whether every value is returned as the text that is written, "no" and "4.20" too.

    Raises:
        InstallationError: The file is missing, or is not valid YAML as it was shipped.
    """
    import yaml  # 0.02 s to import: a command that needs no such file does not pay for it

    kind = "BaseLoader" if as_written else "SafeLoader"
    loader = getattr(yaml, f"C{kind}", getattr(yaml, kind))  # libyaml reads the bank ten times faster
    path = PACKAGE / name
    try:
        return _frozen(yaml.load(path.read_text("utf-8"), Loader=loader))  # noqa: S506  # both are safe
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise InstallationError(
            f"{path}: this file of Greenroom's own cannot be read ({why}): install Greenroom again", file=path
        ) from error


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(one) for key, one in value.items()}
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
