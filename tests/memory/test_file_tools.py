"""What an agent may list and read: shared/, facts/ and its own folder, and nothing by any other name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.core.archive.freeze import freeze
from orchestrator.core.errors import StoreError, UsageError
from orchestrator.core.store.store import Store
from orchestrator.memory.facts import FactLog
from orchestrator.memory.tools import MAX_READ_CHARS, Desk, OutOfReachError, call, list_files, read_file
from orchestrator.panel.model.reply import FactDraft
from orchestrator.panel.records.memory import BEGAN, FactRun, FactsKept
from tests.helpers.sessions import TRANSCRIPT, Sample, rehearse, start

SHARED = {
    "shared/board-dossier.md",
    "shared/deck-content.md",
    "shared/exchange-history.md",
    "shared/external-intel.md",
    "shared/presenter-transcript.md",
    "shared/session-config.md",
}
OWN = ("candidate-question.md", "exchange-notes.md", "focus-brief.md", "presenter-profile.md")
SECRET = "what no agent may read"


def keep_a_fact(store: Store) -> None:
    """What a run of the summariser leaves in the ledger."""
    log = FactLog()
    for entry in store.entries():
        log.take(store.record(entry.seq))
    passage = next(iter(log.waiting.values()))
    fact = FactDraft("decision", "Revenue grew.", "high", passage.seq, passage.text)
    store.note(FactRun(BEGAN, 1, 1, store.seq), by="summariser")
    store.note(FactsKept(1, store.seq - 1, (fact,), 0, 0), by="summariser")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[tuple[Sample, Store]]:
    sample, store = start(tmp_path)
    rehearse(store, 3)
    keep_a_fact(store)
    for name in ("trace", "facts", "facts/sub"):
        (sample.root / name).mkdir(exist_ok=True)
    for name in ("index.json", ".index.json", "index.json.tmp", "sub/index.json"):
        (sample.root / "facts" / name).write_text(SECRET)
    (sample.root / "trace" / "session.json").write_text("{}")
    (sample.root / "secret.md").write_text(SECRET)
    (tmp_path / "outside.md").write_text(SECRET)
    (sample.root / "shared" / "stray.md").write_text(SECRET)
    yield sample, store
    store.close()


def paths(store: Store, agent: str, prefix: str = "") -> set[str]:
    return {one.path for one in list_files(store, agent, prefix).files}


def test_an_agent_sees_what_is_shared_the_facts_and_its_own_folder(session: tuple[Sample, Store]) -> None:
    _, store = session
    facts = {"facts/index.json", f"facts/{store.opened.at[:10]}.json"}
    given = SHARED - {"shared/board-dossier.md"}  # no panelist's context has it
    assert paths(store, "skeptic") == given | facts | {f"skeptic/{name}" for name in OWN}
    moderator = {"debrief-notes.md", "session-state.md"}
    assert paths(store, "moderator") == SHARED | facts | {f"moderator/{name}" for name in moderator}


def test_after_the_end_the_others_folders_too_and_never_ledger_or_trace(
    session: tuple[Sample, Store],
) -> None:
    sample, store = session
    (sample.root / "secret.md").unlink()
    (sample.root / "shared" / "stray.md").unlink()
    assert not [path for path in paths(store, "skeptic") if path.startswith(("analyst/", "moderator/"))]
    freeze(store, sample.home_templates)
    seen = paths(store, "skeptic")
    assert {f"analyst/{name}" for name in OWN} <= seen
    assert "moderator/session-state.md" in seen
    assert read_file(store, "skeptic", "analyst/focus-brief.md").text == "Growth.\n"
    assert not [path for path in seen if path.startswith(("ledger", "trace", "templates", "source"))]
    for path in ("ledger/ledger.jsonl", "trace/session.json", "templates/skeptic/persona.md"):
        with pytest.raises(OutOfReachError, match="is no agent's to read"):
            read_file(store, "skeptic", path)


def test_a_listing_says_size_and_class_and_can_be_narrowed(session: tuple[Sample, Store]) -> None:
    _, store = session
    (deck,) = list_files(store, "skeptic", "shared/deck").files
    assert (deck.path, deck.size_bytes, deck.mutability) == ("shared/deck-content.md", 29, "write-once")
    assert {one.mutability for one in list_files(store, "skeptic", "facts/").files} == {"derived"}


@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("analyst/", "analyst/ is private while the session goes on"),
        ("ledger/", "ledger/ is no agent's to read"),
        ("trace", "trace/ is no agent's to read"),
        ("nothing", "no file here begins with 'nothing'"),
    ],
)
def test_an_empty_listing_says_why(session: tuple[Sample, Store], prefix: str, reason: str) -> None:
    found = list_files(session[1], "skeptic", prefix)
    assert found.files == ()
    assert (found.reason or "").startswith(reason)


def test_who_has_no_seat_reads_nothing(session: tuple[Sample, Store]) -> None:
    for attempt in (list_files, lambda store, agent: read_file(store, agent, "shared/deck-content.md")):
        with pytest.raises(UsageError, match="has no seat"):
            attempt(session[1], "regulator")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("analyst/focus-brief.md", "analyst/ is private while the session goes on"),
        ("moderator/session-state.md", "moderator/ is private while the session goes on"),
        ("shared/deck_content.md", "did you mean shared/deck-content.md?"),
        ("deck", "file_list shows what you may read"),
        ("facts/2000-01-01.json", "there is no file 'facts/2000-01-01.json'"),
    ],
)
def test_what_is_refused_says_what_to_do(session: tuple[Sample, Store], path: str, message: str) -> None:
    with pytest.raises(OutOfReachError) as refused:
        read_file(session[1], "skeptic", path)
    assert message in str(refused.value)


HOSTILE = [
    "..",
    "../outside.md",
    "../../outside.md",
    "shared/../secret.md",
    "shared/../../../outside.md",
    "shared/../analyst/focus-brief.md",
    "skeptic/../ledger/ledger.jsonl",
    "facts/../secret.md",
    "facts/../trace/session.json",
    "/etc/passwd",
    "//etc/passwd",
    "~/.ssh/id_rsa",
    "C:\\secret.md",
    "..\\outside.md",
    "%2e%2e%2foutside.md",
    "%252e%252e/outside.md",
    "shared%2fdeck-content.md",
    "．．/outside.md",
    "shared／deck-content.md",
    "shared/deck-content.md\0",
    "shared/deck-content.md\n",
    "\nshared/deck-content.md",
    "shared/deck-content.md ",
    " shared/deck-content.md",
    "shared//deck-content.md",
    "./shared/deck-content.md",
    "shared/./deck-content.md",
    "shared/deck-content.md/",
    "shared/deck-content.md/..",
    "Shared/Deck-Content.md",
    "SHARED/DECK-CONTENT.MD",
    "shared",
    "shared/",
    ".",
    "",
    "secret.md",
    "shared/stray.md",
    "ledger/ledger.jsonl",
    "ledger/templates/skeptic/persona.md",
    "trace/session.json",
    "facts/.index.json",
    "facts/sub/index.json",
    "facts/index.json.tmp",
    "file:///etc/passwd",
    "shared/deck-content.md\u202e",
    "shared/deck\u200b-content.md",
    "-rf",
    "{{7*7}}",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_name_that_is_not_exactly_a_files_reads_nothing(session: tuple[Sample, Store], path: str) -> None:
    outcome = call(Desk("skeptic", None, session[1]), "file_read", {"path": path})
    assert outcome.is_error
    assert outcome.value["error"] in ("out-of-reach", "no-such-file")
    assert SECRET not in outcome.text
    assert "root:" not in outcome.text


@pytest.mark.parametrize("prefix", [path for path in HOSTILE if ".." in path or path.startswith(("/", "~"))])
def test_a_prefix_that_leads_outside_is_refused(session: tuple[Sample, Store], prefix: str) -> None:
    outcome = call(Desk("skeptic", None, session[1]), "file_list", {"prefix": prefix})
    assert outcome.is_error or outcome.value["files"] == []


NAMES = "shared facts skeptic analyst ledger trace deck-content.md index.json ledger.jsonl focus-brief.md"
PIECES = st.sampled_from([*NAMES.split(), "secret.md", "..", ".", "/", "\\", "%2e", "~", "\0", "\n", ""])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(path=st.lists(PIECES, max_size=7).map("".join) | st.text(max_size=40))
def test_no_path_whatever_reads_what_is_not_listed(session: tuple[Sample, Store], path: str) -> None:
    _, store = session
    allowed = paths(store, "skeptic")
    outcome = call(Desk("skeptic", None, store), "file_read", {"path": path})
    assert outcome.is_error == (path not in allowed)
    assert SECRET not in outcome.text
    assert "\n" not in str(outcome.value.get("message", ""))


def test_a_link_in_place_of_a_session_file_is_not_followed(
    session: tuple[Sample, Store], tmp_path: Path
) -> None:
    sample, store = session
    for path in ("shared/deck-content.md", TRANSCRIPT):
        before = read_file(store, "skeptic", path).text
        (sample.root / path).unlink()
        (sample.root / path).symlink_to(tmp_path / "outside.md")
        assert read_file(store, "skeptic", path).text == before


@pytest.mark.parametrize("kind", ["symlink", "hard link", "FIFO", "folder", "no text", "folder link"])
def test_facts_are_the_ledgers_whatever_stands_in_their_place(
    session: tuple[Sample, Store], tmp_path: Path, kind: str
) -> None:
    sample, store = session
    listed = paths(store, "skeptic")
    fact = sample.root / "facts" / "index.json"
    fact.unlink()
    if kind == "symlink":
        fact.symlink_to(tmp_path / "outside.md")
    elif kind == "hard link":
        os.link(tmp_path / "outside.md", fact)
    elif kind == "FIFO":
        os.mkfifo(fact)
    elif kind == "folder":
        fact.mkdir()
    elif kind == "no text":
        fact.write_bytes(b"\xff\xfe")
    else:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "index.json").write_text(SECRET)
        os.rename(sample.root / "facts", tmp_path / "old")
        (sample.root / "facts").symlink_to(tmp_path / "elsewhere")
    assert "Revenue grew." in read_file(store, "skeptic", "facts/index.json").text
    assert paths(store, "skeptic") == listed


def test_there_are_no_facts_before_a_run_has_ended(tmp_path: Path) -> None:
    _, store = start(tmp_path)
    rehearse(store, 3)
    assert list_files(store, "skeptic", "facts/").files == ()
    with pytest.raises(OutOfReachError, match="there is no file"):
        read_file(store, "skeptic", "facts/index.json")
    store.close()


def test_a_long_file_comes_in_parts_that_are_the_whole(session: tuple[Sample, Store]) -> None:
    _, store = session
    for number in range(100):
        store.append(TRANSCRIPT, f"[{number}] Ünïcode {'x' * 1000}\n", by="transcript")
    whole, parts, offset = store.content(TRANSCRIPT), [], 0
    while True:
        part = read_file(store, "skeptic", TRANSCRIPT, offset)
        assert len(part.text) <= MAX_READ_CHARS
        assert (part.offset, part.total_chars) == (offset, len(whole))
        parts.append(part.text)
        if part.next_offset is None:
            break
        offset = part.next_offset
    assert len(parts) == 3
    assert "".join(parts) == whole
    with pytest.raises(
        StoreError, match=r"has 1\d\d,\d\d\d characters, so nothing is at 999,999: read from 0"
    ):
        read_file(store, "skeptic", TRANSCRIPT, 999_999)


def test_reading_changes_nothing(session: tuple[Sample, Store]) -> None:
    sample, store = session
    ledger = (sample.root / "ledger" / "ledger.jsonl").read_bytes()
    for path in paths(store, "skeptic"):
        read_file(store, "skeptic", path)
    assert (sample.root / "ledger" / "ledger.jsonl").read_bytes() == ledger


def test_a_panelist_reads_of_the_shared_files_what_its_context_may_hold(
    session: tuple[Sample, Store],
) -> None:
    sample, store = session
    dossier = "shared/board-dossier.md"
    assert read_file(store, "moderator", dossier).path == dossier
    outcome = call(Desk("skeptic", None, store), "file_read", {"path": dossier})
    assert outcome.value["error"] == "out-of-reach"
    assert "is not given to skeptic while the session goes on" in outcome.value["message"]
    (sample.root / "secret.md").unlink()
    (sample.root / "shared" / "stray.md").unlink()
    freeze(store, sample.home_templates)
    assert read_file(store, "skeptic", dossier).path == dossier


def test_a_file_that_is_not_there_has_a_code_of_its_own(session: tuple[Sample, Store]) -> None:
    outcome = call(Desk("skeptic", None, session[1]), "file_read", {"path": "shared/deck.md"})
    assert outcome.value["error"] == "no-such-file"
    assert "did you mean shared/deck-content.md?" in outcome.value["message"]
