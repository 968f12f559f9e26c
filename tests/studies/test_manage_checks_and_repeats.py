"""What managers and monitors see of checks and repeats, and that neither enters any figure or set."""

import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest

from evaluator.alpha import alpha, score_counts
from evaluator.kappa import NO_VARIATION
from exports.answers import ratings_lines
from monitoring.queries import study_overview
from studies.checks import check_answers, check_tally
from studies.kinds import Labels, kind_named
from studies.models import Assignment, Enrolment, Study
from studies.repeats import agreement_by_rater, repeat_agreement, repeat_pairs
from studies.services.enrolment import enrolment_withdraw
from studies.services.study import study_set_items
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.managing import address, manager, staff, words
from tests.studies.person import Person, open_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "monitor"])
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KIND = kind_named("intensity")


def study_of(clips, *, extras=(), slug="laughs", **fields):
    """A study over clips; `extras` are made its checks, accepting a 3 for the first moment."""
    every = fields.pop("check_every", 0)
    study = open_study(*clips, slug=slug, **fields)
    if extras:
        items = [{"key": clip.clip_id, "accepts": {f"{clip.clip_id}-m0": [3]}} for clip in extras]
        study_set_items(study=study, purpose="check", items=items)
        Study.objects.filter(pk=study.pk).update(check_every=every)
    return Study.objects.get(pk=study.pk)


def lives(study, say, *, minutes=0):
    """Somebody who does all there is; `say(purpose, question)` is what they answer."""
    annotator = SimulatedAnnotator.join(study, NOON + timedelta(minutes=minutes))
    while (opened := annotator.open()).unit is not None:
        for question in opened.unit.questions:
            annotator.say(opened, question, say(opened.assignment.purpose, question.key))
    annotator.hand_in()
    return annotator.enrolment


# --- checks -----------------------------------------------------------------------------------------------


def test_a_manager_sees_each_answer_beside_what_was_accepted():
    study = study_of([factories.clip("work")], extras=[factories.clip("wink")], check_every=1)
    visit = lives(study, lambda purpose, question: 1)
    tally = check_tally(visit)
    assert (tally.passed, tally.given) == (0, 1)
    first, second = check_answers(visit)
    assert (first.item, first.question, first.given, first.accepted, first.passed) == (
        "wink",
        "wink-m0",
        1,
        "3",
        False,
    )
    assert (second.question, second.accepted) == ("wink-m1", "anything")
    page = words(staff("view_enrolment").get(f"/admin/studies/enrolment/{visit.pk}/change/"))
    assert "0 of 1 passed" in page
    assert "wink, wink-m0: answered 1; accepted 3 — not passed" in page
    assert "completed" in page
    assert "0 of 1" in words(manager(name="max").get(address(study, "pay")))


def test_the_rule_shown_is_the_one_that_was_in_force():
    study = study_of([factories.clip("work")], extras=[factories.clip("wink")], check_every=1)
    visit = lives(study, lambda purpose, question: 3)
    study_set_items(study=study, purpose="check", items=[{"key": "wink", "accepts": {"wink-m0": [0]}}])
    assert check_answers(visit)[0].accepted == "3"
    assert check_answers(visit)[0].passed is True


def test_a_check_that_is_on_the_desk_or_was_reported_is_neither_passed_nor_failed():
    study = study_of([factories.clip("work")], extras=[factories.clip("wink")], check_every=1)
    person = Person.joins(study)
    person.rate_all()
    person.open()
    visit = Enrolment.objects.get()
    assert (check_tally(visit).given, check_answers(visit)[0].given, check_answers(visit)[0].passed) == (
        0,
        None,
        None,
    )
    person.report()
    assert check_tally(visit).given == 0


def test_a_visit_without_checks_and_repeats_says_so():
    visit = lives(study_of([factories.clip("work")]), lambda purpose, question: 3)
    page = words(staff("view_enrolment").get(f"/admin/studies/enrolment/{visit.pk}/change/"))
    assert "none" in page
    assert "passed</p>" not in page


def test_failing_every_check_changes_nothing_for_the_person():
    study = study_of([factories.clip("work")], extras=[factories.clip("wink")], check_every=1)
    visit = lives(study, lambda purpose, question: 0)
    visit.refresh_from_db()
    assert (visit.path, visit.state) == ("completed", "handed_in")
    assert study_overview(study).figures["ratings"] == 2


# --- repeats ----------------------------------------------------------------------------------------------


@pytest.fixture
def repeated():
    """Four clips of two moments, two of them shown again."""
    return study_of([factories.clip(name) for name in "abcd"], repeats=2, repeat_gap=1)


def scored(purpose, question):
    """First a score by the question's name; the second time one step more where there is one."""
    first = (ord(question[0]) + int(question[-1])) % 4
    return first if purpose == "study" else min(3, first + 1)


def test_each_question_answered_twice_makes_a_pair(repeated):
    visit = lives(repeated, scored)
    pairs = repeat_pairs([repeated.pk])
    again = visit.assignments.filter(purpose="repeat").values_list("unit__key", flat=True)
    assert len(pairs) == 4
    assert {pair.question.partition("-")[0] for pair in pairs} == set(again)
    assert {pair.rater for pair in pairs} == {visit.participant.public_id}
    assert all(
        (pair.first, pair.second) == (scored("study", pair.question), scored("repeat", pair.question))
        for pair in pairs
    )


def test_the_answers_that_stand_are_compared_not_those_that_were_changed(repeated):
    person = Person.joins(repeated)
    while person.open()["state"] == "working":
        repeat = person.assignment.purpose == "repeat"
        person.heads.clear()
        for moment in person.moments:
            person.rate(moment, 3 if repeat else 0)
        if repeat:
            person.say(question=person.moments[0], value=1)
    pairs = repeat_pairs([repeated.pk])
    assert sorted((pair.first, pair.second) for pair in pairs) == [(0, 1), (0, 1), (0, 3), (0, 3)]


def test_repeats_of_people_who_withdrew_and_reported_ones_make_no_pair(repeated):
    visit = lives(repeated, scored)
    stays = lives(repeated, scored)
    Assignment.objects.filter(enrolment=stays, purpose="repeat").update(state="skipped")
    assert {pair.enrolment for pair in repeat_pairs([repeated.pk])} == {visit.public_id}
    enrolment_withdraw(enrolment=visit, erase=False)
    assert repeat_pairs([repeated.pk]) == []


def test_people_are_apart_and_in_the_order_of_joining(repeated):
    steady = lives(repeated, lambda purpose, question: int(question[-1]) * 2, minutes=5)
    first = lives(repeated, scored, minutes=1)
    found = agreement_by_rater(KIND, repeat_pairs([repeated.pk]))
    assert list(found) == [first.participant.public_id, steady.participant.public_id]
    agreement = found[steady.participant.public_id]
    assert (agreement.pairs, agreement.same, agreement.exact, agreement.kappa) == (4, 4, 1.0, 1.0)
    assert found[first.participant.public_id].exact < 1


def test_where_kappa_is_not_defined_the_reason_is_said(repeated):
    lives(repeated, lambda purpose, question: 2)
    [agreement] = agreement_by_rater(KIND, repeat_pairs([repeated.pk])).values()
    assert (agreement.exact, agreement.kappa, agreement.note) == (1.0, None, NO_VARIATION)
    assert repeat_agreement(KIND, []).exact is None


def test_the_monitor_sees_each_raters_agreement_and_no_id(repeated):
    client = staff("monitor_study", name="monitor")
    page = words(client.get("/monitor/laughs/"))
    assert "appears here when the first clip or item has been rated a second time" in page
    steady = lives(repeated, lambda purpose, question: int(question[-1]) * 2, minutes=1)
    lives(repeated, lambda purpose, question: 2, minutes=2)
    response = client.get("/monitor/laughs/")
    page = words(response)
    assert "1 4 4 1.00" in page
    assert f"2 4 4 undefined: {NO_VARIATION}" in page
    assert "all 8 8 1.00" in page
    assert steady.participant.public_id not in response.content.decode()


def test_a_study_without_repeats_has_no_such_table():
    study_of([factories.clip("work")])
    page = words(staff("monitor_study", name="monitor").get("/monitor/laughs/"))
    assert "Raters and themselves" not in page


def test_the_page_of_a_visit_shows_its_agreement(repeated):
    visit = lives(repeated, lambda purpose, question: int(question[-1]) * 2)
    page = words(staff("view_enrolment").get(f"/admin/studies/enrolment/{visit.pk}/change/"))
    assert "4 of 4 answers the same; weighted kappa 1.00" in page


# --- neither enters anything ------------------------------------------------------------------------------


def figures(study, visits):
    """Everything that is said of a study: overview, ratings by rater's place, alpha, consensus of its set."""
    number = {visit.participant.public_id: index for index, visit in enumerate(visits)}
    lines = [json.loads(line) for line in ratings_lines(study)]
    moments = defaultdict(list)
    for line in lines:
        moments[line["moment_id"]].append(line["score"])
    counts = score_counts(moments.values(), KIND.scale)
    overview = study_overview(study)
    labels = Labels(*([lambda ids: {one: one for one in ids}] * 4))
    parameters = {p.name: p.default for p in KIND.goldset_parameters} | {"size": 10, "seed": 0}
    gold = KIND.goldset([study], parameters, labels)
    return {
        "ratings": sorted((x["moment_id"], number[x["rater"]], x["score"]) for x in lines),
        "alpha": [alpha(counts, metric) for metric in ("ordinal", "nominal", "interval")],
        "coverage": (overview.questions, overview.reached, overview.units_done, overview.reported),
        "figures": overview.figures,
        "pools": [(line.pool, line.people, line.ratings) for line in overview.pools],
        "gold": [(item["item_id"], item["gold"]) for item in gold.items],
        "counts": dict(gold.counts),
    }


def test_checks_practice_and_repeats_leave_every_figure_as_in_a_twin_study_without_them():
    clips = [factories.clip(f"clip{number}") for number in range(4)]
    extras = [factories.clip(f"extra{number}") for number in range(3)]

    def score(rater, purpose, question):
        true = (sum(map(ord, question)) + (rater if question.endswith("m1") else 0)) % 4
        return true if purpose == "study" else 3 - true

    plain = study_of(clips, slug="plain", raters_per_unit=3)
    rich = study_of(
        clips, extras=extras[:2], slug="rich", raters_per_unit=3, check_every=2, repeats=2, repeat_gap=1
    )
    practice = [{"key": extras[2].clip_id, "accepts": {}, "feedback": "Well."}]
    study_set_items(study=rich, purpose="practice", items=practice)
    visits = {
        study: [
            lives(study, lambda purpose, question, r=rater: score(r, purpose, question), minutes=rater)
            for rater in range(3)
        ]
        for study in (plain, rich)
    }
    given = Assignment.objects.filter(enrolment__study=rich).values_list("purpose", flat=True)
    assert {purpose: list(given).count(purpose) for purpose in set(given)} == {
        "study": 12,
        "check": 6,
        "repeat": 6,
        "practice": 3,
    }
    expected = figures(plain, visits[plain])
    assert expected["alpha"][0] is not None
    assert expected["gold"]
    assert figures(rich, visits[rich]) == expected
    # The extras are there, and are seen where they belong.
    assert len(repeat_pairs([rich.pk])) == 12
    assert repeat_pairs([plain.pk]) == []


# --- pools ------------------------------------------------------------------------------------------------


def test_people_and_ratings_are_told_apart_by_pool():
    study = factories.study("laughs", clips=[factories.clip("a"), factories.clip("b")], raters_per_unit=5)
    lab, online, other, gone, brought = (
        factories.enrolment(study, pool=pool, **more)
        for pool, more in (
            ("lab", {}),
            ("prolific", {}),
            ("prolific", {}),
            ("prolific", {"state": "withdrawn"}),
            ("import:pilot", {}),
        )
    )
    factories.enrolment(study, online.participant, attempt=2, pool="prolific")
    factories.rating_round(
        "a", {"a-m0": [1, 2, 3, 0, 1], "a-m1": [1, 2, None, 0, 1]}, [lab, online, other, gone, brought]
    )
    lines = study_overview(study)
    assert [(line.pool, line.people, line.ratings) for line in lines.pools] == [
        ("import:pilot", 1, 2),
        ("lab", 1, 2),
        ("prolific", 3, 3),
    ]
    assert sum(line.ratings for line in lines.pools) == lines.figures["ratings"]
    page = words(staff("monitor_study", name="monitor").get("/monitor/laughs/"))
    assert "import:pilot 1 2 lab 1 2 prolific 3 3" in page


def test_an_answer_that_was_undone_is_in_no_pool_and_a_restored_one_is():
    study = study_of([factories.clip("a")])
    person = Person.joins(study)
    person.open()
    person.rate("a-m0", 2)
    person.undo("a-m0")
    assert [line.ratings for line in study_overview(study).pools] == [0]
    person.say(question="a-m0", value=1)
    person.say(question="a-m0", value=3)
    person.undo("a-m0")
    assert [line.ratings for line in study_overview(study).pools] == [1]
    assert study_overview(study).figures["ratings"] == 1
