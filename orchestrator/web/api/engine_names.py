"""The name of an engine in a request: one that can be chosen here."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from orchestrator.panel.config.engine_names import (
    BUILT_IN,
    engine_names,
    is_engine_name,
    listed,
)


def _known(name: str) -> str:
    if not is_engine_name(name):
        raise ValueError(f"there is no engine {name!r}: use {listed(engine_names())}")
    return name


EngineName = Annotated[
    str,
    AfterValidator(_known),
    Field(
        max_length=100,
        description=f"{listed()}, or an engine that is installed.",
        examples=[*BUILT_IN],
    ),
]
