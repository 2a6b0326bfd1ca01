"""Log-in by OpenID Connect: the flow of the authorization code with PKCE, state and nonce, by Authlib."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from newsspider.store.accounts import Role, is_valid_name

SECONDS = 600.0  # between leaving for the provider and coming back
PATIENCE = 10.0  # seconds for an answer of the provider
NAMES = ("preferred_username", "email", "sub")  # claims, the first that may name an account
GROUPS = ("roles", "groups")  # claims that OIDC's `roles` maps
ALGORITHMS = ["RS256", "RS512", "PS256", "ES256", "EdDSA"]
MARK = "oidc "  # before issuer and subject, in place of the hash of a password


class NotProven(Exception):  # noqa: N818 -- the message says why nobody is logged in
    """A provider that did not prove who somebody is."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What the browser keeps while it is at the provider."""

    state: str
    nonce: str
    verifier: str
    onward: str

    def written(self) -> str:
        """As the value of a cookie."""
        return json.dumps(asdict(self), separators=(",", ":")).encode().hex()


@dataclass(frozen=True, slots=True)
class Person:
    """Who has logged in at the provider."""

    name: str
    role: Role
    mark: str


def visit_of(written: str) -> Visit | None:
    """The visit that a cookie holds."""
    try:
        values = json.loads(bytes.fromhex(written))
        visit = Visit(**values)
        return visit if all(isinstance(value, str) for value in values.values()) else None
    except (ValueError, TypeError, AttributeError):
        return None


def leave(options: Mapping[str, Any], back: str, onward: str) -> tuple[str, Visit]:
    """The provider's address to go to, which leads ``back`` here, and what the browser keeps meanwhile."""
    visit = Visit(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48), onward)
    url, _ = _session(options, back).create_authorization_url(
        _metadata(options["issuer"])["authorization_endpoint"], state=visit.state, nonce=visit.nonce,
        code_verifier=visit.verifier,
    )  # fmt: skip
    return str(url), visit


def arrive(options: Mapping[str, Any], back: str, visit: Visit | None, state: str, code: str, now: float) -> Person:
    """Who came back with this state and code; :exc:`NotProven` where that proves nothing or gives no role."""
    if visit is None or not code or not hmac.compare_digest(visit.state.encode(), state.encode()):
        raise NotProven("this log-in did not begin in this browser, or too long ago: log in again")
    try:
        claims = _claims(options, back, visit, code, now)
    except Exception as error:  # whatever a provider answers, nobody is logged in
        raise NotProven(f"the provider did not say who you are: {type(error).__name__}") from error
    names = (str(claims.get(claim) or "") for claim in NAMES)
    name = next(filter(is_valid_name, names), None)
    groups = {str(value) for claim in GROUPS for value in _several(claims.get(claim))} | {"*"}
    roles = [Role(role) for group, role in options["roles"].items() if group in groups]
    if name is None or not roles:
        raise NotProven("your account at the provider has no role here; ask an admin")
    return Person(name, max(roles, key=lambda role: role.rank), f"{MARK}{options['issuer']} {claims['sub']}")


def _claims(options: Mapping[str, Any], back: str, visit: Visit, code: str, now: float) -> Mapping[str, Any]:
    """What the ID token says, which the provider signed for us, for this visit, a moment ago."""
    jwk, jwt = import_module("joserfc.jwk"), import_module("joserfc.jwt")  # with Authlib; they may be missing
    metadata, session = _metadata(options["issuer"]), _session(options, back)
    token = session.fetch_token(
        metadata["token_endpoint"], code=code, code_verifier=visit.verifier, timeout=PATIENCE
    )
    keys = jwk.KeySet.import_key_set(_got(metadata["jwks_uri"]))
    claims: Mapping[str, Any] = jwt.decode(token["id_token"], keys, algorithms=ALGORITHMS).claims
    wanted = {"iss": options["issuer"], "aud": options["client_id"], "nonce": visit.nonce}
    essential = {name: {"essential": True, "value": value} for name, value in wanted.items()}
    more = {name: {"essential": True} for name in ("sub", "exp", "iat")}
    jwt.JWTClaimsRegistry(now=int(now), leeway=60, **essential, **more).validate(claims)
    return claims


@lru_cache(maxsize=4)  # cache: what providers say of themselves
def _metadata(issuer: str) -> Mapping[str, Any]:
    metadata = _got(issuer.rstrip("/") + "/.well-known/openid-configuration")
    if metadata.get("issuer") != issuer:
        raise NotProven("the provider calls itself otherwise than OIDC['issuer']")
    return metadata


def _got(url: str) -> dict[str, Any]:
    requests: Any = import_module("requests")
    answer = requests.get(url, timeout=PATIENCE, allow_redirects=False)
    answer.raise_for_status()
    content: dict[str, Any] = answer.json()
    return content


def _session(options: Mapping[str, Any], back: str) -> Any:
    try:
        client = import_module("authlib.integrations.requests_client")
    except ModuleNotFoundError:
        raise NotProven("log-in by OIDC needs Authlib: pip install 'newsspider[oidc]'") from None
    return client.OAuth2Session(
        options["client_id"], options["client_secret"], scope="openid profile email", redirect_uri=back,
        code_challenge_method="S256",
    )  # fmt: skip


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]
