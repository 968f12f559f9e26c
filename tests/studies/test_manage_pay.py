"""The pay view: one line a visit with what was done in it, as a page and as files, ids apart."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from studies.identity import ParticipantIdentity, ProlificSubmission
from studies.models import Assignment, Study
from studies.pay_queries import visits_of
from studies.services.study import study_set_items
from tests import factories
from tests.studies.managing import address, manager, staff, words
from tests.studies.person import Person, open_study

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PID, SESSION = "5e" + "0" * 22, "6a" + "0" * 22


@pytest.fixture
def study():
    made = open_study(factories.clip("one"), factories.clip("two"), title="Laughs")
    Study.objects.filter(pk=made.pk).update(reward=Decimal("3.00"), pay_floor=Decimal("8.00"))
    for name in ("wink", "nod"):
        factories.clip(name)
    study_set_items(
        study=made, purpose="check", items=[{"key": k, "accepts": {f"{k}-m0": [3]}} for k in ("wink", "nod")]
    )
    study_set_items(study=made, purpose="practice", items=[{"key": factories.clip("try").clip_id}])
    made.refresh_from_db()
    return made


def visited(study, minutes, *, path="completed", **fields):
    """A visit of so many minutes with two clips done, one of them skipped, two checks and a repeat."""
    values = {"joined_at": NOON, "path": path, "state": "handed_in"} | fields
    visit = factories.enrolment(
        study, handed_in_at=values["joined_at"] + timedelta(minutes=minutes), **values
    )
    work = [
        ("try", {"purpose": "practice", "passed": True}),
        ("one", {}),
        ("two", {"state": "skipped"}),
        ("wink", {"purpose": "check", "passed": True}),
        ("nod", {"purpose": "check", "passed": False}),
        ("one", {"purpose": "repeat"}),
    ]
    for key, changes in work:
        factories.assignment(visit, key, active_ms=60_000, **changes)
    return visit


def from_prolific(study, visit, minutes=None, **fields):
    """What is known of a visit's submission."""
    ParticipantIdentity.objects.create(participant=visit.participant, source="prolific", external_id=PID)
    done = NOON + timedelta(minutes=minutes) if minutes else None
    ProlificSubmission.objects.create(
        participant=visit.participant,
        study=study,
        enrolment=visit,
        session_id=SESSION,
        prolific_study_id="s",
        started_at=NOON if minutes else None,
        completed_at=done,
        **fields,
    )


def table(response):
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    return {row["participant"]: row for row in rows}


def test_a_line_says_what_was_done_in_the_visit(study):
    visited(study, 20)
    [visit] = visits_of(study)
    # The practice is time at work, but no work: five were done, one of them skipped.
    assert (visit.active_ms, visit.items, visit.opt_outs) == (360_000, 5, 1)
    assert (visit.checks_passed, visit.checks_given, visit.repeats) == (1, 2, 1)


def test_people_who_brought_in_answers_from_elsewhere_have_no_line(study):
    factories.enrolment(study, pool="import:pilot")
    assert visits_of(study) == []


def test_the_page_shows_median_quartiles_and_the_warning_with_both_numbers(study):
    visited(study, 20)
    visited(study, 30)
    visited(study, 45)
    page = words(manager().get(address(study, "pay")))
    assert "The median pay of an hour is 6.00 GBP, below the floor of 8.00 GBP" in page
    assert "6.00 GBP median an hour quartiles 5.00 and 7.50" in page
    assert "30.0 min median time quartiles 25.0 and 37.5" in page
    assert "6.0 min median active time" in page
    assert "3 of 3 visits count" in page
    assert "completed 20.0 6.0 9.00 5 1 1 of 2 1" in page


def test_at_the_floor_there_is_no_warning(study):
    Study.objects.filter(pk=study.pk).update(pay_floor=Decimal("9.00"))
    visited(study, 20)
    page = words(manager().get(address(study, "pay")))
    assert "below the floor" not in page
    assert "1 of 1 visit counts" in page


def test_nobody_and_no_reward_have_a_calm_page(study):
    page = words(manager().get(address(study, "pay")))
    assert "Nobody has joined yet" in page
    assert "0 of 0 visits count" in page
    Study.objects.filter(pk=study.pk).update(reward=None)
    visited(study, 20)
    page = words(manager(name="max").get(address(study, "pay")))
    assert "No reward is set for this study" in page
    assert "20.0 min median time" in page
    assert "below the floor" not in page


def test_prolifics_time_is_taken_and_marked_where_it_is_known(study):
    visit = visited(study, 20, pool="prolific")
    from_prolific(study, visit, minutes=10, status="APPROVED")
    page = words(manager().get(address(study, "pay")))
    assert "prolific completed 10.0 P 6.0 18.00" in page


def test_returned_people_and_those_at_work_are_listed_and_do_not_count(study):
    visited(study, 20)
    visited(study, 1, returned_at=NOON)
    factories.enrolment(study, joined_at=NOON)
    page = words(manager().get(address(study, "pay")))
    assert "1 of 3 visits counts: " in page
    assert "(returned)" in page
    assert "at work" in page


def test_the_file_without_ids_is_for_everybody_who_may_look(study):
    visit = visited(study, 20, pool="prolific")
    from_prolific(study, visit)
    response = staff("view_study").get(address(study, "pay_file"))
    assert "laughs-pay.csv" in response["Content-Disposition"]
    [row] = table(response).values()
    assert row == {
        "participant": visit.participant.public_id,
        "visit": "1",
        "pool": "prolific",
        "path": "completed",
        "time_from": "touchstone",
        "minutes": "20.0",
        "active_minutes": "6.0",
        "hourly_pay": "9.00",
        "currency": "GBP",
        "counts": "yes",
        "items": "5",
        "opt_outs": "1",
        "checks_passed": "1",
        "checks_given": "2",
        "repeats": "1",
    }
    assert PID not in response.content.decode()
    assert SESSION not in response.content.decode()


def test_the_file_with_ids_is_for_those_who_may_see_them_and_is_kept_on_record(study):
    visit = visited(study, 20, pool="prolific")
    from_prolific(study, visit)
    other = visited(study, 30)
    assert manager().post(address(study, "pay_ids")).status_code == 403
    assert not study.log.filter(what__startswith="pay exported").exists()
    rows = table(manager("see_identities", name="ida").post(address(study, "pay_ids")))
    assert (rows[visit.participant.public_id]["prolific_id"]) == PID
    assert (rows[visit.participant.public_id]["submission_id"]) == SESSION
    assert rows[other.participant.public_id]["prolific_id"] == ""
    assert study.log.filter(what="pay exported with Prolific ids: 2 visits", by__username="ida").exists()


def test_the_button_for_ids_is_there_for_those_alone_and_no_page_holds_an_id(study):
    visit = visited(study, 20)
    from_prolific(study, visit)
    for client, there in ((manager(), False), (manager("see_identities", name="ida"), True)):
        page = client.get(address(study, "pay")).content.decode()
        assert ("Download with Prolific ids" in page) is there
        assert PID not in page
        assert SESSION not in page


def test_a_cell_that_a_spreadsheet_would_run_is_marked_as_text(study):
    visit = visited(study, 20)
    from_prolific(study, visit)
    ParticipantIdentity.objects.update(external_id='=HYPERLINK("x")')
    [row] = table(manager("see_identities").post(address(study, "pay_ids"))).values()
    assert row["prolific_id"] == '\'=HYPERLINK("x")'


def test_lines_are_sorted_by_the_column_that_was_asked_for(study):
    slow, fast = visited(study, 50), visited(study, 10, joined_at=NOON + timedelta(hours=1))
    client = manager()

    def order(query):
        page = client.get(address(study, "pay"), query).content.decode()
        return page.index(slow.participant.public_id) < page.index(fast.participant.public_id)

    assert order({})
    assert not order({"by": "time"})
    assert order({"by": "time", "down": "1"})
    assert order({"by": "'; drop table"})


def test_the_page_asks_the_database_as_often_for_many_visits_as_for_one(study, django_assert_max_num_queries):
    for number in range(12):
        visited(study, 20 + number)
    client = manager()
    client.get(address(study, "pay"))
    with django_assert_max_num_queries(16):
        client.get(address(study, "pay"))


def test_a_real_visit_has_its_line(study):
    study_set_items(study=study, purpose="practice", items=[])
    person = Person.joins(study)
    person.rate_all()
    person.rate_all()
    Assignment.objects.update(active_ms=90_000)
    person.post("hand_in", {"tab": person.tab})
    [visit] = visits_of(study)
    assert (visit.items, visit.active_ms, visit.path) == (2, 180_000, "completed")
    assert visit.counts
