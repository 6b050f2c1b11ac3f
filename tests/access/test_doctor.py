"""What `doctor` says of the setting `access`: whether the provider answers as it is written; no secret."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from orchestrator.cli.doctor import Check, checks
from orchestrator.panel.home import Home
from tests.helpers.homes import new_home
from tests.helpers.openid import SECRET, openid_provider

Look = Callable[..., Check]
PROXY = {"addresses": ["127.0.0.1", "10.1.0.0/24"]}


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    home = new_home(tmp_path / "home")
    monkeypatch.delenv("GREENROOM_ACCESS_SECRET", raising=False)

    def look(**access: object) -> Check:
        if access:
            monkeypatch.setenv("GREENROOM_ACCESS", yaml.safe_dump(access))
        before = {one for one in home.rglob("*") if one.is_file()}
        (found,) = [one for one in checks(Home.open(home)) if one.name == "access"]
        assert {one for one in home.rglob("*") if one.is_file()} == before  # no key is made by looking
        return found

    return look


def test_without_the_setting_nobody_has_to_sign_in(look: Look) -> None:
    assert look() == Check("access", "off", "nobody has to sign in (`greenroom help organisation`)")


def test_a_proxy_is_named_with_its_header(look: Look) -> None:
    told = "127.0.0.1, 10.1.0.0/24 names people in x-forwarded-email"
    assert look(proxy=PROXY, keepers=["staff"]) == Check("access", "ok", told)


def test_a_provider_that_does_not_answer_is_missing(look: Look) -> None:
    found = look(oidc={"issuer": "http://127.0.0.1:9", "client_id": "greenroom"}, keepers=["staff"])
    assert found.state == "missing"
    assert found.detail == "access.oidc.issuer: the provider does not answer (ConnectError)"


@pytest.mark.slow  # the provider, which `scripts/slow` sets up
def test_a_real_provider_is_asked_for_its_description_alone(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openid_provider() as provider:
        oidc = {"issuer": provider.issuer, "client_id": "greenroom"}
        told = f"{provider.issuer} signs people in for the client greenroom"
        public = look(oidc=oidc, proxy=PROXY, keepers=["staff"])
        monkeypatch.setenv("GREENROOM_ACCESS_SECRET", SECRET)
        found = look(oidc=oidc, keepers=["staff"])
        other = look(oidc={**oidc, "issuer": f"{provider.issuer}/"}, keepers=["staff"])
    assert public == Check(
        "access",
        "ok",
        f"{told}, without a secret (GREENROOM_ACCESS_SECRET is not set); "
        "127.0.0.1, 10.1.0.0/24 names people in x-forwarded-email",
    )
    assert found == Check("access", "ok", told)
    assert other.state == "missing"
    assert other.detail == f"access.oidc.issuer: the provider calls itself {provider.issuer}: write it so"
