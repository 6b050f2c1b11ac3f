"""What the Scribe costs: a million events in memory, and the first thousand beside the last.

    scripts/bench scribe [EVENTS]

Records are made on the fly and not kept, so what grows is the Scribe and nothing else.
"""

from __future__ import annotations

import argparse
import gc
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orchestrator.core.store.ledger import Record
from orchestrator.memory.scribe import MAX_CONTEXT_BYTES, Scribe, to_plain
from tests.helpers.scribe_records import Tape

SAID = (
    "Revenue in quarter {n} grew by {p} percent against last year, most of it from three customers.",
    "We decided to postpone order number {n} of Nordbank {n} until the auditors agree.",
    "Our goal for today is to win approval for boat {n}.",
    "We are waiting for harbour authority {n} to sign the lease.",
    "Please write to desk{n}@example.com or call +44 20 7946 {p:04}.",
    "The pilot has three routes with electric boats, and they cut fuel cost by {p}%.",
)
BLOCK = 1_000
RATIO_BOUND = 1.3


def events(count: int) -> Iterator[Record]:
    """Speech, a change of slide, questions, verdicts and closed exchanges, for ever."""
    tape = Tape()
    tape.opened()
    for seq in range(2, count + 2):
        yield from tape.records
        tape.records.clear()
        n, kind = seq // 20, seq % 20
        text = SAID[seq % len(SAID)].format(n=n, p=seq % 97)
        asked = (f"x{n}", f"Growth from which base, in quarter {n}?", f"grew by {n} percent")
        match kind:
            case 0:
                tape.slide(n % 40 + 1)
            case 15:
                tape.ask(*asked)
            case 16:
                tape.judge(f"x{n}", "follow_up", "a direction, and no number")
            case 17:
                exchange, question, quote = asked
                tape.close(exchange, ("unresolved", "satisfied", "parked")[n % 3], question, quote)
            case _:
                tape.say(text)
        tape.records[-1] = tape.records[-1]._replace(seq=seq, clock_s=float(seq))
    yield from tape.records


def aged(old: Scribe, count: int, rounds: int = 21) -> float:
    """What an event costs after *count* of them, beside what the same event costs after a thousand."""
    young = Scribe()
    for record in events(BLOCK):
        young.take(record)
    ahead = [record for record in events(count + rounds * BLOCK) if record.seq > count]
    ratios = []
    for number in range(rounds):
        block = ahead[number * BLOCK : (number + 1) * BLOCK]
        spent = {}
        for name, scribe in (("young", pickle.loads(pickle.dumps(young))), ("old", old)):
            start = process_time()
            for record in block:
                scribe.take(record)
            spent[name] = process_time() - start
        ratios.append(spent["old"] / spent["young"])
    return median(ratios)


def main(arguments: Sequence[str]) -> int:
    """Print the size of the context and the cost of an event, at the beginning and at the end."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench scribe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("events", type=int, nargs="?", default=1_000_000, metavar="EVENTS")
    count = max(10 * BLOCK, parser.parse_args(arguments).events)
    warm = Scribe()
    for record in events(5_000):
        warm.take(record)
    scribe, blocks, sizes = Scribe(), [], []
    records = events(count)
    gc.disable()
    began = process_time()
    for _ in range(count // BLOCK):
        block = [next(records) for _ in range(BLOCK)]
        start = process_time()
        for record in block:
            scribe.take(record)
        blocks.append(process_time() - start)
        if len(blocks) % 100 == 0 or len(blocks) == 1:
            context = len(json.dumps(to_plain(scribe.context()), ensure_ascii=False).encode())
            sizes.append((len(blocks) * BLOCK, context, len(pickle.dumps(scribe))))
    seconds = process_time() - began
    first, last = median(blocks[:5]) * 1e6 / BLOCK, median(blocks[-5:]) * 1e6 / BLOCK
    print(f"{count:,} events in {seconds:.1f} s; {count / seconds:,.0f} a second")
    print(f"an event: first thousands {first:.1f} us, last thousands {last:.1f} us, ratio {last / first:.2f}")
    print(
        f"first 1,000 {blocks[0] * 1e3:.1f} ms, last 1,000 {blocks[-1] * 1e3:.1f} ms,"
        f" ratio {blocks[-1] / blocks[0]:.2f}"
    )
    ratio = aged(scribe, count)  # in turns, so that a busy machine slows both
    verdict = "kept" if ratio <= RATIO_BOUND else "EXCEEDED"
    print(
        f"the same records through an old Scribe and a young one, in turns: ratio {ratio:.2f}"
        f"   bound {RATIO_BOUND}: {verdict}"
    )
    for events_, context, state in sizes:
        bound = f"of at most {MAX_CONTEXT_BYTES:,}"
        print(f"after {events_:>9,}: context {context:,} bytes {bound}; state {state:,} bytes")
    is_bounded = all(context <= MAX_CONTEXT_BYTES for _, context, _ in sizes)
    return 0 if ratio <= RATIO_BOUND and is_bounded else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
