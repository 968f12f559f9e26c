"""Freezing again: the same state gives the same bytes, a change gives a version that names the one before."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connections, transaction

from annotation.models import Score
from exports.models import FrozenForGood, GoldSetVersion, ReleaseLabel
from exports.request import FreezeRefused
from studies.models import Enrolment
from tests import factories
from tests.exports.conftest import World, build, files_of, items_of, manifest_of, ratings_of


def test_the_same_state_gives_the_same_bytes_but_for_the_time_of_freezing(world: World, releases: Path):
    """The first freeze is undone as if it had never been, labels and all, and done again later."""
    with transaction.atomic():
        first = files_of(world.freeze(now=datetime(2026, 3, 1, tzinfo=UTC)))
        transaction.set_rollback(True)
    assert not GoldSetVersion.objects.exists()
    second = files_of(world.freeze(now=datetime(2026, 3, 2, tzinfo=UTC)))
    manifests = [json.loads(files.pop("manifest.json")) for files in (first, second)]
    assert first == second
    assert [m.pop("created_at") for m in manifests] == [
        "2026-03-01T00:00:00+00:00",
        "2026-03-02T00:00:00+00:00",
    ]
    assert manifests[0] == manifests[1]


def test_the_order_in_which_rows_were_made_changes_no_byte(db: None, releases: Path):
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    bundles = []
    for backwards in (False, True):
        with transaction.atomic():
            frozen = build(backwards=backwards).freeze(now=moment, parameters={"size": 3, "cap": 2})
            bundles.append((releases / frozen.bundle).read_bytes())
            transaction.set_rollback(True)
    assert bundles[0] == bundles[1]


def test_asking_twice_makes_no_second_version(world: World):
    first = world.freeze()
    assert first.made_now
    said: list[str] = []
    again = world.freeze(progress=lambda percent, sentence: said.append(sentence))
    assert again == first
    assert not again.made_now
    assert said[-1] == "Nothing has changed since demo v1."
    assert GoldSetVersion.objects.count() == 1


def test_a_changed_answer_makes_a_version_that_names_the_one_it_supersedes(world: World, releases: Path):
    first = world.freeze()
    before = (releases / first.bundle).read_bytes()
    Score.objects.filter(moment__moment_id="c1-m0", enrolment=world.raters[0]).update(score=1)
    second = world.freeze()
    assert (second.version, second.supersedes) == (2, first)
    assert manifest_of(second)["supersedes"] == {
        "name": "demo",
        "version": 1,
        "content_sha256": first.content_sha256,
    }
    assert items_of(second)["c1"]["gold"]["consensus"][0] == 2 / 3
    assert (releases / first.bundle).read_bytes() == before
    assert world.freeze() == second


@pytest.mark.parametrize("change", [{"seed": 1}, {"parameters": {"cap": 49}}])
def test_another_seed_or_parameter_is_another_version_even_with_the_same_items(world: World, change: dict):
    world.freeze()
    second = world.freeze(**change)
    assert second.version == 2
    assert list(items_of(second)) == ["c1", "c2", "c4", "c5"]


def test_a_withdrawal_makes_the_next_version_without_that_person(world: World):
    extra = [factories.enrolment(world.study)]
    factories.rating_round("c1", {"c1-m0": [1], "c1-m1": [2]}, extra)
    first = world.freeze()
    label = {r["rater"] for r in ratings_of(first)} - {
        r["rater"] for r in ratings_of(first) if r["item_id"] == "c2"
    }
    assert len(label) == 1
    Enrolment.objects.filter(pk=extra[0].pk).update(state=Enrolment.State.WITHDRAWN)
    second = world.freeze()
    assert label.isdisjoint({r["rater"] for r in ratings_of(second)})
    assert second.supersedes == first


def test_labels_stay_what_they_were_when_more_people_rate(world: World):
    first = {(r["moment_id"], r["score"], r["rater"]) for r in ratings_of(world.freeze())}
    late = factories.enrolment(world.study)
    factories.rating_round("c1", {"c1-m0": [3], "c1-m1": [3]}, [late])
    second = {(r["moment_id"], r["score"], r["rater"]) for r in ratings_of(world.freeze())}
    assert second - first == {("c1-m0", 3, "R4"), ("c1-m1", 3, "R4")}
    assert first < second


def test_a_name_stays_with_its_line(world: World):
    world.freeze()
    with pytest.raises(FreezeRefused, match='"demo" belongs to the release line "main"'):
        world.freeze(line="other")


def test_a_file_left_by_a_freeze_that_died_is_replaced(world: World, releases: Path):
    (releases / "ip").mkdir(parents=True)
    (releases / "ip" / "demo-v1.zip").write_bytes(b"half a zip")
    assert list(items_of(world.freeze()))
    assert [path.name for path in (releases / "ip").iterdir()] == ["demo-v1.zip"]


def test_two_freezes_at_once_give_each_label_once(world: World):
    """Another freeze fixes labels between this one's reading and its writing; this one starts over."""
    other = factories.study("other")
    clip = factories.clip("d1", by=factories.creator("Cy", "Dritter"))
    factories.wave(other, clips=[clip])
    people = [factories.enrolment(other) for _ in range(3)]
    factories.rating_round("d1", {"d1-m0": [0, 0, 0], "d1-m1": [3, 3, 3]}, people)
    came_first: list[GoldSetVersion] = []

    def slip_in(percent: int, sentence: str) -> None:
        if percent == 60 and not came_first:
            came_first.append(world.freeze(name="first", studies=["other"]))

    second = world.freeze(progress=slip_in)
    assert {r["rater"] for r in ratings_of(came_first[0])} == {"R1", "R2", "R3"}
    assert {r["rater"] for r in ratings_of(second)} == {"R4", "R5", "R6"}
    for letter in "RPCS":
        numbers = ReleaseLabel.objects.filter(type=letter).values_list("number", flat=True)
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_two_freezes_of_one_name_at_once_give_two_answers_and_no_lost_bundle(world: World, releases: Path):
    inner: list[GoldSetVersion] = []

    def slip_in(percent: int, sentence: str) -> None:
        if percent == 60 and not inner:
            inner.append(world.freeze())

    outer = world.freeze(progress=slip_in)
    assert outer == inner[0]
    assert GoldSetVersion.objects.count() == 1
    assert len(items_of(outer)) == 4


def test_the_row_is_refused_to_whoever_loaded_it(world: World):
    world.freeze()
    loaded = GoldSetVersion.objects.get()
    loaded.name = "other"
    with pytest.raises(FrozenForGood):
        loaded.save()


@pytest.mark.django_db(transaction=True)
def test_freezes_in_several_threads_share_one_numbering_and_each_set_is_whole(releases: Path):
    """Four workers freeze one study under four names in one line, and two of them under one name."""
    world = build()
    names = ["a", "b", "c", "c"]
    start = threading.Barrier(len(names))

    def work(name: str) -> GoldSetVersion:
        start.wait()
        try:
            return world.freeze(name=name)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(names)) as pool:
        frozen = list(pool.map(work, names))
    assert frozen[2] == frozen[3]
    assert [version.version for version in frozen] == [1, 1, 1, 1]
    assert len({json.dumps(ratings_of(version)) for version in frozen}) == 1
    assert sorted(path.name for path in (releases / "ip").iterdir()) == ["a-v1.zip", "b-v1.zip", "c-v1.zip"]
    for letter, many in (("R", 3), ("P", 3), ("C", 2), ("S", 4)):
        numbers = ReleaseLabel.objects.filter(type=letter).values_list("number", flat=True)
        assert sorted(numbers) == list(range(1, many + 1))
