"""Sign-in by a real OpenID provider: in, out, and every answer that is not this browser's own."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.testclient import TestClient

from orchestrator.access.audit import Audit
from orchestrator.access.gate import Gate
from orchestrator.access.provider import Leaving, SignIn
from orchestrator.access.sealing import Seal
from orchestrator.core.errors import AccessError, OutboundError
from orchestrator.panel.config.access import Provider as ProviderSetting
from orchestrator.panel.config.access import read_access
from orchestrator.panel.config.public_url import parse_public_url
from orchestrator.panel.home import Home
from orchestrator.web.access import LOGIN, LOGIN_S
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.pages.sign_in import LEFT, LEFT_S
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.openid import SECRET, Provider, openid_provider, signed_in_there
from tests.web.people import app_of, client_of

pytestmark = pytest.mark.slow  # the provider, which `scripts/slow` sets up

KEY: Final = b"k" * 32
LOGIN_COOKIE, LEFT_COOKIE = "greenroom-login-80", "greenroom-leaving-80"


def setting(issuer: str) -> dict[str, Any]:
    return {
        "oidc": {
            "issuer": issuer, "client_id": "greenroom", "scopes": ["openid", "profile", "email", "groups"],
        },
        "presenters": ["presenters"], "reviewers": {"coaches": ["sales"]}, "keepers": ["staff"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with openid_provider() as running:
        yield running


@contextmanager
def site_of(root: Path, issuer: str, **more: Any) -> Iterator[Site]:
    home = Home.open(new_home(root))
    access = read_access(setting(issuer))
    assert access is not None
    assert access.oidc is not None
    gate = Gate(access, Seal(KEY), Audit(home.root), SignIn(access.oidc, SECRET))
    site = Site(home, str(home.archives), OpenSessions(home), gate=gate, **more)
    try:
        yield site
    finally:
        site.close()


@pytest.fixture
def site(tmp_path: Path, provider: Provider) -> Iterator[Site]:
    with site_of(tmp_path / "home", provider.issuer) as made:
        yield made


@pytest.fixture
def here(site: Site) -> Iterator[TestClient]:
    """A browser of ours, with nothing in it."""
    with client_of(app_of(site), address="127.0.0.1", follow_redirects=False) as client:
        yield client


def _leave(client: TestClient, to: str = "/review") -> str:
    left = client.get("/sign-in", params={"to": to})
    assert left.status_code == 303, left.text
    return str(left.headers["location"])


def _sign_in(client: TestClient, login: str, to: str = "/review") -> Any:
    return client.get(signed_in_there(_leave(client, to), login))


# ---------------------------------------------------------------------- in and out


def test_who_signs_in_comes_back_to_the_page_with_name_and_roles(here: TestClient, site: Site) -> None:
    """The code flow with PKCE, at a real provider, through its own form."""
    asked = here.get("/review", headers={"accept": "text/html"})
    assert asked.status_code == 401
    assert 'href="/sign-in?to=/review"' in asked.text
    address = _leave(here)
    sent = parse_qs(urlsplit(address).query)
    assert sent["response_type"] == ["code"]
    assert sent["code_challenge_method"] == ["S256"]
    assert len(sent["code_challenge"][0]) == 43
    back = here.get(signed_in_there(address, "dana"))
    assert (back.status_code, back.headers["location"]) == (303, "/review")
    page = here.get("/review", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "Dana Whitfield" in page.text
    begun = here.post("/api/v1/sessions", json={"sample": True})
    assert begun.status_code == 201
    rows = here.get("/api/v1/sessions").json()["sessions"]
    assert [one["presenter"] for one in rows] == ["dana@acme.example"]
    assert here.post("/api/v1/demo").status_code == 403
    first = (site.own.sessions / begun.json()["session"] / "ledger" / "ledger.jsonl").read_text("utf-8")
    assert '"owner":{"identity":"dana@acme.example","groups":["presenters","sales"]}' in first
    assert '"called":"Dana Whitfield"' in first


@pytest.mark.parametrize(("login", "status"), [("kim", 201), ("rita", 403)])
def test_the_groups_of_the_provider_give_the_roles(here: TestClient, login: str, status: int) -> None:
    assert _sign_in(here, login).status_code == 303
    assert here.post("/api/v1/demo").status_code == status


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(here: TestClient) -> None:
    told = _sign_in(here, "dana").headers.get_list("set-cookie")
    login = next(one for one in told if one.startswith(f"{LOGIN_COOKIE}="))
    assert {"HttpOnly", "SameSite=lax", f"Max-Age={LOGIN_S}", "Path=/"} <= set(login.split("; "))
    assert "Secure" not in login
    gone = next(one for one in told if one.startswith(f"{LEFT_COOKIE}="))
    assert "Max-Age=0" in gone


def test_behind_https_the_cookie_is_sent_encrypted_alone(tmp_path: Path, provider: Provider) -> None:
    public = parse_public_url("https://rooms.acme.example/")
    provider.allow("https://rooms.acme.example/sign-in/back")
    with (
        site_of(tmp_path / "home", provider.issuer, public=public) as site,
        client_of(app_of(site), address="127.0.0.1", follow_redirects=False) as client,
    ):
        client.headers["host"] = "rooms.acme.example"
        left = client.get("/sign-in")
        sent = parse_qs(urlsplit(left.headers["location"]).query)
        assert sent["redirect_uri"] == ["https://rooms.acme.example/sign-in/back"]
        kept = left.headers["set-cookie"]
        assert kept.startswith("__Host-greenroom-leaving-443=")
        assert "Secure" in kept
        address = signed_in_there(left.headers["location"], "dana", back=sent["redirect_uri"][0])
        cookie = {"cookie": kept.partition(";")[0]}
        back = client.get(address.removeprefix("https://rooms.acme.example"), headers=cookie)
        assert back.status_code == 303
        told = back.headers.get_list("set-cookie")
        assert any(one.startswith("__Host-greenroom-login-443=") and "Secure" in one for one in told)


def test_who_signs_out_is_out(here: TestClient) -> None:
    _sign_in(here, "dana")
    assert here.get("/api/v1/sessions").status_code == 200
    out = here.post("/sign-out")
    assert out.status_code == 200
    assert "You are signed out" in out.text
    assert here.get("/api/v1/sessions").status_code == 401


def test_who_came_in_who_did_not_and_who_went_out_is_logged(here: TestClient, site: Site) -> None:
    _sign_in(here, "dana")
    here.post("/sign-out")
    here.get("/sign-in/back", params={"code": "secret-code", "state": "secret-state"})
    raw = (site.own.root / "log" / "access.jsonl").read_text("utf-8")
    assert "secret" not in raw
    lines = [json.loads(line) for line in raw.splitlines()]
    assert [(one["who"], one["method"], one["route"], one["status"]) for one in lines] == [
        ("dana@acme.example", "GET", "/sign-in/back", 303),
        ("dana@acme.example", "POST", "/sign-out", 200),
        (None, "GET", "/sign-in/back", 401),
    ]


def test_another_sites_page_signs_nobody_out(here: TestClient) -> None:
    _sign_in(here, "dana")
    foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    assert here.post("/sign-out", headers=foreign).status_code == 403
    assert here.get("/api/v1/sessions").status_code == 200


@pytest.mark.parametrize(
    "to",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "\\/evil.example", "javascript:x", ""],
)
def test_nobody_is_sent_elsewhere_after_the_sign_in(here: TestClient, to: str) -> None:
    assert _sign_in(here, "dana", to).headers["location"] == "/"


# ---------------------------------------------------------------------- answers that are not ours


def _left(client: TestClient) -> dict[str, Any]:
    value = Seal(KEY).open(LEFT, str(client.cookies[LEFT_COOKIE]))
    assert value is not None
    value.pop("until")
    return value


def _put_left(client: TestClient, value: dict[str, Any], *, key: bytes = KEY, lasts_s: int = LEFT_S) -> None:
    client.cookies.delete(LEFT_COOKIE)
    client.cookies.set(LEFT_COOKIE, Seal(key).close(LEFT, value, lasts_s), domain="127.0.0.1", path="/")


def _is_refused(client: TestClient, address: str, why: str) -> None:
    told = client.get(address)
    assert told.status_code == 401, told.text
    assert why in told.text, re.findall(r"lead.*", told.text)
    assert not any(one.startswith(f"{LOGIN_COOKIE}=") for one in told.headers.get_list("set-cookie"))
    assert client.get("/api/v1/sessions").status_code == 401


def test_a_code_counts_once(here: TestClient) -> None:
    address = signed_in_there(_leave(here), "dana")
    kept = _left(here)
    assert here.get(address).status_code == 303
    here.cookies.clear()
    _is_refused(here, address, "was not begun in this browser")
    _put_left(here, kept)  # whoever has that cookie as well gets no further: the provider knows the code
    _is_refused(here, address, "The provider refused the code")


def test_the_answer_to_another_sign_in_is_refused(here: TestClient, site: Site) -> None:
    """Else somebody could sign another's browser in as themselves."""
    with client_of(app_of(site), address="127.0.0.1", follow_redirects=False) as attacker:
        theirs = signed_in_there(_leave(attacker), "rita")
    _leave(here)
    _is_refused(here, theirs, "belongs to another sign-in")


def test_a_wrong_state_is_refused(here: TestClient) -> None:
    address = signed_in_there(_leave(here), "dana")
    kept = _left(here)
    _is_refused(here, re.sub(r"state=[^&]+", "state=another", address), "belongs to another sign-in")
    _put_left(here, kept)
    assert here.get(address).status_code == 303  # the answer itself was right


def test_a_token_that_was_made_for_another_sign_in_is_refused(here: TestClient) -> None:
    """Its nonce is another."""
    address = signed_in_there(_leave(here), "dana")
    _put_left(here, {**_left(here), "nonce": "another"})
    _is_refused(here, address, "token is not right (invalid_claim)")


def test_a_code_without_the_verifier_is_worth_nothing(here: TestClient) -> None:
    address = signed_in_there(_leave(here), "dana")
    _put_left(here, {**_left(here), "verifier": "v" * 43})
    _is_refused(here, address, "The provider refused the code")


def test_who_takes_too_long_begins_anew(here: TestClient) -> None:
    address = signed_in_there(_leave(here), "dana")
    kept = _left(here)
    _put_left(here, kept, lasts_s=-1)
    _is_refused(here, address, "took too long")
    _put_left(here, kept)
    assert here.get(address).status_code == 303


def test_what_was_signed_by_another_key_is_nothing(here: TestClient) -> None:
    address = signed_in_there(_leave(here), "dana")
    kept = _left(here)
    _put_left(here, kept, key=b"x" * 32)
    _is_refused(here, address, "was not begun in this browser")
    _put_left(here, kept)
    assert here.get(address).status_code == 303


def test_what_the_provider_refuses_is_said_and_not_shown_as_it_came(here: TestClient) -> None:
    state = parse_qs(urlsplit(_leave(here)).query)["state"][0]
    told = here.get("/sign-in/back", params={"error": "access_denied<script>", "state": state})
    assert told.status_code == 401
    assert "The provider refused (access_deniedscript)" in told.text


# ---------------------------------------------------------------------- the sign-in itself


def _signed(value: dict[str, Any], *, lasts_s: int = 3_600, key: bytes = KEY, purpose: str = LOGIN) -> str:
    return Seal(key).close(purpose, value, lasts_s)


WHO: Final = {"identity": "kim@acme.example", "name": "Kim", "groups": ["staff"]}


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (_signed(WHO), 200),
        (_signed(WHO, lasts_s=-1), 401),
        (_signed(WHO, key=b"x" * 32), 401),
        (_signed(WHO, purpose=LEFT), 401),
        (_signed(WHO).partition(".")[0], 401),
        (_signed(WHO).partition(".")[0] + ".", 401),
        ("." + _signed(WHO).partition(".")[2], 401),
        ("", 401),
        ("a.b", 401),
        ("é.ü", 401),
    ],
    ids=[
        "right",
        "over",
        "another key",
        "another purpose",
        "unsigned",
        "empty",
        "none",
        "nothing",
        "odd",
        "é",
    ],
)
def test_a_sign_in_counts_only_as_it_was_signed(site: Site, value: str, status: int) -> None:
    """In the cookie, and as a bearer token of a program, alike."""
    with client_of(app_of(site), address="127.0.0.1") as client:
        cookie = {b"cookie": f"{LOGIN_COOKIE}={value}".encode()}
        assert client.get("/api/v1/sessions", headers=cookie).status_code == status
        bearer = {b"authorization": f"Bearer {value}".encode()}
        assert client.get("/api/v1/sessions", headers=bearer).status_code == status


def test_no_sign_of_a_signed_value_can_be_changed() -> None:
    seal, whole = Seal(KEY), _signed(WHO)
    assert seal.open(LOGIN, whole) is not None
    for place in range(len(whole) - 1):  # the last sign of base64 holds bits that nothing says
        other = "A" if whole[place] != "A" else "B"
        assert seal.open(LOGIN, whole[:place] + other + whole[place + 1 :]) is None, place


def test_another_machine_with_the_same_key_knows_who_is_signed_in(site: Site, tmp_path: Path) -> None:
    """No process keeps a sign-in, so any of them can answer."""
    assert site.gate is not None
    with site_of(tmp_path / "another", "http://127.0.0.1:9") as other:
        cookie = {"cookie": f"{LOGIN_COOKIE}={_signed(WHO)}"}
        with client_of(app_of(other), address="127.0.0.1") as client:
            assert client.get("/api/v1/sessions", headers=cookie).status_code == 200


# ---------------------------------------------------------------------- providers that are none


RSA: Final = RSAKey.generate_key(2048, {"kid": "own", "use": "sig"}, private=True)
OTHER: Final = RSAKey.generate_key(2048, {"kid": "own", "use": "sig"}, private=True)


class Forged(SignIn):
    """A provider whose token is given, so that it can be wrong in any way."""

    def __init__(self, token: str, metadata: dict[str, Any] | None = None) -> None:
        super().__init__(ProviderSetting("https://id.acme.example", "greenroom"), SECRET)
        self._forged = token
        self._told = metadata or {
            "issuer": "https://id.acme.example",
            "authorization_endpoint": "https://id.acme.example/a",
            "token_endpoint": "https://id.acme.example/t",
            "jwks_uri": "https://id.acme.example/j",
        }

    def _get(self, url: str, bearer: str | None = None) -> dict[str, Any]:
        if url.endswith("/j"):
            return dict(KeySet([RSA]).as_dict(private=False))
        return self._told

    def _token(self, metadata: Any, left: Leaving, back: str, code: str) -> dict[str, Any]:
        return {"id_token": self._forged, "access_token": "a"}


def _token(key: Any = RSA, header: dict[str, Any] | None = None, **claims: Any) -> str:
    now = int(time.time())
    told = {
        "iss": "https://id.acme.example", "aud": "greenroom", "sub": "u1", "iat": now, "exp": now + 3600,
        "nonce": "n", "email": "Dana@Acme.example", "name": "Dana", "groups": ["sales", 7],
    }  # fmt: skip
    told = {name: value for name, value in {**told, **claims}.items() if value is not None}
    used = header or {"alg": "RS256", "kid": "own"}
    return str(jwt.encode(used, told, key, algorithms=[used["alg"]]))


LEAVING: Final = Leaving("", "s", "n", "v")


def test_a_right_token_says_who_it_is() -> None:
    claims = Forged(_token()).come_back(LEAVING, "https://here/", {"state": "s", "code": "c"})
    assert (claims.identity, claims.name, claims.groups) == ("dana@acme.example", "Dana", ("sales",))


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (_token(iss="https://evil.example"), "invalid_claim"),
        (_token(aud="another-client"), "invalid_claim"),
        (_token(aud=["greenroom", "another"], azp="another"), "invalid_claim"),
        (_token(exp=int(time.time()) - 600), "expired_token"),
        (_token(nonce="another"), "invalid_claim"),
        (_token(nonce=None), "missing_claim"),
        (_token(sub=None), "missing_claim"),
        (_token(key=OTHER), "bad_signature"),
        ("a.b.c", "decode_error"),
        ("", "decode_error"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1MSJ9.", "unsupported_algorithm"),
    ],
    ids=[
        "issuer", "audience", "party", "over", "nonce", "no nonce", "no subject", "signature", "no token",
        "nothing", "unsigned",
    ],
)  # fmt: skip
def test_a_token_that_is_not_for_us_now_is_refused(token: str, why: str) -> None:
    with pytest.raises(AccessError, match="the provider's token is not right") as refused:
        Forged(token).come_back(LEAVING, "https://here/", {"state": "s", "code": "c"})
    assert why in str(refused.value)


def test_an_address_that_the_provider_has_not_verified_is_nobodys() -> None:
    with pytest.raises(AccessError, match="has not verified this address"):
        Forged(_token(email_verified=False)).come_back(LEAVING, "x", {"state": "s", "code": "c"})


def test_an_account_without_the_claim_is_told_which_one_is_missing() -> None:
    with pytest.raises(AccessError, match=r"says no email of this account.*access\.oidc\.scopes"):
        Forged(_token(email=None)).come_back(LEAVING, "x", {"state": "s", "code": "c"})


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"issuer": "https://evil.example"}, "calls itself https://evil.example"),
        ({"issuer": "https://id.acme.example"}, "lacks authorization_endpoint"),
    ],
)
def test_a_provider_that_is_another_is_refused(metadata: dict[str, Any], why: str) -> None:
    with pytest.raises(AccessError, match=why):
        Forged(_token(), metadata).leave("https://here/")


def test_an_answer_that_names_another_provider_is_refused() -> None:
    """RFC 9207: where two providers send to one address, none may pass for the other."""
    query = {"state": "s", "code": "c", "iss": "https://evil.example"}
    with pytest.raises(AccessError, match="comes from another provider"):
        Forged(_token()).come_back(LEAVING, "x", query)


def test_a_provider_that_is_away_is_named_by_the_setting() -> None:
    with pytest.raises(OutboundError, match=r"access\.oidc\.issuer"):
        SignIn(ProviderSetting("http://127.0.0.1:9", "greenroom"), None).leave("x")


def test_without_a_provider_people_are_sent_to_the_proxy(tmp_path: Path) -> None:
    from tests.web.people import guarded_site

    with guarded_site(Home.open(new_home(tmp_path / "home"))) as made, client_of(app_of(made)) as client:
        assert "through a proxy" in client.get("/sign-in").text
        assert replace(made).gate is made.gate
