"""The summariser: what is new is read once, whatever fails, dies or runs beside it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError, SessionFrozenError, TransactionOpenError
from orchestrator.core.store.ledger import Unread
from orchestrator.memory.facts import FOLDER, FactLog, fact_files, locked, write_fact_files
from orchestrator.memory.scribe import scribe_of
from orchestrator.memory.summariser import NEVER, Schedule, Summariser
from orchestrator.panel import render
from orchestrator.panel.engines.protocol import FactsRequest, ScribeRequest
from orchestrator.panel.home import Home
from orchestrator.panel.model.exchange import Exchange, Turn
from orchestrator.panel.model.reply import Fact, FactDraft, Remembered
from orchestrator.panel.records.exchanges import ExchangeClosed
from orchestrator.panel.records.memory import BEGAN, FactRun
from orchestrator.panel.records.moderator import Frozen
from orchestrator.rehearsal.session import Session
from tests.helpers.commands import Commands
from tests.helpers.embeddings_server import EmbeddingsServer
from tests.helpers.fact_sessions import DAILY, WORDS, FactEngine, each, opened, say, summariser_of, whole
from tests.helpers.rehearsals import DECK, Rehearsal, played, write_rehearsal
from tests.helpers.stores import values_of

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    """A session in which a few things have been said."""
    with Session.start(Home.open(home), deck_text=DECK, id="talk", date="2026-11-20") as session:
        say(session, *WORDS)
        yield session


def told(session: Session, engine: FactEngine, schedule: Schedule = DAILY) -> Summariser:
    """A summariser of this session with an engine of the test's own."""
    session.rehearsal.engine = engine
    return Summariser(session.rehearsal, schedule)


def on_disk(root: Path) -> dict[str, str]:
    folder = root / FOLDER
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.suffix == ".json"}


def sorts(request: FactsRequest) -> list[FactDraft]:
    """A decision, a number and a commitment, as the passages state them."""
    kinds = {WORDS[0]: "decision", WORDS[2]: "number", WORDS[3]: "commitment"}
    return [
        replace(whole(passage), type=kinds[passage.text])
        for passage in request.passages
        if passage.text in kinds
    ]


def contents(facts: Any) -> list[str]:
    return [fact.content for fact in facts]


def log_of(session: Session) -> FactLog:
    """The fold from the first record, as another process makes it."""
    session.rehearsal.store.catch_up()
    return session.rehearsal.store.fold(FactLog, FactLog.take).now()


# ---------------------------------------------------------------------- a run


def test_facts_come_into_the_ledger_and_the_files_follow(session: Session) -> None:
    done = told(session, FactEngine(sorts)).run("by hand")
    assert done is not None
    assert [(fact.id, fact.type, fact.content) for fact in done.facts] == [
        ("f1", "decision", "We decided to postpone the Lisbon opening to spring 2027."),
        ("f2", "number", "Churn fell to 3% in the second quarter."),
        ("f3", "commitment", "We will send you the audit by Friday."),
    ]
    store = session.rehearsal.store
    (kept,) = [one for one in map(store.record, range(1, store.seq + 1)) if one.type == "facts"]
    for fact in done.facts:
        assert fact.quote in (store.record(fact.source).text or "")
        assert fact.source_date == "2026-11-20"
        assert fact.extracted_at == kept.at
    files = on_disk(session.path)
    assert files == dict(sorted(fact_files(log_of(session)).items()))
    assert list(files) == ["2026-11-20.json", "index.json"]
    first = json.loads(files["2026-11-20.json"])["facts"][0]
    index = json.loads(files["index.json"])
    assert first["content"] == done.facts[0].content
    assert (index["facts"], index["types"]) == (3, {"commitment": 1, "decision": 1, "number": 1})
    assert session.verify().valid


def test_only_what_is_new_is_read_and_known_facts_are_not_kept_again(session: Session) -> None:
    engine = FactEngine(each)
    summariser = told(session, engine)
    assert summariser.run("by hand") is not None
    say(session, "Churn fell to 3% in the second quarter!", "We hired ten.", from_s=20.0)
    again = summariser.run("by hand")
    assert again is not None
    assert (contents(again.facts), again.skipped, again.refused) == (["We hired ten."], 1, 0)
    assert [[passage.text for passage in one.passages] for one in engine.requests] == [
        list(WORDS),
        ["Churn fell to 3% in the second quarter!", "We hired ten."],
    ]
    assert engine.requests[1].known == WORDS
    seq = session.rehearsal.store.catch_up()
    nothing = summariser.run("by hand")
    assert nothing is not None
    assert (nothing.facts, nothing.windows, session.rehearsal.store.catch_up()) == ((), 0, seq)


PARAPHRASE = "You will get the audit from us by Friday."


def test_a_session_compares_facts_by_meaning_where_its_home_has_embeddings(home: Path) -> None:
    def all_the_same(plain: dict[str, Any]) -> tuple[int, Any]:
        return 200, {"data": [{"index": n, "embedding": [1, 2]} for n, _ in enumerate(plain["input"])]}

    with EmbeddingsServer(all_the_same) as server:
        (home / "greenroom.yaml").write_text(f"embeddings: {server.url}\n", "utf-8")
        with Session.start(Home.open(home), deck_text=DECK, id="talk") as session:
            session.rehearsal.engine = FactEngine(each)
            say(session, *WORDS, PARAPHRASE, "You will get the audit from us by Monday.")
            done = session.watch.summariser.run("by hand")
    assert done is not None
    assert contents(done.facts) == [*WORDS, "You will get the audit from us by Monday."]
    assert done.skipped == 1
    assert [sorted(one["input"]) for one in server.requests] == [sorted([WORDS[3], PARAPHRASE])]


def test_without_embeddings_the_words_alone_count(session: Session) -> None:
    session.rehearsal.engine = FactEngine(each)
    say(session, PARAPHRASE, from_s=20.0)
    done = session.watch.summariser.run("by hand")
    assert done is not None
    assert (contents(done.facts), done.skipped) == ([*WORDS, PARAPHRASE], 0)


def test_embeddings_that_fail_cost_the_comparison_and_are_one_warning(home: Path) -> None:
    with EmbeddingsServer(lambda _: (500, b"")) as server:
        (home / "greenroom.yaml").write_text(f"embeddings: {server.url}\n", "utf-8")
        with Session.start(Home.open(home), deck_text=DECK, id="talk") as session:
            session.rehearsal.engine = FactEngine(each)
            say(session, *WORDS, PARAPHRASE)
            session.end()
            values = values_of(session.rehearsal.store)
    assert [one["part"] for one in values if one.get("type") == "warning"] == ["embeddings"]
    assert len(server.requests) == 1
    assert [len(one["facts"]) for one in values if one.get("type") == "facts"] == [5]


def test_what_a_model_makes_up_is_refused(session: Session) -> None:
    def invents(request: Any) -> list[FactDraft]:
        first = request.passages[0]
        return [
            whole(first),
            replace(whole(first), content="Lisbon cost 40 million", quote=first.text),
            replace(whole(first), content="We will never open in Lisbon", quote="We decided to postpone"),
            replace(whole(first), content="The board resigned", quote="The board resigned"),
            replace(whole(first), source=request.passages[1].seq),  # the words of another record
            replace(whole(first), source=1),  # not of this window
            replace(whole(first), source=99_999),
        ]

    done = told(session, FactEngine(invents)).run("by hand")
    assert done is not None
    assert (contents(done.facts), done.refused) == ([WORDS[0]], 6)
    assert "resigned" not in (session.path / "ledger" / "ledger.jsonl").read_text("utf-8")


def test_a_failing_engine_loses_nothing_and_says_so_in_the_ledger(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    summariser = told(session, FactEngine(each, fails=2))
    with pytest.raises(EngineError, match="out of order"):
        summariser.run("by hand")
    assert summariser.facts.failed == "out of order"
    assert summariser.run_at_end() is None
    assert [record.getMessage() for record in caplog.records] == ["talk: the summariser failed (EngineError)"]
    done = summariser.run("by hand")
    assert done is not None
    assert contents(done.facts) == list(WORDS)
    assert summariser.facts.failed is None


def test_an_engine_that_knows_no_facts_is_a_failing_engine(session: Session) -> None:
    engine = FactEngine(each)
    engine.reply = lambda request, context=None: None  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(EngineError, match="gave NoneType for a FactsRequest"):
        told(session, engine).run("by hand")


def test_it_is_not_run_inside_a_transaction_and_not_after_the_end(session: Session) -> None:
    summariser = summariser_of(session)
    with pytest.raises(TransactionOpenError), session.transaction():
        summariser.run("by hand")
    assert summariser.facts.run == 0
    session.rehearsal.store.freeze(Frozen({}))
    with pytest.raises(SessionFrozenError):
        summariser.run("by hand")


def test_it_writes_while_the_engine_is_asked(session: Session) -> None:
    """The lock is free meanwhile; what is said then waits for the next run."""

    def goes_on(request: Any) -> list[FactDraft]:
        if len(engine.requests) == 1:
            say(opened(session.path), "We hired ten.", from_s=30.0)
        return each(request)

    engine = FactEngine(goes_on)
    summariser = told(session, engine)
    first, second = summariser.run("by hand"), summariser.run("by hand")
    assert first is not None
    assert second is not None
    assert (contents(first.facts), contents(second.facts)) == (list(WORDS), ["We hired ten."])


# ---------------------------------------------------------------------- the schedule


def at(session: Session, clock_s: float) -> None:
    """Set the session's clock."""
    session.rehearsal.playing_s = clock_s


def test_an_interval_is_made_up_once_however_many_were_missed(session: Session) -> None:
    summariser = told(session, FactEngine(each), Schedule(60.0, after_exchange=False, at_end=False))
    at(session, 59.0)
    assert summariser.due() is None
    at(session, 1_000.0)
    assert summariser.due() == "interval"
    assert summariser.run_if_due() is not None
    say(session, "We hired ten.", from_s=1_000.0)
    assert summariser.due() is None
    at(session, 1_019.0)
    assert summariser.due() is None
    at(session, 1_020.0)  # on the minute, not a minute after the run that was late
    assert summariser.due() == "interval"
    assert summariser.run_if_due() is not None
    at(session, 9_000.0)
    assert summariser.due() is None  # nobody has said anything
    assert summariser.run_at_end() is None
    assert summariser.facts.run == 2


PAID = Schedule(60.0, after_exchange=False, is_paid=True)


def close_a_question(session: Session) -> None:
    turn = Turn("How many boats?", answer="Two.", verdict="satisfied")
    done = Exchange("x1", "skeptic", None, 1, None, None, False, "", 0.0, (turn,), "satisfied")
    session.rehearsal.store.append(
        "shared/exchange-history.md",
        render.exchange(done, "Sam"),
        by="moderator",
        value=ExchangeClosed(done),
    )


def test_a_model_is_not_asked_about_questions_alone(session: Session) -> None:
    engine = FactEngine(each)
    summariser = told(session, engine, PAID)
    summariser.run("by hand")
    close_a_question(session)
    session.rehearsal.playing_s = 1_000.0
    assert summariser.due() is None
    assert summariser.run_at_end() is None
    assert len(engine.requests) == 1
    say(session, "We hired ten people.", from_s=1_000.0)
    session.rehearsal.playing_s = 1_100.0
    assert summariser.due() == "interval"
    summariser.run_if_due()
    assert [one.kind for one in engine.requests[1].passages] == ["exchange", "speech"]


def test_goals_decisions_and_blockers_are_asked_for_beside_the_facts_and_verified(session: Session) -> None:
    def reads(request: ScribeRequest) -> list[Remembered]:
        seq = request.passages[0].seq
        quote = "postpone the Lisbon opening to spring 2027"
        return [
            Remembered("decision", "The Lisbon opening is postponed to spring 2027.", quote, seq),
            Remembered("decision", "The Lisbon opening is postponed to spring 2028.", quote, seq),  # invented
            Remembered("goal", "Nobody said this at all.", "Nobody said this", seq),
            Remembered("hope", "The Lisbon opening is postponed to spring 2027.", quote, seq),
            Remembered("blocker", "The Lisbon opening is postponed to spring 2027.", quote, seq + 999),
        ]

    engine = FactEngine(each, remembers=reads)
    summariser = told(session, engine, PAID)
    summariser.run("by hand")
    context = scribe_of(session.rehearsal.store).context()
    assert [one.text for one in context.decisions] == ["The Lisbon opening is postponed to spring 2027."]
    assert (context.goals, context.blockers) == ((), ())
    say(session, "We hired ten people.", from_s=20.0)
    summariser.run("by hand")
    assert [one.known for one in engine.scribe_requests] == [
        (),
        ("The Lisbon opening is postponed to spring 2027.",),
    ]
    assert session.verify().valid


def test_without_a_model_announcements_alone_are_kept_as_goals_and_decisions(session: Session) -> None:
    say(session, "Our goal is to open in forty towns.", "They say our aim is to sell.", from_s=20.0)
    done = summariser_of(session).run("by hand")
    assert done is not None
    assert [(fact.type, fact.content) for fact in done.facts][:2] == [
        ("decision", WORDS[0]),
        ("number", WORDS[2]),
    ]
    context = scribe_of(session.rehearsal.store).context()
    assert [one.text for one in context.goals] == ["Our goal is to open in forty towns."]
    assert [one.text for one in context.decisions] == [WORDS[0]]
    assert context.blockers == ()
    assert summariser_of(session).run("by hand") is not None
    assert scribe_of(session.rehearsal.store).context().decisions == context.decisions


def test_where_that_request_fails_the_facts_are_kept(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(request: ScribeRequest) -> list[Remembered]:
        raise EngineError("out of order")

    with caplog.at_level(logging.WARNING):
        done = told(session, FactEngine(each, remembers=fails), PAID).run("by hand")
    assert done is not None
    assert len(done.facts) == len(WORDS)
    assert "goals and decisions failed (EngineError)" in caplog.text


def test_facts_every_s_is_obeyed_with_a_model_too(home: Path) -> None:
    (home / "greenroom.yaml").write_text("facts_every_s: 40\n", "utf-8")
    engine = FactEngine(each)
    with Session.start(Home.open(home), deck_text=DECK, engine=engine) as session:
        say(session, "Churn fell to 3% in the second quarter.", from_s=50.0)
        session.rehearsal.playing_s = 52.0
        session.watch.after_step()
        assert len(engine.requests) == 1


def test_it_runs_after_each_exchange(home: Path, tmp_path: Path) -> None:
    with played(home, write_rehearsal(tmp_path), exchanges=0) as session:
        summariser = summariser_of(session, Schedule(None, after_exchange=True, at_end=False))
        assert summariser.due() is None
        asked = Turn("How many?", verdict="follow_up")
        exchange = Exchange("x1", "skeptic", None, 1, None, None, False, "", 0.0, (asked,), "unresolved")
        session.rehearsal.store.append(
            "shared/exchange-history.md",
            render.exchange(exchange, "Sam"),
            by="moderator",
            value=ExchangeClosed(exchange),
        )
        assert summariser.due() == "exchange"
        done = summariser.run_if_due()
        assert done is not None
        assert contents(done.facts)[-1] == "Left unresolved: How many?"
        assert summariser.due() is None


def test_a_run_that_died_is_made_up_at_once_and_only_once(session: Session) -> None:
    summariser = told(session, FactEngine(each), Schedule(None, after_exchange=True, at_end=False))
    session.rehearsal.store.note(FactRun(BEGAN, 1, 1, 9, "x"), by="summariser")
    assert summariser.due() == "made up"
    done = summariser.run_if_due()
    assert done is not None
    assert contents(done.facts) == list(WORDS)
    assert summariser.due() is None


def test_switched_off_it_never_runs(session: Session) -> None:
    summariser = summariser_of(session, NEVER)
    at(session, 1e6)
    assert (summariser.run_if_due(), summariser.run_at_end(), summariser.facts.run) == (None, None, 0)
    assert not (session.path / FOLDER).exists()


# ---------------------------------------------------------------------- the files


def test_files_that_are_lost_torn_or_strange_are_made_again(session: Session) -> None:
    summariser = summariser_of(session)
    summariser.run("by hand")
    whole_files = on_disk(session.path)
    folder = session.path / FOLDER
    (folder / "index.json").write_text('{"facts": ')
    (folder / "2026-11-20.json").unlink()
    (folder / "2024-01-01.json").write_text("{}")  # of no fact
    assert summariser.run("by hand") is not None
    assert on_disk(session.path) == whole_files
    before = (folder / "index.json").stat().st_mtime_ns
    assert summariser.run("by hand") is not None
    assert (folder / "index.json").stat().st_mtime_ns == before
    shutil.rmtree(folder)
    assert summariser.run("by hand") is not None  # nothing is new, and the files are made all the same
    assert on_disk(session.path) == whole_files


def test_what_another_program_put_into_the_ledger_stops_no_session(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(session.path) as elsewhere:
        elsewhere.rehearsal.store.note(Unread({"type": "facts", "run": 1, "to_seq": "all"}), by="summariser")
        elsewhere.rehearsal.store.note(Unread({"type": "fact-run", "state": "began"}), by="summariser")
    done = session.watch.summariser.run("by hand")
    assert done is not None
    assert [fact.quote for fact in done.facts] == [WORDS[0], WORDS[2]]
    (warning,) = caplog.records
    assert "is in no shape of this release" in warning.getMessage()
    session.end()
    assert session.verify().valid


def test_nothing_is_written_into_a_session_that_ends_at_that_moment(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends it right when the files are to be written: it waits, or they are not written."""
    ends = FORK.Process(target=end_it, args=(session.path,))

    def write_late(root: Path, log: FactLog) -> None:
        ends.start()
        ends.join(2.0)  # time enough, where nothing keeps it waiting
        write_fact_files(root, log)

    monkeypatch.setattr("orchestrator.memory.summariser.write_fact_files", write_late)
    done = summariser_of(session).run("by hand")
    ends.join(30)
    assert done is not None
    assert ends.exitcode == 0
    session.rehearsal.store.catch_up()
    assert session.state == "ended"
    assert session.verify().valid
    assert set(on_disk(session.path)) == {"index.json", "2026-11-20.json"}


def end_it(root: Path) -> None:
    with opened(root) as session:
        session.end()


def test_a_session_that_has_ended_gets_no_folder_either(session: Session) -> None:
    summariser = summariser_of(session)
    assert summariser.facts.waiting
    with opened(session.path) as elsewhere:
        elsewhere.end()
    with pytest.raises(SessionFrozenError):
        summariser.run("by hand")
    assert not (session.path / FOLDER).exists()
    assert session.verify().valid


def test_files_that_cannot_be_written_are_a_warning_and_the_facts_are_there(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    (session.path / FOLDER).write_text("in the way")
    summariser = summariser_of(session)
    with caplog.at_level(logging.WARNING):
        done = summariser.run("by hand")
    assert done is not None
    assert [fact.quote for fact in done.facts] == [WORDS[0], WORDS[2]]
    (warning,) = caplog.records
    assert "facts/ could not be written" in warning.getMessage()
    assert not any(word in caplog.text for word in ("Lisbon", "Churn", "audit"))
    (session.path / FOLDER).unlink()
    assert summariser.run("by hand") is not None
    assert set(on_disk(session.path)) == {"index.json", "2026-11-20.json"}


def test_a_link_in_place_of_the_folder_is_not_followed(session: Session, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (session.path / FOLDER).symlink_to(outside)
    done = summariser_of(session).run("by hand")
    assert done is not None
    assert list(outside.iterdir()) == []


# ---------------------------------------------------------------------- several at once


def summarise_in(root: Path, calls: Path, start: Any) -> None:
    with opened(root, FactEngine(each, calls=calls, takes_s=0.05)) as session:
        summariser = Summariser(session.rehearsal)
        start.wait()
        for _ in range(3):
            summariser.run("by hand", wait_s=30.0)


def test_two_schedulers_never_read_one_window_twice(session: Session, tmp_path: Path) -> None:
    calls, count = tmp_path / "calls", 4
    start = FORK.Barrier(count)
    processes = [FORK.Process(target=summarise_in, args=(session.path, calls, start)) for _ in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * count
    assert len(calls.read_text().splitlines()) == 1  # one engine call for the one window
    assert contents(log_of(session).facts) == list(WORDS)


def test_windows_of_many_schedulers_and_a_speaker_neither_meet_nor_leave_gaps(
    session: Session, tmp_path: Path
) -> None:
    calls, count = tmp_path / "calls", 3
    start = FORK.Barrier(count)
    processes = [FORK.Process(target=summarise_in, args=(session.path, calls, start)) for _ in range(count)]
    for process in processes:
        process.start()
    for number in range(40):
        say(session, f"Site {number} has {number + 100} berths.", from_s=100.0 + number)
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * count
    with opened(session.path, FactEngine(each, calls=calls)) as last:
        Summariser(last.rehearsal).run("by hand")
    read = [seq for line in calls.read_text().splitlines() for seq in line.split()[1].split(",")]
    assert len(read) == len(set(read)) == len(WORDS) + 40
    facts = log_of(session).facts
    assert sorted(contents(facts)) == sorted(
        [*WORDS, *(f"Site {n} has {n + 100} berths." for n in range(40))]
    )
    assert session.verify().valid


def test_without_a_lock_the_later_claim_counts(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that locks no folders: two runs may both pay, but only one counts."""

    def refuses(fd: int, how: int) -> None:
        raise OSError(9, "no locks here")

    def takes_over(request: Any) -> list[FactDraft]:
        with opened(session.path, FactEngine(each)) as other:
            done = Summariser(other.rehearsal).run("by hand")
            assert done is not None
            assert contents(done.facts) == list(WORDS)
        return each(request)

    monkeypatch.setattr("orchestrator.memory.facts.fcntl.flock", _only_folders(refuses))
    late = told(session, FactEngine(takes_over)).run("by hand")
    assert late is not None
    assert late.facts == ()
    assert contents(log_of(session).facts) == list(WORDS)


def _only_folders(refuse: Callable[[int, int], None]) -> Callable[[int, int], None]:
    real = fcntl.flock

    def flock(fd: int, how: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{fd}"):
            refuse(fd, how)
        real(fd, how)

    return flock


def test_the_lock_goes_with_its_holder(session: Session) -> None:
    ready, release = FORK.Event(), FORK.Event()
    (session.path / FOLDER).mkdir()

    def hold() -> None:
        with locked(session.path, FOLDER) as is_alone:
            assert is_alone
            ready.set()
            release.wait()

    holder = FORK.Process(target=hold)
    holder.start()
    assert ready.wait(30)
    with locked(session.path, FOLDER, wait_s=0.05) as is_alone:
        assert not is_alone
    assert summariser_of(session).run("by hand") is None
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    holder.join(30)
    assert summariser_of(session).run("by hand") is not None


# ---------------------------------------------------------------------- killed

CALLS = {
    os: ("open", "close", "write", "mkdir", "rename", "unlink", "fdatasync", "fsync", "ftruncate", "listdir"),
    fcntl: ("flock",),
}
"""What changes a file system or a lock, each about one system call; reading changes nothing."""
SYSCALLS = (
    "openat,mkdirat,mkdir,write,pwrite64,fdatasync,fsync,ftruncate,flock,rename,renameat,renameat2,"
    "unlinkat,close"
)


def expected_facts(root: Path) -> list[tuple[str, str, int]]:
    """What a run finds that nobody kills."""
    copy = root.with_name("whole")
    shutil.copytree(root, copy)
    with opened(copy) as session:
        done = summariser_of(session).run("by hand")
    assert done is not None
    return [(fact.id, fact.content, fact.source) for fact in done.facts]


def kept_facts(facts: list[Fact]) -> list[tuple[str, str, int]]:
    return [(fact.id, fact.content, fact.source) for fact in facts]


OF_ITS_OWN = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b|\b\d+(?=\.tmp\b)")
"""What differs between two runs that do the same: times, hashes over them, the process in a file's name."""


def state_of(root: Path) -> bytes:
    """Every name and byte below *root*, besides what each run has of its own."""
    parts = []
    for path in sorted(root.rglob("*")):
        parts += [os.fsencode(path.relative_to(root)), path.read_bytes() if path.is_file() else b""]
    return hashlib.sha256(OF_ITS_OWN.sub(b"", b"\0".join(parts))).digest()


def check_after_kill(root: Path, expected: list[tuple[str, str, int]], seen: set[bytes]) -> None:
    """Right after the kill no fact is there in part or twice; the next run makes it all whole.

    Many kills leave the same behind: what follows from what was *seen* is known.
    """
    if (state := state_of(root)) in seen:
        return
    seen.add(state)
    with opened(root) as session:
        summariser = summariser_of(session)
        assert kept_facts(summariser.facts.facts) in ([], expected)
        for text in on_disk(root).values() if (root / FOLDER).is_dir() else ():
            json.loads(text)  # no half file is ever visible
        assert summariser.run("after the kill") is not None
        assert kept_facts(summariser.facts.facts) == expected
        assert on_disk(root) == dict(sorted(fact_files(log_of(session)).items()))
        assert session.verify().valid


def run_and_die(root: Path, number: int) -> None:
    """Run the summariser in a child and kill it right before its *number*-th call."""
    session = opened(root)
    summariser = summariser_of(session)
    left = [number]

    def deadly(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **named)

        return call

    for module, names in CALLS.items():
        for name in names:
            if hasattr(module, name):
                setattr(module, name, deadly(getattr(module, name)))
    summariser.run("by hand")
    os._exit(0)


@pytest.mark.slow
def test_killed_before_every_call_no_fact_is_lost_and_none_is_there_twice(
    session: Session, tmp_path: Path
) -> None:
    expected = expected_facts(session.path)
    seen: set[bytes] = set()
    number = 0
    while True:
        number += 1
        root = tmp_path / f"killed-{number}"
        shutil.copytree(session.path, root)
        process = FORK.Process(target=run_and_die, args=(root, number))
        process.start()
        process.join(60)
        check_after_kill(root, expected, seen)
        shutil.rmtree(root)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
    assert number > 30
    assert len(seen) > 6


def run_when_told(root: Path, told: int, ready: int) -> None:
    session = opened(root)
    summariser = summariser_of(session)
    os.write(ready, b"r")
    os.read(told, 1)
    summariser.run("by hand")
    os._exit(0)


def traced(root: Path, *options: str) -> tuple[int | None, str]:
    """Run the summariser under strace, attached right before; its exit code and what strace said."""
    told, ready = os.pipe(), os.pipe()
    process = FORK.Process(target=run_when_told, args=(root, told[0], ready[1]))
    process.start()
    os.read(ready[0], 1)
    strace = subprocess.Popen(
        ["strace", "-f", "-p", str(process.pid), *options], stderr=subprocess.PIPE, text=True
    )
    assert strace.stderr is not None
    first = strace.stderr.readline()
    os.write(told[1], b"g")
    said = first + strace.stderr.read()
    strace.stderr.close()
    strace.wait(60)
    process.join(60)
    for fd in (*told, *ready):
        os.close(fd)
    return process.exitcode, said


@pytest.mark.slow
def test_killed_at_every_system_call_no_fact_is_lost_and_none_is_there_twice(
    session: Session, tmp_path: Path
) -> None:
    if shutil.which("strace") is None:
        pytest.skip("no strace here: the same promise is tested call by call above")
    expected = expected_facts(session.path)
    root = tmp_path / "counted"
    shutil.copytree(session.path, root)
    code, said = traced(root, "-e", f"trace={SYSCALLS}")
    if "attached" not in said.partition("\n")[0]:
        pytest.skip(f"strace may not attach here: {said.strip()[:80]}")
    assert code == 0
    counts = {name: said.count(f"{name}(") for name in SYSCALLS.split(",")}
    points, seen = 0, set[bytes]()
    for name, count in counts.items():
        for number in range(1, count + 1):
            root = tmp_path / f"{name}-{number}"
            shutil.copytree(session.path, root)
            code, _ = traced(root, "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}")
            check_after_kill(root, expected, seen)
            shutil.rmtree(root)
            points += code == -signal.SIGKILL
    assert points > 30
    assert len(seen) > 6


# ---------------------------------------------------------------------- the command


def test_the_command_reads_what_is_new_and_prints_the_contract(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files: Rehearsal = write_rehearsal(tmp_path)
    greenroom = Commands(home, capsys)
    greenroom("start", str(files.deck), "--id", "talk", "--date", "2026-11-20")
    greenroom("feed", "talk", str(files.speech))
    greenroom("summarise", "talk")
    shown = greenroom.json("summarise", "talk")
    assert (shown["facts"], shown["skipped"]) == ([], 0)  # the call above has read it all
    greenroom("end", "talk")
    ended = greenroom.json("summarise", "talk")
    assert {"type", "content", "confidence", "source_date", "extracted_at", "source"} <= set(
        ended["facts"][0]
    )
    assert Path(ended["index"]).is_file()


# ---------------------------------------------------------------------- what is to stay in the session


SECRETS = (
    "Off the record, our finance director is leaving in March, keep that confidential.",
    "We decided to postpone the Lisbon opening to spring 2027.",
)


def test_what_was_said_off_the_record_is_shown_to_no_engine_and_is_no_fact(session: Session) -> None:
    say(session, SECRETS[0], from_s=20.0)
    say(session, "Back on the record, we prefer Nordbank, write to ines@example.com about it.", from_s=40.0)
    say(session, "We heard that our finance director is leaving in March.", from_s=60.0)
    engine = FactEngine(each)
    told(session, engine).run("by hand")
    shown = " ".join(passage.text for request in engine.requests for passage in request.passages)
    assert WORDS[0] in shown
    assert "Nordbank, write to [e-mail address]" in shown
    for text in (shown, *on_disk(session.path).values()):
        assert "finance director" not in text
        assert "example.com" not in text


def test_a_model_that_knows_it_from_elsewhere_is_refused(session: Session) -> None:
    say(session, SECRETS[0], from_s=20.0)

    def leaks(request: FactsRequest) -> list[FactDraft]:
        first = request.passages[0]
        return [
            whole(first),
            FactDraft("person", "our finance director is leaving in March", "high", first.seq, first.text),
        ]

    done = told(session, FactEngine(leaks)).run("by hand")
    assert done is not None
    assert (contents(done.facts), done.refused) == ([WORDS[0]], 1)


def test_the_offline_rules_leave_it_out_too(session: Session) -> None:
    say(session, SECRETS[0], from_s=20.0)
    done = summariser_of(session).run("by hand")
    assert done is not None
    assert done.facts
    assert not [fact for fact in done.facts if "director" in fact.content]
