"""Whatever file is given as a deck: it is read or refused in one line, soon, and leaves nothing behind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pptx import Presentation

from orchestrator.core.errors import DeckError
from orchestrator.documents.check import Asked, check
from orchestrator.documents.preparation import dossier_of
from orchestrator.material.deck.limits import (
    DEFAULT_LIMITS,
    MIB,
    SHORTER,
    DeckLimits,
)
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.values import Slide
from orchestrator.panel.engines.offline.engine import OfflineEngine
from tests.helpers.deck_files import SLIDE, changed, pdf, saved
from tests.helpers.long_decks import finance_deck, plain_deck

ROOT = Path(__file__).resolve().parents[2]
HARMLESS = "save it again, or export it as PDF"


@pytest.fixture
def deck() -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text_frame.text = "Title", "Text"
    return saved(presentation)


MAX_CPU_S = 60
"""Of the processor alone, so that a busy machine fails nothing; what is quadratic takes hours.
`scripts/bench` says how long each takes."""
UNHURRIED = replace(DEFAULT_LIMITS, wall_s=600.0, cpu_s=120)
"""The bounds but for those of time, which a busy machine meets first."""


def refusal(path: Path, content: bytes | None = None, limits: DeckLimits = UNHURRIED) -> str:
    """Why the deck is refused, without the path that the message begins with; the folder stays as it was."""
    if content is not None:
        path.write_bytes(content)
    before = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    with pytest.raises(DeckError) as refused:
        read_deck(path, limits)
    message = str(refused.value)
    assert message.startswith(f"{path} ")
    assert message.isprintable()
    assert before == (sorted(path.parent.iterdir()) if path.parent.is_dir() else [])
    return message.removeprefix(f"{path} ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("deck.pptx", b"", "is empty; give a .pptx, .pdf or .md file"),
        (
            "deck.pptx",
            b"\x7fELF\2\1\1" + b"\0" * 99,
            "is a program (ELF), not a deck; give a .pptx, .pdf or .md file",
        ),
        ("deck.md", b"MZ\x90\0", "is a program (Windows), not a deck; give a .pptx, .pdf or .md file"),
        (
            "deck.pptx",
            b"# Text",
            "is not a PowerPoint file, whatever its name says; save the presentation again",
        ),
        ("deck.pdf", b"# Text", "is not a PDF, whatever its name says; export it again"),
        ("deck.docx", b"# Text", "is neither PowerPoint, PDF nor Markdown; give a .pptx, .pdf or .md file"),
        ("deck.pdf", b"\x89PNG\r\n\x1a\n", "is a picture (PNG), not a deck; give a .pptx, .pdf or .md file"),
        ("deck.md", b"<!DOCTYPE html><p>", "is a web page, not a deck; give a .pptx, .pdf or .md file"),
        ("deck.pptx", b"PK\x03\x04 and no more", "is a broken zip file; save the presentation again"),
    ],
)
def test_the_content_and_not_the_name_says_what_a_file_is(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    assert refusal(tmp_path / name, content) == message


def test_a_deck_under_a_wrong_name_is_read(tmp_path: Path, deck: bytes) -> None:
    (tmp_path / "deck.md").write_bytes(deck)
    (tmp_path / "deck").write_text("# Title")
    assert read_deck(tmp_path / "deck.md").slides == (Slide(1, "Title", ("Text",)),)
    assert read_deck(tmp_path / "deck").slides == (Slide(1, "Title"),)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pptx")
    (tmp_path / "folder.pptx").mkdir()
    (tmp_path / "loop.pptx").symlink_to("loop.pptx")
    assert refusal(tmp_path / "none.pptx") == "does not exist; check the path"
    assert refusal(tmp_path / "pipe.pptx").startswith("is a pipe or device, not a file")
    assert refusal(tmp_path / "folder.pptx").startswith("is a folder")
    assert refusal(Path("/dev/zero")).startswith("is a pipe or device, not a file")
    assert refusal(tmp_path / "loop.pptx").startswith("cannot be opened")
    assert refusal(tmp_path / ("x" * 300)).startswith("cannot be opened")


def test_a_name_with_a_line_break_stays_on_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeckError) as refused:
        read_deck(tmp_path / "a\nb\x1b[31m.pptx")
    assert str(refused.value) == f"{tmp_path}/a�b�[31m.pptx does not exist; check the path"
    path = tmp_path / "a\nb.md"
    path.write_text("# Title")
    assert read_deck(path).name == "a b.md"


def in_slide(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda content: changed(content, {SLIDE: lambda xml: xml.replace(old, new, 1)})


def with_part(name: str, content: bytes = b"<a/>") -> Callable[[bytes], bytes]:
    return lambda deck: changed(deck, more={name: content})


def doubled(deck: bytes) -> bytes:
    out = io.BytesIO(deck)
    with zipfile.ZipFile(out, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr(SLIDE, b"<a/>")
    return out.getvalue()


def with_members(deck: bytes) -> bytes:
    return changed(deck, more={f"x/{number}": b"" for number in range(10_001)})


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)
REFUSED_PART = (
    f"is refused: its part {SLIDE} declares a document type, as no presentation does; "
    "save it anew with the program that made it"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_part("../evil.xml"), "holds a file that leads out of it ('../evil.xml')"),
        (with_part("ppt\\..\\..\\evil.png"), "holds a file that leads out of it"),
        (doubled, f"holds two parts of the name '{SLIDE}'"),
        (with_members, re.compile(r"holds 10,0\d\d files; at most 10,000 are read")),
        (in_slide(b"<p:sld", ENTITIES + b"]><p:sld"), REFUSED_PART),
        (in_slide(b"<p:sld", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><p:sld'), REFUSED_PART),
        (in_slide(b"<p:cSld>", b" " * (201 * MIB) + b"<p:cSld>"), "unpacks to 201 MiB of XML"),
        (
            in_slide(b"</p:spTree>", b"<p:sp/>" * 8_000_000),
            f"needs more than 250 MiB of memory to read; {HARMLESS}",
        ),
        (in_slide(b"</p:spTree>", b"<p:sp>"), f"is damaged: its part {SLIDE} is not XML"),
        (in_slide(b"'UTF-8'", b"'UTF-7'"), f"is damaged: its part {SLIDE} is not XML"),
        (lambda deck: deck[: len(deck) // 2], "is a broken zip file; save the presentation again"),
    ],
    ids=(
        "leads out",
        "leads out, by backslashes",
        "two parts of one name",
        "many members",
        "entities",
        "external entity",
        "much to unpack",
        "much to hold",
        "not well-formed",
        "UTF-7",
        "cut off",
    ),
)
def test_presentations_made_to_do_harm(
    tmp_path: Path, deck: bytes, change: Callable[[bytes], bytes], message: str | re.Pattern[str]
) -> None:
    refused = refusal(tmp_path / "deck.pptx", change(deck))
    assert message.match(refused) if isinstance(message, re.Pattern) else refused.startswith(message)


def test_a_document_type_is_found_in_any_encoding(tmp_path: Path, deck: bytes) -> None:
    def utf_16(xml: bytes) -> bytes:
        text = xml.decode().replace("'UTF-8'", "'UTF-16'")
        return text.replace("<p:sld", "<!DOCTYPE x [<!ENTITY a 'b'>]><p:sld", 1).encode("utf-16")

    assert refusal(tmp_path / "deck.pptx", changed(deck, {SLIDE: utf_16})) == REFUSED_PART


def test_what_is_packed_inside_is_not_unpacked(tmp_path: Path, deck: bytes) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as inner:
        inner.writestr("zeros", bytes(50 * MIB))
    path = tmp_path / "deck.pptx"
    path.write_bytes(
        changed(deck, more={"ppt/embeddings/a.zip": bomb.getvalue(), "ppt/media/film.mp4": bytes(300 * MIB)})
    )
    assert read_deck(path).slides == (Slide(1, "Title", ("Text",)),)


def test_encrypted_decks(tmp_path: Path) -> None:
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1016)
    encrypted = container + "EncryptedPackage".encode("utf-16-le")
    old = container + "PowerPoint Document".encode("utf-16-le")
    assert refusal(tmp_path / "deck.pptx", encrypted) == "is encrypted; save it without a password"
    assert refusal(tmp_path / "deck.ppt", old).endswith("old format (.ppt); save it as .pptx")
    assert refusal(tmp_path / "deck.doc", container).startswith("is an old Office file")


ENDLESS = (b"[1 2 3] TJ " * 6_000_000,) * 5
"""Pages that unpack to 63 MiB each, and take about two seconds each to go through."""


@pytest.mark.slow
def test_bounds_of_time(tmp_path: Path) -> None:
    content = pdf(*ENDLESS)
    path = tmp_path / "deck.pdf"
    by_clock = replace(DEFAULT_LIMITS, wall_s=1.5, cpu_s=60)
    by_work = replace(DEFAULT_LIMITS, wall_s=600.0, cpu_s=2)
    assert refusal(path, content, by_clock) == f"takes more than 1.5 s to read; {HARMLESS}"
    assert refusal(path, None, by_work) == f"takes more than 2 s to read; {HARMLESS}"


def test_bounds_of_size(tmp_path: Path, deck: bytes) -> None:
    path = tmp_path / "deck.pptx"
    slides = replace(DEFAULT_LIMITS, slides=0)
    assert refusal(path, deck, slides) == f"has 1 slides; at most 0 are read; {SHORTER}"
    assert refusal(path, None, replace(DEFAULT_LIMITS, text_bytes=20)).endswith(
        f"at most 20 are read; {SHORTER}"
    )
    assert refusal(path, deck + bytes(MIB), replace(DEFAULT_LIMITS, file_bytes=MIB)).startswith(
        "is 1 MiB large"
    )


def test_no_more_lines_are_read_than_are_understood_in_time(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    one = "# Costs\n\n" + "- They rose by 5%\n" * 1_001
    many = "\n---\n".join(["# Costs\n\n" + "- They rose by 5%\n" * 501] * 20)
    assert refusal(path, one.encode()) == f"has 1,001 lines on slide 1; at most 1,000 are read; {SHORTER}"
    assert refusal(path, many.encode()) == f"has 10,020 lines; at most 10,000 are read; {SHORTER}"
    with pytest.raises(DeckError, match=r"deck\.md has 10,020 lines; at most 10,000 are read"):
        read_deck_text(many)


def test_no_more_text_and_cells_are_read_than_are_understood_in_time(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    paragraph = "# Costs\n\n" + "They rose by 5% in 2026. " * 20_001
    table = "# Costs\n\n| item | 2026 |\n|---|---|\n" + "| rent | 5 |\n" * 5_000
    told = f"holds more than 400,000 bytes of text; {SHORTER}"
    assert refusal(path, paragraph.encode()) == told
    told = f"has 10,002 cells in tables and charts; at most 10,000 are read; {SHORTER}"
    assert refusal(path, table.encode()) == told
    with pytest.raises(DeckError, match=r"deck\.md has 10,002 cells in tables and charts"):
        read_deck_text(table)


@pytest.mark.slow
@pytest.mark.parametrize("text", [plain_deck(400), finance_deck(60)], ids=["400 slides", "60 of finance"])
def test_a_long_deck_is_checked_and_prepared_for_in_time(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deck.md"
    path.write_text(text)
    began = time.process_time()
    assert check(path, None, Asked(OfflineEngine(), "offline"), None).claims
    assert dossier_of(Asked(OfflineEngine(), "offline"), path, (), (), (), (), None)[0].attacks
    assert time.process_time() - began < MAX_CPU_S


def run(script: str, tmp_path: Path) -> subprocess.Popen[str]:
    """A program that has imported `read_deck`, in a folder of its own."""
    prologue = """
import os, resource, subprocess, sys
from pathlib import Path
from orchestrator.material.deck.read import read_deck
from orchestrator.documents.check import check
from orchestrator.documents.preparation import dossier_of
from orchestrator.documents.check import Asked
from orchestrator.documents.check import Asked
from orchestrator.panel.engines.offline.engine import OfflineEngine
from orchestrator.core.errors import DeckError
"""
    environment = dict(os.environ, PYTHONPATH=str(ROOT), TMPDIR=str(tmp_path))
    return subprocess.Popen(
        [sys.executable, "-c", prologue + script],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_a_child_that_is_stopped_is_gone_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "deck.pdf").write_bytes(pdf(*ENDLESS))
    script = """
from orchestrator.material.deck.limits import DeckLimits
try:
    read_deck(Path("deck.pdf"), DeckLimits(wall_s=1.0, cpu_s=60))
except DeckError as error:
    print(error)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
"""
    out, _ = run(script, tmp_path).communicate()
    assert out == f"deck.pdf takes more than 1 s to read; {HARMLESS}\nno child is left\n"
    assert [path.name for path in tmp_path.iterdir()] == ["deck.pdf"]


@pytest.mark.slow
def test_ctrl_c_stops_the_child_too(tmp_path: Path) -> None:
    (tmp_path / "deck.pdf").write_bytes(pdf(*ENDLESS))
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of sh starts with it ignored
class Told(subprocess.Popen):
    def communicate(self, **options):
        print(self.pid, flush=True)
        return super().communicate(**options)
subprocess.Popen = Told
try:
    read_deck(Path("deck.pdf"))
except KeyboardInterrupt:
    print("stopped")
"""
    parent = run(script, tmp_path)
    assert parent.stdout
    child = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGINT)
    assert parent.stdout.read() == "stopped\n"
    parent.wait()
    parent.stdout.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["deck.pdf"]


@pytest.mark.slow
def test_memory_stays_bounded(tmp_path: Path, deck: bytes) -> None:
    bombs = {
        "elements.pptx": in_slide(b"</p:spTree>", b"<p:sp/>" * 8_000_000)(deck),
        "attributes.pptx": in_slide(
            b"<p:cSld>", b"<p:cSld " + b" ".join(b'a%d=""' % number for number in range(1_000_000)) + b">"
        )(deck),
        "stream.pdf": pdf(b" " * (200 * MIB)),
    }
    for name, content in bombs.items():
        (tmp_path / name).write_bytes(content)
    script = """
for name in sorted(os.listdir()):
    try:
        read_deck(Path(name))
    except DeckError as error:
        print(error)
unit = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit)
"""
    out, _ = run(script, tmp_path).communicate()
    *messages, most_bytes = out.splitlines()
    assert [message.split(" ")[0] for message in messages] == sorted(bombs)
    assert int(most_bytes) < 300 * MIB


def test_several_threads_may_read_at_once(tmp_path: Path, deck: bytes) -> None:
    paths = [tmp_path / f"{number}.pptx" for number in range(6)]
    for path in paths:
        path.write_bytes(deck)
    with ThreadPoolExecutor(3) as threads:
        decks = list(threads.map(read_deck, paths))
    assert [(found.name, found.slides) for found in decks] == [
        (path.name, (Slide(1, "Title", ("Text",)),)) for path in paths
    ]


def test_where_one_is_and_what_the_environment_says_does_not_matter(
    tmp_path: Path, deck: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deck.pptx").write_bytes(deck)
    (tmp_path / "zipfile.py").write_text("raise SystemExit('not the real one')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert read_deck(Path("deck.pptx")).slides == (Slide(1, "Title", ("Text",)),)


DECKS_AND_OTHERS = (".pptx", ".pptm", ".ppt", ".pdf", ".zip", ".docx", ".xlsx", ".ooxml")


@pytest.mark.slow
def test_all_hostile_files_are_read_or_refused_in_one_line(shared: Path) -> None:
    paths = [path for path in sorted((shared / "hostile").iterdir()) if path.suffix in DECKS_AND_OTHERS]
    assert len(paths) > 70
    with ThreadPoolExecutor(2) as threads:
        outcomes = dict(zip(paths, threads.map(_outcome, paths), strict=True))
    for path, outcome in outcomes.items():
        if isinstance(outcome, str):
            assert outcome.startswith(f"{path} "), outcome
            assert outcome.isprintable(), outcome
            assert "reader" not in outcome, outcome  # the child itself never fails
            assert not re.search(r"cannot be read \(\w+\)", outcome), outcome  # no error is unforeseen
    refused = {path.name for path, outcome in outcomes.items() if isinstance(outcome, str)}
    assert refused >= REFUSED
    assert not refused & READ


def _outcome(path: Path) -> str | int:
    try:
        return len(read_deck(path).slides)
    except DeckError as error:
        return str(error)


REFUSED = {
    "poi_PackageRelsHasEntities.ooxml",
    "poi_clusterfuzz-testcase-minimized-POIHSLFFuzzer-5962760801091584.ppt",
    "poi_invalid.xlsx",
    "pptx_no-slides.pptx",
    "pypdf_crazyones-encrypted-256.pdf",
    "tika_testPPT_protected_passtika.pptx",
    "tika_testUnicodePassword.pdf",
}
READ = {
    "pdfjs_Pages-tree-refs.pdf",
    "pdfjs_helloworld-bad.pdf",
    "pdfjs_xref_command_missing.pdf",
    "poi_OverlappingRelations.pptx",
    "poi_with_japanese.pptx",
    "pptx_act-props.pptm",
    "pptx_missing_rels_item.pptx",
    "pypdf_encryption_r6-owner-password.pdf",
    "tika_testPDF_bad_page_303226.pdf",
    "tika_testPDF_rotated.pdf",
    "tika_testPPT_EmbeddedPDF.pptx",
}


@pytest.mark.parametrize("piece", ["a.", "+1 ", "a@", "1 A, ", "www.", "- x:\n", "### b\n"])
def test_no_text_makes_reading_hang(piece: str) -> None:
    """The bound of trust.md; these take a second at most, and hours where a pattern is quadratic."""
    began = time.process_time()
    text = "# A\n" + piece * (300_000 // len(piece))
    if "\n" in piece:  # refused, but only once it has been read
        with pytest.raises(DeckError, match=r"0 lines on slide 1; at most 1,000 are read"):
            read_deck_text(text)
    else:
        assert read_deck_text(text).slides
    assert time.process_time() - began < MAX_CPU_S
