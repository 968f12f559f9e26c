"""An annotator's browser without a browser: the same requests over real HTTP, and connections left unread."""

import http.client
import json
import secrets
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from studies.access import cookie_name
from studies.models import Study
from studies.services.enrolment import enrolment_join


class HttpAnnotator:
    """A person who has agreed to take part in `study`, speaking to the site at `url`."""

    def __init__(self, url: str, study: Study) -> None:
        self.enrolment, token = enrolment_join(study=study)
        self.host, self.port = urlsplit(url).hostname or "", urlsplit(url).port or 80
        self.base = f"/api/work/{study.slug}/"
        self.tab = secrets.token_hex(8)
        csrf = secrets.token_hex(16)
        self.headers = {
            "Cookie": f"{cookie_name(study)}={token}; csrftoken={csrf}",
            "X-CSRFToken": csrf,
            "Content-Type": "application/json",
        }
        self.connection = http.client.HTTPConnection(self.host, self.port, timeout=30)

    def post(self, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        """Status and body of the answer to one API call from this person's tab."""
        text = json.dumps({"tab": self.tab} | body)
        self.connection.request("POST", self.base + path, text, self.headers)
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())

    def open(self) -> dict[str, Any]:
        """Open the unit to work on."""
        status, opened = self.post("open")
        if status != 200:
            raise RuntimeError(f"open answered {status}: {opened}")
        return opened

    def answer(self, opened: dict[str, Any], question: str, value: int) -> tuple[int, dict[str, Any]]:
        """Answer one question for the first time, claiming to have watched everything."""
        return self.post(
            "events",
            event_id=str(uuid.uuid4()),
            assignment=opened["assignment"]["id"],
            action="answer",
            question=question,
            value=value,
            replaces=None,
            played={"reaction": [[0, opened["view"]["duration_s"]]]},
        )

    @contextmanager
    def unread(self, address: str, connections: int, *, ranges: bool = True) -> Iterator[None]:
        """Ask for a medium on this many connections; in the block all are answered and none is read."""
        lines = [f"GET {address} HTTP/1.1", f"Host: {self.host}", f"Cookie: {self.headers['Cookie']}"]
        lines += ["Range: bytes=0-"] if ranges else []
        request = "\r\n".join([*lines, "", ""]).encode()
        held = []
        try:
            for _ in range(connections):
                viewer = socket.socket()
                viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                viewer.settimeout(30)
                viewer.connect((self.host, self.port))
                viewer.sendall(request)
                held.append(viewer)
            starts = {viewer.recv(12, socket.MSG_PEEK) for viewer in held}  # waits, and leaves it unread
            # Beyond a number of whole large files the server answers 503, which need not be read either.
            expected = {b"HTTP/1.1 206"} if ranges else {b"HTTP/1.1 200", b"HTTP/1.1 503"}
            if not starts <= expected:
                raise RuntimeError(f"the unread requests were answered with {starts}")
            yield
        finally:
            for viewer in held:
                viewer.close()
