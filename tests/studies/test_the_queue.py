"""Who is given which clip next: the least-rated, in an order of their own, and never too many people."""

import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from catalogue.services import clip_block, creator_block
from studies import queries
from studies.kinds import SimulatedAnswer
from studies.models import Assignment, Place, Study, StudyUnit
from studies.services.assignment import assignment_renew, unit_open
from studies.services.enrolment import enrolment_hand_in, enrolment_join
from studies.services.response import response_record
from studies.services.settling import Said
from studies.services.study import (
    study_add_units,
    study_raise,
    study_set_state,
    unit_return_to_queue,
    unit_withdraw,
)
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.person import open_study
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def study_of(number, **fields):
    """A study over `number` clips of two moments each."""
    return open_study(*(factories.clip(f"clip{i:02}") for i in range(number)), **fields)


def joins(study, at=NOON):
    return SimulatedAnnotator.join(study, at)


def scores(unit):
    return [SimulatedAnswer(question.key, 1) for question in unit.questions]


def order_of(annotator, most=None):
    """Work through the queue; the keys in the order they came."""
    before = annotator.enrolment.assignments.count()
    annotator.work(scores, most=most)
    given = annotator.enrolment.assignments.order_by("position")[before:]
    return [assignment.unit.key for assignment in given.select_related("unit")]


def finished(study):
    """How many finished each unit."""
    done = Assignment.objects.filter(enrolment__study=study, state="finished", surplus=False)
    return Counter(done.values_list("unit__key", flat=True))


def held(study, now):
    """How many places of each unit are held or filled at a time."""
    places = Place.objects.filter(queries.held(now), study=study)
    return Counter(places.values_list("unit__key", flat=True))


def everything_is_given_back():
    """As if nobody had been given anything."""
    Assignment.objects.all().delete()
    Place.objects.update(enrolment=None, until=None)


# --- the order ---------------------------------------------------------------------------------------


def test_everybody_is_given_every_clip_once_until_nothing_is_left():
    study = study_of(5)
    annotator = joins(study)
    assert sorted(order_of(annotator)) == [f"clip{i:02}" for i in range(5)]
    assert annotator.open().state == "nothing_left"
    assert annotator.open().left == 0
    assert list(annotator.enrolment.assignments.values_list("position", flat=True)) == [1, 2, 3, 4, 5]


def test_each_has_an_order_of_their_own_which_stays_the_same():
    study = study_of(12, raters_per_unit=50)
    people = [joins(study) for _ in range(4)]
    orders = []
    for person in people:
        orders.append([person.open().unit.key])  # all clips are equally rated as long as nobody finishes
        everything_is_given_back()
    assert len({tuple(order) for order in orders}) > 1
    again = [person.open().unit.key for person in people[:1]]
    assert again == orders[0]


def test_a_seed_and_a_person_decide_the_order_within_a_tier():
    study = study_of(8, raters_per_unit=50, seed=1)
    person = joins(study)
    first = order_of(person)
    everything_is_given_back()
    assert order_of(person) == first
    everything_is_given_back()
    Study.objects.update(seed=2)
    assert order_of(person) != first


def test_the_least_rated_clips_come_first():
    study = study_of(6, raters_per_unit=50)
    given = set(order_of(joins(study), most=2)) | set(order_of(joins(study), most=2))
    assert len(given) == 4  # the second person was led to clips that nobody had
    third = order_of(joins(study), most=2)
    assert set(third).isdisjoint(given)


def test_a_clip_that_somebody_is_at_work_on_counts_as_rated():
    study = study_of(2, raters_per_unit=2)
    one, other = joins(study), joins(study)
    assert one.open().unit.key != other.open().unit.key


def test_opening_again_gives_the_same_clip_back_and_keeps_its_clock():
    study = study_of(3)
    annotator = joins(study)
    first = annotator.open().assignment
    annotator.now += timedelta(minutes=20)
    again = annotator.open().assignment
    assert (again.pk, again.opened_at) == (first.pk, NOON)
    assert annotator.enrolment.assignments.count() == 1


def test_what_is_left_is_told():
    study = study_of(3)
    annotator = joins(study)
    assert [annotator.open().left] == [3]
    annotator.work(scores, most=1)
    assert annotator.open().left == 2


def test_clips_added_while_the_study_is_open_are_given_out():
    study = study_of(1)
    annotator = joins(study)
    order_of(annotator)
    factories.clip("new")
    study_add_units(study=study)
    assert annotator.open().unit.key == "new"


# --- places ------------------------------------------------------------------------------------------


def test_a_clip_with_all_its_raters_is_given_to_nobody_else():
    study = study_of(1, raters_per_unit=2)
    for _ in range(2):
        order_of(joins(study))
    late = joins(study)
    assert late.open().state == "nothing_left"
    study_raise(study=study, raters=3)
    assert late.open().state == "working"


def test_somebody_at_work_holds_the_place_for_as_long_as_the_reservation_runs():
    study = study_of(1, raters_per_unit=1, reservation_minutes=30)
    slow, other = joins(study), joins(study)
    slow.open()
    for minutes, state in [(0, "nothing_left"), (29, "nothing_left"), (30, "working")]:
        other.now = NOON + timedelta(minutes=minutes)
        assert other.open().state == state


def test_a_sign_of_life_renews_the_reservation():
    study = study_of(1, raters_per_unit=1)
    slow, other = joins(study), joins(study)
    assignment = slow.open().assignment
    assignment_renew(enrolment=slow.enrolment, assignment_id=assignment.pk, now=NOON + timedelta(minutes=50))
    assert Place.objects.get().until == NOON + timedelta(minutes=110)
    other.now = NOON + timedelta(minutes=109)
    assert other.open().state == "nothing_left"


def test_an_answer_renews_the_reservation_too():
    study = study_of(1, raters_per_unit=1)
    slow, other = joins(study), joins(study)
    opened = slow.open()
    slow.now += timedelta(minutes=50)
    slow.say(opened, opened.unit.questions[0], 2)
    other.now = NOON + timedelta(minutes=105)
    assert other.open().state == "nothing_left"


def test_a_lapsed_reservation_goes_on_while_nobody_took_the_place():
    study = study_of(1, raters_per_unit=1)
    sleeper = joins(study)
    first = sleeper.open().assignment
    sleeper.now += 5 * HOUR
    again = sleeper.open().assignment
    assert (again.pk, again.state, Place.objects.get().until) == (first.pk, "open", NOON + 6 * HOUR)


def test_a_lapsed_reservation_whose_place_was_taken_is_over_and_a_sign_of_life_takes_nothing_back():
    study = study_of(1, raters_per_unit=1)
    sleeper, other = joins(study), joins(study, NOON + 2 * HOUR)
    assignment = sleeper.open().assignment
    other.open()
    late = NOON + 2 * HOUR + timedelta(minutes=1)
    assignment_renew(enrolment=sleeper.enrolment, assignment_id=assignment.pk, now=late)
    sleeper.now = late
    assert sleeper.open().state == "nothing_left"
    assignment.refresh_from_db()
    assert assignment.state == "expired"
    assert held(study, late) == {"clip00": 1}


def test_a_clip_that_lapsed_and_is_wanted_again_is_given_again_at_its_old_position():
    study = study_of(1, raters_per_unit=1)
    sleeper, other = joins(study), joins(study, NOON + 2 * HOUR)
    first = sleeper.open().assignment
    other.open()
    sleeper.now = NOON + 2 * HOUR
    assert sleeper.open().state == "nothing_left"
    enrolment_hand_in(enrolment=other.enrolment, now=NOON + 2 * HOUR)
    again = sleeper.open().assignment
    assert (again.pk, again.position, again.opened_at) == (first.pk, 1, NOON)
    order_of(sleeper)
    assert finished(study) == {"clip00": 1}


def test_handing_in_gives_unfinished_clips_to_others_at_once():
    study = study_of(1, raters_per_unit=1)
    leaver, other = joins(study), joins(study)
    leaver.open()
    leaver.hand_in()
    assert other.open().state == "working"
    assert leaver.open().state == "handed_in"


# --- clips that may not be shown -----------------------------------------------------------------------


def test_a_blocked_clip_is_given_to_nobody():
    study = study_of(3)
    clip_block(clip_ids=["clip01"])
    assert sorted(order_of(joins(study))) == ["clip00", "clip02"]


def test_no_clip_of_a_blocked_creator_is_given():
    study = open_study(factories.clip("hers", by=factories.creator("Bo")), factories.clip("his"))
    creator_block(creators=[factories.creator("Bo").pk])
    assert order_of(joins(study)) == ["his"]


def test_a_clip_that_is_blocked_while_somebody_has_it_open_is_taken_off_the_desk():
    study = study_of(2)
    annotator = joins(study)
    first = annotator.open()
    clip_block(clip_ids=[first.unit.key])
    second = annotator.open()
    assert second.unit.key != first.unit.key
    first.assignment.refresh_from_db()
    assert first.assignment.state == "released"


def test_a_withdrawn_unit_is_given_to_nobody_and_leaves_the_desk():
    study = study_of(2)
    annotator = joins(study)
    first = annotator.open()
    unit = StudyUnit.objects.get(key=first.unit.key)
    unit_withdraw(unit=unit)
    assert annotator.open().unit.key != first.unit.key
    assert first.unit.key not in order_of(joins(study))
    unit_return_to_queue(unit=unit)
    assert first.unit.key in order_of(joins(study))


def test_the_queue_gives_nothing_out_in_a_study_that_stopped():
    study = study_of(1)
    annotator = joins(study)
    study_set_state(study=study, state="halted")
    assert annotator.open().state == "halted"
    assert not Assignment.objects.exists()


# --- many at once --------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_eight_people_at_once_never_get_more_places_than_there_are():
    study = study_of(3, raters_per_unit=2)
    people = [enrolment_join(study=study)[0] for _ in range(8)]

    opened = at_once([partial(unit_open, enrolment=person, tab="t") for person in people])

    assert Counter(o.state for o in opened) == {"working": 6, "nothing_left": 2}
    assert Counter(o.unit.key for o in opened if o.unit) == dict.fromkeys(["clip00", "clip01", "clip02"], 2)


@pytest.mark.django_db(transaction=True)
def test_eight_people_who_work_at_once_end_with_every_clip_at_its_target():
    study = study_of(3, raters_per_unit=2)
    people = [joins(study) for _ in range(8)]

    at_once([partial(person.work, scores) for person in people])

    assert finished(study) == dict.fromkeys(["clip00", "clip01", "clip02"], 2)
    assert Assignment.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_opening_and_saving_at_once_never_wait_for_each_other_forever():
    study = study_of(4, raters_per_unit=8)
    annotator = joins(study)
    opened = annotator.open()
    question = opened.unit.questions[0]
    played = {"reaction": [[0, 12_000]]}

    def open_often():
        for _ in range(25):
            unit_open(enrolment=annotator.enrolment, tab=annotator.tab, now=NOON + HOUR / 2)

    def save_often():
        replaces = None
        for value in range(25):
            said = Said(
                event_id=uuid.uuid4(),
                assignment_id=opened.assignment.pk,
                tab=annotator.tab,
                action="answer",
                scope="question",
                question=question.key,
                value=value % 4,
                replaces=replaces,
                played=played,
            )
            recorded = response_record(enrolment=annotator.enrolment, said=said, now=NOON + HOUR / 2)
            replaces = recorded.event.event_id

    def live_on():
        for _ in range(25):
            assignment_renew(
                enrolment=annotator.enrolment, assignment_id=opened.assignment.pk, now=NOON + HOUR / 2
            )

    at_once([open_often, save_often, live_on])
    assert annotator.enrolment.events.count() == 25


@pytest.mark.django_db(transaction=True)
def test_late_answers_and_new_people_at_once_never_exceed_the_target():
    study = study_of(3, raters_per_unit=1)
    sleepers = [joins(study) for _ in range(3)]
    held_open = [sleeper.open() for sleeper in sleepers]
    morning = NOON + 10 * HOUR
    for sleeper in sleepers:
        sleeper.now = morning
    newcomers = [joins(study, morning) for _ in range(3)]

    def answer_late(sleeper, opened):
        for question in opened.unit.questions:
            sleeper.say(opened, question, 2)

    at_once(
        [partial(answer_late, s, o) for s, o in zip(sleepers, held_open, strict=True)]
        + [partial(newcomer.work, scores) for newcomer in newcomers]
    )

    assert all(count == 1 for count in finished(study).values())
    assert all(count <= 1 for count in held(study, morning).values())
    for sleeper in sleepers:  # whoever came too late has worked all the same
        assert sleeper.enrolment.assignments.filter(state="finished").count() == 1
