"""`greenroom cluster demo`: a worker is killed in the middle of a question, and the room goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orchestrator.cluster import leftovers
from tests.helpers.live_feeds import until
from tests.web.browser import NO_BROWSER, PATIENCE_MS, Web, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow  # seven processes

ROOT = Path(__file__).resolve().parents[2]
ENDS_WITHIN_S = 30
TAKEN_MS = 15_000
"""Until another worker has the session, at the latest (cluster.md, "Promises")."""
WATCH = """() => {
  const room = document.getElementById("room");
  window.seen = [];
  new MutationObserver(() => {
    const { connected } = room.dataset;
    if (connected === (seen.at(-1)?.connected ?? "yes")) return;
    room.dataset.times = [...seen.map((one) => one.connected), connected].join(" ");
    seen.push({ at: performance.now(), connected, said: document.getElementById("state").textContent });
  }).observe(room, { attributes: true, attributeFilter: ["data-connected"] });
}"""
"""Notes each moment at which the page is cut off or connected again, with what it says then."""


class Demo:
    """The command as a person runs it, in a folder for temporary files that holds nothing else."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.cli", "cluster", "demo", "--no-browser", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**kept, "TMPDIR": str(self.temporary)},
        )
        self.started: set[int] = set()

    def line(self, pattern: str) -> re.Match[str]:
        """Read on until a line matches."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.started |= descendants(self.process.pid)
            if (found := re.search(pattern, line)) is not None:
                return found
        assert self.process.stderr is not None
        raise AssertionError(f"no line with {pattern}: {self.process.stderr.read()}")

    def press_enter(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(ENDS_WITHIN_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def has_left_nothing(self) -> None:
        """Hold that no process and no file of it is there any more."""
        until("no process", lambda: not any(map(is_running, self.started)))
        until("no file", lambda: not list(self.temporary.iterdir()))


Begin = Callable[..., Demo]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begins demonstrations that end with the test."""
    running: list[Demo] = []

    def start(*arguments: str) -> Demo:
        running.append(Demo(tmp_path, *arguments))
        return running[-1]

    yield start
    for demo in running:
        demo.close()


def descendants(pid: int) -> set[int]:
    """The processes below this one."""
    table: dict[int, set[int]] = {}
    told = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        child, parent = map(int, line.split())
        table.setdefault(parent, set()).add(child)
    found, left = set[int](), [pid]
    while left:
        below = table.get(left.pop(), set()) - found
        found |= below
        left += below
    return found


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in ("", "Z")


def test_a_worker_is_killed_under_an_open_page_and_the_room_goes_on(begin: Begin, tmp_path: Path) -> None:
    """Nothing is asked twice, the answer counts once, and the debrief names both workers."""
    sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
    expect = sync_api.expect
    pictures = Path(os.environ.get("CLUSTER_DEMO_PICTURES", tmp_path))  # for whoever wants to look at them
    demo = begin()
    first = demo.line(r"after ([\d.]+) s: .* rehearses, and (worker-\d) drives it; open (\S+)")
    with chromium() as browser:
        web = Web(browser)
        page = web.open(first[3])
        page.wait_for_selector("[data-connected=yes]")
        page.evaluate(WATCH)
        asked = demo.line("the panel asks: (.*)")[1]
        expect(page.locator("#question-text")).to_have_text(asked, timeout=PATIENCE_MS)
        expect(page.locator("#words-label")).not_to_have_text("What you say")  # words begun now answer it
        page.fill("#words", "Half a sen")  # is being typed when the worker dies
        page.screenshot(path=pictures / "1-asked.png")
        web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY)|503|the server responded with a status of 5")
        demo.line("it is killed in")
        demo.press_enter()
        killed = demo.line(r"(worker-\d) is killed")[1]
        killed_ms = page.evaluate("performance.now()")
        page.wait_for_selector("#room[data-times~=no]", timeout=TAKEN_MS)
        with suppress(sync_api.Error):  # half a second, at times
            page.screenshot(path=pictures / "2-cut-off.png")
        page.wait_for_selector("#room[data-times~=no][data-connected=yes]", timeout=TAKEN_MS)
        cut_off, back = page.evaluate("seen")[:2]
        taken = demo.line(r"after ([\d.]+) s (worker-\d) has the rehearsal")
        sys.stdout.write(  # shown with `pytest -s`
            f"\nthe page was there {first[1]} s after the command; it said that it was cut off "
            f"{(cut_off['at'] - killed_ms) / 1000:.1f} s after the kill, and went on after "
            f"{(back['at'] - killed_ms) / 1000:.1f} s\n"
        )
        assert killed == first[2] != taken[2]
        assert "lost. This page tries again by itself" in cut_off["said"]
        expect(page.locator("#question-text")).to_have_text(asked)
        assert page.input_value("#words") == "Half a sen"
        assert page.evaluate("seen.length") >= 2  # of the page as it was: it was not loaded anew
        page.screenshot(path=pictures / "3-goes-on.png")

        answers(page, "Nobody has.")
        expect(page.locator("#question-turn")).to_have_text("follow-up 1", timeout=PATIENCE_MS)
        page.click("#back")  # so that the question is open again, and that answer is none
        expect(page.locator("#question-text")).to_have_text(asked)
        answer = "Our auditors have, in October, and they found the plan to be needed by 2027."
        answers(page, answer)
        expect(page.locator("#asked-list q")).to_have_text([asked], timeout=PATIENCE_MS)
        page.screenshot(path=pictures / "4-answered.png")
        every_control_works(page)
        page.click("#finish")
        page.click("#ending-yes")
        page.wait_for_url("**/debrief/*", timeout=PATIENCE_MS)
        driven = f"Driven by {killed}, then by {taken[2]} after {killed} was gone."
        expect(page.locator("body")).to_contain_text(driven)
        expect(page.locator("body")).to_contain_text(answer)
        expect(page.locator("body")).not_to_contain_text("Nobody has.")
        assert page.inner_text("body").count(asked) == 1
        page.screenshot(path=pictures / "5-debrief.png", full_page=True)
        told = demo.line(r"the debrief has (\d+) answers?, and says: (.*)")
        assert told[2] == driven
        web.finish()
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(ENDS_WITHIN_S) == 0  # that is how one leaves
    demo.has_left_nothing()


def answers(page: Page, words: str) -> None:
    """Type an answer to the open question, and wait until it is taken."""
    from playwright.sync_api import expect

    expect(page.locator("#words-label")).to_have_text(re.compile("^Your answer to"))
    page.fill("#words", words)
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("", timeout=PATIENCE_MS)


def every_control_works(page: Page) -> None:
    """Slides go on and back, and the clock stops and runs, at the worker that has the session now."""
    from playwright.sync_api import expect

    name, state = page.locator("#slide-name"), page.locator("#state")
    page.click("#next")
    expect(name).to_have_text(re.compile("^2 of"))
    page.click("#previous")
    expect(name).to_have_text(re.compile("^1 of"))
    page.click("#pause")
    expect(state).to_have_text("Paused. The clock stands still.")
    page.click("#go")
    expect(state).to_have_text("You have the floor.")
    assert page.inner_text("#refused") == ""


def test_it_plays_by_itself_where_nobody_is_there(begin: Begin) -> None:
    demo = begin("--play")
    driver = demo.line(r"(worker-\d) drives it")[1]
    other = demo.line(r"(worker-\d) has the rehearsal")[1]
    assert demo.line("says: (.*)")[1] == f"Driven by {driver}, then by {other} after {driver} was gone."
    assert demo.process.wait(ENDS_WITHIN_S) == 0
    demo.has_left_nothing()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_whatever_ends_it(begin: Begin, how: signal.Signals) -> None:
    demo = begin()
    demo.line("drives it; open ")
    until("all processes", lambda: len(descendants(demo.process.pid)) == 8)  # with the one that clears up
    demo.started = descendants(demo.process.pid)
    demo.process.send_signal(how)
    demo.process.wait(ENDS_WITHIN_S)
    demo.has_left_nothing()


def test_nothing_stays_of_one_that_is_ended_while_it_starts(begin: Begin) -> None:
    demo = begin()
    demo.line("starting three servers")
    until("a server", lambda: len(descendants(demo.process.pid)) > 2)
    demo.started = descendants(demo.process.pid)
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(ENDS_WITHIN_S) == 1
    assert demo.process.stderr is not None
    assert demo.process.stderr.read() == "greenroom: stopped; nothing of the demonstration is left\n"
    demo.has_left_nothing()


def test_what_was_told_to_run_is_killed_and_a_read_only_folder_goes(tmp_path: Path) -> None:
    """Also where the last line is cut off, and of a process that has ended by itself no other is killed."""
    folder = tmp_path / "demo"
    (folder / "sessions" / "s1").mkdir(parents=True)
    (folder / "sessions" / "s1" / "ledger.jsonl").write_text("{}\n")
    (folder / "sessions" / "s1").chmod(0o500)
    sleeper, spared = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
    try:
        clearing = subprocess.Popen(
            [sys.executable, "-I", "-S", leftovers.__file__, str(folder)], stdin=subprocess.PIPE, text=True
        )
        clearing.communicate(f"+{sleeper.pid}\n+{spared.pid}\n-{spared.pid}\n+", timeout=ENDS_WITHIN_S)
        assert clearing.returncode == 0
        assert sleeper.wait(ENDS_WITHIN_S) == -signal.SIGKILL
        assert spared.poll() is None
        assert not folder.exists()
    finally:
        for one in (sleeper, spared):
            one.kill()
            one.wait()
