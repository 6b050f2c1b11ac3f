"""A sound server of its own: microphones that are plugged in, spoken into, muted, suspended and unplugged.

A microphone is what a PulseAudio source makes of the sound that is played into a sink which no loudspeaker
belongs to. Browsers find the server by `environment`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.live_feeds import until
from tests.helpers.programs import running

PROGRAMS: Final = ("pulseaudio", "pactl", "paplay")
TOLD_WITHIN_S: Final = 30.0
PLAYED_WITHIN_S: Final = 120.0
"""Limits of time, so that a sound server that hangs fails a test and holds up nothing: an answer takes
milliseconds, and no piece of speech lasts a minute."""
MISSING: Final = tuple(name for name in PROGRAMS if shutil.which(name) is None)


@dataclass
class Pulse:
    """A sound server, and the microphones that are plugged into it, by their names."""

    environment: Mapping[str, str]
    _modules: dict[str, str] = field(default_factory=dict)  # the number of a source's module, by its name

    def plug(self, name: str) -> None:
        """Plug in a microphone, also one that was unplugged: it is the same, by its name."""
        if name not in self._list("sinks"):
            self._load("module-null-sink", f"sink_name={name}", "rate=16000", "channels=1")
        source = [f"source_name={name}_mic", f"source_properties=device.description={name}"]
        self._modules[name] = self._load("module-remap-source", f"master={name}.monitor", *source)

    def unplug(self, name: str) -> None:
        self._control("unload-module", self._modules.pop(name))

    def mute(self, name: str, *, is_on: bool) -> None:
        """Mute one, as by its own switch, or unmute it."""
        self._control("set-source-mute", f"{name}_mic", str(int(is_on)))

    def suspend(self, name: str, *, is_on: bool) -> None:
        """Suspend one, as a machine does to save power, or wake it; no sound comes meanwhile."""
        self._control("suspend-source", f"{name}_mic", str(int(is_on)))

    @contextmanager
    def humming(self, name: str) -> Iterator[None]:
        """Let a microphone hear a tone while the block runs: one that is on is never without any sound."""
        tone = self._load("module-sine", f"sink={name}", "frequency=100")
        yield
        self._control("unload-module", tone)

    @contextmanager
    def playing(self, name: str, sound: Path) -> Iterator[None]:
        """Speak into a microphone: the block runs from the first sound on, and ends once all was heard."""
        command = ["paplay", "--latency-msec=50", f"--device={name}", str(sound)]
        with subprocess.Popen(command, env={**os.environ, **self.environment}) as player:
            try:
                until("the sound", lambda: self._list("sink-inputs") or player.poll() is not None)
                yield
                player.wait(PLAYED_WITHIN_S)
            except BaseException:
                player.kill()
                raise
        assert player.returncode == 0

    def _load(self, *module: str) -> str:
        return self._control("load-module", *module).strip()

    def _list(self, kind: str) -> list[str]:
        return [line.split("\t")[1] for line in self._control("list", "short", kind).splitlines()]

    def _control(self, *words: str) -> str:
        told = subprocess.run(
            ["pactl", *words],
            env={**os.environ, **self.environment},
            check=True,
            capture_output=True,
            text=True,
            timeout=TOLD_WITHIN_S,
        )
        return told.stdout


@contextmanager
def pulse(folder: Path) -> Iterator[Pulse]:
    """A sound server that keeps its files in *folder*; the test is skipped where there is none."""
    if MISSING:
        pytest.skip(f"NOT TESTED with a sound server: {', '.join(MISSING)} is missing")
    folder.mkdir(exist_ok=True)
    socket = folder / "socket"
    environment = {
        "HOME": str(folder),  # a cookie would be kept there
        "PULSE_RUNTIME_PATH": str(folder),
        "PULSE_STATE_PATH": str(folder),
        "PULSE_SERVER": f"unix:{socket}",
    }
    command = [
        "pulseaudio",
        "-n",
        "--daemonize=no",
        "--exit-idle-time=-1",
        "--use-pid-file=no",
        "--disable-shm=yes",
    ]
    protocol = f"module-native-protocol-unix auth-anonymous=1 socket={socket}"
    with running([*command, "-L", protocol], environment, folder / "told") as server:
        until("a sound server", lambda: socket.exists() or server.poll() is not None)
        assert server.poll() is None, (folder / "told").read_text("utf-8")
        yield Pulse(environment)
