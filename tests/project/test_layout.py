"""The table of session files is that of the design, and only good names get in."""

from __future__ import annotations

import pytest

from orchestrator.core.errors import ImmutableFileError, UnknownFileError, UsageError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.table import (
    AGENT,
    AGENT_NAME,
    MODERATOR,
    Mutability,
    SeatedTable,
    check_agent_name,
    check_session_id,
)

KIB, MIB = 1024, 1024 * 1024

# DESIGN.md, section 3: the rows 3 to 11, and those outside the eleven.
# path, class, writers, largest size, revisions, whether a blueprint is put in place first
TABLE = [
    ("shared/session-config.md", "write-once", ("start",), 256 * KIB, 1, True),
    ("shared/deck-content.md", "write-once", ("start",), 16 * MIB, 1, False),
    ("shared/external-intel.md", "write-few", ("start", "intel"), 4 * MIB, 5, False),
    ("shared/board-dossier.md", "write-once", ("start",), 4 * MIB, 1, False),
    ("shared/presenter-transcript.md", "append-only", ("transcript",), 64 * MIB, 1, True),
    ("shared/exchange-history.md", "append-only", ("moderator",), 64 * MIB, 1, True),
    ("moderator/generated-phrases.md", "append-only", ("moderator",), 4 * MIB, 1, False),
    ("moderator/debrief-notes.md", "append-only", ("moderator",), 16 * MIB, 1, True),
    ("moderator/session-state.md", "overwrite", ("moderator",), 1 * MIB, 1, True),
    ("skeptic/focus-brief.md", "write-once", ("skeptic",), 1 * MIB, 1, True),
    ("skeptic/exchange-notes.md", "append-only", ("skeptic",), 16 * MIB, 1, True),
    ("skeptic/presenter-profile.md", "append-only", ("skeptic",), 16 * MIB, 1, True),
    ("skeptic/candidate-question.md", "overwrite", ("skeptic",), 1 * MIB, 1, True),
    ("regulator-2/focus-brief.md", "write-once", ("regulator-2",), 1 * MIB, 1, True),
    ("regulator-2/exchange-notes.md", "append-only", ("regulator-2",), 16 * MIB, 1, True),
    ("regulator-2/presenter-profile.md", "append-only", ("regulator-2",), 16 * MIB, 1, True),
    ("regulator-2/candidate-question.md", "overwrite", ("regulator-2",), 1 * MIB, 1, True),
]

# The list of trust.md, "Bad inputs": names.
BAD_NAMES = [
    "../x",
    "..",
    ".",
    "a/b",
    "skeptic\0",
    "skeptic\n",
    "\nskeptic",
    "",
    " ",
    "a" * 65,
    "-rf",
    "%2e%2e%2f",
    "．．",  # full-width dots
    "．．／x",
    "/etc/passwd",
    "~",
    "skeptic ",
    "ſkeptic",  # an upper-case letter's lower-case twin that is no ASCII
    "skeptic\u200b",
    "skeptic\u202e",
    "C:\\x",
]


@pytest.fixture
def layout() -> SeatedTable:
    return packaged_table().seated(["skeptic", "regulator-2"])


def test_the_table_is_that_of_the_design(layout: SeatedTable) -> None:
    assert [
        (row.path, row.mutability.value, row.writers, row.max_bytes, row.max_revisions, row.has_blueprint)
        for row in layout.files.values()
    ] == TABLE
    assert list(layout.files) == [row.path for row in layout.files.values()]


def test_the_classes_are_those_of_the_design() -> None:
    assert [kind.value for kind in Mutability] == [
        "immutable",
        "write-once",
        "write-few",
        "append-only",
        "overwrite",
    ]


def test_the_templates_of_a_session(layout: SeatedTable) -> None:
    assert layout.templates == (
        "templates/moderator/persona.md",
        "templates/moderator/orchestration.md",
        "templates/moderator/phrase-library.md",
        "templates/skeptic/persona.md",
        "templates/skeptic/domain-knowledge.md",
        "templates/regulator-2/persona.md",
        "templates/regulator-2/domain-knowledge.md",
    )
    assert layout.agents == ("moderator", "skeptic", "regulator-2")


def test_a_panelist_reads_the_eleven_files_in_the_order_of_the_design(layout: SeatedTable) -> None:
    assert layout.order("regulator-2") == (
        "templates/regulator-2/persona.md",
        "templates/regulator-2/domain-knowledge.md",
        "shared/session-config.md",
        "shared/deck-content.md",
        "shared/external-intel.md",
        "shared/presenter-transcript.md",
        "shared/exchange-history.md",
        "regulator-2/focus-brief.md",
        "regulator-2/exchange-notes.md",
        "regulator-2/presenter-profile.md",
        "regulator-2/candidate-question.md",
    )


def test_the_moderator_reads_its_own_files_in_the_same_places(layout: SeatedTable) -> None:
    assert layout.order(MODERATOR) == (
        "templates/moderator/persona.md",
        "templates/moderator/orchestration.md",
        "templates/moderator/phrase-library.md",
        "shared/session-config.md",
        "shared/deck-content.md",
        "shared/external-intel.md",
        "shared/board-dossier.md",
        "shared/presenter-transcript.md",
        "shared/exchange-history.md",
        "moderator/generated-phrases.md",
        "moderator/debrief-notes.md",
        "moderator/session-state.md",
    )


def test_every_file_that_is_read_has_a_row_or_is_a_template(layout: SeatedTable) -> None:
    for agent in layout.agents:
        assert [p for p in layout.order(agent) if p not in layout.files and p not in layout.templates] == []


def test_nobody_reads_another_agents_folder(layout: SeatedTable) -> None:
    for agent in layout.agents:
        own = (f"templates/{agent}/", "shared/", f"{agent}/")
        assert [path for path in layout.order(agent) if not path.startswith(own)] == []


@pytest.mark.parametrize("name", [*BAD_NAMES, "Skeptic", "SKEPTIC", "2nd", "a_b", "a.b", "a" * 33])
def test_a_bad_agent_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no agent name") as caught:
        check_agent_name(name)
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError):
        packaged_table().seated(["skeptic", name])


@pytest.mark.parametrize("name", ["a", "skeptic", "regulator-2", "a" * 32, "x-", "moderator"])
def test_a_good_agent_name_is_taken(name: str) -> None:
    assert check_agent_name(name) == name
    assert AGENT_NAME.fullmatch(name)


def test_no_agent_can_pass_for_a_writer_or_a_folder_of_its_own() -> None:
    taken = {writer for row in packaged_table().files.values() for writer in row.writers} - {MODERATOR, AGENT}
    folders = {"shared", "facts", "trace", "source", "ledger", "templates", "panelist", "summariser"}
    for name in taken | folders:
        with pytest.raises(UsageError, match="is reserved"):
            check_agent_name(name)


@pytest.mark.parametrize("name", [*BAD_NAMES, "_x", "a b", "a.b", "é", "last", "LAST", "Last"])
def test_a_bad_session_id_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_session_id(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a", "A", "7", "2026-11-22_rehearsal", "a" * 64, "lasting", "a-"])
def test_a_good_session_id_is_taken(name: str) -> None:
    assert check_session_id(name) == name


BAD_PATHS = [
    *BAD_NAMES,
    *(f"shared/{name}" for name in BAD_NAMES),
    *(f"{name}/candidate-question.md" for name in BAD_NAMES),
    "shared/session-config.md\n",
    "shared/session-config.md ",
    "shared/session-config.md\0",
    "./shared/session-config.md",
    "shared//session-config.md",
    "shared/../shared/session-config.md",
    "/shared/session-config.md",
    "Shared/session-config.md",
    "shared/Session-Config.md",
    "shared\\session-config.md",
    "shared",
    "contrarian/candidate-question.md",  # an agent without a seat
    "<agent>/candidate-question.md",
    "moderator/candidate-question.md",
    "ledger/ledger.jsonl",
    "ledger/degraded",
    "trace/session.json",
    "facts/index.json",
    "debrief.md",
]


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_outside_the_table_is_unknown(layout: SeatedTable, path: str) -> None:
    with pytest.raises(UnknownFileError) as caught:
        layout.file(path)
    assert caught.type is UnknownFileError
    assert repr(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "templates/skeptic/persona.md",
        "templates/moderator/orchestration.md",
        "templates/nobody/persona.md",
        "templates/",
        "templates/../shared/session-config.md",
        "templates/x\ny",
    ],
)
def test_whatever_lies_under_templates_is_immutable(layout: SeatedTable, path: str) -> None:
    with pytest.raises(ImmutableFileError, match="is immutable") as caught:
        layout.file(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        ([], "2 to 5 panelists"),
        (["a"], "not 1"),
        (["a", "b", "c", "d", "e", "f"], "not 6"),
        (["a", "a"], "named twice"),
        (["a", "moderator"], "is always there"),
        (["a", "shared"], "reserved"),
    ],
)
def test_an_unusable_panel_is_refused(panel: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        packaged_table().seated(panel)


def test_two_to_five_panelists_sit_in_the_order_given() -> None:
    for count in range(2, 6):
        panel = tuple(f"p{number}" for number in range(count, 0, -1))
        layout = packaged_table().seated(iter(panel))
        assert layout.panel == panel
        assert len(layout.files) == 9 + 4 * count


@pytest.mark.parametrize("agent", ["contrarian", "", "shared", "<agent>", "Skeptic"])
def test_who_has_no_seat_is_given_nothing(layout: SeatedTable, agent: str) -> None:
    with pytest.raises(UsageError, match="has no seat in this session: its agents are moderator, skeptic"):
        layout.order(agent)
