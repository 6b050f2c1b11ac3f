"""Interleavings of words, slides, questions, keys and silence by chance: each word in its turn, once.

    scripts/turns              10,000 of them (some 20 minutes on one core)
    scripts/turns 500 --from 7 500, beginning with the seed 7

Prints the scripts that failed, by their seeds. Exit 1 where one did.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.helpers.turn_play import begin, play_copy, script_of  # the path is set first


def main() -> int:
    """Play so many scripts, and say what came of them."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("scripts", nargs="?", type=int, default=10_000)
    arguments.add_argument("--from", dest="first", type=int, default=0)
    given = arguments.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        fresh = begin(Path(folder))
        for seed in range(given.first, given.first + given.scripts):
            try:
                play_copy(fresh, Path(folder) / f"play-{seed}", script_of(seed))
            except Exception as error:  # noqa: BLE001  # whatever it is, the others are played
                failed.append(seed)
                print(f"seed {seed}: {type(error).__name__}: {error}"[:400])
            if (seed + 1 - given.first) % 500 == 0:
                print(f"{seed + 1 - given.first} scripts played, {len(failed)} failed", flush=True)
    print(f"{given.scripts} scripts of turns played, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
