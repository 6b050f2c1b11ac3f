"""A cluster of real processes: what becomes of sessions when workers die, freeze or are wrong."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from functools import partial

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.custody import AWAY
from orchestrator.cluster.log import Log, stream_of, subject_of
from orchestrator.cluster.owners import Owner
from orchestrator.core.verify import verify_session
from tests.helpers.clusters import Cluster, cluster, patiently, wait

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three workers and a front at one server."""
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def begin(running: Cluster) -> str:
    answer = patiently(running.client, "POST", "/api/v1/sessions", json={"sample": True})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["session"])


def owner_of(running: Cluster, session: str) -> str:
    found = running.client.get(f"/api/v1/sessions/{session}")
    assert found.status_code == 200, found.text
    owner = running.owner(session)
    assert owner is not None
    return owner


def say(running: Cluster, session: str, word: str, at_s: float) -> None:
    piece = {"text": word, "start_s": at_s, "end_s": at_s + 0.5}
    answer = patiently(running.client, "POST", f"/api/v1/sessions/{session}/segments", json=piece)
    assert answer.status_code == 200, answer.text


def transcript(running: Cluster, session: str) -> str:
    answer = running.client.get(f"/api/v1/sessions/{session}/files/shared/presenter-transcript.md")
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_the_sessions_of_a_worker_that_is_gone_go_on_elsewhere(running: Cluster, how: signal.Signals) -> None:
    session = begin(running)
    for number in range(5):
        say(running, session, f"before-{number}", float(number))
    first = owner_of(running, session)
    running.kill(first, how)
    began = time.monotonic()
    say(running, session, "after", 10.0)
    assert time.monotonic() - began < 15
    text = transcript(running, session)
    assert [text.count(f"before-{number}") for number in range(5)] == [1] * 5
    assert text.count("after") == 1
    if how is signal.SIGSTOP:  # it wakes, and is refused
        running.kill(first, signal.SIGCONT)
    else:
        running.start_worker(first)
        running.await_up(first)
        # No command in its home takes the old folder for the session.
        wait((running.home(first) / AWAY / session).is_dir)
        listed = running.command("list", "--json", home=first)
        assert session not in listed.stdout, listed.stdout
    say(running, session, "later", 20.0)
    assert transcript(running, session).count("later") == 1
    ended = patiently(running.client, "POST", f"/api/v1/sessions/{session}/end", json={})
    assert ended.status_code == 200, ended.text
    assert verify_session(running.archives / session / "data" / session).findings == ()


def test_an_ended_session_leaves_the_log_once_its_archive_was_read_back(running: Cluster) -> None:
    session = begin(running)
    say(running, session, "word", 1.0)
    assert patiently(running.client, "POST", f"/api/v1/sessions/{session}/end", json={}).status_code == 200
    reached = Connection.open(running.servers.cluster, "look")
    try:
        assert Log(reached, "look").is_there(session)
        wait(lambda: not Log(reached, "look").is_there(session), 60)
    finally:
        reached.close()
    assert running.client.get(f"/api/v1/sessions/{session}").json()["state"] == "ended"


def test_while_no_archive_can_be_made_the_session_stays_and_status_says_so(running: Cluster) -> None:
    session = begin(running)
    aside = running.archives.with_name("archives-away")
    running.archives.rename(aside)
    running.archives.write_text("no folder")
    try:
        ended = patiently(running.client, "POST", f"/api/v1/sessions/{session}/end", json={})
        assert ended.status_code == 502, ended.text
        wait(lambda: "not archived yet" in running.command("cluster", "status").stdout, 60)
    finally:
        running.archives.unlink()
        aside.rename(running.archives)
    wait((running.archives / session).is_dir, 40)


def test_a_session_whose_worker_dies_between_its_end_and_its_archive_is_archived_by_another(
    running: Cluster,
) -> None:
    session = begin(running)
    say(running, session, "word", 1.0)
    first = owner_of(running, session)
    aside = running.archives.with_name("archives-away")
    running.archives.rename(aside)
    running.archives.write_text("no folder")
    try:
        ended = patiently(running.client, "POST", f"/api/v1/sessions/{session}/end", json={})
        assert ended.status_code == 502, ended.text
        running.kill(first)
    finally:
        running.archives.unlink()
        aside.rename(running.archives)
    wait((running.archives / session / "data" / session).is_dir, 60)
    running.start_worker(first)
    running.await_up(first)
    assert verify_session(running.archives / session / "data" / session).findings == ()


def test_a_log_that_lost_its_tail_is_told_and_put_back_by_one_command(running: Cluster) -> None:
    """Until then nothing is written over the gap, and reading goes on; afterwards nothing is missing."""
    session = begin(running)
    for number in range(4):
        say(running, session, f"word-{number}", float(number))
    lose_tail(running, session, 3)
    piece = {"text": "over the gap", "start_s": 9.0, "end_s": 9.5}
    path = f"/api/v1/sessions/{session}/segments"

    def refused() -> bool:
        answer = running.client.post(path, json=piece)
        assert answer.status_code == 503, answer.text
        return f"greenroom cluster put-back {session}" in answer.json()["detail"]

    wait(refused, 30)
    assert [word in transcript(running, session) for word in ("word-3", "over the gap")] == [True, False]
    wait(lambda: session in running.command("cluster", "status").stdout, 30)
    done = running.command("cluster", "put-back", session, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] > 0
    say(running, session, "after", 12.0)
    running.kill(owner_of(running, session))
    say(running, session, "elsewhere", 15.0)
    text = transcript(running, session)
    assert [text.count(one) for one in ("word-0", "word-3", "after", "elsewhere")] == [1] * 4
    for name in "abc":
        if running.processes[name].poll() is not None:
            running.start_worker(name)
            running.await_up(name)


def test_what_no_worker_has_a_folder_of_cannot_be_put_back(running: Cluster) -> None:
    done = running.command("cluster", "put-back", "nobody", "--yes")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "greenroom: nobody: no worker that is there has a folder of it\n"
    named = running.command("cluster", "put-back", "no/id", "--yes")
    assert named.returncode != 0
    assert "nothing was put back" in named.stderr
    assert named.stderr.count("'no/id' is no session id") == 3  # what each of the three workers said


def lose_tail(running: Cluster, session: str, messages: int) -> None:
    """Remove the last messages of a log, as damaged files of two servers do."""
    reached = Connection.open(running.servers.cluster, "damage")
    js = reached.js

    async def cut() -> None:
        sub = await js.subscribe(subject_of(session), ordered_consumer=True)
        kept = []
        while True:
            message = await sub.next_msg(2)
            kept.append((message.data, dict(message.headers or {})))
            if not message.metadata.num_pending:
                break
        await sub.unsubscribe()
        await js.purge_stream(stream_of(session), subject=subject_of(session))
        for data, headers in kept[:-messages]:
            own = {key: value for key, value in headers.items() if key.startswith("Greenroom-")}
            await js.publish(subject_of(session), data, headers=own)

    try:
        reached.run(cut(), timeout_s=20)
    finally:
        reached.close()


def test_a_session_that_ends_its_worker_again_and_again_is_set_aside(running: Cluster) -> None:
    """After the third death in a row; `status` says so, and its folder and log stay."""
    for name in "de":
        running.start_worker(name)
    running.await_up(*"de")
    session = begin(running)
    say(running, session, "poison", 1.0)
    for _ in range(3):
        entry = entry_of(running, session)
        running.kill(entry.worker)
        wait(partial(has_moved, running, session, entry), 30)
    assert entry_of(running, session).state == "aside"
    assert session in running.command("cluster", "status").stdout
    reached = Connection.open(running.servers.cluster, "look")
    try:
        assert Log(reached, "look").is_there(session)
    finally:
        reached.close()
    for name in "abc":
        if running.processes[name].poll() is not None:
            running.start_worker(name)
    running.await_up(*"abc")


def has_moved(running: Cluster, session: str, before: Owner) -> bool:
    """Whether another worker has the session than before, or it is set aside."""
    now = entry_of(running, session)
    return now.worker != before.worker or now.state == "aside"


def entry_of(running: Cluster, session: str) -> Owner:
    """What the bucket of owners says of a session."""
    reached = Connection.open(running.servers.cluster, "look")
    try:

        async def got() -> bytes:
            return (await (await reached.js.key_value("g_owner")).get(session)).value or b""

        found = Owner.of(reached.run(got()))
        assert found is not None
        return found
    finally:
        reached.close()


def test_an_erased_session_is_gone_from_every_worker(running: Cluster) -> None:
    """Also from the disk of one that had it before."""
    session = begin(running)
    say(running, session, "secret", 1.0)
    first = owner_of(running, session)
    running.kill(first)
    say(running, session, "more", 5.0)
    running.start_worker(first)
    running.await_up(first)
    answer = patiently(running.client, "DELETE", f"/api/v1/sessions/{session}")
    assert answer.status_code == 200, answer.text
    wait(lambda: not list(running.folder.glob(f"homes/*/*/{session}*")), 40)
    assert running.client.get(f"/api/v1/sessions/{session}").status_code == 404


def test_a_drop_at_one_worker_is_begun_with_at_another(running: Cluster) -> None:
    sent = running.client.post(
        "/api/v1/decks", files={"deck": ("plan.md", b"# Plan\n\nWe grew 40 %.\n\n# Costs\n\nThey fell.\n")}
    )
    assert sent.status_code == 201, sent.text
    began = [
        patiently(running.client, "POST", "/api/v1/sessions", json={"deck": sent.json()["deck"]})
        for _ in range(16)  # of three workers, each is picked with one chance in three
    ]
    assert [one.status_code for one in began] == [201] * 16, began[-1].text
    homes = {running.owner(one.json()["session"]) for one in began}
    assert len(homes) > 1


def test_a_worker_with_wrong_credentials_is_refused_in_one_line(running: Cluster) -> None:
    running.start_worker("wrong", GREENROOM_CLUSTER_TOKEN="not-it")
    assert running.processes["wrong"].wait(30) != 0
    told = running.told("wrong")
    assert "Traceback" not in told
    assert "not-it" not in told
    assert len(told.strip().splitlines()) == 1, told
