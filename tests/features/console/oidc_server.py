"""A small provider of OpenID Connect on loopback, which is as strict as the standards and lets tests break its tokens."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.features.console.conftest import TODAY

CLIENT, SECRET = "newsspider", "geheim"
NAMES_OF_A_KEY = ("kid", "alg")


KEY = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})


class Provider:
    """Everybody who logs in is the person of ``claims``; ``spoiled`` claims replace the right ones in the token."""

    def __init__(self) -> None:
        self.key = self.signing = KEY
        self.claims: dict[str, Any] = {"sub": "7", "preferred_username": "王芳", "groups": ["news-editors"]}
        self.spoiled: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.header: dict[str, str] = {"alg": "RS256", "kid": "1"}
        self.has_key_names = True
        self.fails: set[str] = set()  # paths that answer 503
        self.asked: list[str] = []  # paths
        self.url = ""

    def authorize(self, query: dict[str, str]) -> str:
        """Where a browser goes on to after it has logged in."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        assert min(len(query[name]) for name in ("state", "nonce", "code_challenge")) >= 32
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return query["redirect_uri"] + "?" + urlencode({"code": code, "state": query["state"]})

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code, once; ``None`` for a client, a code, a verifier or an address that is wrong."""
        begun = self.codes.pop(form.get("code", ""), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        hashed = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()
        if begun is None or authorization != basic or begun["code_challenge"] != challenge:
            return None
        if begun["redirect_uri"] != form["redirect_uri"]:
            return None
        now = int(TODAY.timestamp())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": begun["nonce"], **self.claims, **self.spoiled}
        claims = {name: value for name, value in claims.items() if value is not None}
        token = jwt.encode(self.header, claims, self.signing, algorithms=[self.header["alg"]])
        return {"access_token": "a", "token_type": "Bearer", "id_token": token}


@contextmanager
def provider() -> Iterator[Provider]:
    """One that is served until the block ends."""
    served = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            served.asked.append(parts.path)
            if parts.path in served.fails:
                self.answer(503, {})
            elif parts.path == "/authorize":
                self.send_response(303)
                self.send_header("Location", served.authorize({name: value[0] for name, value in parse_qs(parts.query).items()}))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif parts.path == "/.well-known/openid-configuration":
                ends = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
                self.answer(200, {"issuer": served.url} | {name: served.url + path for name, path in ends.items()})
            else:
                key = served.key.as_dict(private=False)
                left_out = () if served.has_key_names else NAMES_OF_A_KEY
                self.answer(200, {"keys": [{name: value for name, value in key.items() if name not in left_out}]})

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            tokens = served.token({name: value[0] for name, value in form.items()}, self.headers.get("Authorization", ""))
            self.answer(200 if tokens else 400, tokens or {"error": "invalid_grant"})

        def answer(self, status: int, content: object) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield served
        server.shutdown()
