"""The home of a board panel: the core's home with `greenroom.yaml`, and the place of the user's own home.

Source: DESIGN.md, section 2; interfaces.md, "Command line".
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.core import session
from orchestrator.core.errors import ConfigurationError, HomeError
from orchestrator.core.home.folder import packaged_files
from orchestrator.core.home.table_file import TABLE_NAME

if TYPE_CHECKING:
    from orchestrator.core.store.application import Application
    from orchestrator.panel.config.config import Config


@dataclass(frozen=True)
class Home(session.Home):
    """One home folder with its settings.

    Making a `Home` reads nothing; each part is read when it is first used.
    """

    @classmethod
    def default(cls) -> Home:
        """Return the home in `GREENROOM_HOME`, else `./agents`, else the user's own, which is set up on first
        use.

        Raises:
            HomeError: As for `find_home`.
        """
        return find_home(None, os.environ)

    @property
    def application(self) -> Application:
        """The board panel's description of its sessions; a session of another crew is read without it."""
        from orchestrator.panel.application import BOARD

        return BOARD

    @property
    def demo(self) -> Path:
        """Return the folder of `greenroom demo`, where its presenter's memory is separate from that of
        others.
        """
        return self.root / "demo"

    @cached_property
    def config(self) -> Config:
        """Return the settings of `greenroom.yaml` and `GREENROOM_*`, checked.

        Raises:
            ConfigurationError: A key is unknown or a value is invalid; the message names the line.
        """
        from orchestrator.panel.config.config import Config, read_config

        for name in (f"GREENROOM_{key.name.upper()}" for key in fields(Config)):
            if name in os.environ and not os.environ[name].strip():
                raise ConfigurationError(f"{name} is empty: unset it, or give it a value")
        return read_config(self.root / "greenroom.yaml", os.environ)


def known_home(given: str | None, environment: Mapping[str, str]) -> Home | None:
    """Return the home as `find_home` does, or None if none was named and none exists yet.

    Raises:
        HomeError: The named folder is not a home.
    """
    named = given or environment.get("GREENROOM_HOME")
    if not named and not Path("agents", "templates").is_dir():
        try:
            own = user_folder("data")
        except HomeError:
            return None
        if not (own / "templates").is_dir():
            return None
    return find_home(given, environment)


def find_home(given: str | None, environment: Mapping[str, str]) -> Home:
    """Return the home of --home, else of `GREENROOM_HOME`, else `./agents`, else the user's own.

    The user's own home is set up from the packaged templates on first use.

    Raises:
        HomeError: The named folder is not a home, or the place of the user's own home is unknown.
    """
    named = given or environment.get("GREENROOM_HOME")
    if named:
        return Home.open(named)
    if Path("agents", "templates").is_dir():
        return Home.open("agents")
    root = user_folder("data")
    if not (root / "templates").is_dir():
        set_up(root)
    return Home.open(root)


def user_folder(kind: str) -> Path:
    """Return Greenroom's own folder for the user's files of *kind* "data" or "cache".

    Raises:
        HomeError: The place of the user's files is unknown.
    """
    import platformdirs

    if not os.path.isabs(os.path.expanduser("~")):
        raise HomeError(
            "HOME is not set to an absolute path, and the system knows no folder of this user: set HOME, "
            "or name a home with --home or GREENROOM_HOME"
        )
    if kind == "cache":
        return platformdirs.user_cache_path("greenroom", appauthor=False)
    return platformdirs.user_data_path("greenroom", appauthor=False)


def set_up(root: Path) -> None:
    """Copy the packaged templates, blueprints and table to *root*, whole or not at all.

    Raises:
        HomeError: The package has no templates, or the folder cannot be written.
    """
    import shutil

    packaged = packaged_files()
    if packaged is None:
        raise HomeError("this installation brings no templates: name a home with --home or GREENROOM_HOME")
    # Beside the home, so that a rename puts it in place; the process's number keeps two first runs apart.
    temporary = root.with_name(f".{root.name}-{os.getpid()}")
    try:
        for name in ("templates", "session-templates"):
            _copy(packaged / name, temporary / name)
        for name in (TABLE_NAME, "README.md"):
            _copy(packaged / name, temporary / name)
        if root.exists():
            for part in temporary.iterdir():
                part.rename(root / part.name)
            temporary.rmdir()
        else:
            temporary.rename(root)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        why = f"{error.filename or root}: {(error.strerror or str(error)).lower()}"
        raise HomeError(
            f"{root}: cannot be set up ({why}): set HOME or XDG_DATA_HOME to a folder that may be written, "
            "or name a home with --home or GREENROOM_HOME"
        ) from error


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a whole folder, with the permissions of new files rather than of the installed ones."""
    if source.is_file():
        target.write_bytes(source.read_bytes())
        return
    target.mkdir(parents=True)
    for part in source.iterdir():
        _copy(part, target / part.name)
