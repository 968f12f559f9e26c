"""Approvals are asked for once, whatever is lost on the way, and paying is apart from what counts as data."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from studies import prolific as package
from studies import tasks
from studies.errors import Refused
from studies.identity import Payment, ProlificSubmission
from studies.models import Enrolment, StudyLog
from studies.prolific import approve, bonus, client
from studies.prolific.answers import NoAnswer
from studies.prolific.sync import submissions_sync
from studies.services.enrolment import enrolment_hand_in
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, prolific_study
from tests.studies.paying import paid, state, waits
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(
        *(factories.clip() for _ in range(3)), units_per_participant=1, prolific_study_ids=STUDY_ID
    )


@pytest.fixture
def manager():
    return get_user_model().objects.create_user("manager")


# --- approving -----------------------------------------------------------------------------------------


def test_only_what_waits_for_review_is_planned_and_once(study, prolific, manager):
    rows = [waits(study, prolific, n) for n in range(1, 3)]
    others = [
        waits(study, prolific, 3 + n, status)
        for n, status in enumerate(["ACTIVE", "RETURNED", "APPROVED", "TIMED-OUT"])
    ]
    assert list(approve.approvals_wanted(study)) == rows
    planned = approve.approvals_plan(rows + others, manager)
    assert [(p.submission, p.what, p.state, p.by) for p in planned] == [
        (row, "approve", "planned", manager) for row in rows
    ]
    assert approve.approvals_plan(rows, manager) == []
    assert list(approve.approvals_wanted(study)) == []
    assert prolific.seen == []


def test_approving_twice_approves_once(study, prolific, api, manager):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)
    for _ in range(3):
        assert approve.approval_send(payment, api).state == "done"
    row.refresh_from_db()
    assert row.status == "APPROVED"
    assert prolific.calls("POST", "transition") == 1
    assert prolific.approved == {row.session_id: 1}
    assert approve.approvals_plan([row], manager) == []


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("status", [0, 500])
def test_an_approval_without_an_answer_is_not_sent_again(study, prolific, api, manager, after, status):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)
    prolific.fails("transition", status, after=after)
    assert approve.approval_send(payment, api).state == "sent"
    approve.approval_send(payment, api)
    assert approve.approvals_plan([row], manager) == []
    tasks.prolific_approve([payment.pk])
    assert prolific.calls("POST", "transition") == 1
    # The next look shows what happened; else a manager decides.
    submissions_sync(study, api, timezone.now())
    assert state(payment) == ("done" if after else "sent")


def test_a_crash_between_the_ledger_and_the_call_leaves_a_row_that_is_not_sent_again(
    study, prolific, api, manager
):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)

    class Crashing:
        def approve(self, session_id):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        approve.approval_send(payment, Crashing())
    assert state(payment) == "sent"
    approve.approval_send(payment, api)
    assert prolific.calls("POST", "transition") == 0
    submissions_sync(study, api, timezone.now())
    assert state(payment) == "sent"
    approve.payment_settle(payment, False, manager)
    [again] = approve.approvals_plan([row], manager)  # a manager's decision, a new row
    assert approve.approval_send(again, api).state == "done"
    assert prolific.approved == {row.session_id: 1}


@pytest.mark.django_db(transaction=True)
def test_a_row_is_on_disk_as_sent_before_prolific_is_asked(study, prolific, manager):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)
    seen = []

    class Watching:
        def approve(self, session_id):
            at_once([lambda: seen.append(state(payment))])  # another connection
            raise NoAnswer("lost")

    approve.approval_send(payment, Watching())
    assert seen == ["sent"]


@pytest.mark.django_db(transaction=True)
def test_a_surrounding_transaction_that_could_roll_back_is_not_accepted(study, prolific, api, manager):
    [payment] = approve.approvals_plan([waits(study, prolific)], manager)
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        approve.approval_send(payment, api)
    assert prolific.calls("POST", "") == 0


@pytest.mark.django_db(transaction=True)
def test_two_who_send_the_same_approval_at_once_send_it_once(study, prolific, api, manager):
    rows = [waits(study, prolific, n) for n in range(1, 4)]
    payments = approve.approvals_plan(rows, manager)
    at_once([lambda p=p: approve.approval_send(p, api) for p in payments for _ in range(3)])
    assert prolific.approved == {row.session_id: 1 for row in rows}
    assert prolific.calls("POST", "transition") == 3


def test_what_prolific_refuses_is_kept_with_its_words_and_may_be_planned_again(study, prolific, api, manager):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)
    prolific.stands(row.session_id, "RETURNED")
    sent = approve.approval_send(payment, api)
    assert sent.state == "refused"
    assert "it cannot be approved" in sent.said
    assert row.session_id not in sent.said
    assert len(approve.approvals_plan([row], manager)) == 1


def test_what_no_longer_waits_for_review_is_not_sent(study, prolific, api, manager):
    rows = [waits(study, prolific, n) for n in range(1, 3)]
    payments = approve.approvals_plan(rows, manager)
    for row, status in zip(rows, ["RETURNED", "APPROVED"], strict=True):
        ProlificSubmission.objects.filter(pk=row.pk).update(status=status)
    assert [approve.approval_send(p, api).state for p in payments] == ["refused", "done"]
    assert prolific.calls("POST", "transition") == 0


def test_what_was_approved_on_prolific_by_hand_needs_no_sending(study, prolific, api, manager):
    row = waits(study, prolific)
    [payment] = approve.approvals_plan([row], manager)
    prolific.stands(row.session_id, "APPROVED")
    submissions_sync(study, api, timezone.now())
    assert state(payment) == "done"


def test_the_worker_waits_when_it_asks_too_often_and_then_sends_the_rest(study, prolific, manager):
    rows = [waits(study, prolific, n) for n in range(1, 5)]
    payments = approve.approvals_plan(rows, manager)
    prolific.fails(rows[2].session_id, 429, Retry_After="1")
    tasks.prolific_approve.apply(args=[[p.pk for p in payments]], throw=False)
    assert {state(p) for p in payments} == {"done"}
    assert prolific.approved == {row.session_id: 1 for row in rows}


def test_a_token_that_prolific_does_not_take_leaves_everything_planned(study, prolific, manager, settings):
    settings.PROLIFIC_TOKEN = "wrong"
    payments = approve.approvals_plan([waits(study, prolific, n) for n in range(1, 4)], manager)
    tasks.prolific_approve([p.pk for p in payments])
    assert {state(p) for p in payments} == {"planned"}
    assert prolific.calls("POST", "transition") == 1
    assert "401" in Payment.objects.get(pk=payments[0].pk).said


@pytest.mark.parametrize(("happened", "becomes"), [(True, "done"), (False, "refused")])
def test_a_manager_says_what_became_of_a_lost_answer_and_it_is_on_record(
    study, prolific, api, manager, happened, becomes
):
    [payment] = approve.approvals_plan([waits(study, prolific)], manager)
    with pytest.raises(Refused):
        approve.payment_settle(payment, happened, manager)  # it was not sent
    prolific.fails("transition")
    approve.approval_send(payment, api)
    assert approve.payment_settle(payment, happened, manager).state == becomes
    with pytest.raises(Refused):
        approve.payment_settle(payment, not happened, manager)
    entry = StudyLog.objects.first()
    assert entry.by == manager
    assert "without an answer" in entry.what


def test_after_14_days_without_review_somebody_is_told(study, prolific):
    now = timezone.now()
    rows = [waits(study, prolific, n) for n in range(1, 5)]
    for row, days in zip(rows, [13, 14, 30, None], strict=True):
        done = now - timedelta(days=days) if days else None
        ProlificSubmission.objects.filter(pk=row.pk).update(completed_at=done)
    assert list(approve.overdue(study, now)) == [rows[2], rows[1]]
    ProlificSubmission.objects.filter(pk=rows[2].pk).update(status="APPROVED")
    assert list(approve.overdue(study, now)) == [rows[1]]
    assert rows[3] in approve.overdue(study, now + timedelta(days=15))


def test_no_function_rejects_anybody(prolific):
    names = [
        name for module in (package, approve, bonus, client, client.Prolific, tasks) for name in dir(module)
    ]
    assert not [name for name in names if "reject" in name.lower()]


def test_the_stand_in_rejects_by_prolifics_rules_alone(study, prolific, api):
    row = waits(study, prolific)
    bad = [{"action": "REJECT"}, {"action": "REJECT", "message": "x" * 99, "rejection_category": "OTHER"}]
    bad += [{"action": "REJECT", "message": "x" * 100}, {"action": "BLOCK"}]
    assert [prolific.transition(row.session_id, body)[0] for body in bad] == [400] * 4
    good = {"action": "REJECT", "message": "x" * 100, "rejection_category": "OTHER"}
    assert prolific.transition(row.session_id, good)[0] == 200


# --- for payment ---------------------------------------------------------------------------------------


def test_the_list_for_payment_shows_each_submission_as_it_stands(study, prolific, api, manager):
    person = Arriving(study).agrees()
    person.rate_all()
    enrolment_hand_in(enrolment=person.here)
    prolific.submits(person.session, person.pid, STUDY_ID, "AWAITING REVIEW", study_code="CODE-COMPLETED")
    declined = Arriving(study, 2, 2)
    declined.declines()
    prolific.submits(declined.session, declined.pid, STUDY_ID, "AWAITING REVIEW", study_code="CODE-COMPLETED")
    working = waits(study, prolific, 3, "ACTIVE")
    submissions_sync(study, api, timezone.now())
    rows = list(ProlificSubmission.objects.order_by("pk"))
    for payment in approve.approvals_plan(rows[:1], manager):
        approve.approval_send(payment, api)
    paid(bonus.bonuses_plan(study, [(rows[0].session_id, "1.50", "a")], manager), api)
    bonus.bonuses_plan(study, [(rows[0].session_id, "2", "b")], manager)
    lines = approve.payment_lines(study)
    assert [(x.submission, x.status, x.path, x.expected_code, x.approval, x.code_fits) for x in lines] == [
        (rows[0].pk, "APPROVED", "completed", "CODE-COMPLETED", "done", True),
        (rows[1].pk, "AWAITING_REVIEW", "no_consent", "CODE-NO_CONSENT", "", False),
        (working.pk, "ACTIVE", "", "", "", False),
    ]
    assert (lines[0].bonus, lines[0].bonus_open) == (Decimal("1.50"), Decimal("2.00"))


def test_paying_touches_no_data(study, prolific, api, manager):
    row = waits(study, prolific)
    before = Enrolment.objects.values().get()
    for payment in approve.approvals_plan([row], manager):
        approve.approval_send(payment, api)
    paid(bonus.bonuses_plan(study, [(row.session_id, "1", "a")], manager), api)
    assert Enrolment.objects.values().get() == before
    assert Counter(prolific.paid.values()) == {1: 1}
