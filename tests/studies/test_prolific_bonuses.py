"""Bonuses are paid once, whatever is lost on the way: Prolific pays as often as it is told to."""

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies.errors import Invalid, Refused
from studies.identity import Payment, ProlificSubmission
from studies.prolific import approve, bonus
from studies.prolific.answers import NoAnswer, ProlificError
from studies.prolific.sync import submissions_sync
from tests import factories
from tests.studies.arriving import STUDY_ID, an_id, prolific_study
from tests.studies.paying import paid, state, waits
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(factories.clip(), units_per_participant=1, prolific_study_ids=STUDY_ID)


@pytest.fixture
def manager():
    return get_user_model().objects.create_user("manager")


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
    assert [row.state for row in paid(planned, api)] == ["done"]
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
    assert [row.state for row in paid(bonus.bonuses_plan(study, [line], manager), api)] == ["done"]
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
    assert {row.state for row in paid(planned, api)} == {"done"}
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
    assert {row.state for row in paid(planned, api)} == {"done"}
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
