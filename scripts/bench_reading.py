"""What is found in decks by arithmetic alone, and with a reader whose proposals code verifies.

    scripts/bench reading                    the table, from recorded proposals: no model, no network
    scripts/bench reading --show CORPUS      with every miss and every alarm of one corpus
    scripts/bench reading --deal FOLDER CORPUS [--parts N] [--seed N]
                                             sheets for readers: a pair's twins lie in different parts
    scripts/bench reading --again FOLDER CORPUS
                                             what is to be mended, and what is to be doubted

A reader answers a sheet with one JSON line a text, `{"text": KEY, "proposals": […]}`, and a second
one with `repaired` and `doubts`; `bench_data/recorded/CORPUS.json` holds them together.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.core.errors import EngineError  # noqa: E402
from orchestrator.material.checks.arithmetic import deck_tensions, speech_tensions  # noqa: E402 (the path is set first)
from orchestrator.material.checks.proposals import verify  # noqa: E402
from orchestrator.material.claim import COMPUTED, Refusal, Tension  # noqa: E402
from orchestrator.panel.engines.protocol import DoubtRequest, Request, TensionsRequest  # noqa: E402
from orchestrator.panel.loop.contradictions import Looked, is_doubted, propose  # noqa: E402
from scripts.reading_cases import (  # noqa: E402
    CORPORA,
    DENSE,
    Reading,
    Text,
    quotes_of,
    recorded,
    sheet_of,
    texts,
)

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

AIM_FOUND: Final = 0.90
AIM_BLAMED: Final = 0.02


class RecordedEngine:
    """Plays what a reader proposed about one text; the loop's own code does all the rest."""

    name = "recorded"

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.not_doubted = 0  # findings that nobody was asked to doubt: they stand as they are

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if isinstance(request, TensionsRequest):
            return cast(R, self._reading.repaired if request.refused else self._reading.proposals)
        if isinstance(request, DoubtRequest):
            return cast(R, tuple(map(self._doubt, request.tensions)))
        raise EngineError("a recorded reading answers nothing else")

    def _doubt(self, tension: Tension) -> str | None:
        doubts = self._reading.doubts or {}
        if quotes_of(tension) not in doubts:
            self.not_doubted += 1
        return doubts.get(quotes_of(tension))


def by_arithmetic(text: Text) -> tuple[Tension, ...]:
    """What `greenroom check` finds without a model."""
    found = list(deck_tensions(text.deck))
    for segment in text.speech:
        found += speech_tensions(segment)
    return tuple(found)


def by_reader(text: Text, reading: Reading) -> Looked:
    """What it finds with a model that reads as *reading* does."""
    return propose(RecordedEngine(reading), text.passages, known=by_arithmetic(text))


@dataclass
class Score:
    """Counts over the texts of one corpus."""

    planted: int = 0
    clean: int = 0
    found: int = 0
    found_computed: int = 0
    blamed: int = 0
    proposed: int = 0
    computed: int = 0
    read: int = 0
    extra: int = 0  # findings in planted texts that are not what was planted
    refused: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def count(self, text: Text, tensions: Sequence[Tension]) -> None:
        computed = [one for one in tensions if one.class_ == COMPUTED]
        self.computed += len(computed)
        self.read += len(tensions) - len(computed)
        if not text.sides:
            self.clean += 1
            self.blamed += bool(tensions)
            self.lines += [f"  blamed {text.id}: {_told(one)}" for one in tensions]
            return
        self.planted += 1
        hits = [one for one in tensions if text.is_found(one) or _is_part_of_a_sum(text, one)]
        self.found += bool(hits)
        self.found_computed += any(one.class_ == COMPUTED for one in hits)
        others = [one for one in tensions if one not in hits]
        self.extra += len(others)
        if not hits:
            self.lines.append(f"  missed {text.id}: {' | '.join(text.sides)}")
        self.lines += [f"  other in {text.id}: {_told(one)}" for one in others]


def _is_part_of_a_sum(text: Text, tension: Tension) -> bool:
    """Of a sum the label names two places, and a finding that has one of them is the same sum."""
    return len(tension.places) > 2 and text.touches(tension)


def _told(tension: Tension) -> str:
    return f"({tension.class_}) {' | '.join(quotes_of(tension))}: {tension.sum or tension.note}"


def score_of(corpus: str, find: Callable[[Text, Score], Sequence[Tension]]) -> Score:
    """Count what *find* finds in every text of *corpus*."""
    score = Score()
    for text in texts(corpus):
        score.count(text, find(text, score))
    return score


def table(show: str | None) -> bool:
    """Print the table; True if every aim is reached."""
    reached = True
    print(
        f"{'corpus':11} {'by':10} {'found':>9} {'blamed':>9} {'proposed':>8} "
        f"{'computed':>8} {'read':>5} {'other':>5}  refused"
    )
    for corpus in CORPORA:
        reached &= _row(corpus, "arithmetic", score_of(corpus, lambda text, _: by_arithmetic(text)), show)
        reading = recorded(corpus)
        if reading is None:
            print(f"{corpus:11} nobody has read it")
            continue

        def read(text: Text, score: Score, reading: Any = reading) -> Sequence[Tension]:
            one = reading.readings.get(text.key)
            if one is None:
                raise SystemExit(f"{text.corpus}: {text.id} ({text.key}) was not read: deal it again")
            looked = by_reader(text, one)
            score.proposed += looked.proposed
            score.refused.update(looked.refused)
            return (*by_arithmetic(text), *looked.tensions)

        reached &= _row(corpus, "reader", score_of(corpus, read), show)
        print(f"{'':11} read by {reading.reader}, {reading.read_at}")
    return reached


def _row(corpus: str, by: str, score: Score, show: str | None) -> bool:
    refused = ", ".join(f"{reason} {count}" for reason, count in sorted(score.refused.items())) or "-"
    print(
        f"{corpus:11} {by:10} {score.found:4}/{score.planted:<4} {score.blamed:4}/{score.clean:<4} "
        f"{score.proposed:8} {score.computed:8} {score.read:5} {score.extra:5}  {refused}"
    )
    if show == corpus:
        print("\n".join(score.lines))
    allowed = 0.0 if by == "arithmetic" or corpus in DENSE else AIM_BLAMED
    blamed_ok = score.blamed <= allowed * max(1, score.clean)
    return blamed_ok and (by == "arithmetic" or score.found >= AIM_FOUND * score.planted)


# ---------------------------------------------------------------------- sheets for readers


def deal(folder: Path, corpus: str, parts: int, seed: int) -> None:
    """Write *parts* sheets of one JSON line a text, shuffled; no part holds both twins of a pair."""
    rng = random.Random(f"{corpus}:{seed}")
    piles: list[list[Text]] = [[] for _ in range(parts)]
    twins: dict[str, list[Text]] = {}
    for text in texts(corpus):
        twins.setdefault(text.id, []).append(text)
    for group in twins.values():
        for text, at in zip(group, rng.sample(range(parts), len(group)), strict=True):
            piles[at].append(text)
    for number, pile in enumerate(piles, start=1):
        rng.shuffle(pile)
        _write(folder / f"{corpus}.{number}.jsonl", [sheet_of(text) for text in pile])


def again(folder: Path, corpus: str) -> None:
    """Write what the reader is asked the second time: refused proposals with the reason, and doubts."""
    reading = recorded(corpus)
    if reading is None:
        raise SystemExit(f"{corpus}: nobody has read it yet")
    rows = []
    for text in texts(corpus):
        one = reading.readings[text.key]
        by_id = {passage.id: passage for passage in text.passages}
        outcomes = [verify(proposal, by_id, (), "recorded") for proposal in (*one.proposals, *one.repaired)]
        doubted = [got for got in outcomes if isinstance(got, Tension) and is_doubted(got)]
        refused = [got for got in outcomes if isinstance(got, Refusal)]
        if doubted or refused:
            rows.append(
                {
                    **sheet_of(text),
                    "refused": [{"proposal": asdict(got.proposal), "why": got.told} for got in refused],
                    "doubt": [
                        {"quotes": list(quotes_of(got)), "why": got.note, "sum": got.sum} for got in doubted
                    ],
                }
            )
    _write(folder / f"{corpus}.again.jsonl", rows)


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    print(f"{path}: {len(rows)} texts")


def main(arguments: list[str]) -> int:
    given = argparse.ArgumentParser(prog="scripts/bench reading")
    given.add_argument("--show", metavar="CORPUS", choices=CORPORA)
    given.add_argument("--deal", nargs=2, metavar=("FOLDER", "CORPUS"))
    given.add_argument("--again", nargs=2, metavar=("FOLDER", "CORPUS"))
    given.add_argument("--parts", type=int, default=2)
    given.add_argument("--seed", type=int, default=1)
    options = given.parse_args(arguments)
    if options.deal:
        deal(Path(options.deal[0]), options.deal[1], options.parts, options.seed)
    elif options.again:
        again(Path(options.again[0]), options.again[1])
    else:
        print("all aims reached" if table(options.show) else "AIMS NOT REACHED: see the rows above")
    return 0
