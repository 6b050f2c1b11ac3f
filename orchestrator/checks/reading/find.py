"""All that the general reading finds in a deck and in speech beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.checks.compare import place_words
from orchestrator.checks.figures import DeckWords
from orchestrator.checks.reading.absences import absence_tensions
from orchestrator.checks.reading.boards import Board, boards_of
from orchestrator.checks.reading.change_phrases import Change, changes_of, directions_of
from orchestrator.checks.reading.changes import change_tensions
from orchestrator.checks.reading.levels import Setting, level_relations
from orchestrator.checks.reading.measures import measures_of, measures_of_segment
from orchestrator.checks.reading.model import ACTUAL, Measure, Piece
from orchestrator.checks.reading.pieces import pieces_of, row_pieces, shown, spoken_pieces
from orchestrator.checks.reading.portions import limit_relations, portion_relations
from orchestrator.checks.reading.products import product_tensions
from orchestrator.checks.reading.ranks import rank_tensions
from orchestrator.checks.reading.relations import EXPLAINS, Relation, contradicted
from orchestrator.checks.reading.series import Pair, pairs_of
from orchestrator.checks.reading.shares import Part, parts_of, share_relations
from orchestrator.checks.reading.spans import span_tensions
from orchestrator.checks.reading.subject import rarity_of
from orchestrator.checks.reading.sums import sum_tensions
from orchestrator.checks.reading.times import present_of
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

LEAST_LEVEL = 0.85
CROWD = 5
DENSE = 18
"""With so many numbers of a kind in sentences, two are compared only if both say the same time."""
LEAST_SHARE = 1.1


@dataclass(frozen=True, slots=True)
class Reading:
    """A deck's measures, made once for speech to be held against."""

    measures: tuple[Measure, ...]
    setting: Setting
    words: DeckWords
    pairs: tuple[Pair, ...] = ()
    changes: tuple[Change, ...] = ()
    parts: tuple[Part, ...] = ()
    pieces: tuple[Piece, ...] = ()
    boards: tuple[Board, ...] = ()


def reading_of(deck: Deck, words: DeckWords) -> Reading:
    """The reading of a deck; empty where it is not in English."""
    measures = tuple(measures_of(deck, words)) if words.english else ()
    year = words.year
    kinds = Counter(m.amount.kind for m in measures if m.status == ACTUAL and m.row is None)
    crowded = frozenset(kind for kind, count in kinds.items() if count > DENSE)
    setting = Setting(rarity_of(measures), year, present_of(measures, year), crowded)
    pieces = (
        tuple(p for slide in shown(deck) for p in (*pieces_of(slide), *row_pieces(slide)))
        if words.english
        else ()
    )
    return Reading(
        measures,
        setting,
        words,
        tuple(pairs_of(measures)),
        tuple(_changes(measures, deck, words)),
        tuple(parts_of(measures)),
        pieces,
        tuple(boards_of(measures, next((slide.title for slide in deck.slides), ""))),
    )


def _changes(measures: Sequence[Measure], deck: Deck, words: DeckWords) -> Iterator[Change]:
    if not words.english:
        return
    by_piece: dict[str, list[Measure]] = {}
    pieces = {}
    for m in measures:
        if m.row is None:
            by_piece.setdefault(f"{m.piece.slide}/{m.piece.order}", []).append(m)
            pieces[f"{m.piece.slide}/{m.piece.order}"] = m.piece
    for slide in shown(deck):
        for piece in pieces_of(slide):
            key = f"{piece.slide}/{piece.order}"
            mine = by_piece.get(key, [])
            told = list(changes_of(pieces.get(key, piece), mine))
            yield from told or directions_of(pieces.get(key, piece), mine)


def deck_tensions(reading: Reading) -> Iterator[Tension]:
    """Where the deck contradicts itself."""
    relations: list[Relation] = []
    for statement in reading.measures:
        if statement.status == ACTUAL:
            relations += level_relations(statement, reading.measures, reading.setting)
    met: dict[int, float] = {}
    for relation in relations:
        if relation.is_met:
            met[id(relation.statement)] = max(met.get(id(relation.statement), 0.0), relation.strength)
    found = [
        relation
        for relation in contradicted(relations, LEAST_LEVEL, 0, CROWD)
        if met.get(id(relation.sources[-1]), 0.0) < EXPLAINS * relation.strength
    ]
    yield from change_tensions(reading.changes, reading.pairs, reading.setting.rarity)
    yield from product_tensions(reading.measures, reading.setting)
    yield from sum_tensions(reading.measures, reading.pieces, reading.setting.rarity)
    yield from span_tensions(reading.pieces)
    yield from rank_tensions(reading.boards, reading.pieces)
    yield from absence_tensions(reading.pieces, reading.measures)
    shares: list[Relation] = []
    for statement in reading.measures:
        shares += share_relations(statement, reading.parts, reading.setting)
        shares += portion_relations(statement, reading.boards)
        shares += limit_relations(statement, reading.boards, reading.measures)
        shares += (
            [r for r in level_relations(statement, reading.measures, reading.setting) if r.is_met]
            if statement.amount.kind == "share"
            else []
        )
    for relation in contradicted(shares, LEAST_SHARE):
        yield _tension(relation)
    told: set[int] = set()
    for relation in sorted(found, key=lambda r: -r.strength):
        ids = {id(relation.statement), *map(id, relation.sources)}
        if ids & told:
            continue
        told |= ids
        yield _tension(relation)


def segment_tensions(reading: Reading, segment: Segment) -> Iterator[Tension]:
    """Where one piece of speech contradicts the deck."""
    relations: list[Relation] = []
    spoken = measures_of_segment(segment, reading.words)
    said: list[Change] = []
    for piece in {id(m.piece): m.piece for m in spoken}.values():
        said += changes_of(piece, [m for m in spoken if m.piece is piece])
    for piece in spoken_pieces(segment):
        if all(c.piece.order != piece.order for c in said):
            said += list(changes_of(piece, [])) or list(
                directions_of(piece, [m for m in spoken if m.piece.order == piece.order])
            )
    yield from change_tensions(said, [*reading.pairs, *pairs_of(spoken)], reading.setting.rarity)
    yield from span_tensions(reading.pieces, tuple(spoken_pieces(segment)))
    yield from rank_tensions(reading.boards, tuple(spoken_pieces(segment)))
    yield from absence_tensions(tuple(spoken_pieces(segment)), reading.measures)
    if spoken:
        yield from product_tensions([*reading.measures, *spoken], reading.setting, frozenset(map(id, spoken)))
    shares: list[Relation] = []
    for statement in spoken:
        shares += share_relations(statement, [*reading.parts, *parts_of(spoken)], reading.setting)
        shares += portion_relations(statement, reading.boards)
        shares += limit_relations(statement, reading.boards, reading.measures)
        shares += (
            [r for r in level_relations(statement, reading.measures, reading.setting) if r.is_met]
            if statement.amount.kind == "share"
            else []
        )
    for relation in contradicted(shares, LEAST_SHARE):
        yield _tension(relation)
    for statement in spoken:
        if statement.status == ACTUAL:
            relations += level_relations(statement, reading.measures, reading.setting)
    for relation in contradicted(relations, LEAST_LEVEL, 0, CROWD):
        yield replace(_tension(relation), kind="speech-vs-deck")


def _tension(relation: Relation) -> Tension:
    a, b = relation.statement, relation.sources[-1]
    note = relation.note or (
        f'The figure is "{_shown(a)}" {place_words(a.place)} and "{_shown(b)}" {place_words(b.place)}: '
        "only one can be right."
    )
    return Tension(relation.kind, relation.place, a.place, note)


def _shown(measure: Measure) -> str:
    return " ".join(measure.amount.text.split())
