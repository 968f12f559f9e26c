"""Every registered kind keeps the contract; and the contract notices when one does not."""

import itertools
from dataclasses import dataclass, replace

import pytest
from django.contrib.auth import get_user_model

from annotation.kind import KIND, ClipView
from annotation.models import Score
from catalogue.models import Clip, Nomination
from studies import kinds
from studies.kinds import kinds_all
from studies.models import ResponseEvent
from tests.studies import contract, walk
from tests.studies.canaries import Canaries, fields_without_canary
from tests.studies.contract import ContractBroken

pytestmark = pytest.mark.django_db

every_kind = pytest.mark.parametrize("kind", kinds_all(), ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def _folders(tmp_path, settings):
    """Clips and releases of the test's own."""
    settings.STORAGES = settings.STORAGES | {
        name: {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / name},
        }
        for name in ("clips", "releases")
    }
    settings.LABEL_KEY = "a key for tests"


# --- the kinds there are -------------------------------------------------------------------------------


@every_kind
def test_whatever_people_say_is_kept_once_and_the_newest_word_stands(kind):
    contract.check_saving(contract.build(kind))


@every_kind
def test_current_answers_are_rebuilt_from_the_events(kind):
    contract.check_rebuilding(contract.build(kind))


@every_kind
def test_freezing_twice_gives_the_same_bytes(kind):
    contract.check_freezing(contract.build(kind))


@every_kind
def test_nothing_private_reaches_an_annotator(kind):
    walk.check_canaries(contract.build(kind))


@every_kind
def test_every_field_that_holds_text_is_planted_or_public_by_decision(kind):
    world = contract.build(kind)
    walk.plant_people(world)
    assert fields_without_canary(world.canaries, ["catalogue", "studies"]) == []


# --- kinds that break it -------------------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch):
    """Register the intensity kind with something broken, and give its world."""

    def make(**changes):
        monkeypatch.setitem(kinds._kinds, KIND.name, replace(KIND, **changes))
        return contract.build(kinds.kind_named(KIND.name))

    return make


def fails(check, world, words):
    with pytest.raises(ContractBroken, match=words):
        check(world)


@dataclass(frozen=True, slots=True)
class LeakyView(ClipView):
    """A view that shows one thing too many."""

    extra: object = None


def leaky(look_up):
    def view(unit, parameters):
        shown = KIND.view(unit, parameters)
        return LeakyView(**{n: getattr(shown, n) for n in ClipView.__dataclass_fields__}, extra=look_up(unit))

    return view


@pytest.mark.parametrize(
    ("look_up", "words"),
    [
        (lambda unit: unit.key, "gives away: clip id"),
        (lambda unit: Clip.objects.get(clip_id=unit.key).creator.name, "gives away: creator"),
        (lambda unit: Clip.objects.get(clip_id=unit.key).source_group, "gives away: source group"),
        (lambda unit: {"deep": [str(Clip.objects.get(clip_id=unit.key).parent_clip)]}, "parent clip"),
        (lambda unit: unit.media[0].sha256 and Nomination.objects.first().score, "nomination score"),
        (lambda unit: str(ResponseEvent.objects.first().event_id), "event of somebody else"),
    ],
    ids=["clip", "creator", "source", "parent", "nomination", "others"],
)
def test_a_kind_whose_view_leaks_is_caught(broken, look_up, words):
    fails(walk.check_canaries, broken(view=leaky(look_up)), words)


def test_a_kind_that_reads_the_private_table_without_showing_it_is_caught(broken):
    world = broken(view=leaky(lambda unit: Nomination.objects.count() > 0))
    fails(walk.check_canaries, world, "read the private table")


def test_a_kind_that_leaks_in_a_refusal_is_caught(broken):
    def validate(question, value, parameters):
        try:
            return KIND.validate(question, value, parameters)
        except kinds.InvalidResponse as error:
            owner = Clip.objects.get(moments__moment_id=question.key)
            raise kinds.InvalidResponse(f"{error} in {owner.category}") from error

    fails(walk.check_canaries, broken(validate=validate), "events gives away: category")


def test_a_kind_that_loses_the_event_is_caught(broken):
    def record(assignment, question, event):
        ResponseEvent.objects.filter(pk=event.pk).delete()

    fails(contract.check_saving, broken(record=record), "sent twice|lost")


def test_a_kind_that_does_not_record_is_caught(broken):
    world = broken(record=lambda assignment, question, event: None)
    fails(contract.check_saving, world, "after the first answer the current answer is None")


def test_a_kind_that_keeps_the_first_answer_is_caught(broken):
    def record(assignment, question, event):
        if not Score.objects.filter(moment__moment_id=question.key, assignment=assignment).exists():
            KIND.record(assignment, question, event)

    fails(contract.check_saving, broken(record=record), "after a changed mind")


def test_a_kind_that_does_not_forget_is_caught(broken):
    world = broken(forget=lambda assignment, question: None)
    fails(contract.check_saving, world, "after undoing everything")


def test_a_kind_that_overwrites_another_persons_answer_is_caught(broken):
    true = {}

    def record(assignment, question, event):
        KIND.record(assignment, question, event)
        for score in Score.objects.exclude(enrolment=assignment.enrolment):
            wrong = 3 - true.setdefault(score.pk, score.score)  # never the same, however often it is written
            Score.objects.filter(pk=score.pk).update(score=wrong)

    fails(contract.check_saving, broken(record=record), "changed another's answers")


@pytest.mark.parametrize(
    "rebuild",
    [
        lambda ids: Score.objects.all().delete()[0],
        lambda ids: (KIND.rebuild(ids), Score.objects.first().delete())[0],
        lambda ids: (KIND.rebuild(ids), Score.objects.update(score=0))[0],
    ],
    ids=["nothing", "one lost", "other values"],
)
def test_a_kind_that_cannot_rebuild_is_caught(broken, rebuild):
    fails(contract.check_rebuilding, broken(rebuild=rebuild), "are others")


def test_a_kind_that_freezes_differently_twice_is_caught(broken):
    calls = itertools.count()

    def goldset(studies, parameters, labels):
        gold = KIND.goldset(studies, parameters, labels)
        return replace(gold, removed=[*gold.removed, f"This was call {next(calls)}."])

    fails(contract.check_freezing, broken(goldset=goldset), "different bytes: .*DATASHEET.md")


def test_a_kind_whose_items_come_in_the_order_of_a_set_is_caught(broken):
    calls = itertools.count()

    def goldset(studies, parameters, labels):
        gold = KIND.goldset(studies, parameters, labels)
        turned = next(calls) % len(gold.items)
        return replace(gold, items=[*gold.items[turned:], *gold.items[:turned]])

    with pytest.raises(Exception, match=r"different bytes: .*tasks\.json|order"):
        contract.check_freezing(broken(goldset=goldset))


def test_a_kind_without_a_world_is_told_to_bring_one(db):
    with pytest.raises(ContractBroken, match="'newcomer' has no world: add tests/<its app>"):
        contract.world_of(replace(KIND, name="newcomer"))


def test_a_new_private_field_without_a_canary_is_noticed(db):
    get_user_model().objects.create_user("somebody")
    lacking = fields_without_canary(Canaries(), ["catalogue", "studies"])
    assert {"catalogue.Creator.name", "catalogue.Nomination.score", "studies.Wave.name"} <= set(lacking)
