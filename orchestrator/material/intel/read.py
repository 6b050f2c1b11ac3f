"""Files with news and facts, read into findings.

Two shapes are taken. A list in YAML or JSON (`.yaml`, `.yml`, `.json`): each item a text, or a
mapping of `finding` and, where known, `topic`, `source`, `date`, `slide`, `claim`, `stance`;
the list may stand under `items` with a `topic`, `source` or `date` beside it that holds for
all. Anything else is Markdown or plain text; see `prose.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from orchestrator.core.errors import InputError, names_its_file
from orchestrator.core.home.user_list import (
    YAML_SUFFIXES,
    Entry,
    Form,
    read_entries,
    read_text,
)
from orchestrator.core.legible import one_line
from orchestrator.material.intel.prose import LONGEST_FINDING, reported_in
from orchestrator.material.model.intel import STANCES, Reported

MAX_INTEL_BYTES: Final = 1024 * 1024
"""One file; a day's press review is some tens of kilobytes."""
MOST_FINDINGS: Final = 500
"""Of one revision: more than any panel could hold in mind, and it bounds the page."""

WHAT: Final = "a list of findings, or Markdown or plain text"
_FORM: Final = Form(
    what="a list of findings",
    example="- finding: …",
    keys=("finding", "topic", "source", "date", "slide", "claim", "stance"),
    bare="finding",
    inside="items",
)
# Of the deck alone: a file is written before anything is said.
_CLAIM_ID = re.compile(r"d[1-9]\d{0,5}\.[1-9]\d{0,5}")


def read_intel(paths: Sequence[Path]) -> tuple[Reported, ...]:
    """The findings of all files, in their order; of prose every paragraph that says something.

    Raises:
        InputError: A file cannot be read or breaks its shape: one line that names file, line or
            item, and what is wrong.
    """
    found = tuple(item for path in paths for item in _read(path))
    if len(found) > MOST_FINDINGS:
        raise InputError(
            f"the files hold {len(found)} findings (limit {MOST_FINDINGS}): keep those that bear on the deck"
        )
    return found


@names_its_file
def _read(path: Path) -> tuple[Reported, ...]:
    name = one_line(path.name)
    if path.suffix.lower() in YAML_SUFFIXES:
        return tuple(_item(entry, name) for entry in read_entries(path, _FORM))
    text = read_text(path, WHAT, MAX_INTEL_BYTES)
    found = tuple(replace(item, file=name, source=item.source or name) for item in reported_in(text))
    for item in found:
        if len(item.finding) > LONGEST_FINDING:
            raise InputError(
                f"{path}: a sentence has {len(item.finding)} characters (limit {LONGEST_FINDING}), beginning "
                f'"{item.finding[:40]}…": shorten it'
            )
    return found


def _item(entry: Entry, name: str) -> Reported:
    finding = entry.text("finding")
    if finding is None:
        raise InputError(f"{entry.where}: has no finding: write what was found under finding")
    if len(finding) > LONGEST_FINDING:
        raise InputError(
            f"{entry.where}: the finding has {len(finding)} characters (limit {LONGEST_FINDING}): shorten it"
        )
    return Reported(
        finding=finding,
        topic=entry.text("topic") or "",
        source=entry.text("source") or name,
        date=entry.text("date"),
        file=name,
        claim=_claim(entry),
        slide=_slide(entry),
        stance=_stance(entry),
    )


def _claim(entry: Entry) -> str | None:
    claim = entry.text("claim")
    if claim is not None and not _CLAIM_ID.fullmatch(claim):
        raise InputError(
            f"{entry.where}: claim is {claim[:40]!r}, but must be an id such as d3.2, as `check` lists"
        )
    return claim


def _slide(entry: Entry) -> int | None:
    slide = entry.text("slide")
    if slide is not None and not re.fullmatch(r"[1-9]\d{0,4}", slide):
        raise InputError(f"{entry.where}: slide is {slide[:40]!r}, but must be the number of a slide")
    return int(slide) if slide else None


def _stance(entry: Entry) -> str | None:
    stance = entry.text("stance")
    if stance is not None and stance.lower() not in STANCES:
        raise InputError(f"{entry.where}: stance is {stance[:40]!r}, but must be one of {', '.join(STANCES)}")
    return stance.lower() if stance else None
