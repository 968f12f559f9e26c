"""Whatever a rater does in whatever order, the current scores are what a plain notebook would hold."""

import itertools
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotation.models import Score
from annotation.services import scores_rebuild
from studies.errors import Refused
from studies.models import Assignment, ResponseEvent
from studies.services.assignment import unit_open
from studies.services.enrolment import enrolment_join
from studies.services.response import response_record
from studies.services.settling import Said
from tests import factories
from tests.studies.person import open_study

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CLIPS, MOMENTS = 3, 2
_number = itertools.count(1)
clip_numbers = st.integers(0, CLIPS - 1)
moment_numbers = st.integers(0, MOMENTS - 1)


class RaterMachine(RuleBasedStateMachine):
    """One rater in a study of three clips; the notebook has a pile for each question, its top the value."""

    @initialize()
    def start(self):
        name = f"s{next(_number)}"
        clips = [factories.clip(f"{name}-{n}") for n in range(CLIPS)]
        self.study = open_study(*clips, slug=name)
        self.enrolment, _ = enrolment_join(study=self.study, now=NOON)
        self.now = NOON
        self.piles = {}
        self.heads = {}
        self.events = 0
        self.open_next()

    # --- what a rater does -----------------------------------------------------------------------

    @rule()
    def open_next(self):
        self.now += timedelta(seconds=1)
        opened = unit_open(enrolment=self.enrolment, tab="tab", now=self.now)
        unfinished = [a for a in self.given() if a.state not in Assignment.WORK_DONE]
        if opened.assignment:
            assert [a.pk for a in unfinished if a.state == "open"] == [opened.assignment.pk]
        else:
            assert opened.state == "nothing_left"
            assert len(self.given()) == CLIPS
            assert not unfinished

    @rule(clip=clip_numbers, moment=moment_numbers, score=st.integers(0, 3), late=st.booleans())
    def answer(self, clip, moment, score, late):
        given = self.nth(clip)
        if given is not None:
            key = f"{given.unit.key}-m{moment}"
            self.say(given, "answer", "question", key, score, late)
            self.piles.setdefault(key, []).append(score)

    @rule(clip=clip_numbers, reason=st.sampled_from(["no_sound", "rather_not"]))
    def report(self, clip, reason):
        given = self.nth(clip)
        if given is not None:
            self.say(given, "report", "unit", given.unit.key, {"reason": reason})
            self.piles.setdefault(given.unit.key, []).append(reason)

    @rule(clip=clip_numbers, moment=moment_numbers)
    def undo_answer(self, clip, moment):
        given = self.nth(clip)
        if given is not None:
            self.undo(given, "question", f"{given.unit.key}-m{moment}")

    @rule(clip=clip_numbers)
    def undo_report(self, clip):
        given = self.nth(clip)
        if given is not None:
            self.undo(given, "unit", given.unit.key)

    @rule(clip=clip_numbers, moment=moment_numbers)
    def answer_from_a_page_that_missed_something(self, clip, moment):
        given = self.nth(clip)
        key = given and f"{given.unit.key}-m{moment}"
        if given is not None and key in self.heads:
            said = self.said(given, "answer", "question", key, 1)
            with pytest.raises(Refused) as refusal:
                self.record(Said(**(said | {"replaces": None})))
            assert refusal.value.code == "stale"
            assert refusal.value.facts["stored"]["value"] == self.top(key)

    # --- how it is said ----------------------------------------------------------------------------

    def given(self):
        return list(self.enrolment.assignments.select_related("unit").order_by("position"))

    def nth(self, clip):
        given = self.given()
        return given[clip] if clip < len(given) else None

    def top(self, key):
        pile = self.piles.get(key)
        return pile[-1] if pile else None

    def said(self, given, action, scope, key, value):
        return {
            "event_id": uuid.uuid4(),
            "assignment_id": given.pk,
            "tab": "tab",
            "action": action,
            "scope": scope,
            "question": "" if scope == "unit" else key,
            "value": value,
            "replaces": self.heads.get(key),
            "played": {"reaction": [[0, 12_000]]},
        }

    def record(self, said):
        return response_record(enrolment=self.enrolment, said=said, now=self.now)

    def say(self, given, action, scope, key, value, late=False):
        self.now += timedelta(hours=2) if late else timedelta(seconds=20)
        said = Said(**self.said(given, action, scope, key, value))
        recorded = self.record(said)
        again = self.record(said)  # sending twice never does anything
        assert (recorded.created, again.created) == (True, False)
        assert (again.event, again.value) == (recorded.event, recorded.value)
        self.heads[key] = said.event_id
        self.events += 1
        return recorded

    def undo(self, given, scope, key):
        if self.top(key) is None:
            with pytest.raises(Refused) as refusal:
                self.record(Said(**self.said(given, "undo", scope, key, None)))
            assert refusal.value.code == "nothing_to_undo"
        else:
            self.piles[key].pop()
            recorded = self.say(given, "undo", scope, key, None)
            value = recorded.value["reason"] if scope == "unit" and recorded.value else recorded.value
            assert value == self.top(key)

    # --- what holds after every step ---------------------------------------------------------------

    def current(self):
        scores = Score.objects.filter(enrolment=self.enrolment)
        return dict(scores.values_list("moment__moment_id", "score"))

    @invariant()
    def scores_are_what_the_notebook_holds_and_what_the_events_say(self):
        expected = {k: p[-1] for k, p in self.piles.items() if p and "-m" in k}
        assert self.current() == expected
        scores_rebuild([self.study.pk])
        assert self.current() == expected

    @invariant()
    def every_act_is_one_event_and_every_chain_has_one_head(self):
        events = ResponseEvent.objects.filter(enrolment=self.enrolment)
        assert events.count() == self.events
        heads = Counter(events.filter(replaced_by__isnull=True).values_list("scope", "question"))
        assert heads == Counter(dict.fromkeys(set(events.values_list("scope", "question")), 1))
        assert {e.event_id for e in events.filter(replaced_by__isnull=True)} == set(self.heads.values())

    @invariant()
    def each_clip_is_as_done_as_its_answers_say(self):
        given = self.given()
        assert len(given) == len({a.unit_id for a in given}) <= CLIPS
        assert sum(a.state == "open" for a in given) <= 1
        for assignment in given:
            key = assignment.unit.key
            answered = [self.top(f"{key}-m{n}") is not None for n in range(MOMENTS)]
            reported = self.top(key) is not None
            assert (assignment.state == "skipped") == reported
            assert (assignment.state == "finished") == (all(answered) and not reported)


@pytest.mark.django_db
def test_any_order_of_answers_reports_undos_and_reopenings_keeps_scores_and_events_in_step():
    run_state_machine_as_test(
        RaterMachine, settings=settings(max_examples=15, stateful_step_count=25, deadline=None)
    )
