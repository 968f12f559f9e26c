"""Whatever people do in whatever order (come, answer, go silent, return, withdraw), the places stay right."""

import uuid
from collections import Counter
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotation.queries import scores_counted
from studies.errors import Refused
from studies.models import Assignment, Enrolment, Place, Study
from studies.queries import held, room, units_wanted
from studies.services.assignment import unit_open
from studies.services.enrolment import (
    enrolment_hand_in,
    enrolment_join,
    enrolment_returned,
    enrolment_withdraw,
)
from studies.services.response import response_record
from studies.services.settling import Said
from studies.services.study import study_raise
from tests import factories
from tests.studies.person import open_study

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CLIPS = 3
PEOPLE = 4
WATCHED = {"reaction": [[0, 12_000]]}
somebody = st.integers(0, PEOPLE - 1)
State = Assignment.State


class Visits(RuleBasedStateMachine):
    """A small study and four people with all the habits that people have."""

    mode = "pool"

    @initialize(
        portion=st.sampled_from([None, 1, 2]),
        returned=st.sampled_from(["keep", "drop"]),
        late=st.sampled_from(["surplus", "keep"]),
    )
    def start(self, portion, returned, late):
        self.together = transaction.atomic()  # each example begins with an empty house
        self.together.__enter__()
        name = "v"
        clips = [factories.clip(f"{name}-{n}") for n in range(CLIPS)]
        self.study = open_study(
            *clips,
            slug=name,
            mode=self.mode,
            raters_per_unit=2,
            units_per_participant=portion,
            returned=returned,
            late=late,
            partial="drop",
            seed=1,
        )
        self.now = NOON
        self.people = [factories.participant() for _ in range(PEOPLE)]

    def teardown(self):
        if hasattr(self, "together"):
            transaction.set_rollback(True)
            self.together.__exit__(None, None, None)

    def visit(self, who):
        """The newest visit of a person, or None."""
        return (
            Enrolment.objects.filter(study=self.study, participant=self.people[who])
            .order_by("attempt")
            .last()
        )

    # --- what people do ------------------------------------------------------------------------------

    def present(self, who):
        """The person's visit that goes on; they come, or come back, where none does. None once withdrawn."""
        visit = self.visit(who)
        if visit is None or visit.state == Enrolment.State.HANDED_IN:
            visit, _ = enrolment_join(study=self.study, participant=self.people[who], now=self.now)
            # Everybody's own order follows from their id: the same one when the steps are run again.
            Enrolment.objects.filter(pk=visit.pk).update(public_id=f"v{who}-{visit.attempt}")
            visit.refresh_from_db()
        return None if visit.state == Enrolment.State.WITHDRAWN else visit

    @rule(who=somebody)
    def open_next(self, who):
        visit = self.present(who)
        if visit is None:
            return
        opened = unit_open(enrolment=visit, tab="tab", now=self.now)
        if opened.state == "nothing_left" and self.mode == "pool":
            assert room(visit) == 0 or not units_wanted(visit, self.now)
        if opened.assignment is not None:
            assert opened.left >= 1

    @rule(who=somebody, units=st.integers(1, 3), whole=st.booleans(), hands_in=st.booleans())
    def work(self, who, units, whole, hands_in):
        for _ in range(units):
            self.open_next(who)
            self.say(who, -1, "answer", "question", 0, 1)
            if whole:
                self.say(who, -1, "answer", "question", 1, 2)
        if hands_in:
            self.hand_in(who)

    @rule(who=somebody, which=st.integers(0, 5), moment=st.integers(0, 1), score=st.integers(0, 3))
    def answer(self, who, which, moment, score):
        self.say(who, which, "answer", "question", moment, score)

    @rule(who=somebody, which=st.integers(-1, 5))
    def report(self, who, which):
        self.say(who, which, "report", "unit", 0, {"reason": "rather_not"})

    @rule(who=somebody, which=st.integers(-1, 5), of_unit=st.booleans(), moment=st.integers(0, 1))
    def undo(self, who, which, of_unit, moment):
        self.say(who, which, "undo", "unit" if of_unit else "question", moment, None)

    def say(self, who, which, action, scope, moment, value):
        visits = Enrolment.objects.filter(study=self.study, participant=self.people[who])
        given = list(
            Assignment.objects.filter(enrolment__in=visits, opened_at__isnull=False)
            .select_related("unit", "enrolment")
            .order_by("pk")
        )
        if not given:
            return
        assignment = given[which % len(given)]  # -1 is the unit given last
        question = f"{assignment.unit.key}-m{moment}" if scope == "question" else assignment.unit.key
        events = assignment.events.filter(scope=scope, question=question).order_by("pk")
        head = events.last()
        self.now += timedelta(seconds=20)
        said = Said(
            event_id=uuid.uuid4(),
            assignment_id=assignment.pk,
            tab=assignment.enrolment.tab,
            action=action,
            scope=scope,
            question=question,
            value=value,
            replaces=head.event_id if head else None,
            played=WATCHED,
        )
        may_be_refused = visits.exclude(state="active").exists() or action == "undo"
        with suppress(Refused) if may_be_refused else nullcontext():
            response_record(enrolment=assignment.enrolment, said=said, now=self.now)

    @rule(minutes=st.sampled_from([1, 59, 61, 60 * 49]))
    def time_passes(self, minutes):
        self.now += timedelta(minutes=minutes)

    @rule(who=somebody)
    def hand_in(self, who):
        if visit := self.visit(who):
            enrolment_hand_in(enrolment=visit, now=self.now)

    @rule(who=somebody, returned=st.booleans())
    def the_submission_is_returned(self, who, returned):
        if visit := self.visit(who):
            enrolment_returned(enrolment=visit, returned=returned, now=self.now)

    @rule(who=somebody, erase=st.booleans(), really=st.integers(0, 3))
    def withdraw(self, who, erase, really):
        visit = self.visit(who)
        if visit and not really:
            enrolment_withdraw(enrolment=visit, erase=erase, now=self.now)
            assert not scores_counted([self.study.pk]).filter(enrolment=visit).exists()
            if erase:
                assert not visit.events.exists()

    @rule(really=st.integers(0, 5))
    def one_more_rater(self, really):
        if not really and self.study.raters_per_unit < 4:
            self.study.refresh_from_db()
            study_raise(study=self.study, raters=self.study.raters_per_unit + 1)
            self.study.refresh_from_db()

    # --- what always holds -----------------------------------------------------------------------------

    @invariant()
    def nobody_has_two_units_open(self):
        rows = Assignment.objects.filter(enrolment__study=self.study, state=State.OPEN)
        assert all(n == 1 for n in Counter(rows.values_list("enrolment", flat=True)).values())

    @invariant()
    def nobody_is_given_a_unit_in_two_visits(self):
        rows = Assignment.objects.filter(enrolment__study=self.study, opened_at__isnull=False)
        pairs = Counter(rows.values_list("enrolment__participant", "unit"))
        assert all(n == 1 for n in pairs.values())


class PoolVisits(Visits):
    """People in a pool: each clip gets so many raters."""

    @invariant()
    def each_unit_has_its_places_and_no_more(self):
        places = Counter(Place.objects.filter(study=self.study).values_list("unit", flat=True))
        assert set(places.values()) == {self.study.raters_per_unit}

    @invariant()
    def who_has_finished_holds_the_place_for_good(self):
        kept = set(
            Place.objects.filter(study=self.study, enrolment__isnull=False, until=None).values_list(
                "unit", "enrolment"
            )
        )
        due = Assignment.objects.filter(enrolment__study=self.study, state=State.FINISHED, surplus=False)
        due = due.exclude(enrolment__state=Enrolment.State.WITHDRAWN)
        if self.study.returned == Study.Returned.DROP:
            due = due.filter(enrolment__returned_at=None)
        if self.study.late == Study.Late.KEEP:
            assert kept <= set(due.values_list("unit", "enrolment"))
        else:
            assert kept == set(due.values_list("unit", "enrolment"))

    @invariant()
    def who_holds_a_reservation_has_work_waiting(self):
        reserved = Place.objects.filter(held(self.now), study=self.study, until__isnull=False)
        waiting = Assignment.objects.filter(state__in=[State.OPEN, State.RESERVED])
        for unit, enrolment in reserved.values_list("unit", "enrolment"):
            assert waiting.filter(unit=unit, enrolment=enrolment).exists()

    @invariant()
    def no_moment_counts_more_raters_than_wanted(self):
        counted = Counter(scores_counted([self.study.pk]).values_list("moment", flat=True))
        if self.study.late == Study.Late.SURPLUS:
            assert all(n <= self.study.raters_per_unit for n in counted.values())

    @invariant()
    def nobody_gets_more_than_a_portion(self):
        if self.study.units_per_participant is not None:
            given = Assignment.objects.filter(enrolment__study=self.study).exclude(
                state__in=[State.EXPIRED, State.RELEASED]
            )
            in_time = given.exclude(events__late=True)  # late is not lost, and comes on top
            portions = Counter(in_time.values_list("enrolment", flat=True))
            assert all(n <= self.study.units_per_participant for n in portions.values())


class PanelVisits(Visits):
    """People in a panel: so many seats, each with every clip."""

    mode = "panel"

    @invariant()
    def there_are_as_many_seats_as_wanted(self):
        seats = Place.objects.filter(study=self.study)
        assert seats.count() == self.study.raters_per_unit
        assert not seats.filter(unit__isnull=False).exists()

    @invariant()
    def only_people_in_their_seats_count(self):
        seated = set(
            Place.objects.filter(study=self.study, enrolment__isnull=False).values_list(
                "enrolment", flat=True
            )
        )
        assert set(scores_counted([self.study.pk]).values_list("enrolment", flat=True)) <= seated

    @invariant()
    def no_moment_counts_more_raters_than_seats(self):
        counted = Counter(scores_counted([self.study.pk]).values_list("moment", flat=True))
        assert all(n <= self.study.raters_per_unit for n in counted.values())


@pytest.mark.django_db
@pytest.mark.parametrize("machine", [PoolVisits, PanelVisits])
def test_the_places_stay_right_whatever_people_do(machine):
    run_state_machine_as_test(
        machine, settings=settings(max_examples=15, stateful_step_count=40, deadline=None)
    )
