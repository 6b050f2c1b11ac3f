"""An example for the first page: a question and its part of a debrief, from the bundled demo.

The demo's first rehearsal is really played, with its recorded replies, in a folder that is removed
afterwards. So the page shows what this release does. Playing takes some seconds, once in a server's life, and
the page does not wait for it.
"""

from __future__ import annotations

import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from orchestrator.core.archive.freeze import thaw
from orchestrator.core.errors import GreenroomError
from orchestrator.material.values import Deck
from orchestrator.panel.debrief.parts import Debrief, Review
from orchestrator.panel.engines.recorded import Replies, read_recording, recorded_engine
from orchestrator.panel.home import Home, set_up
from orchestrator.panel.loop.recorded import drive
from orchestrator.rehearsal.demo.rehearsals import ACTS, begin_act
from orchestrator.web.sheets import Sheet, sheet


@dataclass(frozen=True, slots=True)
class Shown:
    """One question of the demo, its slide, and the debrief that contains it."""

    debrief: Debrief
    review: Review
    slide: Sheet


class Showcase:
    """The demo of one server, played when it is first asked for. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_played = False
        self._shown: Shown | None = None

    def get(self) -> Shown | None:
        """Return the example for the page, or None if the demo could not be played on this machine."""
        with self._lock:
            if not self._is_played:
                with suppress(GreenroomError, OSError):  # a full disk, say: which whoever begins is told
                    self._shown = _play()
                self._is_played = True
            return self._shown


def _play() -> Shown | None:
    with tempfile.TemporaryDirectory(prefix="greenroom-demo-", ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "home"
        set_up(root)
        engine = recorded_engine(Replies(read_recording().replies))
        with closing(engine), begin_act(Home.open(root), ACTS[0], engine) as session:
            drive(session.rehearsal)  # without the trace and the facts, which nobody reads
            session.end(archive=str(root / "archives"))  # and not where the user's own settings say
            shown = _chosen(session.debrief(), session.rehearsal.scene().deck)
        thaw(session.path)  # else its read-only folders would stay
    return shown


def _chosen(debrief: Debrief, deck: Deck) -> Shown | None:
    """Return the first question that is about words on a slide, or None."""
    slides = {slide.number: slide for slide in deck.slides}
    found = (
        Shown(debrief, review, sheet(slides[place.slide], [place.quote]))
        for review in debrief.reviews
        for place in review.places
        if place.slide in slides and place.said_at_s is None and not place.is_missing
    )
    return next(found, None)
