"""Put the analysts' real questions of earnings calls, with management's real answers, to the judge.

    PYTHONPATH=. python scripts/judge_calls.py [FILE.nlp …]

Reads transcripts with a speaker column (by default those beside this checkout, in
../shared/data), prints every pair with its verdict and reason, and stores nothing.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.deck.model import Deck
from orchestrator.engines.judging import judge
from orchestrator.engines.needs import asking_sentences, needs_of
from orchestrator.engines.protocol import JudgementRequest, Scene
from orchestrator.exchange import Exchange, Judgement, Turn
from orchestrator.persona import Seat, read_domain, read_persona

ROOT = Path(__file__).resolve().parents[1]
TRANSCRIPTS = ROOT.parent / "shared" / "data" / "transcripts"
CALLS = (
    "earnings21/4386541.gold.nlp",
    "earnings22/4468919.aligned.nlp",
    "earnings22/4474955.aligned.nlp",
    "earnings22/4482110.aligned.nlp",
)
OPERATOR = "0"
CALLS_UP = re.compile(r"\bquestion (?:\w+ ){0,2}comes? from\b", re.IGNORECASE)
SHOWN_WORDS = 60
SHORTEST_QUESTION = 8  # words; what is shorter is "thank you" or "got it", unless it has a question mark
SHORTEST_ANSWER = 2  # words; interpreters call out the language before they speak


@dataclass(frozen=True, slots=True)
class Said:
    """One speaker's words until the next speaks."""

    speaker: str
    text: str


def read_turns(path: Path) -> list[Said]:
    """The turns of a call: tokens with their punctuation, joined while the speaker stays the same."""
    turns: list[tuple[str, list[str]]] = []
    with path.open(encoding="utf-8") as lines:
        columns = next(lines).strip().split("|")
        for line in lines:
            row = dict(zip(columns, line.rstrip("\n").split("|"), strict=False))
            if not turns or turns[-1][0] != row["speaker"]:
                turns.append((row["speaker"], []))
            turns[-1][1].append(row["token"] + row["punctuation"])
    return [Said(speaker, " ".join(words)) for speaker, words in turns]


def pairs(turns: list[Said]) -> Iterator[tuple[str, str]]:
    """Each question of an analyst with what everybody but the operator says until the next.

    Whoever speaks first after the operator has called the next question is its analyst.
    """
    asker: str | None = None
    calling = False
    question, answer = "", ""
    for turn in turns:
        if turn.speaker == OPERATOR:
            if "question" in turn.text.lower():
                if question and answer:
                    yield question, answer
                asker, question, answer = None, "", ""
                calling = bool(CALLS_UP.search(turn.text))
            continue
        if calling and asker is None:
            asker, calling = turn.speaker, False
        if turn.speaker == asker:
            short = len(turn.text.split()) < SHORTEST_QUESTION
            if "?" not in turn.text and (short or not asking_sentences(turn.text)):
                continue
            if question and answer:
                yield question, answer
                question, answer = "", ""
            question = f"{question} {turn.text}".strip()
        elif question and len(turn.text.split()) > SHORTEST_ANSWER:
            answer = f"{answer} {turn.text}".strip()
    if question and answer:
        yield question, answer


def judgement_of(question: str, answer: str, seat: Seat) -> tuple[tuple[str, ...], Judgement]:
    """What the question asks for, and the verdict on the answer, with no deck to hold it against."""
    needs = needs_of(question)
    turn = Turn(question, needs, answer)
    exchange = Exchange("x1", seat.persona.id, None, None, None, None, False, "", 0.0, (turn,))
    deck = Deck("md", "call", "0" * 64, "Call", ())
    scene = Scene(deck, (), (), (), (exchange,), None, 0.0, "moderate", ())
    return needs, judge(JudgementRequest(seat, scene, exchange))


def analyst() -> Seat:
    folder = ROOT / "agents" / "templates" / "analyst"
    persona, domain = folder / "persona.md", folder / "domain-knowledge.md"
    return Seat(
        read_persona(persona.read_text(encoding="utf-8"), persona.name),
        read_domain(domain.read_text(encoding="utf-8"), domain.name),
    )


def shortened(text: str) -> str:
    words = text.split()
    if len(words) <= SHOWN_WORDS:
        return text
    half = SHOWN_WORDS // 2
    return f"{' '.join(words[:half])} [… {len(words) - 2 * half} words …] {' '.join(words[-half:])}"


def main(paths: list[Path]) -> None:
    seat = analyst()
    counts: Counter[str] = Counter()
    for path in paths:
        print(f"\n== {path.name}")
        for question, answer in pairs(read_turns(path)):
            needs, judgement = judgement_of(question, answer, seat)
            counts[judgement.verdict] += 1
            print(f"\nQ: {shortened(question)}")
            print(f"A: {shortened(answer)}")
            print(f"   asks for: {', '.join(needs) or 'nothing that rules look for'}")
            print(f"   {judgement.verdict}: {judgement.reason}")
            if judgement.follow_up:
                print(f"   next: {judgement.follow_up}")
            for promise in judgement.promises:
                print(f"   promise: {promise}")
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or [TRANSCRIPTS / name for name in CALLS])
