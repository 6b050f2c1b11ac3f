"""Sign-in by an OpenID provider: the authorization code flow with PKCE, by Authlib.

What has to be known between leaving for the provider and coming back (state, nonce, verifier) stands in a
short signed cookie of that browser, so that any process can finish what another began. Authlib is imported
when somebody first signs in.

Source: OpenID Connect Core 1.0, sections 3.1.2 and 3.1.3; RFC 7636; RFC 9700.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, cast
from urllib.parse import urlencode

from orchestrator.core.errors import AccessError, NotInstalledError, OutboundError
from orchestrator.core.legible import one_line
from orchestrator.core.outbound.client import client
from orchestrator.core.owner import identity_of
from orchestrator.panel.config.access import Provider

TIMEOUT_S: Final = 10.0
MAX_REPLY_BYTES: Final = 1_000_000
KEPT_S: Final = 3600.0
"""Seconds for which the provider's description and keys are used without asking again; a token that is signed
by an unknown key makes us ask at once."""
LEEWAY_S: Final = 60
"""Seconds by which the provider's clock may differ from ours."""
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Accepted signatures. All are asymmetric: with others, who knows the client's secret could sign."""
_SETTING: Final = "access.oidc.issuer"
_AGAIN: Final = "sign in again"


@dataclass(frozen=True, slots=True)
class Leaving:
    """What is kept while a browser is at the provider."""

    address: str  # to which it goes
    state: str
    nonce: str
    verifier: str


class _Sending:
    """Our client as Authlib's sends with it: a form in a POST request, signed by the client's secret."""

    def __init__(self, asking: Any) -> None:  # of `outbound.client`
        self._asking = asking

    def post(self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: Any) -> Any:
        """Send *data*, to which *auth* adds who asks."""
        url, signed, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return self._asking.post(url, content=body, headers=signed)


@dataclass(frozen=True, slots=True)
class Claims:
    """Who came back, as the provider says."""

    identity: str  # as `identity_of` spells it
    name: str
    groups: tuple[str, ...]


class SignIn:
    """One OpenID provider. Safe to use from many threads."""

    def __init__(self, provider: Provider, secret: str | None) -> None:
        """Remember the provider; it is asked at the first sign-in.

        Args:
            secret: The client's secret. If None, the client is a public one, which PKCE alone protects.
        """
        self._provider = provider
        self._secret = secret
        self._lock = Lock()
        self._known: dict[str, Any] = {}
        self._keys: Any = None
        self._known_at = 0.0

    def look(self) -> None:
        """Ask the provider for its description, which nobody has to sign in for.

        Raises:
            AccessError, OutboundError
        """
        self._metadata()

    def leave(self, back: str) -> Leaving:
        """Return where a browser goes to sign in, and what has to be known when it comes back.

        Args:
            back: Our own address to which the provider sends it; the provider has to know this address.

        Raises:
            AccessError, OutboundError, NotInstalledError
        """
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        metadata = self._metadata()
        with self._client(metadata, back) as oauth:
            address, _ = oauth.create_authorization_url(
                metadata["authorization_endpoint"], state=state, code_verifier=verifier, nonce=nonce
            )
        return Leaving(str(address), state, nonce, verifier)

    def come_back(self, left: Leaving, back: str, query: Mapping[str, str]) -> Claims:
        """Exchange the code that the browser brought for who signed in.

        Raises:
            AccessError: The provider refused, the answer belongs to another sign-in, or the token is not one
                that this provider made for us now. The message holds nothing that was sent.
            OutboundError, NotInstalledError
        """
        if not secrets.compare_digest(query.get("state", "").encode(), left.state.encode()):
            raise AccessError(f"this answer of the provider belongs to another sign-in: {_AGAIN}")
        if "error" in query:
            raise AccessError(f"the provider refused ({_word(query['error'])}): {_AGAIN}")
        metadata = self._metadata()
        issuer = query.get("iss")
        if issuer is not None and issuer != metadata["issuer"]:  # RFC 9207
            raise AccessError(f"this answer comes from another provider: {_AGAIN}")
        token = self._token(metadata, left, back, query.get("code", ""))
        claims = self._checked(metadata, token, left.nonce)
        return self._read(metadata, token, claims)

    # ------------------------------------------------------------------ the provider

    def _metadata(self) -> dict[str, Any]:
        with self._lock:
            if not self._known or time.monotonic() - self._known_at > KEPT_S:
                issuer = self._provider.issuer
                found = self._get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
                if found.get("issuer") != issuer:
                    raise AccessError(
                        f"{_SETTING}: the provider calls itself {_word(found.get('issuer'))}: write it so"
                    )
                for key in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    if not isinstance(found.get(key), str):
                        raise AccessError(
                            f"{_SETTING}: the provider's description lacks {key}: it is no provider"
                        )
                self._known, self._keys, self._known_at = found, None, time.monotonic()
            return self._known

    def _jwks(self, metadata: Mapping[str, Any], *, anew: bool = False) -> Any:
        from joserfc.jwk import KeySet, KeySetSerialization

        with self._lock:
            if self._keys is None or anew:
                self._keys = KeySet.import_key_set(cast(KeySetSerialization, self._get(metadata["jwks_uri"])))
            return self._keys

    def _get(self, url: str, bearer: str | None = None) -> dict[str, Any]:
        import httpx2

        headers = {"authorization": f"Bearer {bearer}"} if bearer is not None else {}
        try:
            with client(url, _SETTING, timeout_s=TIMEOUT_S, max_reply_bytes=MAX_REPLY_BYTES) as asking:
                reply = asking.get(url, headers={"accept": "application/json", **headers})
                found = reply.json() if reply.status_code == 200 else None
        except (httpx2.HTTPError, ValueError) as error:
            raise OutboundError(
                f"{_SETTING}: the provider does not answer ({type(error).__name__})"
            ) from None
        if not isinstance(found, dict):
            raise OutboundError(
                f"{_SETTING}: the provider answered with {reply.status_code}, and no JSON object"
            )
        return found

    @contextmanager
    def _client(self, metadata: Mapping[str, Any], back: str) -> Iterator[Any]:
        """Yield Authlib's client for this provider."""
        try:
            from authlib.oauth2.client import OAuth2Client
        except ImportError as error:
            raise NotInstalledError(
                f"sign-in needs the extra access ({error.name} is missing): pip install 'greenroom[access]'"
            ) from error
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        method = "none" if self._secret is None else "client_secret_basic"
        if self._secret is not None and method not in methods:
            method = "client_secret_post"
        at = metadata["token_endpoint"]
        with client(at, _SETTING, timeout_s=TIMEOUT_S, max_reply_bytes=MAX_REPLY_BYTES) as asking:
            yield OAuth2Client(
                _Sending(asking),
                client_id=self._provider.client_id,
                client_secret=self._secret,
                token_endpoint_auth_method=method,
                scope=" ".join(self._provider.scopes),
                redirect_uri=back,
                code_challenge_method="S256",
            )

    def _token(self, metadata: Mapping[str, Any], left: Leaving, back: str, code: str) -> dict[str, Any]:
        import httpx2
        from authlib.common.errors import AuthlibBaseError

        try:
            with self._client(metadata, back) as oauth:
                token = oauth.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=left.verifier,
                )
        except AuthlibBaseError as error:
            raise AccessError(f"the provider refused the code ({_word(error.error)}): {_AGAIN}") from None
        except (httpx2.HTTPError, ValueError) as error:
            told = f"{_SETTING}: the provider does not answer ({type(error).__name__}): {_AGAIN}"
            raise OutboundError(told) from None
        return dict(token)

    def _checked(self, metadata: Mapping[str, Any], token: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """Return the claims of the token of identity, once all of it fits."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError

        text = token.get("id_token")
        if not isinstance(text, str):
            raise AccessError(f"the provider sent no token of identity: {_AGAIN}")
        try:
            try:
                decoded = jwt.decode(text, self._jwks(metadata), algorithms=list(ALGORITHMS))
            except (JoseError, ValueError):  # it may have new keys since
                decoded = jwt.decode(text, self._jwks(metadata, anew=True), algorithms=list(ALGORITHMS))
            claims = CodeIDToken(
                decoded.claims,
                decoded.header,
                options={
                    "iss": {"essential": True, "value": metadata["issuer"]},
                    "aud": {"essential": True, "value": self._provider.client_id},
                },
                params={
                    "nonce": nonce,
                    "client_id": self._provider.client_id,
                    "access_token": token.get("access_token"),
                },
            )
            claims.validate(leeway=LEEWAY_S)
        except (JoseError, ValueError) as error:
            why = _word(getattr(error, "error", type(error).__name__))
            raise AccessError(f"the provider's token is not right ({why}): {_AGAIN}") from None
        return dict(claims)

    def _read(self, metadata: Mapping[str, Any], token: Mapping[str, Any], claims: dict[str, Any]) -> Claims:
        """Return who it is, from the token of identity, and from `userinfo` for what is not in there."""
        names = self._provider
        wanted = {names.identity, names.name, names.groups}
        if not wanted <= claims.keys() and isinstance(at := metadata.get("userinfo_endpoint"), str):
            told = self._get(at, bearer=str(token.get("access_token", "")))
            if told.get("sub") == claims["sub"]:  # Core 1.0, section 5.3.2
                claims = {**told, **claims}
        if names.identity == "email" and claims.get("email_verified") is False:
            raise AccessError("the provider has not verified this address of e-mail: verify it there first")
        identity = identity_of(str(claims.get(names.identity) or ""))
        if not identity:
            raise AccessError(
                f"the provider says no {names.identity} of this account by which a person can be known here: "
                "add the scope that holds it (access.oidc.scopes), or name another (access.oidc.identity)"
            )
        groups = claims.get(names.groups) or []
        groups = [groups] if isinstance(groups, str) else groups
        told_groups = tuple(one for one in groups if isinstance(one, str)) if isinstance(groups, list) else ()
        return Claims(identity, one_line(str(claims.get(names.name) or "")), told_groups)


def _word(text: object) -> str:
    """Return a word of the provider's for a message: shortened, and without what is no word."""
    kept = "".join(char for char in str(text)[:200] if char.isalnum() or char in "_-.:/")
    return kept or "no reason"
