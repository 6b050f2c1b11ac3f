"""What recall costs, and how often it brings up the right memory.

    scripts/bench memory           all of it
    scripts/bench memory recall    how long recall takes over 200 memories, beside one plain read of them
    scripts/bench memory labelled  the labelled set: by words, by vectors, by date alone, by chance
    scripts/bench memory --embeddings http://127.0.0.1:11434 --model all-minilm
                                   vectors from a server instead of the extra `embed`

Vectors are measured where the extra `embed` is installed or a server is named; else that is said.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.memory.database import MemoryDatabase  # noqa: E402
from orchestrator.memory.embedding import LOCAL, Embedder, embedder  # noqa: E402
from orchestrator.memory.memories import (  # noqa: E402
    embed_missing,
    memories,
    recall,
)
from orchestrator.memory.model import (  # noqa: E402
    MAX_MEMORIES,
    EmbeddingError,
)
from orchestrator.memory.presenter import set_consent  # noqa: E402 (the path is set first)
from tests.helpers.memories import write_memory  # noqa: E402
from tests.helpers.recall_measure import measure, read_memories, read_topics  # noqa: E402

NOW = "2026-11-22T08:00:00Z"
PANEL = ("skeptic", "analyst", "contrarian", "moderator")
TOPIC = (
    "Plan for 2027: revenue grew 18% to EUR 4.2M; three pilot routes cut the cost of fuel by 31%; churn "
    "among season-ticket holders fell; we will double the fleet by 2028 and ask for EUR 1.8M for boats"
)
WORDS_BOUND_MS = 5.0
VECTORS_BOUND_MS = 50.0
ROUNDS = 200


def bench_recall(embed: Embedder | None) -> bool:
    """Recall over 200 memories of one agent, among those of others; whether both bounds are kept."""
    with (
        tempfile.TemporaryDirectory(prefix=".bench-", dir=ROOT) as folder,
        MemoryDatabase.open(Path(folder)) as db,
    ):
        fill(db)
        floor = [timed(lambda: memories(db, presenter="Ines", agent="skeptic")) for _ in range(ROUNDS)]
        kept = bounded("by words", [once(db, None) for _ in range(ROUNDS)], floor, WORDS_BOUND_MS)
        if embed is not None:
            begin = perf_counter()
            made = embed_missing(db, agent="skeptic", presenter="Ines", embed=embed)
            print(f"{made} vectors of {embed.model} made in {perf_counter() - begin:.2f} s")
            times = [once(db, embed) for _ in range(ROUNDS)]
            kept = bounded(f"by vectors of {embed.model}", times, floor, VECTORS_BOUND_MS) and kept
    return kept


def fill(db: MemoryDatabase) -> None:
    """200 memories of each of four agents about each of three presenters, from the labelled ones' words."""
    contents = [one["content"] for one in read_memories()]
    for presenter in ("Ines", "Omar", "Nadia"):
        set_consent(db, presenter, True, NOW)
        with db.transaction():
            for agent in PANEL:
                for number in range(MAX_MEMORIES):
                    content = f"{number} {contents[number % len(contents)]}"[:200]
                    write_memory(
                        db,
                        agent=agent,
                        presenter=presenter,
                        type="lesson",
                        content=content,
                        confidence=0.8,
                        now=NOW,
                    )


def once(db: MemoryDatabase, embed: Embedder | None) -> tuple[float, float]:
    return timed(lambda: recall(db, agent="skeptic", presenter="Ines", topic=TOPIC, embed=embed, now=NOW))


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall, and of the processor: on a busy machine only the second says what it costs."""
    begin, begin_cpu = perf_counter(), process_time()
    act()
    return perf_counter() - begin, process_time() - begin_cpu


def bounded(
    what: str, times: Sequence[tuple[float, float]], floor: Sequence[tuple[float, float]], bound_ms: float
) -> bool:
    walls, cpus = zip(*times, strict=True)
    middle, late, cpu = (1000 * one for one in (median(walls), quantiles(walls, n=20)[-1], median(cpus)))
    verdict = "kept" if middle <= bound_ms else "kept by the processor" if cpu <= bound_ms else "EXCEEDED"
    reading = 1000 * median(cpu for _, cpu in floor)
    print(
        f"recall over 200, {what:34} median {middle:7.2f} ms   p95 {late:7.2f} ms   "
        f"processor {cpu:6.2f} ms   bound {bound_ms:g} ms: {verdict}   "
        f"(reading the 200: {reading:.2f} ms of processor)"
    )
    return bool(cpu <= bound_ms)


def bench_labelled(embed: Embedder | None, topics_path: Path | None = None) -> None:
    """Print, for each way of recalling, how many topics get a right memory."""
    topics = read_topics(topics_path)
    if not topics:
        print("tests/memory/topics.yaml has not been written yet: nothing to measure recall with")
        return
    ways: dict[str, Embedder | None] = {"full text": None}
    if embed is not None:
        ways["embeddings"] = embed
    with tempfile.TemporaryDirectory() as folder:
        for found in measure(Path(folder), topics, ways):
            print(found.line())


def local_or_none(address: str | None, model: str | None) -> Embedder | None:
    """The embedder that was named, else the extra's; None, and a word about it, where there is none."""
    embed = embedder(address or LOCAL, model=model)
    try:
        if embed is not None:
            embed.embed(["a first text, so that loading is not measured"])
    except EmbeddingError as error:
        if address:
            raise
        print(f"vectors are not measured: {error}")
        return None
    return embed


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", choices=["recall", "labelled", []], default=[])
    parser.add_argument("--embeddings", metavar="URL")
    parser.add_argument("--model", metavar="NAME")
    parser.add_argument("--topics", metavar="FILE", type=Path)
    given = parser.parse_args(arguments)
    wanted = given.what or ["recall", "labelled"]
    embed = local_or_none(given.embeddings, given.model)
    kept = bench_recall(embed) if "recall" in wanted else True
    if "labelled" in wanted:
        bench_labelled(embed, given.topics)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
