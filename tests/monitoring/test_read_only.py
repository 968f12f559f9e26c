"""Dashboards change nothing, because the database would not let them."""

import pytest
from django.db import DatabaseError, connections, transaction
from django.db.utils import load_backend
from django.http import HttpResponse
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from config.databases import databases
from monitoring.readonly import ALIAS, read_only
from studies.models import Study
from tests.services import platform
from tests.studies.person import open_study, two_moments

WRITES = [
    "INSERT INTO studies_participant (public_id, created_at) VALUES ('intruder', '2026-01-01 00:00:00')",
    "UPDATE studies_study SET title = 'changed'",
    "DELETE FROM studies_study",
    "CREATE TABLE intruder (id integer)",
    "DROP TABLE studies_studylog",
]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "monitor"])


@pytest.fixture
def study():
    return open_study(two_moments())


@pytest.fixture
def monitor(tmp_path):
    """A connection of its own, with exactly the settings of the `monitor` alias in production."""
    asked = databases(url=platform.database_url(), monitor_url="", var=tmp_path, pool=1)["monitor"]
    config = connections.configure_settings({"default": asked, "monitor": asked})["monitor"]
    config["TEST"].pop("MIRROR", None)
    own = load_backend(config["ENGINE"]).DatabaseWrapper(config, "monitor")
    yield own
    own.close()
    if own.vendor == "postgresql":
        own.close_pool()


@pytest.mark.parametrize("statement", WRITES)
def test_the_monitor_connection_reads_and_the_database_refuses_every_write(study, monitor, statement):
    with monitor.cursor() as cursor:
        cursor.execute("SELECT title FROM studies_study")
        assert cursor.fetchone() == ("Laughs",)
        with pytest.raises(DatabaseError, match=r"(?i)read-?only"):
            cursor.execute(statement)
    monitor.close()
    assert Study.objects.get().title == "Laughs"


def acts():
    """What a careless view might try, by name."""
    return {
        "save": lambda: Study.objects.first().save(),
        "create": lambda: Study.objects.create(slug="x", title="x", kind="intensity", consent="c"),
        "update": lambda: Study.objects.update(title="changed"),
        "delete": lambda: Study.objects.all().delete(),
        "related": lambda: Study.objects.first().log.create(what="intruder"),
        "locked": lambda: _in_a_transaction(),
    }


def _in_a_transaction():
    with transaction.atomic(using=ALIAS):
        Study.objects.update(title="changed")


@pytest.mark.parametrize("act", sorted(acts()))
def test_a_view_that_tried_to_write_would_be_refused_by_the_database(study, act):
    def careless(request):
        acts()[act]()
        return HttpResponse("written")

    with pytest.raises(DatabaseError, match=r"(?i)read-?only"):
        read_only(careless)(RequestFactory().get("/monitor/"))
    connections[ALIAS].close()
    assert list(Study.objects.values_list("slug", "title")) == [("laughs", "Laughs")]
    assert study.log.filter(what="intruder").count() == 0


def test_outside_those_views_everything_can_be_written_again_even_after_a_failure(study):
    def failing(request):
        raise RuntimeError("a fault of the page")

    with pytest.raises(RuntimeError, match="a fault of the page"):
        read_only(failing)(RequestFactory().get("/monitor/"))
    Study.objects.update(title="Changed by its manager")
    assert Study.objects.get().title == "Changed by its manager"


def monitor_patterns():
    """Every address under /monitor/, whoever declares it."""
    found = []

    def visit(patterns, prefix):
        for entry in patterns:
            address = prefix + str(entry.pattern)
            if hasattr(entry, "url_patterns"):
                visit(entry.url_patterns, address)
            elif address.startswith("monitor/"):
                found.append((address, entry.callback))

    visit(get_resolver().url_patterns, "")
    return found


def test_every_address_under_monitor_is_wrapped():
    assert len(monitor_patterns()) >= 2
    assert [address for address, view in monitor_patterns() if not getattr(view, "read_only", False)] == []


@pytest.mark.parametrize("address", [address for address, _ in monitor_patterns()])
def test_no_page_under_monitor_sends_anything_but_reads(study, watcher, address):
    monitor = watcher()
    path = "/" + address.replace("<slug:slug>", study.slug)
    with (
        CaptureQueriesContext(connections["default"]) as plain,
        CaptureQueriesContext(connections[ALIAS]) as careful,
    ):
        assert monitor.get(path).status_code == 200
    sent = [query["sql"] for query in [*plain, *careful]]
    assert [sql for sql in sent if not sql.lstrip("( ").upper().startswith("SELECT")] == []
    assert careful.captured_queries
    figures = ("studies_", "annotation_", "catalogue_")
    assert [q["sql"] for q in plain if any(f'"{name}' in q["sql"] for name in figures)] == []
