"""What Greenroom's main acts cost, each beside its floor, measured in one process on one file system.

    scripts/bench                 append, guard, context, join, first, life and rehearsal: without options
    scripts/bench append context  some of them
    scripts/bench hops            the files and functions that one append passes
    scripts/bench rehearsal       half an hour of speech on 25 slides, and what a refresh costs
    scripts/bench decks [FOLDER]  a whole rehearsal on every deck of FOLDER (../shared/data/decks)
    scripts/bench reading [--show CORPUS]
                                  contradictions found in decks and clean decks blamed, by arithmetic alone
                                  and by recorded proposals that code verifies
    scripts/bench brought [--show]
                                  right sentences of twelve countries, transcripts of thirty programs, tables
                                  of PDFs: what is blamed, who is taken for the presenter, what is found
    scripts/bench caching [--calls] [--offline]
                                  what a rehearsal's calls to a model cost, in each layout, beside its limit
    scripts/bench memory [recall] [labelled] [--embeddings URL] [--model NAME]
                                  what recall costs, and how often it brings up the right memory
    scripts/bench scribe [EVENTS] the Scribe over a million events: its size, and its first and last thousand
    scripts/bench live [--seconds N]
                                  what live speech feels of a panelist whose every call hangs
    scripts/bench load [--minutes N] [--sessions N,N…]
                                  a hundred live sessions at once, through Python and through HTTP
    scripts/bench cluster [load] [log] [takeover]
                                  writes through serve --workers and through a cluster, and what its log costs
    scripts/bench peers [--rounds N] [--json]
                                  the same work through other agent frameworks' stores (installs them)
    scripts/bench stt [FOLDER]    words that speech to text gets wrong, and how soon a caption is there
    scripts/bench web [--segments N]
                                  how soon what was said stands on every open page of the room
    scripts/bench startup         how soon a small command is there, beside what it must load
    scripts/bench sessions [--sessions N]
                                  what sessions that nobody ended cost: a list, and a server that stands idle
    scripts/bench ledger [--hours N] [--records N]
                                  what a ledger costs: its bytes, and what opening a long one takes
    scripts/bench lines           where the lines are, and how large files and functions

Ratios are what counts: floor and measured are interleaved, so a slow machine slows both.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from types import FrameType
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.core.context.assemble import Assembler  # noqa: E402 (the path is set first)
from orchestrator.core.guard import Guard  # noqa: E402
from orchestrator.core.home.folder import packaged_table  # noqa: E402
from orchestrator.core.store.ledger import Unread  # noqa: E402
from orchestrator.core.store.store import Store, create_store  # noqa: E402
from orchestrator.panel.home import Home  # noqa: E402
from orchestrator.panel.loop.recorded import Loading  # noqa: E402
from orchestrator.rehearsal.rehearsal import Rehearsal  # noqa: E402
from tests.helpers.figures import note  # noqa: E402

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import OpenRehearsal

TRANSCRIPT = "shared/presenter-transcript.md"
SPOKEN = (
    "[03:20] Presenter: Revenue in the third quarter grew by fourteen percent against last year, "
    "and most of that came from three customers in the north.\n"
)
PANEL = ("skeptic", "analyst", "contrarian")
APPENDED_AT = (100, 1000, 10_000)
APPEND_BOUND = 1.5


def ms(seconds: float) -> str:
    return f"{seconds * 1000:9.3f} ms"


def line(what: str, measured: float, floor: float, bound: float | None, floor_name: str) -> None:
    ratio = measured / floor
    verdict = "" if bound is None else f"   bound {bound:g}: {'kept' if ratio <= bound else 'EXCEEDED'}"
    print(f"{what:46} {ms(measured)}   {floor_name:34} {ms(floor)}   ratio {ratio:5.2f}{verdict}")


def timed(act: Callable[[], object]) -> float:
    begin = perf_counter()
    act()
    return perf_counter() - begin


@contextmanager
def folder() -> Iterator[Path]:
    """A folder beside the checkout's own files, so that it lies on a real disk and not in memory."""
    made = Path(tempfile.mkdtemp(prefix=".bench-", dir=ROOT))
    try:
        yield made
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(made)], check=True)
        shutil.rmtree(made)


def new_store(root: Path) -> Store:
    layout = packaged_table().seated(PANEL)
    store = create_store(root, layout, Unread({"templates": {}}))
    with store.transaction() as tx:
        for path, row in layout.files.items():
            if row.has_blueprint:
                tx.create(path, f"# {path}\n")
        tx.write("shared/deck-content.md", "A slide says something.\n" * 400, by="start")
        tx.write("shared/external-intel.md", "Nothing.\n", by="start")
    return store


def assembler_of(store: Store) -> Assembler:
    texts = {path: (ROOT / "agents" / path).read_text("utf-8") for path in store.layout.templates}
    return Assembler(store, texts, budget_tokens=10_000_000)


def fill(store: Store, count: int) -> None:
    for start in range(0, count, 500):
        with store.transaction() as tx:
            for _ in range(start, min(start + 500, count)):
                tx.append(TRANSCRIPT, SPOKEN, by="transcript")


def bench_append() -> None:
    """A durable append against a bare write and fdatasync of the same bytes, in ever longer sessions."""
    told = []
    for length in APPENDED_AT:
        with folder() as at:
            store = new_store(at / "session")
            fill(store, length - store.seq)
            bare = os.open(at / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            raw = SPOKEN.encode()

            def write_bare(fd: int = bare, raw: bytes = raw) -> None:
                os.write(fd, raw)
                os.fdatasync(fd)

            append = partial(store.append, TRANSCRIPT, SPOKEN, by="transcript")
            ours, floor = [], []
            for _ in range(500):
                floor.append(timed(write_bare))
                ours.append(timed(append))
            os.close(bare)
            store.close()
        what = f"durable append behind {length:,} records"
        line(what, median(ours), median(floor), APPEND_BOUND, "bare write + fdatasync")
        told.append(median(ours) / median(floor))
    note(
        "load",
        f"a durable append beside a bare write and fdatasync, at most {APPEND_BOUND:g} of it",
        count=len(told),
        wrong=sum(ratio > APPEND_BOUND for ratio in told),
        told=", ".join(f"{ratio:.2f} at {length:,}" for ratio, length in zip(told, APPENDED_AT, strict=True)),
    )


def bench_hops() -> None:
    """The files and functions of the package that one append passes, through the store and the session."""
    with folder() as at:
        home = Home.open(new_home(at))
        with Rehearsal.start(home, deck_text="# One slide\n\n- It saves 2 million a year.\n") as session:
            store = Store(session.path)
            for what, append in (("Store.append", store.append), ("Session.append", session.append)):
                for _ in range(3):  # the first ones also read and compare what stands there
                    append(TRANSCRIPT, SPOKEN, by="transcript")
                passed = _passed(partial(append, TRANSCRIPT, SPOKEN, by="transcript"))
                files = {path for path, _ in passed}
                print(f"{what:46} {len(files):3} files   {len(passed):3} functions")
            store.close()


def _passed(act: Callable[[], object]) -> set[tuple[str, str]]:
    """The package's functions that *act* calls, each with its file."""
    passed: set[tuple[str, str]] = set()
    package = str(ROOT / "orchestrator")

    def see(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            passed.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(see)
    try:
        act()
    finally:
        sys.setprofile(None)
    return passed


def bench_guard() -> None:
    """A durable append with a guard in the same process against one without, turn by turn."""
    with folder() as at:
        alone, guarded = (new_store(at / name) for name in ("alone", "guarded"))
        times: dict[str, list[float]] = {"alone": [], "guarded": []}
        for _ in range(10):
            for _ in range(150):
                times["alone"].append(timed(lambda: alone.append(TRANSCRIPT, SPOKEN, by="transcript")))
            with Guard(session=at / "guarded"):
                for _ in range(150):
                    taken = timed(lambda: guarded.append(TRANSCRIPT, SPOKEN, by="transcript"))
                    times["guarded"].append(taken)
        alone.close()
        guarded.close()
    line(
        "durable append under a guard", median(times["guarded"]), median(times["alone"]), 1.25, "without one"
    )


def bench_context() -> None:
    """Preparing a context after one new segment, at 10 times the transcript."""
    medians = []
    for count in (500, 5000):
        with folder() as at:
            store = new_store(at / "session")
            fill(store, count)
            assembler = assembler_of(store)
            assembler.prepare("skeptic", purpose="bench", engine="offline")
            times = []
            for _ in range(300):
                store.append(TRANSCRIPT, SPOKEN, by="transcript")
                begin = perf_counter()
                context = assembler.prepare("skeptic", purpose="bench", engine="offline")
                assert context.receipt.id
                times.append(perf_counter() - begin)
            medians.append(median(times))
            store.close()
    line("context after a segment, 5,000 segments", medians[1], medians[0], 1.3, "the same, 500 segments")


def bench_join() -> None:
    """A context's text at 2 MB against one plain read of its eleven files."""
    with folder() as at:
        store = new_store(at / "session")
        fill(store, 2_000_000 // len(SPOKEN.encode()))
        assembler = assembler_of(store)
        assembler.prepare("skeptic", purpose="bench", engine="offline").text  # noqa: B018 (reads everything once)
        paths = [
            (ROOT / "agents" / path) if path.startswith("templates/") else store.root / path
            for path in store.layout.order("skeptic")
        ]
        ours, floor, messages = [], [], []
        for _ in range(60):
            store.append(TRANSCRIPT, SPOKEN, by="transcript")
            ours.append(timed(lambda: len(assembler.prepare("skeptic", purpose="b", engine="offline").text)))
            floor.append(timed(lambda: sum(len(path.read_text("utf-8")) for path in paths)))
            context = assembler.prepare("skeptic", purpose="b", engine="offline")
            messages.append(timed(partial(context.messages, "watermark")))
        store.close()
    line(
        "context with its text, 2 MB",
        median(ours),
        median(floor),
        1.0,
        "read of the files",
    )
    line("its messages after a segment", median(messages[1:]), median(floor), 2.0, "read of the files")


FIRST = """
import sys, time, json
home, repo, order = sys.argv[1:]
sys.path.insert(0, repo)
from pathlib import Path
from orchestrator import Home, Session
opened = Home.open(home)
def ours():
    begin = time.perf_counter()
    session = Session.open(opened, "bench")
    text = session.context("skeptic").text
    took = time.perf_counter() - begin
    session.rehearsal.store.close_files()
    return took
def plain():
    begin = time.perf_counter()
    with open(home + "/sessions/bench/ledger/ledger.jsonl", encoding="utf-8") as lines:
        records = [json.loads(one) for one in lines]
    return time.perf_counter() - begin
print(json.dumps([ours(), plain()] if order == "ours" else [plain(), ours()][::-1]))
"""


def bench_first() -> None:
    """The first context in a new process at 10,000 events, against reading and decoding the ledger."""
    with folder() as at:
        home = new_home(at)
        with Rehearsal.start(Home.open(home), deck_text=sample_deck(), id="bench") as session:
            fill(session.rehearsal.store, 10_000 - session.rehearsal.store.seq)
        ours, floor = [], []
        for number in range(12):
            command = [sys.executable, "-c", FIRST, str(home), str(ROOT), "ours" if number % 2 else "plain"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            first, second = json.loads(done.stdout)
            ours.append(first)
            floor.append(second)
    floor_name = "read and decode the ledger"
    line("first context of a process, 10,000 events", median(ours), median(floor), 1.5, floor_name)


def new_home(at: Path) -> Path:
    home = at / "home"
    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, home / name)
    return home


def sample_deck() -> str:
    return (ROOT / "orchestrator" / "rehearsal" / "demo" / "deck.md").read_text("utf-8")


def bench_life() -> None:
    """Creation, archive and restore of a session, beside `cp -r` of its folder."""
    from tests.helpers.board import archive_session, restore

    with folder() as at:
        home = Home.open(new_home(at))
        creations, archives, restores, copies = [], [], [], []
        for number in range(7):
            begin = perf_counter()
            session = Rehearsal.start(home, deck_text=sample_deck(), id=f"bench-{number}")
            creations.append(perf_counter() - begin)
            fill(session.rehearsal.store, 1000)
            session.end()
            session.close()
            root, copy, back = session.path, at / f"copy-{number}", at / f"back-{number}"
            copies.append(timed(partial(subprocess.run, ["cp", "-r", str(root), str(copy)], check=True)))
            archives.append(timed(partial(archive_session, root, str(at / "archive"))))
            restores.append(timed(partial(restore, root.name, str(at / "archive"), back)))
    copied = median(copies)
    line("create a session", median(creations), copied, None, "cp -r of a session (no sync)")
    line("archive to a folder, read back", median(archives), copied, None, "cp -r (no sync)")
    line("restore, verified", median(restores), copied, None, "cp -r (no sync)")


def long_material() -> tuple[str, str]:
    """A Markdown deck of 25 slides, and half an hour of speech about it, at 150 words a minute."""
    import yaml

    rows = yaml.safe_load((ROOT / "scripts" / "bench_data" / "open.yaml").read_text("utf-8"))
    slides = [
        slide.strip()
        for row in rows
        for slide in row["clean_deck" if "clean_deck" in row else "deck"].split("\n---\n")
    ]
    words = [" ".join(re.sub(r"[#|*]", " ", slide).split()) for slide in slides]
    cues, at_s, number = ["WEBVTT", ""], 0.0, 0
    while at_s < 1800:
        said = words[number % len(words)].split()
        for start in range(0, len(said), 15):
            piece = said[start : start + 15]
            until_s = at_s + len(piece) * 0.4
            cues += [f"{_stamp(at_s)} --> {_stamp(until_s)}", " ".join(piece) + ".", ""]
            at_s = until_s
        number += 1
    return "\n\n---\n\n".join(slides[:25]), "\n".join(cues)


def _stamp(time_s: float) -> str:
    return f"{int(time_s) // 3600:02}:{int(time_s) // 60 % 60:02}:{time_s % 60:06.3f}"


def bench_rehearsal() -> None:
    """A whole run of 25 slides with half an hour of speech, and its refreshes, first and last."""
    from orchestrator.material.speech.read import read_speech
    from orchestrator.panel.loop import refreshing

    spent: list[tuple[str, float]] = []
    refresh = refreshing.refresh

    def watched(rehearsal: OpenRehearsal, why: str) -> object:
        store = rehearsal.store
        synced = store.sync_s
        begin = perf_counter()
        made = refresh(rehearsal, why)
        spent.append((why, perf_counter() - begin - (store.sync_s - synced)))
        return made

    with folder() as at:
        home = Home.open(new_home(at))
        deck, speech = long_material()
        (at / "deck.md").write_text(deck)
        (at / "speech.vtt").write_text(speech)
        begin, busy = perf_counter(), process_time()
        recording = read_speech(at / "speech.vtt")
        loading = Loading(recording, "run", (), None, typed=False)
        session = Rehearsal.start(home, at / "deck.md", id="long", loading=loading, minutes=60, exchanges=12)
        refreshing.refresh = watched  # type: ignore[assignment]  # watched from outside, in this process alone
        try:
            session.play()
        finally:
            refreshing.refresh = refresh
        session.end()
        whole_s = perf_counter() - begin - session.rehearsal.store.sync_s
        busy_s = process_time() - busy
        segments = len(session.projection.segments)
        session.close()
    costs = [seconds for _, seconds in spent[3:]]  # the first ones read the personas
    early, late = median(costs[:20]), median(costs[-20:])
    print(
        f"25 slides, {segments} segments, {len(spent)} refreshes: {whole_s:.1f} s besides syncs   bound 10 s"
        f" (the process itself: {busy_s:.1f} s)"
    )
    print(f"refresh of the whole panel: median {ms(median(costs))}, largest {ms(max(costs))}   bound 50 ms")
    line("refresh, last 20 against first 20", late, early, 1.3, "first 20")


def bench_decks(where: Path, transcripts: Path) -> bool:
    """A whole rehearsal on every deck; True if each kept to 10 s besides syncs, and to 400 MB."""
    speech = sorted(
        path
        for pattern in ("*.vtt", "*.segments.json", "innersource/*.vtt", "innersource/*.srt", "*.txt")
        for path in transcripts.glob(pattern)
    )
    print(f"{'deck':34} {'slides':>6} {'claims':>6} {'asked':>5} {'verbatim':>9} {'valid':>5}", end="")
    print(f" {'seconds':>8} {'sync s':>7} {'MB':>5}  speech")
    kept = True
    with folder() as at:
        home = new_home(at)
        decks = sorted(path for path in where.iterdir() if path.suffix in (".pptx", ".pdf", ".md"))
        for number, deck in enumerate(decks):
            kept &= _deck_row(home, deck, speech[number % len(speech)])
    return kept


def _deck_row(home: Path, deck: Path, speech: Path) -> bool:
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "--json", "--quiet"]
    command += ["run", str(deck), "--speech", str(speech)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    report = json.loads(done.stdout.splitlines()[-1])
    if report["code"]:
        print(f"{deck.name:34} FAILED: {report['stderr']}")
        return False
    out = json.loads(report["stdout"])
    grounded = [one for one in out["exchanges"] if one["grounded"]]
    found = sum(_is_verbatim(out["path"], one) for one in grounded)
    own_s = report["wall_s"] - out["sync_s"]
    print(
        f"{deck.name:34} {out['slides']:6} {out['claims']:6} {len(out['exchanges']):5}"
        f" {found:4}/{len(grounded):<4} {out['valid']!s:>5}"
        f" {own_s:8.2f} {out['sync_s']:7.2f} {report['mb']:5.0f}  {speech.name}"
    )
    return own_s <= 10 and report["mb"] <= 400 and out["valid"] and found == len(grounded)


def _is_verbatim(session: str, exchange: dict[str, object]) -> bool:
    """Whether the quote stands word for word on its slide, or in the segment said at that time."""
    from orchestrator.material.deck.content import slide_texts

    with Rehearsal.open(None, Path(session)) as opened:
        quote = str(exchange["quote"])
        if exchange["said_at_s"] is not None:
            said = [one.text for one in opened.projection.segments if one.start_s == exchange["said_at_s"]]
            return any(quote in text for text in said)
        deck = opened.rehearsal.scene().deck
        slide = next(one for one in deck.slides if one.number == exchange["slide"])
        return any(quote in text for _, text in slide_texts(slide))


MEASURED = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
wall = time.perf_counter() - begin
mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
said = {"stdout": done.stdout, "stderr": done.stderr.strip()}
print(json.dumps({"code": done.returncode, "wall_s": wall, "mb": mb, **said}))
"""

BENCHES: dict[str, Callable[[], None]] = {
    "append": bench_append,
    "hops": bench_hops,
    "guard": bench_guard,
    "context": bench_context,
    "join": bench_join,
    "first": bench_first,
    "life": bench_life,
    "rehearsal": bench_rehearsal,
}


def bench_all_decks(arguments: list[str]) -> int:
    shared = ROOT.parent / "shared" / "data"
    where = Path(arguments[0]) if arguments else shared / "decks"
    if not where.is_dir():
        print(f"{where}: no such folder; name the folder with decks", file=sys.stderr)
        return 1
    return 0 if bench_decks(where, shared / "transcripts") else 1


def _in_module(name: str) -> Callable[[list[str]], int]:
    """A program of its own beside this one, imported when it is wanted."""

    def run(arguments: list[str]) -> int:
        code: int = import_module(f"scripts.bench_{name}").main(arguments)
        return code

    return run


PROGRAMS: dict[str, Callable[[list[str]], int]] = {
    "decks": bench_all_decks,
    **{
        name: _in_module(name)
        for name in (
            "reading",
            "brought",
            "caching",
            "memory",
            "scribe",
            "live",
            "load",
            "cluster",
            "peers",
            "stt",
            "web",
            "review",
            "startup",
            "sessions",
            "ledger",
            "lines",
        )
    },
}
"""Figures that have options of their own; each is named alone."""


def main(arguments: list[str]) -> int:
    if set(arguments[:1]) & {"-h", "--help"}:
        print(__doc__)
        return 0
    if arguments and arguments[0] in PROGRAMS:
        return PROGRAMS[arguments[0]](arguments[1:])
    for name in arguments or BENCHES:
        if name not in BENCHES:
            known = ", ".join([*BENCHES, *PROGRAMS])
            print(f"{name}: no such figure; there are {known}", file=sys.stderr)
            return 2
        BENCHES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
