"""What a rehearsal's calls cost by the prompt cache's published rules, in each layout, beside its limit.

    scripts/bench caching             the table
    scripts/bench caching --calls     and every call: read, written and new tokens
    scripts/bench caching --offline   no calls are made: the offline engine answers

A 30-minute recording of our own is played at full speed with three panelists and twelve exchanges,
against the tests' own server, which counts for itself. Each call's messages are built in both
layouts, with its task block, and put to the meter. Costs are in plain input tokens. A limit is what
an endless number of marks at any byte would reach.

The cache forgets by the clock on the wall. That of a recording at full speed, the default, moves on by
what calls take; at its own pace, and live, the session's clock is the one on the wall. Live, a question
can be put at any moment, so the panel is looked at every 15 seconds; what the layouts are held to is a
panel in which everybody is asked each time.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any, TypeVar
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.core.context.assemble import Context  # noqa: E402 (the path is set first)
from orchestrator.core.context.messages import (  # noqa: E402
    LAYOUTS,
    READ_PRICE,
    WRITE_PRICE,
    CacheMeter,
    InputUsage,
    Messages,
    TextBlock,
    tokens_of,
)
from orchestrator.material.speech.read import Recording  # noqa: E402
from orchestrator.material.values import Segment  # noqa: E402
from orchestrator.panel.answers import Answer  # noqa: E402
from orchestrator.panel.engines.model.engine import ModelEngine  # noqa: E402
from orchestrator.panel.engines.model.settings import DEFAULT_MODEL, Settings  # noqa: E402
from orchestrator.panel.engines.model.tasks import (  # noqa: E402
    addressed,
    kind_of,
    reading_messages,
)
from orchestrator.panel.engines.offline import OfflineEngine  # noqa: E402
from orchestrator.panel.engines.prices import cost_usd, prices_read_at  # noqa: E402
from orchestrator.panel.engines.protocol import Engine, Request, SeatRequest  # noqa: E402
from orchestrator.panel.engines.together import begun  # noqa: E402
from orchestrator.panel.home import Home  # noqa: E402
from orchestrator.panel.loop import steps  # noqa: E402
from orchestrator.panel.loop.rehearsal import OpenRehearsal  # noqa: E402
from orchestrator.panel.loop.state import State  # noqa: E402
from orchestrator.panel.model.usage import CallUsage  # noqa: E402
from orchestrator.rehearsal.rehearsal import Rehearsal  # noqa: E402

R = TypeVar("R")

ONE_BLOCK = "one block, or automatic caching"
AFTER_FILE_5 = "one breakpoint after file 5"

MINUTES, SLIDES, EXCHANGES = 30, 18, 12
SEGMENT_S = 8.0
ROUND_S = 15.0  # the refresh interval
CALLS_S = 10.0  # what calls that are made together take; with twice as much the figures are the same
MAX_OF_UNCACHED = 0.17  # watermark, over all calls (caching.md, "What it must reach")
MAX_OVER_LIMIT = 1.03  # strict, against its own limit

SYLLABLES = (
    "bar",
    "cole",
    "den",
    "fal",
    "gor",
    "hal",
    "kin",
    "lor",
    "mar",
    "nev",
    "por",
    "ras",
    "sel",
    "tor",
    "vin",
)
MEASURES = (
    "{a} grew by {n} % to {m},400 {b}s in {year}",
    "{a} cut its {b} cost by {n} % in {m} weeks",
    "{a} will cost EUR {n} million and take {m} {b} days",
    "{a} leads the {b} market with a share of {n} % and {m} {c}s",
    "{a} lost {n} % of its {b}s because of {m} late {c}s",
)


def name(number: int) -> str:
    """A name that no other sentence holds: whoever speaks of it has spoken to that sentence's claim."""
    digits = [number // len(SYLLABLES) ** place % len(SYLLABLES) for place in range(3)]
    return "".join(SYLLABLES[digit] for digit in digits)


def words(number: int) -> str:
    """A sentence with figures, names and measured things of its own, so that no two contradict each other."""
    tenths, whole = 103 + number * 37 % 880, 61 + number * 53 % 900
    names = [name(4 * number + place) for place in range(4)]
    measure = MEASURES[number % len(MEASURES)].format(
        a=names[0].capitalize(),
        b=names[1],
        c=names[2],
        n=f"{tenths / 10:.1f}",
        m=whole,
        year=2024 + number % 3,
    )
    return f"{measure}, with {names[2]}, {names[3]} and all that comes with them."


def deck() -> str:
    slides = []
    for slide in range(1, SLIDES + 1):
        lines = "\n".join(f"- {words(slide * 7 + line)}" for line in range(4))
        slides.append(f"# Part {slide}: {name(3000 + slide).capitalize()}\n\n{lines}\n")
    return "---\ntitle: Ferries, plan for 2028\n---\n" + "\n---\n".join(slides)


def recording() -> Recording:
    count = int(MINUTES * 60 / SEGMENT_S)
    segments = []
    for number in range(count):
        start_s = number * SEGMENT_S
        text = f"{words(number + 200)} So much for that, and now on to the one that is next."
        slide = 1 + number * SLIDES // count
        segments.append(Segment(text, start_s, start_s + SEGMENT_S - 0.5, "Ines", slide))
    return Recording(tuple(segments), times_estimated=False, notices=(), sha256="", name="bench.json")


def answers() -> tuple[Answer, ...]:
    """A figure in every other answer, so that follow-ups come too."""
    plain = (
        "I would have to come back to you on that, since the people who measure it are not in the room today."
    )
    return tuple(
        Answer(
            f"{words(number)} It was counted by the harbour authority in May 2026." if number % 2 else plain
        )
        for number in range(4 * EXCHANGES)
    )


@dataclass
class Call:
    """One call: what was sent in each layout, and the context's files for the limit of a free order."""

    agent: str
    kind: str
    at_s: float
    layouts: dict[str, Messages]
    files: dict[str, str]
    task: str
    usage: dict[str, InputUsage] = field(default_factory=dict)


class Listening:
    """An engine that keeps what it would have sent, and lets another one answer."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.calls: list[Call] = []
        self._at_s = 0.0  # on the wall
        self._made: tuple[str, float] | None = None  # the kind of the last calls, and their session clock
        self.is_full_speed = False

    @property
    def name(self) -> str:
        return self.engine.name

    def reply(self, request: Request[R], context: Context | None) -> R:
        self._keep(request, context)
        return self.engine.reply(request, context)

    def on_the_wall_s(self, rehearsal: OpenRehearsal) -> float:
        """Where the clock on the wall stands."""
        if self.is_full_speed:
            return self._at_s
        return rehearsal.now_s() + sum(exchange.spent_s for exchange in rehearsal.projection.asked)

    def _pass_time(self, request: Request[Any]) -> None:
        if self.is_full_speed:
            made = kind_of(request), request.scene.clock_s if isinstance(request, SeatRequest) else -1.0
            self._at_s += CALLS_S if made != self._made else 0.0
            self._made = made
        elif isinstance(request, SeatRequest):
            # The recording waits while a question is answered; who speaks live does not.
            scene = request.scene
            self._at_s = scene.clock_s + sum(exchange.spent_s for exchange in scene.exchanges)

    def _keep(self, request: Request[Any], context: Context | None) -> None:
        self._pass_time(request)
        if isinstance(request, SeatRequest):
            assert context is not None
            made = {layout: addressed(context, request, layout) for layout in LAYOUTS}
            layouts = {layout: one.laid_out() for layout, one in made.items()}
            files = {block.path: block.text for block in context.blocks}
            *guides, task = made[LAYOUTS[0]].receipt.extra
            files |= {f"guide {number}": text for number, text in enumerate(guides)}
            self.calls.append(Call(context.agent, kind_of(request), self._at_s, layouts, files, task))
            return
        sent, kind = reading_messages(request), kind_of(request)
        *before, last = sent.user  # nobody's files: the passages, and the task behind them
        files = {str(place): block.text for place, block in enumerate((*sent.system, *before))}
        layouts = dict.fromkeys(LAYOUTS, sent)
        self.calls.append(Call(kind, kind, self._at_s, layouts, files, last.text))


class Waiting(Listening):
    """The same as `protocol.SupportsFutures`: the loop asks it only where a question can be put."""

    def begin(
        self, request: Request[R], context: Context | None, on_text: Callable[[str], None] | None = None
    ) -> Future[R]:
        self._keep(request, context)
        return begun(self.engine, request, context, on_text)


# ---------------------------------------------------------------------- counting


def metered(calls: Sequence[Call], layout: str) -> InputUsage:
    """The bill of *layout*; each call keeps its part of it."""
    meter, whole = CacheMeter(), InputUsage()
    for call in calls:
        call.usage[layout] = meter.call(call.at_s, _laid_out(call, layout))
        whole += call.usage[layout]
    return whole


def _laid_out(call: Call, layout: str) -> Messages:
    """What is sent; also for the two ways to cache that come to mind first."""
    strict = call.layouts["strict"]
    if layout == ONE_BLOCK:
        return Messages("", (), (TextBlock("".join(texts(strict)), marked=True),))
    if layout == AFTER_FILE_5:
        first = next((place for place, block in enumerate(strict.user) if block.marked), None)
        blocks = [TextBlock(block.text, place == first) for place, block in enumerate(strict.user)]
        return Messages("", strict.system, tuple(blocks))
    return call.layouts[layout]


def uncached(calls: Sequence[Call]) -> float:
    return sum(sum(map(tokens_of, texts(call.layouts["strict"]))) for call in calls)


def texts(messages: Messages) -> list[str]:
    return [block.text for block in (*messages.system, *messages.user)]


def order_limit(calls: Sequence[Call], layout: str) -> float:
    """The layout's order, cut anywhere: each call reads what it shares with the agent's last one."""
    return sum(
        _limit(["".join(texts(call.layouts[layout])) for call in calls if call.agent == agent])
        for agent in {call.agent for call in calls}
    )


def _limit(sent: Sequence[str]) -> float:
    shared = [0, *(common(before, after) for before, after in pairwise(sent))]
    cost = 0.0
    for number, text in enumerate(sent):
        read, total = shared[number], len(text.encode())
        written = max(0, (shared[number + 1] if number + 1 < len(sent) else 0) - read)
        cost += READ_PRICE * read + WRITE_PRICE * written + (total - read - written)
    return cost / 4


def free_limit(calls: Sequence[Call]) -> float:
    """Any order of files: each file's bytes are read as far as they were there at the agent's last call."""
    cost = float(sum(tokens_of(call.task) for call in calls))
    for agent in {call.agent for call in calls}:
        own = [call for call in calls if call.agent == agent]
        for path in own[0].files:
            cost += _limit([call.files.get(path, "") for call in own])
    return cost


def common(one: str, other: str) -> int:
    """Bytes of the longest beginning that two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return len(one[:low].encode())


# ---------------------------------------------------------------------- printing


def table(calls: Sequence[Call], *, is_held: bool) -> bool:
    """Print the table; whether both bounds are kept, where the layouts are held to them."""
    plain = uncached(calls)
    refreshes = [call for call in calls if call.kind == "candidate_question"]
    kinds = {kind: sum(call.kind == kind for call in calls) for kind in sorted({call.kind for call in calls})}
    print(f"{len(calls)} calls: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    print("cost in plain input tokens; beside it the median and p95 of the new tokens of a call")
    print(f"{'layout':44} {'cost':>9} {'of uncached':>12} {'new':>8} {'p95':>8}")
    row(
        "one string, no caching",
        plain,
        plain,
        [sum(map(tokens_of, texts(one.layouts["strict"]))) for one in calls],
    )
    costs, dollars = {}, [f"no caching {usd(InputUsage(new=round(plain)))}"]
    for layout in (ONE_BLOCK, AFTER_FILE_5, "strict", "watermark"):
        used = metered(calls, layout)
        costs[layout] = used.cost
        row(layout, costs[layout], plain, [call.usage[layout].new for call in calls])
        if layout in LAYOUTS:
            dollars.append(f"{layout} {usd(used)}")
            row("  limit of that order", order_limit(calls, layout), plain)
    row("limit with a free order", free_limit(calls), plain)
    only = metered(refreshes, "watermark").cost
    row("watermark, refreshes alone", only, uncached(refreshes))
    whole = metered(calls, "watermark")  # each call's part of the whole again
    for kind in kinds:
        own = [call.usage["watermark"] for call in calls if call.kind == kind]
        row(f"  of that: {len(own)} {kind}", sum(one.cost for one in own), plain)
    print(
        f"watermark: {whole.read // 1000}k read, {whole.written // 1000}k written, {whole.new // 1000}k new"
    )
    print(f"input with {DEFAULT_MODEL} at the prices of {prices_read_at()}: {', '.join(dollars)}")
    found, over = costs["watermark"] / plain, costs["strict"] / order_limit(calls, "strict")
    if not is_held:
        return True
    bound("watermark, of uncached", found, MAX_OF_UNCACHED)
    bound("strict, of the limit of its order", over, MAX_OVER_LIMIT)
    return found <= MAX_OF_UNCACHED and over <= MAX_OVER_LIMIT


def usd(used: InputUsage) -> str:
    """What these input tokens cost with the engine's own model; its reads may be cheaper than a tenth."""
    dollars = cost_usd(DEFAULT_MODEL, read=used.read, written=used.written, new=used.new, output=0)
    return f"${dollars or 0:.2f}"


def row(name: str, cost: float, plain: float, new: Sequence[int] = ()) -> None:
    spread = f"{median(new):8.0f} {quantiles(new, n=20)[-1]:8.0f}" if new else ""
    print(f"{name:44} {cost / 1000:8.0f}k {cost / plain:12.4f} {spread}".rstrip())


def bound(what: str, measured: float, most: float) -> None:
    reached = "reached" if measured <= most else "NOT REACHED"
    print(f"{what:44} {measured:22.4f}   bound {most:g}: {reached}")


def each_call(calls: Sequence[Call]) -> None:
    for number, call in enumerate(calls, start=1):
        for layout in LAYOUTS:
            one = call.usage[layout]
            print(
                f"{number:4} {call.at_s:7.1f} s {call.agent:12} {call.kind:20} {layout:10} "
                f"read {one.read:6} written {one.written:6} new {one.new:6}"
            )


@contextmanager
def rehearsed(engine: Engine) -> Iterator[Rehearsal]:
    folder = Path(tempfile.mkdtemp(prefix="greenroom-bench-"))
    try:
        home = folder / "home"
        for name in ("templates", "session-templates"):
            shutil.copytree(ROOT / "agents" / name, home / name)
        session = Rehearsal.start(
            Home.open(home), deck_text=deck(), engine=engine, minutes=MINUTES * 2, exchanges=EXCHANGES
        )
        if isinstance(engine, Listening):
            session.rehearsal.elapsed_s = lambda: engine.on_the_wall_s(session.rehearsal)
        session.play(recording(), answers=answers())
        yield session
    finally:
        shutil.rmtree(folder)


def main(arguments: Sequence[str]) -> int:
    print("Everybody every 15 s, which the layouts are held to:")
    kept = played(Listening, arguments)
    print("\nLive: looked at every 15 s, asked where something bears on the question:")
    with ticking():
        played(Waiting, arguments)
    print("\nA recording at full speed: asked only where a question can be put:")
    played(Waiting, arguments, is_full_speed=True)
    print("\nThe same at its own pace:")
    played(Waiting, arguments)
    return 0 if kept else 1


@contextmanager
def ticking() -> Iterator[None]:
    """Look at the candidates of a recording by the timer, also where a model is asked: as live."""

    def next_tick_s(state: State) -> float:
        return (state.projection.refreshed_at_s // ROUND_S + 1) * ROUND_S

    with patch.object(steps, "next_tick_s", next_tick_s):
        yield


def played(kind: type[Listening], arguments: Sequence[str], *, is_full_speed: bool = False) -> bool:
    """Play the rehearsal through an engine of this kind and print what it costs; whether it is in bounds."""
    with ExitStack() as stack:
        engine: Any = OfflineEngine()
        is_asked = "--offline" not in arguments
        if is_asked:
            from tests.helpers.messages_server import MessagesServer

            server = stack.enter_context(MessagesServer())
            engine = stack.enter_context(ModelEngine(Settings(base_url=server.url, api_key=server.key)))
        listening = kind(engine)
        listening.is_full_speed = is_full_speed
        session = stack.enter_context(rehearsed(listening))
        found = len(session.projection.tensions)
        counts = f"{len(session.projection.exchanges)} exchanges, {found} contradictions noted in speech"
        print(f"{MINUTES} minutes, {SLIDES} slides, {counts}")
        kept = table(listening.calls, is_held=kind is Listening)
        if "--calls" in arguments:
            each_call(listening.calls)
        if is_asked:
            compare(listening.calls, engine.take_usage())
    return kept


def compare(calls: Sequence[Call], usages: Sequence[CallUsage]) -> None:
    """The server's own count of the calls that were made, beside the meter's."""
    told = [(one.read, one.written, one.new) for one in usages]
    counted = [call.usage["watermark"] for call in calls]
    same = sum(one == (its.read, its.written, its.new) for one, its in zip(told, counted, strict=True))
    alarms = sum(one.alarm for one in usages)
    print(f"the server counted {len(told)} calls, {same} of them as the meter did; {alarms} alarms")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
