"""Late is not lost: an answer to work that lapsed is kept, paid, and counts when its place is still free."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Score
from annotation.queries import scores_counted
from catalogue.services import clip_block
from studies.models import Assignment, Place, ResponseEvent, Study, StudyUnit
from studies.services.study import unit_withdraw
from tests import factories
from tests.studies.person import Person, is_full, open_study, two_moments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    """One clip that wants one rater."""
    return open_study(two_moments(), raters_per_unit=1)


def lapses(person):
    """The person's reservation runs out, as after a night."""
    Place.objects.filter(enrolment=person.enrolment, until__isnull=False).update(
        until=timezone.now() - timedelta(hours=9)
    )


def counted(study):
    return dict(scores_counted([study.pk]).values_list("moment__moment_id", "score"))


def test_a_late_answer_is_marked_and_takes_the_place_that_is_still_free(rater, study):
    lapses(rater)
    body = rater.rate("laugh", 2).json()
    assert body["assignment"]["state"] == "open"
    assert ResponseEvent.objects.get().late
    assert not rater.assignment.surplus
    rater.rate("gasp", 1)
    assert counted(study) == {"laugh": 2, "gasp": 1}
    assert is_full(study)


def test_only_what_came_after_the_end_of_the_reservation_is_late(rater):
    rater.rate("laugh", 2)
    lapses(rater)
    rater.rate("gasp", 1)
    rater.say(question="gasp", value=2)
    assert list(ResponseEvent.objects.values_list("late", flat=True)) == [False, True, False]


def test_a_late_answer_to_a_place_that_was_taken_is_surplus_work_that_is_paid(rater, study):
    rater.rate("laugh", 3)
    lapses(rater)
    other = Person.joins(study)
    other.rate_all([1, 1])
    body = rater.rate("gasp", 3).json()
    assert (body["assignment"]["state"], body["progress"]["done"]) == ("finished", 1)
    assert rater.assignment.surplus
    assert Score.objects.count() == 4
    assert counted(study) == {"laugh": 1, "gasp": 1}


def test_the_same_after_the_page_asked_for_new_work_and_the_clip_had_expired(rater, study):
    rater.watch("laugh")
    lapses(rater)
    other = Person.joins(study)
    other.open()
    expired = rater.assignment_id
    assert rater.open()["state"] == "nothing_left"
    assert Assignment.objects.get(pk=expired).state == "expired"
    rater.say(question="laugh", value=3, assignment=expired, played={"reaction": [[1, 3]]})
    assert ResponseEvent.objects.get().late
    assert Assignment.objects.get(pk=expired).surplus
    assert counted(study) == {}


def test_an_expired_clip_whose_place_became_free_again_takes_it_with_the_answer(rater, study):
    rater.watch("laugh")
    lapses(rater)
    other = Person.joins(study)
    other.open()
    expired = rater.assignment_id
    rater.open()
    other.post("hand_in", {"tab": other.tab})
    rater.say(question="laugh", value=3, assignment=expired, played={"reaction": [[1, 3]]})
    assignment = Assignment.objects.get(pk=expired)
    assert (assignment.state, assignment.surplus) == ("reserved", False)
    assert counted(study) == {"laugh": 3}
    assert rater.open()["assignment"]["id"] == expired


def test_surplus_work_that_is_given_out_again_counts(rater, study):
    rater.watch("laugh")
    lapses(rater)
    other = Person.joins(study)
    other.open()
    expired = rater.assignment_id
    rater.open()
    rater.say(question="laugh", value=3, assignment=expired, played={"reaction": [[1, 3]]})
    other.post("hand_in", {"tab": other.tab})
    assert rater.open()["assignment"]["id"] == expired
    rater.rate("gasp", 2)
    assert counted(study) == {"laugh": 3, "gasp": 2}
    assert is_full(study)


def test_a_study_may_keep_late_answers_in_its_figures(rater, study):
    Study.objects.update(late="keep")
    rater.rate("laugh", 3)
    lapses(rater)
    other = Person.joins(study)
    other.rate_all([1, 1])
    rater.rate("gasp", 3)
    assert not rater.assignment.surplus
    assert scores_counted([study.pk]).count() == 4


def test_an_answer_to_a_clip_that_a_manager_released_is_kept_outside_the_figures(rater, study):
    rater.watch("laugh")
    released = rater.assignment_id
    unit_withdraw(unit=StudyUnit.objects.get())
    assert rater.open()["state"] == "nothing_left"
    assert Assignment.objects.get(pk=released).state == "released"
    response = rater.say(question="laugh", value=3, assignment=released, played={"reaction": [[1, 3]]})
    assert response.status_code == 201
    assert ResponseEvent.objects.get().late
    assert Score.objects.count() == 1
    assert counted(study) == {}


def test_an_answer_that_claims_a_week_in_the_drawer_is_dated_a_week_back_at_most(rater):
    rater.rate("laugh", 2, age_s=10**9)
    event = ResponseEvent.objects.get()
    assert event.received_at - event.answered_at == timedelta(days=7)


def test_work_left_half_way_counts_or_not_as_the_study_says(db):
    study = open_study(factories.clip("clip"), partial="keep")
    rater = Person.joins(study)
    rater.open()
    rater.rate(rater.moments[0], 2)
    assert scores_counted([study.pk]).count() == 1
    Study.objects.update(partial="drop")
    assert scores_counted([study.pk]).count() == 0
    rater.rate(rater.moments[1], 2)
    assert scores_counted([study.pk]).count() == 2


def test_an_answer_to_a_clip_that_was_blocked_meanwhile_is_kept_and_counts_nowhere(rater, study):
    clip_block(clip_ids=[rater.assignment.unit.key])
    assert rater.rate("laugh", 2).status_code == 201
    rater.rate("gasp", 1)
    assert Score.objects.count() == 2
    assert counted(study) == {}
