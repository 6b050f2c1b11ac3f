"""What a live rehearsal feels of a model that hangs: nothing, if all is well.

    scripts/bench live [--seconds N]

Speech comes every tenth of a second, a slide every second, to one session after the other: while
every call is answered, and while one panelist's hang for the whole time. Printed are the wall-clock
times of the transcript's appends and of the changes of slide, and how often the others were asked.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.material.values import Segment  # noqa: E402
from orchestrator.panel.engines.model.settings import DEADLINES_S  # noqa: E402
from orchestrator.panel.home import Home  # noqa: E402
from orchestrator.panel.loop import transcript  # noqa: E402 (the path is set first)
from orchestrator.panel.loop.live import Panel  # noqa: E402
from orchestrator.rehearsal.rehearsal import Rehearsal  # noqa: E402
from tests.helpers.claude_requests import engine_on  # noqa: E402
from tests.helpers.live_feeds import quicken  # noqa: E402
from tests.helpers.messages_server import MessagesServer  # noqa: E402
from tests.helpers.rehearsals import write_rehearsal  # noqa: E402
from tests.helpers.server_faults import Fault  # noqa: E402

HANGING = "skeptic"
SLIDES = 4


def measure(
    folder: Path, seconds: float, *, hangs: bool
) -> tuple[tuple[list[float], list[float], list[float]], Counter[str]]:
    """Milliseconds of appends, changes of slide and looks at the panel; who was asked how often."""
    home = folder / "home"
    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, home / name)
    quicken(home, refresh=2)
    appends: list[float] = []
    slides: list[float] = []
    looks: list[float] = []
    deadlines = dict.fromkeys(DEADLINES_S, 60.0)
    with MessagesServer() as server, engine_on(server, deadlines_s=deadlines) as engine:
        engine.check()
        with Rehearsal.start(Home.open(home), write_rehearsal(folder).deck, engine=engine) as session:
            server.by_agent = {HANGING: Fault("hang")} if hangs else {}
            session.run_clock()
            panel = Panel(session.rehearsal, lambda line: None)
            end, number = monotonic() + seconds, 0
            while monotonic() < end:
                if number % 10 == 0:
                    began = perf_counter()
                    session.slide(1 + number // 10 % SLIDES)
                    slides.append(1000 * (perf_counter() - began))
                now_s = session.rehearsal.now_s()
                began = perf_counter()
                said = Segment(f"Words of minute {number}.", now_s, now_s, "Ines", session.projection.slide)
                transcript.add_segment(session.rehearsal, said)
                appends.append(1000 * (perf_counter() - began))
                began = perf_counter()
                panel.look()
                looks.append(1000 * (perf_counter() - began))
                number += 1
                sleep(0.1)
            panel.leave("the measurement is over")
            asked = Counter(one.agent for one in server.requests if one.task == "candidate_question")
    left = [thread.name for thread in threading.enumerate() if thread.name == "claude"]
    assert not left, left
    return (appends, slides, looks), asked


def main(arguments: Sequence[str]) -> int:
    """Print both, beside each other."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench live", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args(arguments).seconds
    for hangs in (False, True):
        with tempfile.TemporaryDirectory(prefix="greenroom-") as name:
            times, asked = measure(Path(name), seconds, hangs=hangs)
        print(f"\n{f'every call of {HANGING} hangs' if hangs else 'all calls are answered'}, {seconds:g} s")
        for what, taken in zip(("append", "slide", "look"), times, strict=True):
            ordered = sorted(taken)
            p95 = ordered[int(0.95 * (len(ordered) - 1))]
            print(f"  {what:8} median {median(taken):7.2f} ms  p95 {p95:7.2f} ms  of {len(taken)}")
        counts = ", ".join(f"{agent} {count}" for agent, count in sorted(asked.items()))
        print(f"  asked for a question: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
