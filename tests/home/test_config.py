"""greenroom.yaml and GREENROOM_*: what may be set, and how a mistake is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import ConfigurationError
from orchestrator.panel.config.config import TASKS, Config, read_config
from orchestrator.panel.engines.model.settings import DEADLINES_S, DEFAULT_MODEL, model_settings
from orchestrator.panel.engines.model.tasks import KINDS

CLAUDE = """engine: claude
layout: strict
model: small-model
models:
  judgement: large-model
  debrief: any/name:at-all
effort: medium
deadlines_s:
  judgement: 45
  candidate_question: 7.5
retries: 1
calls_in_flight: 2
session_tokens: 2000000
session_usd: 3.5
"""


def read(tmp_path: Path, text: str, environment: dict[str, str] | None = None) -> Config:
    path = tmp_path / "greenroom.yaml"
    path.write_text(text, "utf-8")
    return read_config(path, environment or {})


def test_the_tasks_are_those_that_a_model_is_asked_for() -> None:
    assert tuple(kind.name for kind in KINDS.values()) == TASKS
    assert set(DEADLINES_S) == set(TASKS)


def test_every_key_of_the_claude_engine_reaches_it(tmp_path: Path) -> None:
    config = read(tmp_path, CLAUDE)
    assert (config.engine, config.session_tokens, config.session_usd) == ("claude", 2_000_000, 3.5)
    settings = model_settings(
        config, environment={"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://x"}
    )
    assert (settings.model, settings.models) == (
        "small-model",
        {"judgement": "large-model", "debrief": "any/name:at-all"},
    )
    assert (settings.layout, settings.effort, settings.retries, settings.in_flight) == (
        "strict",
        "medium",
        1,
        2,
    )
    assert settings.deadlines_s == {**DEADLINES_S, "judgement": 45.0, "candidate_question": 7.5}
    assert (settings.api_key, settings.base_url) == ("k", "http://x")


def test_without_any_the_defaults_hold(tmp_path: Path) -> None:
    settings = model_settings(read(tmp_path, ""), environment={})
    assert (settings.model, settings.models, settings.effort) == (DEFAULT_MODEL, {}, "medium")
    assert model_settings(read(tmp_path, "effort: none\n"), environment={}).effort is None
    assert model_settings(Config(), "strict", {}).layout == "strict"


def test_tasks_of_older_versions_are_taken_and_have_no_effect(tmp_path: Path) -> None:
    config = read(tmp_path, "models: {phrases: a, notes: b}\ndeadlines_s: {observation: 5}\n")
    assert (config.models, config.deadlines_s) == ({"notes": "b"}, {})


def test_a_server_of_ones_own_needs_an_address_and_a_model_and_no_key(tmp_path: Path) -> None:
    own = read(tmp_path, "engine: model\nmodel: qwen3:8b\nmodel_url: http://127.0.0.1:11434\n")
    anthropic = {"ANTHROPIC_API_KEY": "sk-secret", "ANTHROPIC_AUTH_TOKEN": "t"}
    settings = model_settings(own, environment=anthropic, engine="model")
    assert (settings.engine, settings.model, settings.base_url) == (
        "model",
        "qwen3:8b",
        "http://127.0.0.1:11434",
    )
    assert (settings.api_key, settings.auth_token) == (None, None)  # Anthropic's key is for Anthropic alone
    keyed = model_settings(own, environment={"GREENROOM_MODEL_KEY": "k"}, engine="model")
    assert keyed.api_key == "k"
    assert model_settings(own, environment=anthropic).base_url is None


def test_the_environment_may_name_address_and_model(tmp_path: Path) -> None:
    known = {"GREENROOM_MODEL_URL": "http://box:8080", "GREENROOM_MODEL": "any", "GREENROOM_MODEL_KEY": "k"}
    config = read(tmp_path, "", known)
    assert (config.model_url, config.model) == ("http://box:8080", "any")
    base = model_settings(
        Config(model="any"), environment={"ANTHROPIC_BASE_URL": "http://box"}, engine="model"
    )
    assert base.base_url == "http://box"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (Config(model="any"), "needs an address: set model_url in greenroom.yaml, or GREENROOM_MODEL_URL"),
        (
            Config(model_url="http://box"),
            "needs a model's name: set model in greenroom.yaml, or GREENROOM_MODEL",
        ),
    ],
)
def test_without_address_or_model_it_is_said_what_to_set(config: Config, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        model_settings(config, environment={}, engine="model")


def test_a_variable_overrides_the_file(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        CLAUDE,
        {"GREENROOM_MODEL": "other", "GREENROOM_MODELS": "{notes: tiny}", "GREENROOM_HOME": "x"},
    )
    assert (config.model, config.models, config.session_usd) == ("other", {"notes": "tiny"}, 3.5)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("minutes: 5\nmodelss: x\n", 2, "there is no key 'modelss'; the nearest is 'models'"),
        ("model: 5\n", 1, "model is 5, but must be the name of a model"),
        ("model: ''\n", 1, "model is '', but must be the name of a model"),
        (
            "models: x\n",
            1,
            "models is 'x', but must name tasks, each with its model, as in `models: {judgement: NAME}`",
        ),
        (
            "models:\n  notes: a\n  judgment: b\n",
            3,
            "models has no task 'judgment'; the nearest is 'judgement'",
        ),
        ("models:\n  notes: [a]\n", 2, "models.notes is ['a'], but must be the name of a model"),
        (
            "deadlines_s:\n\n  notes: 0\n",
            3,
            "deadlines_s.notes is 0, but must be a number from 1 to 600",
        ),
        ("deadlines_s: {notes: .nan}\n", 1, "deadlines_s.notes is nan, but must be a number from 1 to 600"),
        (
            "effort: huge\n",
            1,
            "effort is 'huge', but must be one of none, low, medium, high, xhigh, max",
        ),
        ("engine: scripted\n", 1, "engine is 'scripted', but must be one of offline, claude, openai, model"),
        ("tools: always\n", 1, "tools is 'always', but must be true or false"),
        ("retries: -1\n", 1, "retries is -1, but must be a whole number from 0 to 10"),
        ("calls_in_flight: 0\n", 1, "calls_in_flight is 0, but must be a whole number from 1 to 64"),
        ("session_usd: cheap\n", 1, "session_usd is 'cheap', but must be a number from 0.01 to 100000"),
        ("session_tokens: 1.5\n", 1, "session_tokens is 1.5, but must be a whole number"),
        (
            "model_url: localhost\n",
            1,
            "model_url is 'localhost', but must be an address that begins with http",
        ),
        ("yes: 1\n", 1, "there is no key 'True'"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    said = str(caught.value)
    where = f"{tmp_path / 'greenroom.yaml'}, line "
    assert said.startswith(where)
    assert words in said
    assert "\n" not in said
    if "True" not in words:  # YAML takes `yes` for true, so that its line is not known
        assert said.startswith(f"{where}{line}: ")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "GREENROOM_MODELS",
            "{notes: 4}",
            "GREENROOM_MODELS: models.notes is 4, but must be the name of a model",
        ),
        ("GREENROOM_SESSION_USD", "0", "GREENROOM_SESSION_USD: session_usd is 0, but must be"),
        ("GREENROOM_MODELS", "{notes", "GREENROOM_MODELS: is not YAML"),
    ],
)
def test_a_mistake_in_a_variable_is_named_with_it(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, "", {name: text})
    assert str(caught.value).startswith(words)
