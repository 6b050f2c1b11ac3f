"""The command that fetches a model from the network, and nothing else does: fetch."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.screen import Screen


def fetch(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As faster-whisper knows it: small, large-v3, ….")
    ],
) -> None:
    """Fetch a model that recognises speech, of other languages too.

    It comes from the hub that faster-whisper names, over the network, into the cache of its client. Set
    `stt_model: NAME` in greenroom.yaml to use it, and `stt_language: de` where German is spoken. Needs the
    extra `stt`.
    """
    from orchestrator.material.speech.models import fetch_model

    screen = Screen.current
    screen.note(f"note: {name} is fetched, which may be some gigabytes")
    folder = fetch_model(name)
    plain = {"model": name, "folder": str(folder)}
    screen.result(plain, f"{name} lies in {folder}; set `stt_model: {name}` in greenroom.yaml to use it")
