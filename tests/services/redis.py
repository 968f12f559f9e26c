"""Redis for tests: the local server under a random key prefix, else one of our own on a free port."""

import atexit
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import redis

from tests.services.processes import Process, free_port

ENVIRONMENT = "TEST_REDIS_URL"
STANDARD = "redis://127.0.0.1:6379/0"


def answers(url: str) -> bool:
    """Whether a Redis answers there."""
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


@dataclass
class OwnServer:
    """A Redis started by us: its address, process and folder."""

    url: str
    process: Process
    folder: Path

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self.process.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_server() -> OwnServer:
    """A server of our own on a free port, keeping nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        raise RuntimeError(
            "no Redis answers on localhost:6379 and there is no redis-server to start: "
            "install it (Debian: apt-get install redis-server) or name one in TEST_REDIS_URL"
        )
    folder = Path(tempfile.mkdtemp(prefix="touchstone-redis-"))
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = Process(
        [*command, "--dir", str(folder)], log=folder / "log", ready=lambda: answers(url), timeout_s=15
    )
    return OwnServer(url, process, folder)


def server() -> str:
    """The address of the Redis that this test run uses: given, found or started, in that order."""
    if ENVIRONMENT not in os.environ:
        found = STANDARD
        if not answers(found):
            own = start_server()
            atexit.register(own.stop)
            found = own.url
        os.environ[ENVIRONMENT] = found
    return os.environ[ENVIRONMENT]


@dataclass(frozen=True)
class Corner:
    """Our corner of a Redis that others may use too: every key begins with `prefix`."""

    url: str
    prefix: str

    @property
    def environment(self) -> dict[str, str]:
        """The settings that make Touchstone use this corner."""
        return {"REDIS_URL": self.url, "REDIS_PREFIX": self.prefix}

    def keys(self) -> list[bytes]:
        """The keys in it."""
        with redis.Redis.from_url(self.url) as client:
            return list(client.scan_iter(f"{self.prefix}*"))

    def sweep(self) -> None:
        """Delete our keys, one by one; nothing is flushed."""
        with redis.Redis.from_url(self.url) as client:
            for key in client.scan_iter(f"{self.prefix}*"):
                client.delete(key)


def corner() -> Corner:
    """A corner under a fresh random prefix."""
    return Corner(server(), f"touchstone-test-{secrets.token_hex(6)}")
