"""GREENROOM_METRICS_TOKEN reaches the server, and is no setting of a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.web import server
from orchestrator.web.site import Site
from tests.helpers.commands import Commands


@pytest.mark.parametrize(("value", "token"), {None: None, "": None, "of-prometheus": "of-prometheus"}.items())
def test_the_variable_is_the_token_of_the_metrics(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    value: str | None,
    token: str | None,
) -> None:
    served: list[Site] = []
    monkeypatch.setattr(server, "serve", lambda site, *_: served.append(site))
    if value is not None:
        monkeypatch.setenv("GREENROOM_METRICS_TOKEN", value)
    Commands(home, capsys)("serve")
    (site,) = served
    assert site.metrics_token == token
    site.close()
