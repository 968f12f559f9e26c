"""The platform refuses to run where an acknowledged answer could be lost."""

import psycopg
import pytest
from django.core.checks.registry import registry
from django.db import connections
from django.db.utils import load_backend

from config.checks import acknowledged_means_on_disk, folders_are_writable
from config.databases import databases
from tests.services import postgres
from tests.services.processes import wait_until


@pytest.fixture
def findings(settings, monkeypatch, tmp_path, django_db_blocker):
    """Run the durability check on a database of its own, opened as in production."""
    settings.DURABILITY_CHECK = True

    def run(url="", **options):
        asked = databases(url=url, monitor_url="", var=tmp_path, pool=2)
        config = connections.configure_settings(asked)["default"]
        config["OPTIONS"] |= options
        connection = load_backend(config["ENGINE"]).DatabaseWrapper(config, "default")
        monkeypatch.setattr("config.checks.connections", {"default": connection})
        try:
            with django_db_blocker.unblock():
                return acknowledged_means_on_disk(None, ["default"])
        finally:
            connection.close()
            if connection.vendor == "postgresql":
                connection.close_pool()

    return run


def test_the_embedded_database_is_accepted_as_it_is(findings):
    assert findings() == []


@pytest.mark.parametrize(
    ("pragmas", "words"),
    [
        ("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;", "journal_mode delete"),
        ("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;", "synchronous NORMAL"),
        ("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;", "synchronous OFF"),
    ],
)
def test_sqlite_that_acknowledges_too_early_is_refused_with_a_hint(findings, pragmas, words):
    [error] = findings(init_command=pragmas)
    assert error.id == "touchstone.E001"
    assert words in error.msg
    assert "init_command" in error.hint


@pytest.mark.services
def test_postgresql_as_delivered_is_accepted_and_each_unsafe_switch_is_named_with_its_cure(findings):
    own = postgres.start_server()

    def run(*statements):
        with psycopg.connect(own.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    switches = ["fsync", "synchronous_commit", "full_page_writes"]
    try:
        assert findings(own.url) == []
        run(*(f"ALTER SYSTEM SET {name} = off" for name in switches), "SELECT pg_reload_conf()")
        wait_until(lambda: len(findings(own.url)) == 3)
        errors = findings(own.url)
        assert [error.id for error in errors] == ["touchstone.E001"] * 3
        assert all(name in error.msg for name, error in zip(switches, errors, strict=True))
        for error in errors:
            run(*error.hint.split(";"))
        wait_until(lambda: findings(own.url) == [])
    finally:
        own.stop()


def test_a_folder_that_takes_no_files_is_refused_by_name(settings, tmp_path):
    assert folders_are_writable(None) == []
    (tmp_path / "file").write_text("in the way")
    settings.STORAGES = settings.STORAGES | {
        "clips": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "file" / "clips"},
        }
    }
    [error] = folders_are_writable(None)
    assert error.id == "touchstone.E002"
    assert "'clips'" in error.msg
    assert str(tmp_path) in error.msg


def test_both_checks_are_among_those_that_every_command_runs():
    names = {check.__name__ for check in registry.get_checks()}
    assert {"acknowledged_means_on_disk", "folders_are_writable"} <= names
