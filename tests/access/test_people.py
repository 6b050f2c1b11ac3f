"""The rule: which group gives which role, what each sees, and from which address a proxy is believed."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.access.people import person_of, presenter_alone
from orchestrator.core.errors import ConfigurationError
from orchestrator.panel.config.access import Access, Proxy, read_access
from orchestrator.panel.config.config import checked
from orchestrator.web.access import is_of_proxy

PROXY: dict[str, Any] = {"addresses": ["10.0.0.5"]}


def _access(**more: Any) -> Access:
    found = read_access({"proxy": PROXY, "keepers": ["staff"], **more})
    assert found is not None
    return found


def test_without_a_list_of_presenters_everybody_who_signs_in_is_one() -> None:
    assert person_of(_access(), "dana", "", []).is_presenter
    assert not person_of(_access(presenters=["rehearsers"]), "dana", "", []).is_presenter


def test_only_the_groups_that_the_configuration_names_are_kept() -> None:
    access = _access(presenters=["p"], reviewers={"coaches": ["sales"]})
    assert person_of(access, "dana", "", ["sales", "choir", "p"]).groups == ("p", "sales")


def test_a_reviewer_of_everybody_sees_every_session_that_has_an_owner() -> None:
    access = _access(presenters=["p"], reviewers={"audit": ["*"]})
    otto = person_of(access, "otto", "", ["audit"])
    assert otto.roles == ("reviewer",)
    assert otto.sees("dana", [])
    assert not otto.sees("", [])  # of before: keepers alone
    assert person_of(access, "kim", "", ["staff"]).sees("", [])


def test_who_has_lost_every_role_sees_not_even_what_was_ones_own() -> None:
    assert not person_of(_access(presenters=["p"]), "dana", "", []).sees("dana", [])


def test_a_session_without_an_owner_is_nobodys_own() -> None:
    assert not person_of(_access(), "dana", "", []).owns("")


def test_a_program_of_one_presenter_is_that_one_and_no_more() -> None:
    person = presenter_alone(" Dana@ACME.example ")
    assert (person.identity, person.roles) == ("dana@acme.example", ("presenter",))
    with pytest.raises(ValueError, match="nobody's identity"):
        presenter_alone(" ")


@pytest.mark.parametrize(
    ("client", "is_trusted"),
    [
        (("10.0.0.5", 1), True),
        (("::ffff:10.0.0.5", 1), True),
        (("10.1.2.3", 1), True),
        (("fd00::7", 1), True),
        (("10.0.0.6", 1), False),
        (("127.0.0.1", 1), False),
        (("10.0.0.5.evil.example", 1), False),
        (("testclient", 1), False),
        (("", 1), False),
        (None, False),
        ([], False),
    ],
)
def test_a_proxy_is_believed_by_its_address_alone(client: Any, is_trusted: bool) -> None:
    assert is_of_proxy(client, Proxy(("10.0.0.5", "10.1.0.0/16", "fd00::/64"))) is is_trusted


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ([], "access: must have keys: oidc, proxy, presenters, reviewers, keepers"),
        ({"keepers": ["s"]}, "must say how people come"),
        ({"proxy": PROXY}, "keepers must name the groups"),
        ({"proxy": PROXY, "keepers": ["*"]}, "keepers must name the groups"),
        ({"proxy": PROXY, "keepers": "staff"}, "keepers must be a list of groups"),
        ({"proxy": PROXY, "keepers": ["a,b"]}, "no comma"),
        ({"proxy": PROXY, "keepers": ["s"], "keeper": []}, "keeper is no key"),
        ({"proxy": {"addresses": []}, "keepers": ["s"]}, "proxy.addresses must list"),
        ({"proxy": {"addresses": ["proxy"]}, "keepers": ["s"]}, "'proxy', which is no address"),
        ({"proxy": {"addresses": ["0.0.0.0/0"]}, "keepers": ["s"]}, "which is everybody"),
        ({"proxy": {**PROXY, "identity": "X_Email"}, "keepers": ["s"]}, "header's name without `_`"),
        ({"oidc": {"client_id": "c"}, "keepers": ["s"]}, "oidc.issuer must be a line of text"),
        ({"oidc": {"issuer": "http://id.acme.example", "client_id": "c"}, "keepers": ["s"]}, "https://"),
        ({"oidc": {"issuer": "https://id.x", "client_id": "c", "scopes": ["a"]}, "keepers": ["s"]}, "openid"),
        ({"proxy": PROXY, "keepers": [f"g{n}" for n in range(51)]}, "at most 50"),
        ({"proxy": PROXY, "keepers": ["s"], "reviewers": ["coaches"]}, "reviewers must name groups"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_meant_is_refused_by_its_key(setting: Any, why: str) -> None:
    with pytest.raises(ConfigurationError, match=r"greenroom\.yaml, line 3: access") as refused:
        checked("access", setting, "greenroom.yaml, line 3")
    assert why in str(refused.value)
