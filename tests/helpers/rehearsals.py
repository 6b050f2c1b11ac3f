"""A small rehearsal for tests: a deck, speech and answers of our own, and how to run it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers import memory_modes
from tests.helpers.commands_forked import command

ROOT = Path(__file__).resolve().parents[2]

DECK = """---
title: Harbour ferries, plan for 2027
---
# Where we stand

- Revenue grew 18% to EUR 4.2M in 2026
- We are the leading ferry operator on the estuary
- 212,000 passengers a year

---
# The pilot

- 3 pilot routes with electric boats cut fuel cost by 31%
- 94% of passengers would recommend us

---
# Risks

- Churn among season-ticket holders fell because of the new timetable
- We will double the fleet by 2028

---
# The ask

| Use | EUR |
|---|---|
| Two boats | 1,400,000 |
| Charging | 380,000 |

- We ask for EUR 1.8M
"""

SPEECH = """WEBVTT

00:00:01.000 --> 00:00:09.000
<v Ines>Good morning. Revenue grew eighteen percent to four point two million euros in 2026.

00:00:10.000 --> 00:00:21.000
<v Ines>We are the leading ferry operator on the estuary, with 212,000 passengers a year.

00:00:22.000 --> 00:00:31.000
<v Host>Thank you Ines, please go on with the pilot.

00:00:32.000 --> 00:00:47.000
<v Ines>The pilot has three routes with electric boats, and they cut fuel cost by 31%.

00:00:48.000 --> 00:01:03.000
<v Ines>Ninety-four percent of passengers would recommend us.

00:01:04.000 --> 00:01:22.000
<v Ines>On risks: churn among season-ticket holders fell because of the new timetable.

00:01:23.000 --> 00:01:37.000
<v Ines>We will double the fleet by 2028.

00:01:38.000 --> 00:01:59.000
<v Ines>So the ask: two boats, charging, altogether 1.8 million euros.
"""

ANSWERS = """
- text: It is audited revenue for the year 2026, EUR 4.2M against EUR 3.6M in 2025.
- text: I would have to come back to you on that.
- text: Our harbour authority survey of 812 passengers in May 2026 says so.
- agent: skeptic
  text: Anna, our chief engineer, owns the delivery, by March 2028.
- text: We compared it with the diesel boats on the same routes from January to June 2026.
"""


@dataclass(frozen=True)
class Rehearsal:
    """The files of one rehearsal."""

    deck: Path
    speech: Path
    answers: Path


def write_rehearsal(folder: Path) -> Rehearsal:
    """The rehearsal's three files, in *folder*."""
    made = Rehearsal(folder / "deck.md", folder / "speech.vtt", folder / "answers.yaml")
    made.deck.write_text(DECK, "utf-8")
    made.speech.write_text(SPEECH, "utf-8")
    made.answers.write_text(ANSWERS, "utf-8")
    return made


def loaded(home: Path, files: Rehearsal, **options: Any) -> Session:
    """A session on the rehearsal's deck, with its recording loaded and nothing played."""
    session = Session.start(Home.open(home), files.deck, **options)
    session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
    return session


def played(home: Path, files: Rehearsal, **options: Any) -> Session:
    """The same, played to its end; not ended yet."""
    session = loaded(home, files, **options)
    assert session.play()
    return session


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a session but its ledger, and the facts and traces, which hold wall-clock times."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in ("ledger", "facts", "trace")
    }


def greenroom(
    home: Path, *arguments: str | Path, stdin: str = "", check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does, in a process of its own."""
    done = command(["--home", str(home), *map(str, arguments)], stdin, os.environ)
    assert "Traceback" not in done.stderr, done.stderr
    if check:
        # A failing memory leaves a whole session and the exit that says that it is not remembered.
        unremembered = memory_modes.applied == "failing" and "but not remembered as --remember" in done.stderr
        assert done.returncode == int(unremembered), (arguments, done.stdout, done.stderr)
    return done


def greenroom_json(home: Path, *arguments: str | Path, stdin: str = "") -> dict[str, Any]:
    """The JSON that a command prints."""
    result: dict[str, Any] = json.loads(greenroom(home, "--json", *arguments, stdin=stdin).stdout)
    return result
