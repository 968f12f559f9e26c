"""What happens to submissions on Prolific is followed here, and the work that came back is open to others."""

import logging
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies import tasks
from studies.identity import ParticipantIdentity, Payment, ProlificSubmission, ProlificSync
from studies.models import Assignment, Enrolment, Place, Study
from studies.prolific import client as client_module
from studies.prolific.answers import (
    AWAY,
    GOING_ON,
    TERMINAL,
    FetchedSubmission,
    ProlificError,
    status_of,
)
from studies.prolific.sync import SyncResult, submission_apply, submissions_sync
from studies.queries import place_is_free
from studies.services.enrolment import enrolment_hand_in
from studies.services.study import study_set_state
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(
        *(factories.clip() for _ in range(4)), units_per_participant=1, prolific_study_ids=STUDY_ID
    )


def comes(study, prolific, number=1, **changes):
    """Somebody who agrees, known on Prolific too."""
    person = Arriving(study, number, number).agrees()
    prolific.submits(person.session, person.pid, STUDY_ID, **changes)
    return person


def look(study, api):
    return submissions_sync(study, api, timezone.now())


def row(person):
    return ProlificSubmission.objects.get(session_id=person.session)


# --- following -----------------------------------------------------------------------------------------


def test_a_submission_is_kept_as_it_stands_and_looking_again_changes_nothing(study, prolific, api):
    person = comes(study, prolific, status="AWAITING REVIEW", study_code="CODE-COMPLETED")
    prolific.stands(person.session, "AWAITING REVIEW", completed_at="2026-01-01T12:30:00.5Z")
    first = look(study, api)
    kept = row(person)
    assert (kept.status, kept.entered_code) == ("AWAITING_REVIEW", "CODE-COMPLETED")
    assert kept.started_at == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert kept.completed_at == datetime(2026, 1, 1, 12, 30, 0, 500_000, UTC)
    assert kept.synced_at
    assert (first.changed, look(study, api).changed) == (1, 0)
    assert ProlificSubmission.objects.count() == 1


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT", "REJECTED"])
def test_a_submission_that_has_gone_gives_its_work_back_at_once(study, prolific, api, status):
    Study.objects.update(raters_per_unit=1)
    people = [comes(study, prolific, n) for n in range(1, 5)]
    for person in people:
        person.open()
    Place.objects.filter(enrolment=None).delete()
    assert not place_is_free(study, timezone.now())
    prolific.stands(people[0].session, status)
    look(study, api)
    assert people[0].enrolment.returned_at
    assert not any(person.enrolment.returned_at for person in people[1:])
    assert place_is_free(study, timezone.now())
    assert people[0].post("open", {"tab": "tab-1"}).json()["state"] == "returned"


@pytest.mark.parametrize(
    "status", ["ACTIVE", "RESERVED", "AWAITING REVIEW", "APPROVED", "SCREENED OUT", "NEW WORD"]
)
def test_every_other_state_lets_the_work_go_on(study, prolific, api, status):
    person = comes(study, prolific, status=status)
    person.open()
    look(study, api)
    assert not person.enrolment.returned_at
    assert row(person).status == status.replace(" ", "_")


def test_timed_out_work_that_is_approved_by_hand_counts_again(study, prolific, api):
    person = comes(study, prolific, status="TIMED-OUT")
    look(study, api)
    assert person.enrolment.returned_at
    prolific.stands(person.session, "APPROVED")
    look(study, api)
    assert not person.enrolment.returned_at


def test_a_visit_with_two_submissions_goes_on_while_one_of_them_does(study, prolific, api):
    person = comes(study, prolific, 1)
    again = Arriving(study, pid=1, session=2, at=person.client)
    again.arrives()
    prolific.submits(again.session, again.pid, STUDY_ID)
    prolific.stands(person.session, "RETURNED")
    look(study, api)
    assert not person.here.returned_at
    prolific.stands(again.session, "TIMED-OUT")
    look(study, api)
    assert person.here.returned_at


def test_somebody_elses_submission_is_reported_and_not_applied(study, prolific, api):
    person = comes(study, prolific, status="RETURNED", participant_id=an_id(7))
    result = look(study, api)
    assert result.oddities == {"mismatch": [row(person).pk]}
    assert (row(person).status, row(person).synced_at) == ("", None)
    assert not person.enrolment.returned_at


def test_a_submission_of_another_study_on_prolific_is_reported_and_not_applied(study, prolific, api):
    Study.objects.update(prolific_study_ids=f"{STUDY_ID} {an_id(5)}")
    study.refresh_from_db()
    person = comes(study, prolific)
    prolific.submits(person.session, person.pid, an_id(5), "RETURNED")
    assert look(study, api).oddities == {"mismatch": [row(person).pk]}
    assert row(person).synced_at is None


def test_people_who_never_started_here_are_counted_and_not_stored(study, prolific, api):
    comes(study, prolific)
    for n in range(5, 8):
        prolific.submits(an_id(n, "c"), an_id(n), STUDY_ID)
    result = look(study, api)
    assert result.unknown == 3
    assert result.sentence == "1 submission (1 active). 3 more on Prolific never started here."
    assert (ParticipantIdentity.objects.count(), ProlificSubmission.objects.count()) == (1, 1)


def test_a_code_that_does_not_fit_and_no_code_are_reported(study, prolific, api):
    people = [comes(study, prolific, n, status="AWAITING REVIEW") for n in range(1, 5)]
    people[0].rate_all()
    for person in people[:3]:
        enrolment_hand_in(enrolment=person.enrolment)
    codes = ["CODE-COMPLETED", "CODE-COMPLETED", "NOCODE", "CODE-COMPLETED"]  # the fourth still works
    for person, code in zip(people, codes, strict=True):
        prolific.stands(person.session, "AWAITING REVIEW", study_code=code)
    oddities = look(study, api).oddities
    assert oddities == {"code": [row(people[1]).pk, row(people[3]).pk], "nocode": [row(people[2]).pk]}
    assert ProlificSync.objects.get().oddities == oddities


def test_a_study_without_ids_in_its_settings_follows_those_that_its_links_brought(study, prolific, api):
    Study.objects.update(prolific_study_ids="")
    study.refresh_from_db()
    person = comes(study, prolific, status="RETURNED")
    look(study, api)
    assert row(person).status == "RETURNED"


def test_the_last_look_is_on_record_and_one_that_broke_off_says_why(study, prolific, api):
    people = [comes(study, prolific, n) for n in range(1, 3)]
    look(study, api)
    record = ProlificSync.objects.get(study=study)
    assert (record.ok, record.sentence) == (True, "2 submissions (2 active).")
    for n in range(10, 30):
        prolific.submits(an_id(n, "c"), an_id(n), STUDY_ID)
    prolific.stands(people[0].session, "RETURNED")
    prolific.fails("page=2", 401)
    look(study, api)
    record.refresh_from_db()
    assert not record.ok
    assert record.sentence.startswith("Prolific answered 401: A fault. Until then: 2 submissions")
    assert row(people[0]).status == "RETURNED"  # what was learnt is kept


def test_no_id_stands_in_the_record_or_in_a_log(study, prolific, api, caplog):
    caplog.set_level(logging.DEBUG)
    person = comes(study, prolific, status="AWAITING REVIEW", study_code="WRONG")
    Payment.objects.create(submission=row(person), what="approve")
    prolific.fails("submissions/", 500, times=2)
    look(study, api)
    prolific.fails("submissions/", 400)
    with pytest.raises(ProlificError):
        api.submission(person.session)
    with pytest.raises(ProlificError) as caught:
        api.approve(an_id(77, "c"))  # the server names it
    tasks.prolific_sync()
    told = [caplog.text, str(caught.value), str(ProlificSync.objects.values())]
    for secret in (person.pid, person.session, an_id(77, "c"), "the-researchers-token", "203.0.113.99"):
        assert not any(secret in text for text in told)


STATUSES = [*sorted(GOING_ON), *sorted(TERMINAL), "NEW WORD"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(st.sampled_from(STATUSES), min_size=1, max_size=8))
def test_what_has_ended_never_goes_on_again_whatever_prolific_says_in_which_order(study, said):
    Enrolment.objects.all().delete()
    ProlificSubmission.objects.all().delete()
    person = Arriving(study).agrees()
    visit, ended = person.enrolment, False
    for status in said:
        fetched = FetchedSubmission(person.session, person.pid, STUDY_ID, status_of(status))
        submission_apply(study, fetched, timezone.now(), SyncResult())
        kept = row(person).status
        ended = ended or fetched.status in TERMINAL
        assert (kept in TERMINAL) == ended
        assert kept == fetched.status or (ended and fetched.status not in TERMINAL)
        visit.refresh_from_db()
        assert (visit.returned_at is not None) == (kept in AWAY)


# --- returned people hold nothing (pitfall 13) ----------------------------------------------------------


@pytest.mark.parametrize("policy", ["keep", "drop"])
def test_a_returned_person_frees_what_is_unfinished_and_each_clip_ends_at_its_target(prolific, api, policy):
    clips = [factories.clip() for _ in range(5)]
    study = prolific_study(
        *clips, raters_per_unit=2, units_per_participant=5, prolific_study_ids=STUDY_ID, returned=policy
    )
    leaver = comes(study, prolific, 1)
    for _ in range(2):
        leaver.rate_all()
    held = Place.objects.filter(study=study).exclude(enrolment=None)
    assert held.count() == 5  # two finished, three reserved
    prolific.stands(leaver.session, "RETURNED")
    look(study, api)
    assert held.count() == (2 if policy == "keep" else 0)
    for number in range(2, 4):
        person = comes(study, prolific, number)
        while person.open()["state"] == "working":
            person.rate_all()
        enrolment_hand_in(enrolment=person.here)
    assert not place_is_free(study, timezone.now())
    finished = Assignment.objects.filter(state="finished", enrolment__study=study, surplus=False)
    if policy == "drop":
        finished = finished.filter(enrolment__returned_at=None)
    assert Counter(finished.values_list("unit__key", flat=True)) == {clip.clip_id: 2 for clip in clips}
    places = Counter(held.filter(until=None).values_list("unit__key", flat=True))
    assert places == {clip.clip_id: 2 for clip in clips}


# --- the worker's door ---------------------------------------------------------------------------------


def test_the_worker_follows_every_study_from_prolific_that_is_no_draft(study, prolific):
    person = comes(study, prolific, status="RETURNED")
    draft = Study.objects.create(slug="draft", kind="intensity", prolific=True, prolific_study_ids=STUDY_ID)
    study_set_state(study=study, state=Study.State.CLOSED)
    tasks.prolific_sync()
    assert row(person).status == "RETURNED"
    assert not ProlificSync.objects.filter(study=draft).exists()
    assert cache.get(tasks.LOCK) is None


def test_without_a_token_the_worker_asks_nothing(study, prolific, settings):
    settings.PROLIFIC_TOKEN = ""
    tasks.prolific_sync()
    tasks.prolific_approve([1])
    assert prolific.seen == []


def test_two_looks_never_overlap(study, prolific):
    cache.set(tasks.LOCK, "another run")
    tasks.prolific_sync()
    assert prolific.seen == []
    assert cache.get(tasks.LOCK) == "another run"


def test_the_beat_knows_the_task(settings):
    entry = settings.CELERY_BEAT_SCHEDULE["prolific-sync"]
    assert (entry["task"], entry["schedule"]) == (tasks.prolific_sync.name, 120)
    assert client_module.PATIENCE < tasks.TIME_LIMIT < tasks.LOCK_SECONDS
