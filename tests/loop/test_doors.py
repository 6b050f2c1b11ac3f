"""What `Session` offers to a loop of one's own: its questions, its verdicts, its end, its archive."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.core import starting
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.errors import (
    ArchiveError,
    SessionExistsError,
    SessionFrozenError,
    SessionStateError,
    UsageError,
)
from orchestrator.core.store.files import held
from orchestrator.material.speech.read import Recording
from orchestrator.material.values import LiveSegment, Segment
from orchestrator.memory.scribe import to_plain
from orchestrator.memory.session_memory import Remembering, Watch
from orchestrator.panel.loop import session_folder
from orchestrator.panel.loop.answers import take_answer, take_heard
from orchestrator.panel.loop.recorded import Loading
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.transcript import add_segment
from tests.helpers.board import verify_archive
from tests.helpers.rehearsals import greenroom, greenroom_json, write_rehearsal
from tests.helpers.steady import SteadyEngine
from tests.helpers.strict_s3 import KEY, SECRET, strict_s3

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


def begun(home: Path, **options: Any) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, id="s1", **options)


def test_a_start_that_is_broken_off_closes_the_engine_that_it_made(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    class Engine(SteadyEngine):
        def close(self) -> None:
            closed.append(self)

    def interrupted(memory: Remembering, rehearsal: OpenRehearsal) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("orchestrator.rehearsal.beginning.engine_named", lambda *_, **__: Engine())
    monkeypatch.setattr(Remembering, "begun", interrupted)
    with pytest.raises(KeyboardInterrupt):
        begun(home, engine="offline")
    assert len(closed) == 1
    with pytest.raises(KeyboardInterrupt):
        Session.start(Home.open(home), deck_text=DECK, engine=Engine())
    assert len(closed) == 1  # its maker's own


def test_of_two_starts_with_one_id_the_first_that_is_done_keeps_it(home: Path) -> None:
    class Engine(SteadyEngine):
        def reply(self, request: Any, context: Any = None) -> Any:
            if not (home / "sessions" / "s1").exists():
                begun(home).close()
            return super().reply(request, context)

    with pytest.raises(SessionExistsError, match="s1: a session with this id is already there"):
        begun(home, engine=Engine())
    assert [path.name for path in (home / "sessions").iterdir()] == ["s1"]
    with Session.open(Home.open(home), "s1") as session:
        assert session.verify().valid


def test_a_start_minds_no_other_that_has_just_got_its_name(home: Path) -> None:
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / ".new-gone").symlink_to("named")
    begun(home).close()


def test_a_start_sweeps_what_a_killed_one_left_and_nothing_that_is_under_way(home: Path) -> None:
    left, under_way = home / "sessions" / ".new-1a", home / "sessions" / ".new-2b"
    for folder in (left, under_way):
        (folder / "s1" / "ledger").mkdir(parents=True)
    (left / "s1").chmod(0o555)
    with held(under_way) as is_held:
        begun(home).close()
    assert is_held
    assert sorted(path.name for path in (home / "sessions").iterdir()) == [".new-2b", "s1"]


# ---------------------------------------------------------------------- questions and verdicts


def test_a_loop_of_ones_own_asks_and_judges(home: Path) -> None:
    with begun(home) as session:
        asked = session.ask(agent="analyst", question="Grew from what?", quote="Revenue grew 18% in 2026")
        assert asked is not None
        assert (asked.id, asked.agent, asked.slide, asked.grounded) == ("x1", "analyst", 1, True)
        assert asked.claim == session.projection.deck_claims[0].id
        taken = session.take_answer("From EUR 3.6M, audited.")
        assert taken.turns[-1].answer == "From EUR 3.6M, audited."
        again = session.judge("follow_up", reason="no end point", follow_up="To how much?")
        assert [turn.question for turn in again.turns] == ["Grew from what?", "To how much?"]
        session.take_answer("To EUR 4.2M.")
        closed = session.judge("satisfied", reason="both ends", quote="EUR 4.2M")
        assert (closed.outcome, closed.turns[-1].quote) == ("satisfied", "EUR 4.2M")
        assert session.projection.exchanges == [closed]
        session.end()
        assert session.verify().valid


def test_what_was_said_since_the_question_is_its_answer(home: Path) -> None:
    with begun(home) as session:
        session.add_segment(Segment("We win in the harbour.", 1.0, 3.0, "Ines"))
        asked = session.ask("skeptic", question="Win what?", quote="win in the harbour")
        assert asked is not None
        assert (asked.slide, asked.said_at_s) == (None, 1.0)
        session.add_segment(Segment("The tender of the port.", 4.0, 6.0, "Ines"))
        before = session.ledger_head
        with pytest.raises(UsageError, match="does not stand in the answer"):
            session.judge("satisfied", reason="made up", quote="of the harbour")
        assert session.ledger_head == before
        closed = session.judge("unjudged", reason="not for me to say")
        assert (closed.turns[-1].answer, closed.outcome) == ("The tender of the port.", "unjudged")


def test_plain_text_that_is_appended_since_the_question_is_its_answer(home: Path) -> None:
    with begun(home) as session:
        session.ask("skeptic", question="Why?")
        session.append("shared/presenter-transcript.md", "Because of the tender.", by="transcript")
        closed = session.judge("satisfied", reason="says why", quote="the tender")
        assert closed.turns[0].answer == "Because of the tender."


def test_what_is_heard_stands_on_the_slide_that_it_names_from_its_first_word_on(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=f"{DECK}\n---\n# The ask\n\n- Two boats\n") as session:
        session.slide(1)
        session.hear(LiveSegment("So we grew."))
        session.hear(LiveSegment("And now the ask.", slide=2))
        session.hear(LiveSegment("Two boats."))
        assert [one.slide for one in session.projection.segments] == [1, 2, 2]
        assert [one.slide for one in session.projection.slides] == [1, 2]


def test_a_question_of_ones_own_can_be_general_and_its_answer_parked(home: Path) -> None:
    with begun(home) as session:
        asked = session.ask("skeptic", question="Why now?")
        assert asked is not None
        assert (asked.grounded, asked.quote, asked.slide) == (False, None, None)
        assert session.take_answer("Let us come back to that later.").outcome == "parked"
        back = session.ask(parked=True)
        assert back is not None
        assert back.comes_back_to == "x1"


def test_a_verdict_is_told_of_its_own_exchange_though_the_next_is_opened_at_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with begun(home) as session, Session.open(session.home, "s1") as other:
        monkeypatch.setattr(Watch, "after_step", lambda watch: other.ask("analyst", question="Since when?"))
        session.ask("skeptic", question="Why?")
        session.take_answer("Because of the tender.")
        closed = session.judge("satisfied", reason="says why")
        assert (closed.id, closed.outcome) == ("x1", "satisfied")
        assert run(["--home", str(home), "--json", "answer", "s1", "Since 2019."]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["outcome"], told["follow_up"]) == ("unjudged", None)
        assert [one.id for one in session.projection.asked] == ["x1", "x2", "x3"]


def test_claims_of_two_feeds_have_ids_of_their_own(home: Path) -> None:
    with begun(home) as session, Session.open(session.home, "s1") as other:
        assert other.projection.segments == []
        session.add_segment(Segment("We sold 30 boats in 2025.", 1.0, 3.0, "Ines"))
        add_segment(other.rehearsal, Segment("Costs fell by 5% in 2026.", 4.0, 6.0, "Ines"))
        ids = [claim.id for claim in session.projection.speech_claims]
        assert len(ids) == len(set(ids)) == 2


@pytest.mark.parametrize("again", ["Because of  the tender.", "", None])
def test_an_answer_that_was_not_judged_is_judged_and_other_words_are_not_dropped(
    home: Path, again: str | None
) -> None:
    with begun(home) as session:
        session.ask("skeptic", question="Why?")
        session.take_answer("Because of the tender.")
        with pytest.raises(SessionStateError, match="greenroom answer s1 ''"):
            session.answer("Because of the new boats.")
        assert session.answer(again).verdict == "unjudged"
        assert session.projection.exchanges[0].turns[0].answer == "Because of the tender."


@pytest.mark.parametrize("way", ["answered", "parked"])
def test_an_answer_finds_the_question_as_another_process_left_it(home: Path, way: str) -> None:
    with begun(home) as session, Session.open(session.home, "s1") as other:
        session.ask("skeptic", question="Why?")
        session.hear(LiveSegment("Because of the tender."))
        assert other.projection.open is not None
        if way == "answered":
            session.take_answer("Because of the new boats.")
        else:
            session.park()
        head = session.ledger_head
        with pytest.raises(SessionStateError):
            take_answer(other.rehearsal, "Because of the weather.")
        with pytest.raises(SessionStateError):
            take_heard(other.rehearsal)
        assert session.ledger_head == head


def test_what_is_refused_writes_nothing(home: Path) -> None:
    with begun(home) as session:
        before = session.ledger_head
        for given in (
            {"agent": "moderator", "question": "Why?"},
            {"question": "Why?"},
            {"agent": "skeptic", "question": "  "},
            {"agent": "skeptic", "quote": "Revenue grew 18% in 2026"},
            {"agent": "skeptic", "question": "Why?", "quote": "Revenue grew 19% in 2026"},
            {"agent": "skeptic", "question": "Why?", "quote": ""},
        ):
            with pytest.raises(UsageError):
                session.ask(**given)  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(SessionStateError):
            session.judge("satisfied", reason="nobody asked")
        assert session.ledger_head == before
        session.ask("skeptic", question="Why?")
        with pytest.raises(SessionStateError, match="a question is still open"):
            session.ask("analyst", question="And why else?")
        with pytest.raises(SessionStateError, match="nothing was answered"):
            session.judge("satisfied", reason="too early")
        session.take_answer("Because of the tender.")
        with pytest.raises(SessionStateError, match="has been answered"):
            session.take_answer("And again.")
        answered = session.ledger_head
        with pytest.raises(UsageError, match="does not stand in the answer"):
            session.judge("satisfied", reason="made up", quote="because of the harbour")
        with pytest.raises(UsageError, match="use satisfied, follow_up"):
            session.judge("good", reason="no such word")
        assert session.ledger_head == answered
        session.end(without_debrief=True)
        with pytest.raises(SessionFrozenError):
            session.ask("skeptic", question="Why?")


@pytest.mark.own_memory
def test_recap_is_what_the_command_tells(home: Path) -> None:
    with begun(home) as session:
        session.ask("skeptic", question="Why now?")
        session.answer("We decided to sign the contract on Monday.")
        told = to_plain(session.recap())
        assert greenroom_json(home, "recap", "s1") == json.loads(json.dumps(told))


# ---------------------------------------------------------------------- the end


def archive_of(folder: Path, session: str = "s1") -> bool:
    return verify_archive(str(folder), session).valid


def test_an_end_archives_in_the_home(home: Path) -> None:
    with begun(home) as session:
        with pytest.raises(SessionStateError, match="end it first"):
            session.archive(str(home / "elsewhere"))
        head = session.end()
        assert session.ledger_head == head
        assert session.archived_at == str(home / "archives" / "s1")
        assert not session.is_to_be_archived
        assert archive_of(home / "archives")
        assert session.archive().sent == 0  # it is there already
        assert session.archive(str(home / "elsewhere")).sent > 0


@pytest.mark.parametrize("way", ["end", "end --archive", "run", "run --archive"])
def test_every_way_to_end_obeys_the_setting_and_the_option(home: Path, tmp_path: Path, way: str) -> None:
    (home / "greenroom.yaml").write_text(f"archive: {tmp_path / 'set'}\n", "utf-8")
    named: list[str | Path] = ["--archive", tmp_path / "named"] if "--archive" in way else []
    files = write_rehearsal(tmp_path)
    if way.startswith("run"):
        told = greenroom_json(home, "run", files.deck, "--id", "s1", "--exchanges", "1", *named)
    else:
        greenroom(home, "start", files.deck, "--id", "s1")
        told = greenroom_json(home, "end", "s1", *named)
    where = tmp_path / ("named" if named else "set")
    assert (told["state"], told["archive"], told["valid"]) == ("ended", str(where / "s1"), True)
    assert archive_of(where)
    assert not (home / "archives").exists()
    assert greenroom_json(home, "list")["sessions"][0]["archive"] == str(where / "s1")


def test_an_s3_address_goes_to_the_server_that_the_environment_names(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-real-secret-key")
    with strict_s3() as server:
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        loading = Loading(Recording.silent(), "run", (), "s3://bucket/run")
        with begun(home, loading=loading, exchanges=0) as session:
            assert session.play()
            session.end()
            assert session.archived_at == "s3://bucket/run/s1"
        with Session.start(Home.open(home), deck_text=DECK, id="s2") as session:
            session.end(archive="s3://bucket/ended")
            assert session.archived_at == "s3://bucket/ended/s2"
        assert {key.split("/")[0] for key in server.objects} == {"run", "ended"}


def test_an_end_that_cannot_archive_has_ended_and_says_where_it_is_kept(home: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file stands where the archive belongs", "utf-8")
    with begun(home) as session:
        with pytest.raises(UsageError):  # refused before anything ends
            session.end(archive="ftp://nowhere")
        assert session.state == "active"
        with pytest.raises(ArchiveError, match="the session has ended and is kept at"):
            session.end(archive=str(blocked / "a"))
        assert (session.state, session.archived_at, session.is_to_be_archived) == ("ended", None, True)
        session.archive()
        assert not session.is_to_be_archived
    refused = greenroom(home, "resume", "s1", check=False)
    assert "nothing to go on with" in refused.stderr


@pytest.mark.parametrize("way", ["archive", "archive --to", "end"])
def test_an_end_that_was_cut_short_before_the_files_are_read_only_is_finished(
    home: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    session = begun(home)
    with monkeypatch.context() as patched:
        patched.setattr("orchestrator.rehearsal.ending.archive_as_set", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.end()
    head = session.ledger_head
    session.close()
    thaw(session.path)  # as it is between the record of the end and the modes
    where = home / ("elsewhere" if way == "archive --to" else "archives")
    with Session.open(Home.open(home), session.id) as again:
        if way == "end":
            assert again.end() == head
            assert again.end() == head  # and once more, though nothing of it is left to do
        else:
            again.archive(str(where) if way == "archive --to" else None)
        assert not any(path.stat().st_mode & 0o222 for path in [again.path, *again.path.rglob("*")])
        assert again.archived_at == str(where / "s1")
    assert archive_of(where, session.id)


def test_a_session_that_was_rolled_back_and_ended_again_is_not_called_archived(home: Path) -> None:
    with begun(home) as session:
        session.hear(LiveSegment("We grew."))
        archived = session.end(without_debrief=True)
    ledger = session.path / "ledger" / "ledger.jsonl"
    thaw(session.path)
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    with Session.open(Home.open(home), "s1") as session:
        session.append("shared/presenter-transcript.md", "We shrank.\n", by="transcript")
        assert [one.kind for one in session.verify().findings] == ["head"]
    told = greenroom(home, "end", "s1", check=False)
    assert (told.returncode, "not archived" in told.stderr) == (1, True)
    assert "Archive   none\nVerified  NO: run greenroom verify s1\n" in told.stdout
    with Session.open(Home.open(home), "s1") as session:
        assert (session.archived_at, session.is_to_be_archived) == (None, True)
        (finding,) = session.verify().findings
        assert (finding.kind, finding.expected) == ("head", f"{archived}, as it was archived")
        assert session.archive(str(home / "elsewhere")).sent > 0
        assert not session.verify().valid  # one more archive does not make it what it was
    listed = greenroom(home, "list", "--json")
    assert json.loads(listed.stdout)["sessions"][0]["archive"] == str(home / "elsewhere" / "s1")
    assert listed.stderr.endswith("s1: is not as it was archived: see `greenroom verify s1`\n")
    verified = greenroom(home, "verify", "s1", check=False)
    assert (verified.returncode, "ledger/ledger.jsonl: head" in verified.stdout) == (1, True)


def test_outside_of_a_home_nothing_is_archived_that_nobody_asked_for(home: Path, tmp_path: Path) -> None:
    with begun(home) as session:
        path = session.path
    with Session.open(None, path) as session:
        session.end()
        assert session.archived_at is None
        with pytest.raises(UsageError, match="give an address"):
            session.archive()
        assert session.archive(str(tmp_path / "a")).sent > 0
    assert not (home / "archives").exists()


@pytest.mark.own_memory  # erase opens the memory itself, which the tests' memory does not stop
def test_erase_finds_the_objects_of_an_upload_that_broke_off(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with strict_s3(faults={12: "403"}) as server:
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        with begun(home) as session:
            session.end(without_debrief=True)
            with pytest.raises(ArchiveError, match="AccessDenied"):
                session.archive("s3://bucket/prefix")
            assert session.archived_at == str(home / "archives" / "s1")
        assert server.objects
        listed = [str(home / "archives" / "s1"), "s3://bucket/prefix/s1"]
        assert greenroom_json(home, "erase", "s1", "--yes", "--archives")["removed"] == [
            *listed,
            str(home / "sessions" / "s1"),
        ]
        assert server.objects == {}
    assert list((home / "archives").iterdir()) == []


@pytest.mark.own_memory
def test_erase_does_not_say_removed_where_the_store_kept_everything(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with strict_s3(every="keep") as server:
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        with begun(home) as session:
            session.end(without_debrief=True, archive="s3://bucket/prefix")
        kept = dict(server.objects)
        refused = greenroom(home, "erase", "s1", "--yes", "--archives", check=False)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"{len(kept)}, though the store said that it was removed" in refused.stderr
        assert server.objects == kept
        assert (home / "sessions" / "s1").is_dir()
        server.every = ""
        told = greenroom_json(home, "erase", "s1", "--yes", "--archives")
        assert told["removed"] == ["s3://bucket/prefix/s1", str(home / "sessions" / "s1")]
        assert server.objects == {}


def test_of_ids_that_differ_in_case_alone_one_start_succeeds_however_close_they_come(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has looked for others before any of them has its name."""
    ids = ["Board", "board", "BOARD", "boarD"]
    all_looked = threading.Barrier(len(ids))
    made = session_folder._make

    def make_when_all_have_looked(*given: Any) -> None:
        all_looked.wait()
        made(*given)

    monkeypatch.setattr(session_folder, "_make", make_when_all_have_looked)
    came: dict[str, object] = {}

    def start(name: str) -> None:
        try:
            Session.start(Home.open(home), deck_text=DECK, id=name).close()
            came[name] = "begun"
        except SessionExistsError as error:
            came[name] = str(error)

    threads = [threading.Thread(target=start, args=(name,)) for name in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (there,) = Home.open(home).session_ids()
    assert came.pop(there) == "begun"
    said = f"a session with the id {there} is already there: choose another id"
    assert came == {name: f"{name}: {said}" for name in ids if name != there}
    assert [path.name for path in (home / "sessions").iterdir()] == [there]
    with pytest.raises(SessionExistsError):
        starting._refuse_twins(Home.open(home), there.swapcase())
