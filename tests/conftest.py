"""Fixtures that every test may use: the real servers, the platform's processes, Chromium."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import kombu.pools
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from config.celery import app as celery_app
from tests.services import chromium, platform, postgres, redis
from tests.services.platform import Site
from tests.services.processes import Process

StartSite = Callable[[Mapping[str, str]], Site]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """No test sees what another one cached."""
    yield
    cache.clear()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Leave no pooled connection behind: it would keep the test's database from being removed."""
    yield
    for connection in connections.all():
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()


# --- servers -----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """The address (database `postgres`) of a PostgreSQL that lets tests create databases."""
    return postgres.server()


@pytest.fixture
def redis_corner() -> Iterator[redis.Corner]:
    """A random key prefix on a real Redis: `.url`, `.prefix`, `.environment`, `.keys()`."""
    corner = redis.corner()
    yield corner
    corner.sweep()


# --- the platform's own processes ---------------------------------------------------------------------


@pytest.fixture(scope="session")
def collected_static(django_db_setup: None) -> Path:
    """The static files as a production server serves them, collected once."""
    env = platform.environment()
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=platform.ROOT, env=env, check=True)
    return Path(settings.STATIC_ROOT)


@pytest.fixture
def start_site(collected_static: Path, transactional_db: None, tmp_path: Path) -> Iterator[StartSite]:
    """Start production web servers on this test's database: `start_site({"REDIS_URL": …}) -> Site`."""
    sites: list[Site] = []

    def start(extra: Mapping[str, str]) -> Site:
        log = tmp_path / f"web-{len(sites)}.log"
        sites.append(platform.start_site(log, platform.environment(extra)))
        return sites[-1]

    yield start
    for site in sites:
        site.process.stop()
        print(site.log)  # pytest shows it with a failed test only


@pytest.fixture
def live_site(start_site: StartSite) -> Site:
    """The production web server on this test's database and var folder: `.url`, `.log`, `.process`."""
    return start_site({})


@pytest.fixture
def celery_worker(redis_corner: redis.Corner, transactional_db: None, tmp_path: Path) -> Iterator[Process]:
    """A real Celery worker on real Redis; tasks that this test sends go to it instead of running here."""
    log = tmp_path / "worker.log"
    broker = {
        "broker_url": redis_corner.url,
        "broker_transport_options": {"global_keyprefix": f"{redis_corner.prefix}:"},
        "task_always_eager": False,
    }
    before = {name: celery_app.conf[name] for name in broker}
    with platform.start_worker(log, platform.environment(redis_corner.environment)) as worker:
        _point_celery_at(broker)
        yield worker
        _point_celery_at(before)
    print(log.read_text())


def _point_celery_at(broker: Mapping[str, object]) -> None:
    celery_app.conf.update(broker)
    kombu.pools.reset()  # connections to the former broker
    celery_app.amqp._producer_pool = None
    celery_app._pool = None


# --- the browser --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for the whole run."""
    # Playwright keeps an event loop in this thread; Django would take that for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        running = chromium.launch(playwright)
        yield running
        running.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Make browser profiles, each a person or a device of its own: `new_context(**options)`.

    A test fails when any of their pages has an uncaught error or breaks the content security policy.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            faults.append(message.text)

    def make(**options: object) -> BrowserContext:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 720}} | options))
        context.set_default_timeout(15_000)
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("console", note)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """A page of a fresh profile, 1280×720."""
    return new_context().new_page()
