"""A presenter's progress over the rehearsals of one deck, and whose verdicts it is based on.

Answers that nobody judged are not counted, and nothing is read but the catalogue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core.legible import clock, counted
from orchestrator.panel.loop.rehearsal import other_crew
from orchestrator.panel.model.exchange import GIVEN, PARTLY, PersonVerdict
from orchestrator.panel.records.projection import by_answer
from orchestrator.panel.render import COUNTED_WORDS, OUTCOME_WORDS, PARTLY_WORDS, SILENT
from orchestrator.review.catalogue import Catalogue, Row
from orchestrator.review.reading import Asked, Entry

HELD: Final = "satisfied"
JUDGED: Final = (HELD, "unresolved")
OPEN: Final = ("unresolved", SILENT, "parked")
PANEL: Final = "the panel"


@dataclass(frozen=True, slots=True)
class Run:
    """One rehearsal, with the numbers that its progress is measured by."""

    entry: Entry
    questions: int
    answered: int  # that got an answer and were not parked
    judged: int  # of those, by a person or the panel
    held: int  # of those, that gave what was asked
    judges: tuple[tuple[str, int], ...]  # who judged, and how many
    closed: tuple[str, ...]  # points that were open before and held here, by their words

    @property
    def is_mostly_judged(self) -> bool:
        """Whether enough answers were judged for their share to say something about all answers."""
        return self.judged > self.answered / 2


@dataclass(frozen=True, slots=True)
class Progress:
    """The rehearsals of one deck, oldest first."""

    deck: str
    runs: tuple[Run, ...]
    open: tuple[str, ...]  # points that are open after the last of them, by their words

    @property
    def sentence(self) -> str:
        """A sentence on the change from the first rehearsal to the last; for a single one, on its state."""
        first, last = self.runs[0], self.runs[-1]
        said = [self._answers, self._points, _time(first, last), _pace(first, last)]
        line = "; ".join(one for one in said if one)
        return f"{line[:1].upper()}{line[1:]}."

    @property
    def _answers(self) -> str:
        judged = [run for run in self.runs if run.judged]
        if not judged:
            return "nobody has judged the answers yet"
        first, last = judged[0], judged[-1]
        now = f"{last.held} of {counted(last.judged, 'judged answer')} gave what was asked"
        if first is last:
            return now
        before = f"{first.held} of {first.judged} when first judged"
        if not (first.is_mostly_judged and last.is_mostly_judged):
            return f"{now}, {before}"
        gain = last.held * first.judged - first.held * last.judged
        how = "better answered" if gain > 0 else "answered less well" if gain < 0 else "answered as before"
        return f"{how}: {now}, {before}"

    @property
    def _points(self) -> str:
        closed = sum(len(run.closed) for run in self.runs)
        parts = [f"{counted(closed, 'point')} closed"] if closed else []
        parts += [f"{len(self.open)} still open"] if self.open else []
        return ", ".join(parts)


MAX_RUNS: Final = 100
"""Maximum number of rehearsals of one presenter that are evaluated; with more, the points of a plot touch."""


def ended_of(catalogue: Catalogue, presenter: str | None) -> tuple[str, list[Row]]:
    """Return a presenter's name and latest rehearsals. If *presenter* is None, of whoever ended one last.

    Demonstrations count only for a presenter who is named and has nothing else.
    """
    if presenter is None:
        last = next((row for row in catalogue.page(most=MAX_RUNS) if _is_own(row)), None)
        if last is None:
            return "", []
        presenter = last.entry.presenter
    rows = catalogue.page(presenter=presenter, most=MAX_RUNS)
    return presenter, [*filter(_is_own, rows)] or [row for row in rows if row.entry.is_ended]


def ended_with(catalogue: Catalogue, session: str) -> tuple[str, list[Row]]:
    """Return the rehearsals of a session's deck by its presenter; demonstrations if it is one.

    Raises:
        OtherCrewError: The session belongs to another crew.
    """
    row = catalogue.get(session)
    if row is None:
        return "", []
    entry = row.entry
    if entry.crew:
        raise other_crew(session, entry.crew)
    rows = catalogue.page(presenter=entry.presenter, most=MAX_RUNS)
    beside = [one for one in rows if one.entry.is_ended and one.entry.is_recorded == entry.is_recorded]
    return entry.presenter, [one for one in beside if one.entry.deck == entry.deck]


def _is_own(row: Row) -> bool:
    return row.entry.is_ended and not row.entry.is_recorded and not row.entry.crew


def progress_of(
    rows: Iterable[Row], said_of: Callable[[str], Sequence[PersonVerdict]]
) -> tuple[Progress, ...]:
    """Return the progress for each deck over the ended rehearsals among *rows*, the latest deck first.

    Drills, which have one question, are left out. A revised deck is recognised by its title.

    Args:
        said_of: Returns the verdicts of people on a session's answers after its end, oldest first.
    """
    decks: dict[str, list[Entry]] = {}
    for row in sorted(rows, key=lambda one: one.n):
        if row.entry.is_ended and not row.entry.is_drill:
            runs = decks.pop(row.entry.deck, [])
            decks[row.entry.deck] = [*runs, row.entry]
    return tuple(_progress(deck, runs, said_of) for deck, runs in reversed(decks.items()))


def _progress(
    deck: str, entries: Sequence[Entry], said_of: Callable[[str], Sequence[PersonVerdict]]
) -> Progress:
    open_: dict[str, str] = {}  # what is open, by the words that it is about
    runs = []
    for entry in entries:
        later = by_answer(said_of(entry.session))
        asked = [_judged(one, later.get((one.exchange, one.turn))) for one in entry.questions]
        judged = [one for one in asked if one.turn and one.outcome in JUDGED]
        judges = Counter(one.by or PANEL for one in judged)
        closed = []
        for one in asked:
            if one.outcome == HELD and open_.pop(one.point, None) is not None:
                closed.append(one.about)
            elif one.outcome in OPEN:
                open_[one.point] = one.about
        runs.append(
            Run(
                entry,
                len(asked),
                sum(one.turn > 0 and one.outcome != "parked" for one in asked),
                len(judged),
                sum(one.outcome == HELD for one in judged),
                tuple(judges.most_common()),
                tuple(closed),
            )
        )
    return Progress(deck, tuple(runs), tuple(open_.values()))


def _judged(asked: Asked, later: PersonVerdict | None) -> Asked:
    """Return a question with the verdict that counts.

    That is the person's verdict after the end, else the person's in the session, else the panel's.
    """
    verdict, by = (asked.verdict, asked.by) if later is None else (later.verdict, later.by)
    if verdict is None:
        return asked._replace(by="")
    return asked._replace(outcome=HELD if verdict == GIVEN else "unresolved", by=by)


def outcomes_of(entry: Entry, said: Iterable[PersonVerdict]) -> dict[str, int]:
    """Count a session's questions by outcome, in words, as its debrief does, whoever judged them.

    Args:
        said: The verdicts of people on the session's answers after its end, oldest first.
    """
    later = by_answer(said)
    found = Counter(_words(one, later.get((one.exchange, one.turn))) for one in entry.questions)
    return {words: found[words] for words in COUNTED_WORDS.values() if words in found}


def _words(asked: Asked, later: PersonVerdict | None) -> str:
    verdict = asked.verdict if later is None else later.verdict
    return PARTLY_WORDS if verdict == PARTLY else OUTCOME_WORDS[_judged(asked, later).outcome]


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A question of earlier rehearsals of a deck, and its last outcome."""

    question: str
    point: str  # as of `Asked`
    session: str
    exchange: str
    day: str  # YYYY-MM-DD
    outcome: str  # in words, by whoever judged
    by: str  # who judged; "": nobody
    is_open: bool


def asked_before(
    rows: Iterable[Row], said_of: Callable[[str], Sequence[PersonVerdict]]
) -> tuple[AskedBefore, ...]:
    """Return each question of these sessions once, with its last outcome: open ones first, then unjudged.

    Args:
        said_of: As for `progress_of`.
    """
    found: dict[str, AskedBefore] = {}
    for entry in (row.entry for row in sorted(rows, key=lambda one: one.n)):
        later = by_answer(said_of(entry.session) if entry.is_ended else ())
        for one in entry.questions:
            said = later.get((one.exchange, one.turn))
            now = _judged(one, said)
            by = now.by or (PANEL if now.outcome in JUDGED else "")
            found[one.point] = AskedBefore(
                one.about,
                one.point,
                entry.session,
                one.exchange,
                entry.day,
                _words(one, said),
                by,
                now.outcome in OPEN,
            )
    return tuple(sorted(found.values(), key=lambda one: (not one.is_open, one.by != "")))


def answers_of(run: Run) -> str:
    """Return a summary of a run's answers, or "" if there are none.

    For example: "3 of 4 judged gave it (Dana: 3, the panel: 1); 2 judged by nobody".
    """
    if not run.judged:
        return "nobody has judged these" if run.answered else ""
    judges = ", ".join(f"{name}: {many}" for name, many in run.judges)
    left = run.answered - run.judged
    rest = f"; {left} judged by nobody" if left else ""
    return f"{run.held} of {run.judged} judged gave it ({judges}){rest}"


def _time(first: Run, last: Run) -> str:
    used_s, before_s = last.entry.used_s, first.entry.used_s
    if not used_s:
        return ""
    now = f"{clock(used_s)} of {clock(60 * last.entry.minutes)} used"
    return (
        now
        if not before_s or clock(before_s) == clock(used_s)
        else f"{now}, {clock(before_s)} the first time"
    )


def _pace(first: Run, last: Run) -> str:
    pace, before = last.entry.words_per_minute, first.entry.words_per_minute
    if pace is None:
        return ""
    now = f"{pace} words a minute"
    return now if before in (None, pace) else f"{now}, {before} the first time"
