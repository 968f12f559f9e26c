"""A stand-in for Prolific: a real HTTP server on a free port that behaves as its documentation says.

What is not documented is left out. `faults` and `limits` make it misbehave; `paid` counts what it paid.
"""

import base64
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

TOKEN = "the-researchers-token"
PAGE = 20
REJECTIONS = {
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "OTHER",
}


@dataclass
class Fault:
    """One misbehaviour: for requests whose path holds `path`; `after` it was done, or before."""

    path: str
    status: int = 0  # 0: the connection is dropped
    after: bool = False
    headers: dict[str, str] = field(default_factory=dict)


class Prolific:
    """The state of the stand-in, and the knobs of a test."""

    def __init__(self) -> None:
        self.submissions: dict[str, dict[str, Any]] = {}
        self.bulk: dict[str, dict[str, Any]] = {}
        self.paid: Counter[str] = Counter()  # how often each bulk bonus was paid
        self.approved: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self.seen: list[tuple[str, str, float]] = []  # method, path with query, time
        self.links = True  # whether lists say where the next page is
        self.meta = True  # whether lists say how many there are
        self.keys: dict[str, rsa.RSAPrivateKey] = {}
        self.url = ""

    # --- what a test sets up -----------------------------------------------------------------------

    def submits(self, session: str, pid: str, study: str, status: str = "ACTIVE", **changes: Any) -> None:
        """A submission as it stands now."""
        known = self.submissions.get(session, {"started_at": "2026-01-01T12:00:00Z", "completed_at": None})
        self.submissions[session] = known | {
            "id": session,
            "participant_id": pid,
            "study_id": study,
            "status": status,
            "study_code": known.get("study_code"),
            "ip": "203.0.113.99",
            **changes,
        }

    def stands(self, session: str, status: str, **changes: Any) -> None:
        """From now on a submission stands so."""
        self.submissions[session] |= {"status": status, **changes}

    def fails(
        self, path: str, status: int = 0, *, times: int = 1, after: bool = False, **headers: str
    ) -> None:
        """The next requests to that path fail: with a status, or (0) by a dropped connection."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults += [Fault(path, status, after, named) for _ in range(times)]

    def calls(self, method: str, path: str) -> int:
        """How many requests of that kind came."""
        return sum(1 for seen in self.seen if seen[0] == method and path in seen[1])

    # --- signed links ------------------------------------------------------------------------------

    @property
    def jwks_url(self) -> str:
        """The address of the public keys."""
        return f"{self.url}/.well-known/study/jwks.json"

    def key_new(self, kid: str) -> None:
        """One more key, with which tokens are signed from now on."""
        self.keys[kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def signs(
        self,
        pid: str,
        study: str,
        session: str,
        *,
        kid: str | None = None,
        expires: float = 300,
        **changes: Any,
    ) -> str:
        """The token of a study link."""
        ids = {"participant_id": pid, "study_id": study, "submission_id": session, "workspace_id": "w"}
        claims = {
            "iss": "https://www.prolific.com",
            "sub": session,
            "aud": "testserver",
            "exp": int(time.time() + expires),
            "iat": int(time.time()),
            "prolific": ids,
        } | changes
        claims = {name: value for name, value in claims.items() if value is not None}
        if not self.keys:
            self.key_new("key-1")
        kid = kid or list(self.keys)[-1]
        return jwt.encode(claims, self.keys[kid], algorithm="RS256", headers={"kid": kid})

    def jwks(self) -> dict[str, Any]:
        """The public keys as Prolific gives them out."""
        return {"keys": [_public(kid, key) for kid, key in self.keys.items()]}

    # --- the API -----------------------------------------------------------------------------------

    def listed(self, query: dict[str, list[str]]) -> tuple[int, Any]:
        """A page of submissions; a page behind the last one is not there."""
        number = int(query.get("page", ["1"])[0])
        wanted = [
            row
            for row in self.submissions.values()
            if row["study_id"] == query.get("study", [row["study_id"]])[0]
            and row["status"] == query.get("status", [row["status"]])[0]
        ]
        rows = wanted[PAGE * (number - 1) : PAGE * number]
        if number > 1 and not rows:
            return 404, _error(404, "Invalid page.")
        # As documented, the objects of a list do not name the study.
        body: dict[str, Any] = {
            "results": [{k: v for k, v in row.items() if k != "study_id"} for row in rows],
        }
        if self.meta:
            body["meta"] = {"count": len(wanted)}
        if self.links:
            more = PAGE * number < len(wanted)
            body["_links"] = {"next": {"href": f"{self.url}/more" if more else None, "title": "Next"}}
        return 200, body

    def transition(self, session: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Approve or reject a submission that waits for review."""
        row = self.submissions.get(session)
        if row is None:
            return 404, _error(404, f"No submission {session}.")
        action = body.get("action")
        if action not in ("APPROVE", "REJECT"):
            return 400, _error(400, {"action": ["Not a valid choice."]})
        if action == "REJECT" and (
            len(body.get("message", "")) < 100 or body.get("rejection_category") not in REJECTIONS
        ):
            return 400, _error(400, "A rejection needs a message of 100 characters and a category.")
        if row["status"] != "AWAITING REVIEW":
            return 400, _error(400, f"Submission {session} is {row['status']}: it cannot be approved.")
        row["status"] = "APPROVED" if action == "APPROVE" else "REJECTED"
        self.approved[session] += action == "APPROVE"
        return 200, row

    def bonuses(self, body: dict[str, Any]) -> tuple[int, Any]:
        """Set up a bulk bonus."""
        lines = [line.split(",") for line in body["csv_bonuses"].splitlines()]
        ids = {row["id"] for row in self.submissions.values() if row["study_id"] == body["study_id"]}
        if not lines or any(name not in ids for name, _ in lines):
            return 400, _error(400, {"csv_bonuses": ["Unknown id."]})
        if len({name for name, _ in lines}) != len(lines):
            return 400, _error(400, {"csv_bonuses": ["An id twice."]})
        bulk = f"{len(self.bulk) + 1:024x}"
        amount = sum(round(float(amount) * 100) for _, amount in lines)
        self.bulk[bulk] = {"id": bulk, "study": body["study_id"], "amount": amount, "lines": lines}
        return 201, {"id": bulk, "amount": amount, "fees": 0, "vat": 0, "total_amount": amount}

    def pays(self, bulk: str) -> tuple[int, Any]:
        """Pay a bulk bonus, as often as it is asked for."""
        if bulk not in self.bulk:
            return 404, _error(404, "Not found.")
        self.paid[bulk] += 1
        return 202, {"message": "The payment is being processed"}

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """What Prolific answers."""
        where = urlsplit(path)
        parts = where.path.removeprefix("/api/v1").strip("/").split("/")
        match method, parts:
            case "GET", ["submissions"]:
                return self.listed(parse_qs(where.query))
            case "GET", ["submissions", session]:
                row = self.submissions.get(session)
                return (200, row) if row else (404, _error(404, "Not found."))
            case "POST", ["submissions", "bonus-payments"]:
                return self.bonuses(body)
            case "POST", ["submissions", session, "transition"]:
                return self.transition(session, body)
            case "POST", ["bulk-bonus-payments", bulk, "pay"]:
                return self.pays(bulk)
        return 404, _error(404, "Not found.")


def _error(status: int, detail: Any) -> dict[str, Any]:
    return {"error": {"status": status, "error_code": 1, "title": "Error", "detail": detail}}


def _public(kid: str, key: rsa.RSAPrivateKey) -> dict[str, str]:
    numbers = key.public_key().public_numbers()

    def text(number: int) -> str:
        raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    return {
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": kid,
        "n": text(numbers.n),
        "e": text(numbers.e),
    }


class _Handler(BaseHTTPRequestHandler):
    prolific: Prolific

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.serve("GET")

    def do_POST(self) -> None:
        self.serve("POST")

    def serve(self, method: str) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        self.prolific.seen.append((method, self.path, time.monotonic()))
        fault = next((f for f in self.prolific.faults if f.path in self.path), None)
        if fault:
            self.prolific.faults.remove(fault)
        if fault and not fault.after:
            return self.misbehave(fault)
        if self.path.startswith("/.well-known/"):
            return self.say(200, self.prolific.jwks())
        if self.headers.get("Authorization") != f"Token {TOKEN}":
            return self.say(401, _error(401, "Authentication credentials were not provided."))
        status, answer = self.prolific.answer(method, self.path, body)
        return self.misbehave(fault) if fault else self.say(status, answer)

    def misbehave(self, fault: Fault) -> None:
        if fault.status:
            return self.say(fault.status, _error(fault.status, "A fault."), **fault.headers)
        self.close_connection = True
        self.connection.close()
        return None

    def say(self, status: int, answer: Any, **headers: str) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def finish(self) -> None:
        if not self.wfile.closed and self.connection.fileno() != -1:
            super().finish()


@contextmanager
def running() -> Iterator[Prolific]:
    """The stand-in on a free port."""
    prolific = Prolific()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"prolific": prolific}))
    server.daemon_threads = True
    prolific.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield prolific
    server.shutdown()
    server.server_close()
