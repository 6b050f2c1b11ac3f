"""A model with little room, from a server that says how much: every call fits, or is not made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import PATIENT, engine_on
from tests.helpers.homes import new_home
from tests.helpers.messages_server import MessagesServer, Taken
from tests.helpers.rehearsals import played, write_rehearsal
from tests.helpers.stores import values_of

WINDOW = 8192
CHAT: dict[str, Any] = {"wire": "chat", "engine": "model", "model": "m", "deadlines_s": PATIENT}


def size_of(taken: Taken) -> int:
    """Tokens of a request, as the server counts them, and of the reply that it may have."""
    assert taken.usage is not None
    return taken.usage.total + int(taken.sent["max_tokens"])


def kept_of(session: Session) -> list[dict[str, Any]]:
    receipts = values_of(session.rehearsal.store, "receipt")
    return [receipt["kept"] for receipt in receipts if "kept" in receipt]


def test_a_rehearsal_in_8192_tokens_is_planned_to_fit_and_its_receipts_say_how(tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    server = MessagesServer(speaks="chat", models=("m",), key="none", listed={"max_model_len": WINDOW})
    with server, engine_on(server, **CHAT) as engine:
        engine.check()
        with played(new_home(tmp_path / "home"), files, engine=engine, exchanges=2) as session:
            sent = [one for one in server.requests if one.task and one.status == 200]
            assert {one.task for one in sent} >= {"focus_brief", "candidate_question", "judgement"}
            assert max(map(size_of, sent)) <= WINDOW
            kept = kept_of(session)
            assert {path for one in kept for path in one} >= {"templates/skeptic/domain-knowledge.md"}
            assert session.verify().valid
            session.end()
            assert session.verify().valid


def test_in_200_000_tokens_nothing_is_left_out(tmp_path: Path) -> None:
    server = MessagesServer(speaks="chat", models=("m",), key="none", listed={"max_model_len": 200_000})
    with server, engine_on(server, **CHAT) as engine:
        engine.check()
        files = write_rehearsal(tmp_path)
        with played(new_home(tmp_path / "home"), files, engine=engine, exchanges=1) as session:
            assert kept_of(session) == []


def test_below_what_can_work_one_line_says_both_numbers_and_what_to_start() -> None:
    server = MessagesServer(speaks="chat", models=("m",), key="none", listed={"meta": {"n_ctx": 4096}})
    with server, engine_on(server, **CHAT) as engine, pytest.raises(EngineError) as refused:
        engine.check()
    assert refused.value.stops
    assert str(refused.value) == (
        "m has room for 4,096 tokens, and a panelist's question takes 6,000 at least: start it with 16384 or "
        "more (llama.cpp: --ctx-size 16384 --parallel 1; Ollama: OLLAMA_CONTEXT_LENGTH=16384; "
        "vLLM: --max-model-len 16384)"
    )
