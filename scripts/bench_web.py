"""How soon what was said stands on an open page.

    scripts/bench web [--segments N]

A server in a process of its own, two tabs of the room and one that looks on, in a headless Chromium.
A program posts a segment at a time; each page notes when its captions show it. Printed is the time
from just before the request to the page's own note, both by the machine's clock: beside the request's
own time, which is the floor, since a segment is on disk before it is answered.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.homes import new_home  # noqa: E402
from tests.helpers.rehearsals import DECK  # noqa: E402 (the path is set first)
from tests.web.browser import chromium  # noqa: E402
from tests.web.conftest import start_server  # noqa: E402

BOUND_MS = 100.0
NOTES = """() => {
  window.shownAt = {};
  new MutationObserver(() => {
    for (const item of document.querySelectorAll("#captions li")) {
      const number = /Point (\\d+) of/.exec(item.textContent)?.[1];
      if (number && !(number in shownAt)) shownAt[number] = performance.timeOrigin + performance.now();
    }
  }).observe(document.getElementById("captions"), { childList: true, subtree: true, characterData: true });
}"""


def measure(folder: Path, segments: int) -> tuple[dict[str, list[float]], list[float]]:
    """Milliseconds until each page shows a segment, and until its request is answered."""
    served = start_server(new_home(folder / "home"))
    try:
        with chromium() as browser, served.client() as client:
            session = client.post("/api/v1/sessions", json={"deck_text": DECK}).json()["session"]
            pages: dict[str, Any] = {}
            for name, query in (("the room", ""), ("a second tab", ""), ("looking on", "?watch")):
                pages[name] = browser.new_page()
                pages[name].goto(f"{served.url}/room/{session}{query}")
                pages[name].wait_for_selector("[data-connected=yes]")
                pages[name].evaluate(NOTES)
            client.post(f"/api/v1/sessions/{session}/drive")
            sent: dict[str, float] = {}
            answered: list[float] = []
            for number in range(segments):
                began = time.time()
                client.post(f"/api/v1/sessions/{session}/segments", json={"text": f"Point {number} of many."})
                answered.append(1000 * (time.time() - began))
                sent[str(number)] = 1000 * began
                time.sleep(0.2)
            shown = {name: page.evaluate("shownAt") for name, page in pages.items()}
    finally:
        served.process.terminate()
        served.process.wait(20)
    missing = {name: segments - len(times) for name, times in shown.items() if len(times) < segments}
    assert not missing, f"never shown: {missing}"
    return {name: [times[key] - sent[key] for key in sent] for name, times in shown.items()}, answered


def main(arguments: Sequence[str]) -> int:
    """Print median and 95th percentile for each page."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench web", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--segments", type=int, default=50)
    with tempfile.TemporaryDirectory(prefix="greenroom-") as name:
        shown, answered = measure(Path(name), parser.parse_args(arguments).segments)
    for what, taken in {"the request itself": answered, **shown}.items():
        ordered = sorted(taken)
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        verdict = (
            "" if what not in shown else f"  bound {BOUND_MS:g}: {'kept' if p95 <= BOUND_MS else 'EXCEEDED'}"
        )
        print(f"{what:20} median {median(taken):6.1f} ms  p95 {p95:6.1f} ms  of {len(taken)}{verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
