"""The platform's own processes against a test's database: web server and Celery worker."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from scripts.processes import WEB_PROCESSES, web_command, worker_command
from tests.services.processes import Process, free_port

ROOT = Path(__file__).resolve().parent.parent.parent


def database_url() -> str:
    """The address of the database that the running test uses, for a process beside it."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    login = quote(found["USER"]) + (f":{quote(found['PASSWORD'])}" if found["PASSWORD"] else "")
    port = f":{found['PORT']}" if found["PORT"] else ""
    return f"postgresql://{login}@{quote(found['HOST'], safe='')}{port}/{found['NAME']}"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a production process on the running test's database and var folder."""
    own = {"DJANGO_SETTINGS_MODULE": "config.settings", "TOUCHSTONE_VAR": str(settings.VAR)}
    return dict(os.environ) | own | {"DATABASE_URL": database_url()} | dict(extra or {})


@dataclass
class Site:
    """A running web server: `url` without a trailing slash, and its process."""

    url: str
    process: Process

    @property
    def log(self) -> str:
        """What the server has said."""
        return self.process.log


def start_site(log: Path, env: Mapping[str, str], *, port: int = 0) -> Site:
    """The production web server on that port (0: a free one), with the environment given."""
    port = port or free_port()

    def ready() -> bool:
        # A worker process that is still loading when asked to stop would hold up the stop.
        return log.read_text(errors="replace").count("Started worker-") == WEB_PROCESSES

    process = Process(web_command(port), log=log, environment=env, ready=ready, cwd=ROOT)
    return Site(f"http://127.0.0.1:{port}", process)


def start_worker(log: Path, env: Mapping[str, str]) -> Process:
    """A Celery worker that has said it is ready."""
    return Process(
        worker_command(),
        log=log,
        environment=env,
        ready=lambda: " ready." in log.read_text(errors="replace"),
        cwd=ROOT,
    )
