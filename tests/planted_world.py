"""An invented organisation: every number about it is decided once, so that all who tell it agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import yaml

from tests.planted_numbers import Style, chosen, significant, spoken, style, written

V = TypeVar("V")
T = TypeVar("T")

VOCABULARY = Path(__file__).with_name("planted_vocabulary.yaml")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Metric:
    """Something that is measured, and the words that boards hear for it."""

    name: str
    unit: str
    low: float
    high: float
    step: float
    label: str
    say: tuple[str, ...]
    comp: tuple[str, ...] = ()
    noun: str = ""
    flow: bool = False  # adds up over a year, so that a quarter has less of it

    @property
    def adds_up(self) -> bool:
        return self.unit in ("money", "count") and self.low >= 40


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a slide (bullet, box, title, table, pie, column, notes), or of the speech (said)."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    series: tuple[float, ...] = ()  # a chart's, by the categories in `rows[0]`; its name is rows[1][0]


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, the theme of the page that it belongs to, and what stands there where the fault is planted.

    `a` and `b` are what may be quoted for the two sides of the contradiction, the principal words first.
    """

    theme: str
    block: Block
    wrong: Block | None = None
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()


@cache
def vocabulary() -> dict[str, Any]:
    """The file of words, by domain."""
    found: dict[str, Any] = yaml.safe_load(VOCABULARY.read_text(encoding="utf-8"))
    return found


def domains() -> list[str]:
    """The names of the domains."""
    return [name for name in vocabulary() if name != "common"]


class World:
    """One organisation in one year, and how its deck writes."""

    def __init__(self, rng: Random, domain: str) -> None:
        words = vocabulary()[domain]
        self.rng = rng
        self.domain = domain
        self.company: str = rng.choice(words["companies"])
        self.peer: str = rng.choice(words["peers"])
        self.who: str = words["who"]
        self.part_names: list[str] = words["parts"]
        self.places: list[str] = words["places"]
        self.events: list[list[str]] = rng.sample(words["events"], 2)
        self.works: list[str] = rng.sample(words["works"], 3)
        self.year: int = rng.choice((2024, 2025, 2026))
        self.how: Style = style(rng)
        self.metrics = {
            name: _metric(name, row, self.who)
            for name, row in {**words["metrics"], **vocabulary()["common"]["metrics"]}.items()
            if name not in words.get("without", ())
        }
        self.free = list(self.metrics)  # not yet told about
        rng.shuffle(self.free)
        self.known: dict[tuple[str, str], float] = {}
        self.barred: set[str] = set()  # roles that would make what is told ambiguous

    def take(self, fits: Callable[[Metric], bool] = lambda metric: True) -> Metric:
        """A metric that nothing has told about yet."""
        name = next(name for name in self.free if fits(self.metrics[name]))
        self.free.remove(name)
        return self.metrics[name]

    def has(self, fits: Callable[[Metric], bool]) -> bool:
        return any(fits(self.metrics[name]) for name in self.free)

    def value(self, metric: Metric, role: str = "now") -> float:
        """The metric's value in a role: now, last, target, market, peer, place, record, example, gross."""
        key = (metric.name, role)
        if key not in self.known:
            self.known[key] = self._decide(metric, role)
        return self.known[key]

    def _decide(self, metric: Metric, role: str) -> float:
        if role == "now":
            return chosen(self.rng, metric.unit, metric.low, metric.high, metric.step)
        now = self.value(metric)
        ratio = {
            "last": self.rng.choice((0.72, 0.81, 0.88, 1.1, 1.2)),
            "target": self.rng.choice((0.8, 1.15, 1.25, 1.4)),
            "market": self.rng.uniform(0.6, 1.5),
            "peer": self.rng.uniform(0.6, 1.6),
            "place": self.rng.uniform(0.15, 0.45) if metric.adds_up else self.rng.uniform(0.75, 1.3),
            "record": self.rng.uniform(1.2, 1.5),
            "example": self.rng.uniform(1.3, 1.8),
            "gross": self.rng.uniform(1.06, 1.2),
            "quarter": self.rng.uniform(0.2, 0.3),
        }[role]
        found = now * ratio
        if metric.unit == "%":
            found = min(found, (now + 99) / 2)  # a share stays possible
        if metric.unit == "money" or (metric.unit == "count" and metric.low >= 40):
            return float(round(significant(found, 2)))
        return round(round(found / metric.step) * metric.step, 2) or metric.step

    def _own(self) -> Random:
        """Chance for one figure, so that another figure leaves the words around it as they are."""
        return Random(self.rng.random())

    def alike(self, tell: Callable[[V], T], right: V, other: V) -> tuple[T, T]:
        """What *tell* makes of both, worded alike."""
        rng = self.rng
        seed = rng.random()
        self.rng = Random(seed)
        first = tell(right)
        self.rng = Random(seed)
        second = tell(other)
        self.rng = rng
        return first, second

    def written(self, value: float, metric: Metric) -> str:
        return written(value, metric.unit, self.how, self._own())

    def spoken(self, value: float, metric: Metric) -> str:
        return spoken(value, metric.unit, self.how, self._own())

    def money(self, value: float) -> str:
        return written(value, "money", self.how, self._own())

    def percent(self, value: float) -> str:
        return written(value, "%", self.how, self._own())

    def split(self, value: float, count: int) -> list[float]:
        """*count* parts that make up *value* exactly, each as round as its third digit."""
        size = 10 ** max(len(str(int(value))) - 3, 0)
        whole = round(value / size)
        weights = [self.rng.uniform(1, 4) for _ in range(count)]
        parts = [max(1, int(whole * weight / sum(weights))) for weight in weights]
        parts[0] += whole - sum(parts)
        return [float(part * size) for part in sorted(parts, reverse=True)]


def _metric(name: str, row: dict[str, Any], who: str) -> Metric:
    metric = Metric(name=name, **{**row, "say": tuple(row["say"]), "comp": tuple(row.get("comp", ()))})
    return replace(
        metric,
        label=metric.label.replace("{who}", who),
        say=tuple(capital(text.replace("{who}", who)) for text in metric.say),
        comp=tuple(capital(text.replace("{who}", who)) for text in metric.comp),
    )


def capital(text: str) -> str:
    """*text* with a capital at its start."""
    return text[:1].upper() + text[1:]


def lower(text: str) -> str:
    """*text* as it goes on within a sentence."""
    keeps = text[1:2].isupper() or text.startswith(MONTHS)
    return text if keeps else text[:1].lower() + text[1:]
