"""Every bad input of trust.md, tried over command line, Python, HTTP and archives.

    scripts/attack [--only GROUP] [--json]

A line for each case: its group, where it was tried, what was tried, and what came of it: refused, or
taken as data, or FOUND with the reason. It exits with 1 if anything was found: a traceback, more than
10 s, an exit code of 0 where it must be refused, no line on stderr or several, a change behind a refusal,
or a byte outside of the home.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.attack_archives import archives, bags  # noqa: E402 (the path is set first)
from scripts.attack_decks import decks  # noqa: E402
from scripts.attack_ground import Ground  # noqa: E402 (the path is set first)
from scripts.attack_names import names, writes  # noqa: E402
from scripts.attack_web import web  # noqa: E402
from scripts.attack_words import injection, privacy, templates  # noqa: E402
from tests.helpers.figures import Promise, note  # noqa: E402

GROUPS = {
    "names": names, "writes": writes, "decks": decks, "injection": injection, "templates": templates,
    "web": web, "archive": archives, "bags": bags, "privacy": privacy,
}  # fmt: skip

OWN_ROWS: dict[str, Promise] = {"Decks": "decks", "Bags": "bags", "Privacy": "privacy", "Page": "page"}
"""Groups whose promise has a row of its own in the table of trust.md."""


def main() -> int:
    """Run the groups; 1 if anything was found."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--only", choices=GROUPS, action="append", help="only this group; may be repeated")
    asked.add_argument("--json", action="store_true", help="print one JSON document in place of lines")
    given = asked.parse_args()
    for name in [one for one in os.environ if one.startswith(("ANTHROPIC_", "AWS_", "GREENROOM_"))]:
        del os.environ[name]  # no case meets the keys, buckets or settings of whoever runs it
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="greenroom-attack-") as folder:
        ground = Ground(
            Path(folder), say=(lambda line: None) if given.json else lambda line: print(line, flush=True)
        )
        for group in given.only or GROUPS:
            GROUPS[group](ground)
    found = [case for case in ground.cases if case.is_found]
    if given.json:
        print(
            json.dumps(
                {"cases": [asdict(case) for case in ground.cases], "found": len(found)}, ensure_ascii=False
            )
        )
    for case in found if not given.json else ():
        print(f"FOUND  {case}")
    _keep(ground)
    told = f"{len(ground.cases)} bad inputs tried in {time.monotonic() - began:.0f} s: {len(found)} found"
    print(told, file=sys.stderr if given.json else sys.stdout)
    return 1 if found else 0


def _keep(ground: Ground) -> None:
    """The figures: of decks and bags in rows of their own, of all others by the way in."""
    rows: dict[tuple[Promise, str], Counter[bool]] = {}
    for case in ground.cases:
        own: Promise | None = OWN_ROWS.get(case.group)
        what = f"{case.group.lower()}, " if own else ""
        row = (own or "bad inputs", f"{what}over {case.where}")
        rows.setdefault(row, Counter())[case.is_found] += 1
    for (promise, what), counted in rows.items():
        note(promise, what, count=counted.total(), wrong=counted[True])


if __name__ == "__main__":
    sys.exit(main())
