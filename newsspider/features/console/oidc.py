"""Log-in by OpenID Connect: the flow of the authorization code with PKCE, state and nonce, by Authlib."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from newsspider.features.console.accounts import Role, is_valid_name

VISIT_SECONDS = 600.0  # between leaving for the provider and coming back
PROVIDER_SECONDS = 10.0  # seconds for an answer of the provider
WAITING_SECONDS = 1.0  # seconds that others wait while one asks for the metadata
METADATA_SECONDS, FAILURE_SECONDS = 3600.0, 30.0  # how long metadata, or the failure to get them, are kept
NAME_CLAIMS = ("preferred_username", "email", "sub")  # claims, the first that may name an account
GROUPS = ("roles", "groups")  # claims that OIDC's `roles` maps
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
MARK = "oidc "  # before issuer and subject, in place of the hash of a password
ERROR = re.compile("[a-z_]{1,40}")  # a code of OAuth 2.0


class LoginError(Exception):
    """A provider that did not prove who somebody is."""

    status = 403


class ProviderAwayError(LoginError):
    """A provider that cannot be asked."""

    status = 502


@dataclass(frozen=True, slots=True)
class LoginState:
    """What the browser keeps while it is at the provider."""

    state: str
    nonce: str
    verifier: str
    onward: str
    begun: float

    def written(self, secret: str) -> str:
        """As the value of a cookie, which the client's secret signs."""
        text = json.dumps(asdict(self), separators=(",", ":")).encode().hex()
        return f"{text}.{_signature(text, secret)}"


@dataclass(frozen=True, slots=True)
class Person:
    """Who has logged in at the provider; without a role they may not come in here."""

    name: str
    role: Role | None
    mark: str


def visit_of(written: str, secret: str, now: float) -> LoginState | None:
    """The visit that a cookie holds, if we wrote it a short while ago."""
    text, _, signature = written.partition(".")
    if not hmac.compare_digest(signature.encode("utf-8", "replace"), _signature(text, secret).encode()):
        return None
    visit = LoginState(**json.loads(bytes.fromhex(text)))
    return visit if 0 <= now - visit.begun <= VISIT_SECONDS else None


def _signature(text: str, secret: str) -> str:
    return hmac.new(secret.encode(), b"oidc visit " + text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


class Provider:
    """The provider of ``OIDC``; one request at a time asks it for its metadata."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self._metadata: Mapping[str, Any] | None = None
        self._asked_at = float("-inf")
        self._asking = threading.Lock()

    def leave(self, back: str, onward: str, now: float) -> tuple[str, LoginState]:
        """The provider's address to go to, which leads ``back`` here, and what the browser keeps meanwhile."""
        visit = LoginState(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48), onward, now)
        url, _ = self._session(back).create_authorization_url(
            self._metadata_at(now)["authorization_endpoint"],
            state=visit.state,
            nonce=visit.nonce,
            code_verifier=visit.verifier,
        )
        return str(url), visit

    def arrive(self, back: str, visit: LoginState | None, answer: Mapping[str, str], now: float) -> Person:
        """Who came back with this answer; :exc:`LoginError` where that proves nothing."""
        if visit is None or not hmac.compare_digest(visit.state.encode(), answer.get("state", "").encode()):
            raise LoginError("this log-in did not begin in this browser, or too long ago: log in again")
        fault, code = answer.get("error", ""), answer.get("code", "")
        if fault or not code:
            raise LoginError(f"the provider did not let you in: {fault if ERROR.fullmatch(fault) else 'no code'}")
        try:
            claims = self._claims(back, visit, code, now)
        except LoginError:
            raise
        except Exception as error:  # whatever a provider answers, nobody is logged in
            away = isinstance(error, import_module("requests").RequestException)
            kind = ProviderAwayError if away else LoginError
            raise kind(f"the provider did not say who you are: {type(error).__name__}") from error
        good = [claim for claim in NAME_CLAIMS if claim != "email" or claims.get("email_verified") is True]
        names = (str(claims.get(claim) or "") for claim in good)
        groups = {str(value) for claim in GROUPS for value in _several(claims.get(claim))} | {"*"}
        roles = [Role(role) for group, role in self.options["roles"].items() if group in groups]
        role = max(roles, key=lambda role: role.rank, default=None)
        return Person(next(filter(is_valid_name, names), ""), role, f"{MARK}{self.options['issuer']} {claims['sub']}")

    def _claims(self, back: str, visit: LoginState, code: str, now: float) -> Mapping[str, Any]:
        """What the ID token says, which the provider signed for us, for this visit, a moment ago."""
        jwt = import_module("joserfc.jwt")  # with Authlib; it may be missing
        metadata, session, client = self._metadata_at(now), self._session(back), self.options["client_id"]
        token = session.fetch_token(
            metadata["token_endpoint"], code=code, code_verifier=visit.verifier, timeout=PROVIDER_SECONDS
        )
        claims: Mapping[str, Any] = jwt.decode(
            token["id_token"], _keys(metadata["jwks_uri"]), algorithms=ALGORITHMS
        ).claims
        expected = {"iss": self.options["issuer"], "aud": client, "nonce": visit.nonce}
        essential = {name: {"essential": True, "value": value} for name, value in expected.items()}
        more = {name: {"essential": True} for name in ("sub", "exp", "iat")}
        jwt.JWTClaimsRegistry(now=int(now), leeway=60, **essential, **more).validate(claims)
        if claims.get("azp", client if len(_several(claims["aud"])) == 1 else None) != client:
            raise LoginError("the provider says who you are to another client")
        return claims

    def _metadata_at(self, now: float) -> Mapping[str, Any]:
        """What the provider says of itself."""
        if not self._asking.acquire(timeout=WAITING_SECONDS):
            raise ProviderAwayError("the provider is slow; try again in a moment")
        try:
            if not 0 <= now - self._asked_at < (FAILURE_SECONDS if self._metadata is None else METADATA_SECONDS):
                self._metadata, self._asked_at = None, now
                metadata = _json_at(self.options["issuer"].rstrip("/") + "/.well-known/openid-configuration")
                if metadata.get("issuer") != self.options["issuer"]:
                    raise ProviderAwayError("the provider calls itself otherwise than OIDC['issuer']")
                self._metadata = metadata
            if self._metadata is None:
                raise ProviderAwayError("the provider is away; try again in a minute")
            return self._metadata
        finally:
            self._asking.release()

    def _session(self, back: str) -> Any:
        try:
            client = import_module("authlib.integrations.requests_client")
        except ModuleNotFoundError:
            raise ProviderAwayError("log-in by OIDC needs Authlib: pip install 'newsspider[oidc]'") from None
        return client.OAuth2Session(
            self.options["client_id"],
            self.options["client_secret"],
            scope="openid profile email",
            redirect_uri=back,
            code_challenge_method="S256",
        )


def _keys(url: str) -> Any:
    """The keys of the provider; the only one alone, if it has no name, for whatever key a token names."""
    jwk, content = import_module("joserfc.jwk"), _json_at(url)
    try:
        keys = jwk.KeySet.import_key_set(content)
        return keys.keys[0] if len(keys.keys) == 1 and "kid" not in content["keys"][0] else keys
    except Exception as error:
        raise ProviderAwayError("the keys of the provider cannot be read") from error


def _json_at(url: str) -> dict[str, Any]:
    """The JSON object there; :exc:`ProviderAwayError` if there is none."""
    requests: Any = import_module("requests")
    try:
        answer = requests.get(url, timeout=PROVIDER_SECONDS, allow_redirects=False)
        answer.raise_for_status()
        content = answer.json()
    except requests.RequestException as error:
        raise ProviderAwayError("the provider is away") from error
    if not isinstance(content, dict):
        raise ProviderAwayError("the provider sends no JSON object")
    return content


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]
