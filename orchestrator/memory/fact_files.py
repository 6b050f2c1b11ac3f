"""`facts/index.json` and `facts/YYYY-MM-DD.json`: the facts as files, made from the ledger.

Nothing is kept here that the records do not hold, so any of these files may be lost, torn or
changed and is made again whole. A file is replaced at once, and only where it differs, the index
last: so what the index names is there. A fact stands in the file of the day on which it was said.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from orchestrator.memory.derived import derived_folder, replace_if_different
from orchestrator.memory.fact_log import FactLog
from orchestrator.model.fact import Fact
from orchestrator.model.values import to_json
from orchestrator.store import files

FOLDER: Final = "facts"
INDEX: Final = "index.json"
VERSION: Final = 1
MAX_INDEXED_CHARS: Final = 160
"""Of a fact's content in the index, which is for looking up; the day's file has it whole."""

_INDEXED: Final = ("id", "type", "content", "confidence", "source_date", "settled_by")
_OURS = re.compile(r"\d{4}-\d\d-\d\d\.json")


def fact_files(log: FactLog) -> dict[str, str]:
    """Every file of the folder with its text, the index last."""
    days: dict[str, list[Fact]] = {}
    for fact in log.facts:
        days.setdefault(fact.source_date, []).append(fact)
    days = dict(sorted(days.items()))
    made = {
        f"{day}.json": _text({"version": VERSION, "source_date": day, "facts": list(map(asdict, facts))})
        for day, facts in days.items()
    }
    return {**made, INDEX: _text(_index(log, days))}


def write_fact_files(root: Path, log: FactLog) -> None:
    """Bring the session's `facts/` in line with the ledger.

    Call it while holding `locked`, so that nobody's older files replace newer ones.

    Raises:
        OSError: The disk refused; every file there is whole, as it was or as it should be.
    """
    made = fact_files(log)
    with derived_folder(root, FOLDER) as fd:
        for name, text in made.items():
            replace_if_different(fd, name, text)
        for name in os.listdir(fd):
            if _OURS.fullmatch(name) and name not in made:
                files.unlink_if_there(fd, name)


def _index(log: FactLog, days: dict[str, list[Fact]]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "facts": len(log.facts),
        "read_to": log.read_seq,  # record of the ledger
        "types": dict(sorted(Counter(fact.type for fact in log.facts).items())),
        "files": [{"path": f"{FOLDER}/{day}.json", "facts": len(facts)} for day, facts in days.items()],
        "entries": [_entry(fact) for fact in log.facts],
    }


def _entry(fact: Fact) -> dict[str, Any]:
    content = fact.content
    if len(content) > MAX_INDEXED_CHARS:
        content = content[: MAX_INDEXED_CHARS - 1] + "…"
    plain = {**to_json(fact), "content": content}
    return {name: plain[name] for name in _INDEXED if name in plain}


def _text(plain: dict[str, Any]) -> str:
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"
