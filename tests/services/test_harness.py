"""The harness itself: what it starts is real, and what it finds it leaves as it was."""

import urllib.request

import psycopg
import pytest
import redis as redis_client

from config.celery import app as celery_app
from tests.services import postgres, redis
from tests.services.processes import DidNotStart, Process, accepts_connections, wait_until

pytestmark = pytest.mark.services


def test_our_own_postgresql_is_durable_and_ends_with_us():
    own = postgres.start_server()
    try:
        with psycopg.connect(own.url) as connection:
            settings = {
                name: connection.execute(f"SHOW {name}").fetchone()[0]
                for name in ("fsync", "synchronous_commit", "full_page_writes")
            }
        assert settings == {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    finally:
        own.stop()
    assert not postgres.usable(own.url)
    assert not own.folder.exists()


def test_our_own_redis_ends_with_us():
    own = redis.start_server()
    assert redis.answers(own.url)
    own.stop()
    assert not redis.answers(own.url)


def test_sweeping_a_corner_leaves_the_keys_of_others(redis_corner):
    with redis_client.Redis.from_url(redis_corner.url) as client:
        other = f"{redis_corner.prefix[:-1]}-other"
        client.set(other, 1)
        client.set(f"{redis_corner.prefix}:a", 1)
        redis_corner.sweep()
        assert redis_corner.keys() == []
        assert client.delete(other) == 1


def test_a_server_that_ends_at_once_is_reported_with_its_log(tmp_path):
    with pytest.raises(DidNotStart, match="no such luck"):
        Process(["sh", "-c", "echo no such luck; exit 3"], log=tmp_path / "log", ready=lambda: False)


@pytest.mark.django_db(transaction=True)
def test_the_live_site_answers_and_stops(live_site):
    assert b"<html" in urllib.request.urlopen(f"{live_site.url}/admin/login/").read()
    live_site.process.stop()
    assert not accepts_connections(int(live_site.url.rpartition(":")[2]))


def test_a_message_sent_by_a_test_reaches_the_worker(celery_worker):
    celery_app.send_task("no.such.task", queue=celery_app.conf.task_default_queue)
    wait_until(lambda: "unregistered task of type 'no.such.task'" in celery_worker.log)


@pytest.mark.browser
def test_chromium_opens_the_live_site(live_site, page):
    page.goto(f"{live_site.url}/admin/login/")
    assert page.locator("input[name=username]").is_visible()
