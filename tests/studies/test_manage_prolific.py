"""The manager's page of Prolific's submissions: approving in bulk, settling, bonuses, a file for payment."""

import csv
import io

import pytest
from django.utils import timezone

from studies.identity import Payment, ProlificSubmission
from studies.models import Enrolment
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, prolific_study
from tests.studies.managing import address, manager, staff, words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study():
    return prolific_study(
        *(factories.clip() for _ in range(3)), units_per_participant=1, prolific_study_ids=STUDY_ID
    )


def submits(study, prolific, number, code=""):
    """Somebody who agreed, handed in and submitted; returns their number here."""
    person = Arriving(study, number, number).agrees()
    Enrolment.objects.filter(pk=person.enrolment.pk).update(state="handed_in", path="completed")
    prolific.submits(
        person.session, person.pid, STUDY_ID, "AWAITING REVIEW", study_code=code or code_of(study)
    )
    return ProlificSubmission.objects.get(session_id=person.session)


def code_of(study):
    return study.codes.get(path="completed").code


def post(client, study, page, follow=True, **data):
    return client.post(address(study, page), data, follow=follow)


def test_an_empty_page_says_what_will_appear(study, prolific):
    told = words(manager().get(address(study, "prolific")))
    assert "Nobody has come from Prolific yet" in told
    assert "Prolific has not been asked yet" in told


def test_without_a_token_the_page_says_what_is_lacking(study):
    assert "PROLIFIC_TOKEN" in words(manager().get(address(study, "prolific")))


def test_asking_shows_how_submissions_stand_and_whether_the_code_fits(study, prolific):
    submits(study, prolific, 1)
    submits(study, prolific, 2, code="WRONG")
    told = words(post(manager(), study, "prolific_sync"))
    assert "2 submissions (2 awaiting review)" in told
    assert "1 entered a code that is not that of their path here" in told
    assert "awaiting review completed as expected" in told
    assert "awaiting review completed another one" in told


def test_no_id_is_on_the_page_even_for_those_who_may_see_ids(study, prolific):
    row = submits(study, prolific, 1)
    body = post(manager("see_identities"), study, "prolific_sync").content.decode()
    assert row.session_id not in body
    assert STUDY_ID not in body


def test_approving_asks_first_and_pays_each_once(study, prolific):
    rows = [submits(study, prolific, number) for number in (1, 2)]
    client = manager()
    post(client, study, "prolific_sync")
    chosen = [row.pk for row in rows]
    asked = post(client, study, "prolific_approve", submission=chosen)
    assert "Approve 2 submissions?" in words(asked)
    assert not Payment.objects.exists()
    for _ in range(2):
        post(client, study, "prolific_approve", submission=chosen, sure="1")
    assert list(Payment.objects.values_list("state", flat=True)) == ["done", "done"]
    assert {s.status for s in ProlificSubmission.objects.all()} == {"APPROVED"}
    assert prolific.calls("POST", "transition") == 2
    assert study.log.filter(what="2 submissions approved").exists()


def test_a_submission_of_another_study_is_not_approved_from_here(study, prolific):
    row = submits(study, prolific, 1)
    client = manager()
    post(client, study, "prolific_sync")
    other = prolific_study(factories.clip(), slug="other")
    told = words(post(client, other, "prolific_approve", submission=[row.pk], sure="1"))
    assert "Choose submissions that wait for review first" in told
    assert not Payment.objects.exists()


def test_a_payment_without_an_answer_waits_until_somebody_has_looked(study, prolific):
    row = submits(study, prolific, 1)
    payment = Payment.objects.create(submission=row, what="approve", state="sent")
    client = manager()
    assert "Without an answer" in words(client.get(address(study, "prolific")))
    post(client, study, "prolific_settle", payment=payment.pk, happened="maybe")
    assert Payment.objects.get().state == "sent"
    post(client, study, "prolific_settle", payment=payment.pk, happened="yes")
    assert Payment.objects.get().state == "done"
    assert "Without an answer" not in words(client.get(address(study, "prolific")))


def test_bonuses_are_all_paid_once_or_none_with_every_fault_by_line(study, prolific):
    row = submits(study, prolific, 1)
    client = manager("see_identities")
    wrong = f"{row.session_id}, 1.50, careful\nnobody, 1.00, careful\n{row.session_id}, free, kind"
    told = words(post(client, study, "prolific_bonus", lines=wrong))
    assert "line 2: submission: found an unknown one" in told
    assert "line 3: amount: found free, expected a number like 1.50" in told
    assert not Payment.objects.exists()
    assert "line 1: expected submission id" in words(post(client, study, "prolific_bonus", lines="1.50"))
    post(client, study, "prolific_bonus", lines=f"{row.session_id}, 1.50, careful, and kind")
    paid = Payment.objects.get()
    assert (paid.state, str(paid.amount), paid.reason) == ("done", "1.50", "careful, and kind")


def test_bonuses_that_could_not_be_sent_are_sent_again_by_hand_and_paid_once(study, prolific):
    row = submits(study, prolific, 1)
    client = manager("see_identities")
    prolific.fails("bonus", 401)
    post(client, study, "prolific_bonus", lines=f"{row.session_id}, 2.00, early")
    assert Payment.objects.get().state == "planned"
    assert "1 bonus could not be sent yet" in words(client.get(address(study, "prolific")))
    for _ in range(2):
        post(client, study, "prolific_bonus_again")
    assert Payment.objects.get().state == "done"
    assert sum(prolific.paid.values()) == 1


def test_a_payment_that_was_sent_just_now_cannot_be_settled_yet(study, prolific):
    row = submits(study, prolific, 1)
    Payment.objects.create(submission=row, what="approve", state="sent", sent_at=timezone.now())
    told = words(post(manager(), study, "prolific_settle", payment=Payment.objects.get().pk, happened="no"))
    assert "Its answer may still come" in told
    assert Payment.objects.get().state == "sent"


def test_who_may_see_ids_but_change_nothing_pays_nobody(study, prolific):
    client = staff("view_study", "see_identities")
    assert client.get(address(study, "prolific_bonus")).status_code == 403


def test_the_file_for_payment_has_the_ids_and_is_on_record(study, prolific):
    row = submits(study, prolific, 1)
    client = manager("see_identities")
    post(client, study, "prolific_sync")
    file = post(client, study, "prolific_file", follow=False)
    [line] = csv.DictReader(io.StringIO(file.content.decode()))
    assert (line["submission_id"], line["status"], line["code_fits"]) == (
        row.session_id,
        "AWAITING_REVIEW",
        "yes",
    )
    assert study.log.filter(what__startswith="payment list exported").exists()
