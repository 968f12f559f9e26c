"""Approvals and bonuses: asked for once, whatever is lost on the way, and apart from what counts as data."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies import prolific as package
from studies import tasks
from studies.errors import Invalid, Refused
from studies.identity import Payment, ProlificSubmission
from studies.models import Enrolment, StudyLog
from studies.prolific import approve, bonus, client
from studies.prolific.answers import NoAnswer, ProlificError
from studies.prolific.sync import submissions_sync
from studies.services.enrolment import enrolment_hand_in
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study
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


def waits(study, prolific, number=1, status="AWAITING REVIEW", **changes):
    """Somebody who agreed and whose submission waits for review; returns its row."""
    person = Arriving(study, number, number).agrees()
    prolific.submits(person.session, person.pid, STUDY_ID, status, **changes)
    row = ProlificSubmission.objects.get(session_id=person.session)
    row.status = status.replace(" ", "_")
    row.save()
    return row


def state(payment):
    return Payment.objects.get(pk=payment.pk).state


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


# --- bonuses -------------------------------------------------------------------------------------------


def pay(payments, api):
    return [row for batch in bonus.bonuses_set_up(payments, api) for row in bonus.bonuses_pay(batch, api)]


def test_bonuses_are_planned_set_up_and_paid_once(study, prolific, api, manager):
    rows = [waits(study, prolific, n) for n in range(1, 4)]
    lines = [(row.session_id, f"{n}.50", "good texts") for n, row in enumerate(rows, start=1)]
    planned = bonus.bonuses_plan(study, lines, manager)
    assert prolific.seen == []
    [batch] = bonus.bonuses_set_up(planned, api)
    assert prolific.bulk[batch]["lines"] == [
        [row.session_id, f"{n}.50"] for n, row in enumerate(rows, start=1)
    ]
    assert bonus.bonuses_set_up(planned, api) == []
    assert prolific.paid == {}
    assert {row.state for row in bonus.bonuses_pay(batch, api)} == {"done"}
    with pytest.raises(Refused):
        bonus.bonuses_pay(batch, api)
    assert prolific.paid == {batch: 1}


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("status", [0, 500, 504])
def test_a_lost_answer_to_the_payment_never_pays_twice(study, prolific, api, manager, after, status):
    planned = bonus.bonuses_plan(study, [(waits(study, prolific).session_id, "2", "thanks")], manager)
    [batch] = bonus.bonuses_set_up(planned, api)
    prolific.fails("/pay/", status, times=3, after=after)
    assert [row.state for row in bonus.bonuses_pay(batch, api)] == ["sent"]
    for _ in range(3):
        with pytest.raises(Refused, match="asked for already"):
            bonus.bonuses_pay(batch, api)
        submissions_sync(study, api, timezone.now())
    assert prolific.calls("POST", "/pay/") == 1
    assert prolific.paid.total() == after
    assert [state(p) for p in planned] == ["sent"]
    with pytest.raises(Invalid):  # not by another door either
        bonus.bonuses_plan(study, [(planned[0].submission.session_id, "2", "thanks")], manager)
    approve.payment_settle(planned[0], bool(after), manager)
    assert [state(p) for p in planned] == ["done" if after else "refused"]


@pytest.mark.django_db(transaction=True)
def test_two_who_pay_the_same_batch_at_once_pay_it_once(study, prolific, api, manager):
    planned = bonus.bonuses_plan(study, [(waits(study, prolific).session_id, "2", "thanks")], manager)
    [batch] = bonus.bonuses_set_up(planned, api)
    refused = []

    def pays():
        try:
            bonus.bonuses_pay(batch, api)
        except Refused as error:
            refused.append(error)

    at_once([pays] * 4)
    assert (prolific.paid, len(refused)) == ({batch: 1}, 3)


def test_a_lost_answer_to_the_setting_up_pays_nothing_and_may_be_repeated(study, prolific, api, manager):
    planned = bonus.bonuses_plan(study, [(waits(study, prolific).session_id, "2", "thanks")], manager)
    prolific.fails("bonus-payments", after=True)
    with pytest.raises(NoAnswer):
        bonus.bonuses_set_up(planned, api)
    assert [state(p) for p in planned] == ["planned"]
    assert [row.state for row in pay(planned, api)] == ["done"]
    assert (len(prolific.bulk), prolific.paid.total()) == (2, 1)


def test_a_refused_payment_may_be_planned_again(study, prolific, api, manager):
    line = (waits(study, prolific).session_id, "2", "thanks")
    planned = bonus.bonuses_plan(study, [line], manager)
    prolific.fails("bonus-payments", 400)
    assert bonus.bonuses_set_up(planned, api) == []
    assert [state(p) for p in planned] == ["refused"]
    again = bonus.bonuses_plan(study, [line], manager)
    [batch] = bonus.bonuses_set_up(again, api)
    prolific.fails("/pay/", 400)
    assert [row.state for row in bonus.bonuses_pay(batch, api)] == ["refused"]
    with pytest.raises(Refused):
        bonus.bonuses_pay(batch, api)
    assert [row.state for row in pay(bonus.bonuses_plan(study, [line], manager), api)] == ["done"]
    assert prolific.paid.total() == 1


def test_too_many_requests_leave_a_payment_planned_for_a_manager_to_press_again(
    study, prolific, api, manager
):
    planned = bonus.bonuses_plan(study, [(waits(study, prolific).session_id, "2", "thanks")], manager)
    [batch] = bonus.bonuses_set_up(planned, api)
    prolific.fails("/pay/", 429)
    with pytest.raises(ProlificError):
        bonus.bonuses_pay(batch, api)
    assert prolific.calls("POST", "/pay/") == 1
    assert [row.state for row in bonus.bonuses_pay(batch, api)] == ["done"]
    assert prolific.paid == {batch: 1}


def test_the_same_submission_and_reason_is_taken_once_and_the_database_holds_it(study, prolific, manager):
    row = waits(study, prolific)
    line = (row.session_id, "2", "thanks")
    with pytest.raises(Invalid):
        bonus.bonuses_plan(study, [line, line], manager)
    assert not Payment.objects.exists()
    bonus.bonuses_plan(study, [line], manager)
    for again in (line, (row.session_id, "3", " thanks ")):
        with pytest.raises(Invalid, match="nothing was planned"):
            bonus.bonuses_plan(study, [again], manager)
    bonus.bonuses_plan(study, [(row.session_id, "2", "another")], manager)
    with pytest.raises(IntegrityError), transaction.atomic():
        Payment.objects.create(submission=row, what="bonus", amount=5, reason="thanks")


def test_every_fault_of_the_lines_is_named_and_nothing_is_planned(study, prolific, manager):
    row = waits(study, prolific)
    bad = ["", "0", "-1", "1.234", "nan", "Infinity", "1,50", "a", "99999999"]
    lines = [(row.session_id, "1", "fine"), (an_id(9, "c"), "1", "fine"), (row.session_id, "1", "")]
    lines += [(row.session_id, amount, f"reason {amount}") for amount in bad]
    with pytest.raises(Invalid) as caught:
        bonus.bonuses_plan(study, lines, manager)
    fields = [problem["field"] for problem in caught.value.facts["problems"]]
    assert fields == ["line 2: submission", "line 3: reason"] + [f"line {n}: amount" for n in range(4, 13)]
    assert an_id(9, "c") not in str(caught.value.facts)
    assert not Payment.objects.exists()


def test_two_bonuses_of_one_person_are_one_sum_on_prolific(study, prolific, api, manager):
    session = waits(study, prolific).session_id
    planned = bonus.bonuses_plan(study, [(session, "1", "a"), (session, "0.25", "b")], manager)
    assert {row.state for row in pay(planned, api)} == {"done"}
    [bulk] = prolific.bulk.values()
    assert bulk["lines"] == [[session, "1.25"]]


def test_each_study_on_prolific_and_each_200_people_are_a_batch_of_their_own(
    study, prolific, api, manager, monkeypatch
):
    monkeypatch.setattr(bonus, "MOST_LINES", 2)
    rows = [waits(study, prolific, n) for n in range(1, 5)]
    ProlificSubmission.objects.filter(pk=rows[3].pk).update(prolific_study_id=an_id(5))
    prolific.submissions[rows[3].session_id]["study_id"] = an_id(5)
    planned = bonus.bonuses_plan(study, [(row.session_id, "1", "a") for row in rows], manager)
    assert {row.state for row in pay(planned, api)} == {"done"}
    assert sorted(len(bulk["lines"]) for bulk in prolific.bulk.values()) == [1, 1, 2]
    assert set(prolific.paid.values()) == {1}


FAULTS = ["", "drop after", "drop before", "500", "429", "400"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["plan", "set up", "pay", "settle"]), st.sampled_from(FAULTS)), max_size=12
    )
)
def test_whatever_fails_in_which_order_a_bonus_is_paid_once_at_most_per_decision(study, prolific, api, steps):
    """A second payment needs a human being who said that the first did not happen."""
    Payment.objects.all().delete()
    prolific.paid.clear()
    prolific.faults.clear()
    row = ProlificSubmission.objects.first() or waits(study, prolific)
    said_not = 0
    for step, fault in steps:
        prolific.faults.clear()
        if fault:
            number = int(fault) if fault.isdigit() else 0
            prolific.fails("bonus-payments", number, after=fault == "drop after")
        live = Payment.objects.exclude(state="refused")
        try:
            if step == "plan":
                bonus.bonuses_plan(study, [(row.session_id, "1", "thanks")], None)
            elif step == "set up":
                bonus.bonuses_set_up(live, api)
            elif step == "pay":
                for batch in set(live.values_list("batch", flat=True)):
                    bonus.bonuses_pay(batch, api)
            else:
                for payment in live.filter(state="sent"):
                    approve.payment_settle(payment, False, None)
                    said_not += 1
        except (Invalid, Refused, NoAnswer, ProlificError):
            pass
        assert live.count() <= 1
        assert prolific.paid.total() <= 1 + said_not
        done = Payment.objects.filter(state="done").count()
        assert done <= prolific.paid.total()


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
    pay(bonus.bonuses_plan(study, [(rows[0].session_id, "1.50", "a")], manager), api)
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
    pay(bonus.bonuses_plan(study, [(row.session_id, "1", "a")], manager), api)
    assert Enrolment.objects.values().get() == before
    assert Counter(prolific.paid.values()) == {1: 1}
