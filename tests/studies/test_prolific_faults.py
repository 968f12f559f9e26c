"""What is followed and paid on Prolific survives odd answers, half-done work and faults of our own."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studies import tasks
from studies.identity import ParticipantIdentity, Payment, ProlificSubmission, ProlificSync
from studies.prolific import approve, sync
from tests import factories
from tests.services.prolific import TOKEN
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study

pytestmark = pytest.mark.django_db(transaction=True)
OTHER_STUDY = "5f00000000000000000000bb"


@pytest.fixture
def study():
    return prolific_study(
        *(factories.clip() for _ in range(4)), units_per_participant=1, prolific_study_ids=STUDY_ID
    )


def comes(study, prolific, number=1, status="ACTIVE", at=STUDY_ID):
    """Somebody who agreed, and how they stand on Prolific."""
    person = Arriving(study, number, number).agrees()
    ProlificSubmission.objects.filter(session_id=person.session).update(prolific_study_id=at)
    prolific.submits(person.session, person.pid, at, status)
    return person


def look(study, api):
    return sync.submissions_sync(study, api, timezone.now())


def planned(study, prolific, api, number=1):
    """The planned approval of somebody who waits for review."""
    comes(study, prolific, number, "AWAITING REVIEW")
    look(study, api)
    [payment] = approve.approvals_plan(approve.approvals_wanted(study), None)
    return payment


def test_a_single_submission_names_its_person_by_the_other_name_of_the_documentation(prolific, api):
    prolific.submits(an_id(1, "c"), "", STUDY_ID)
    prolific.stands(an_id(1, "c"), "ACTIVE", participant_id=None, participant=an_id(1), entered_code="C0DE")
    found = api.submission(an_id(1, "c"))
    assert (found.pid, found.entered_code) == (an_id(1), "C0DE")


def test_a_submission_without_a_person_does_not_keep_the_others_from_being_followed(study, prolific, api):
    prolific.submits(an_id(77, "c"), "", STUDY_ID, "RETURNED", participant_id=None)
    person = comes(study, prolific, status="RETURNED")
    result = look(study, api)
    assert (result.fault, result.unknown) == ("", 1)
    assert person.enrolment.returned_at is not None


def test_a_fault_of_one_submission_stops_neither_the_others_nor_other_studies(
    study, prolific, api, monkeypatch
):
    other = prolific_study(factories.clip(), slug="zebra")
    people = [comes(study, prolific, number, "RETURNED") for number in (1, 2)]
    stranger = comes(other, prolific, 3, "RETURNED", at=OTHER_STUDY)
    real, failing = sync.enrolment_returned, [OperationalError("database is locked")]

    def fails_once(**named):
        if failing:
            raise failing.pop()
        return real(**named)

    monkeypatch.setattr(sync, "enrolment_returned", fails_once)
    tasks.prolific_sync()
    returned = [person.enrolment.returned_at is not None for person in (*people, stranger)]
    assert returned == [False, True, True]
    assert ProlificSync.objects.get(study=study).oddities == {"not_stored": ["OperationalError"]}
    tasks.prolific_sync()
    assert people[0].enrolment.returned_at is not None
    assert ProlificSync.objects.get(study=study).oddities == {}


def test_an_approval_that_was_left_behind_is_sent_once_the_token_is_right(study, prolific, api, settings):
    payment = planned(study, prolific, api)
    settings.PROLIFIC_TOKEN = "wrong"
    tasks.prolific_approve([payment.pk])
    settings.PROLIFIC_TOKEN = TOKEN
    tasks.prolific_sync()
    assert prolific.approved.total() == 0  # it may still be on its way
    long_ago = timezone.now() - timedelta(hours=1)
    Payment.objects.update(created_at=long_ago, sent_at=long_ago)
    tasks.prolific_sync()
    tasks.prolific_sync()
    payment.refresh_from_db()
    assert (payment.state, prolific.approved.total()) == ("done", 1)


def test_an_approval_without_an_answer_is_not_taken_for_one_left_behind(study, prolific, api):
    payment = planned(study, prolific, api)
    prolific.fails("transition")
    approve.approval_send(payment, api)
    Payment.objects.update(sent_at=timezone.now() - timedelta(days=1))
    tasks.prolific_sync()
    payment.refresh_from_db()
    assert (payment.state, prolific.calls("POST", "transition")) == ("sent", 1)


@pytest.mark.parametrize("status", ["APPROVED", "PARTIALLY APPROVED"])
def test_an_approval_that_somebody_gave_on_prolific_in_the_meantime_is_not_shown_as_refused(
    study, prolific, api, status
):
    payment = planned(study, prolific, api)
    [session] = prolific.submissions
    prolific.stands(session, status)
    assert approve.approval_send(payment, api).state == "done"
    assert prolific.approved.total() == 0


def test_a_lost_answer_is_settled_by_an_approval_in_part_too(study, prolific, api):
    payment = planned(study, prolific, api)
    prolific.fails("transition")
    approve.approval_send(payment, api)
    [session] = prolific.submissions
    prolific.stands(session, "PARTIALLY APPROVED")
    look(study, api)
    payment.refresh_from_db()
    assert (payment.state, payment.said) == ("done", "Seen as partially approved on Prolific.")


def test_looking_again_where_nothing_changed_costs_few_queries(study, prolific, api):
    for number in range(40):
        person = factories.participant()
        ParticipantIdentity.objects.create(participant=person, source="prolific", external_id=an_id(number))
        visit = factories.enrolment(study, person, pool="prolific", state="handed_in", path="completed")
        ProlificSubmission.objects.create(
            participant=person,
            study=study,
            enrolment=visit,
            session_id=an_id(number, "c"),
            prolific_study_id=STUDY_ID,
        )
        status, code = ("RETURNED", "NOCODE") if number % 4 else ("APPROVED", "CODE-COMPLETED")
        prolific.submits(an_id(number, "c"), an_id(number), STUDY_ID, status, study_code=code)
    first = look(study, api)
    with CaptureQueriesContext(connection) as queries:
        again = look(study, api)
    assert len(queries) < 20
    assert (again.statuses, again.oddities) == (first.statuses, first.oddities)
    assert again.changed == 0
    seen = ProlificSubmission.objects.values_list("synced_at", flat=True).distinct()
    assert list(seen) == [ProlificSync.objects.get().at]


def test_what_became_of_the_rest_here_is_followed_though_prolific_says_nothing_new(study, prolific, api):
    person = comes(study, prolific, 1, "RETURNED")
    row = ProlificSubmission.objects.get(session_id=person.session)
    visit = row.enrolment
    ProlificSubmission.objects.update(enrolment=None)
    look(study, api)
    assert person.enrolment.returned_at is None
    ProlificSubmission.objects.update(enrolment=visit)
    look(study, api)
    assert person.enrolment.returned_at is not None
    prolific.stands(person.session, "APPROVED")
    look(study, api)
    payment = Payment.objects.create(submission=row, what="approve", state="sent")
    look(study, api)
    payment.refresh_from_db()
    assert payment.state == "done"
    ParticipantIdentity.objects.update(external_id=an_id(99))
    assert look(study, api).oddities == {"mismatch": [row.pk]}
