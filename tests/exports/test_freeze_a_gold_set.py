"""Freezing the answers of a study: what goes in, with which labels, and what stays out with a reason."""

import json
import statistics
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from catalogue.models import Clip, Creator
from evaluator.formats import Findings
from evaluator.validate import ip_set_read
from exports.models import FrozenForGood, GoldSetVersion, ReleaseLabel
from exports.request import FreezeRefused
from studies.models import Assignment, Enrolment, Study, StudyUnit, Wave
from tests import factories
from tests.exports.conftest import CREATORS, SCORES, World, files_of, items_of, manifest_of, ratings_of

ELIGIBLE = ["c1", "c2", "c4", "c5"]


def test_it_holds_the_eligible_clips_in_order_of_their_ids(world: World):
    assert list(items_of(world.freeze())) == ELIGIBLE


def test_an_item_looks_as_the_format_says(world: World):
    frozen = world.freeze()
    item = items_of(frozen)["c2"]
    assert item["input"] == {
        "reaction": "c2/reaction",
        "duration_s": 12.0,
        "moments": [
            {"moment_id": "c2-m0", "start_s": 1.0, "end_s": 3.0},
            {"moment_id": "c2-m1", "start_s": 5.0, "end_s": 7.25},
            {"moment_id": "c2-m2", "start_s": 9.0, "end_s": 11.0},
        ],
    }
    assert set(item["source"]) == {"creator", "channel", "category", "source_group"}
    assert item["source"]["category"] == "music"
    assert set(files_of(frozen)) == {
        "DATASHEET.md",
        "manifest.json",
        "ratings.jsonl",
        "schema.json",
        "tasks.json",
    }


def test_moments_stand_in_the_order_of_time_whatever_their_names(world: World):
    clip = factories.clip("c7", moments=[(8, 9), (1, 2), (4, 5)])
    factories.wave(world.study, clips=[clip])
    factories.rating_round("c7", {"c7-m0": [3, 3, 3], "c7-m1": [0, 0, 1], "c7-m2": [1, 1, 1]}, world.raters)
    item = items_of(world.freeze())["c7"]
    assert [moment["moment_id"] for moment in item["input"]["moments"]] == ["c7-m1", "c7-m2", "c7-m0"]
    assert item["gold"]["consensus"] == [1 / 3, 1.0, 3.0]


def test_the_consensus_is_the_plain_mean_of_the_scores(world: World):
    for clip_id, item in items_of(world.freeze()).items():
        rows = SCORES[clip_id]
        assert item["gold"]["consensus"] == [float(Fraction(sum(row), len(row))) for row in rows]
        assert item["gold"]["n_ratings"] == [3] * len(rows)
        assert item["gold"]["rater_sd"] == pytest.approx([statistics.stdev(row) for row in rows])


def test_the_debiased_consensus_solves_the_additive_model(world: World):
    # Every rater scored every moment of the set, so a rater's effect is plainly how far their mean lies from
    # everyone's, and subtracting the effects leaves each moment's mean as it was.
    items = items_of(world.freeze())
    for item in items.values():
        assert item["gold"]["consensus_debiased"] == pytest.approx(item["gold"]["consensus"], abs=1e-9)


def test_a_harsh_rater_is_corrected_where_the_others_did_not_rate(world: World):
    # A fourth rater scores c1 only, exactly one above the mean of the three others in both moments.
    harsh = factories.enrolment(world.study)
    clip = factories.clip("c8")
    factories.wave(world.study, clips=[clip])
    factories.rating_round("c8", {"c8-m0": [1, 1, 1, 2], "c8-m1": [0, 0, 0, 1]}, [*world.raters, harsh])
    gold = items_of(world.freeze())["c8"]["gold"]
    effects = _effects_by_fractions(
        {
            f"{clip_id}-m{i}": dict(enumerate(row))
            for clip_id, rows in (SCORES | {"c8": [[1, 1, 1, 2], [0, 0, 0, 1]]}).items()
            for i, row in enumerate(rows)
            if clip_id in (*ELIGIBLE, "c8")
        }
    )
    expected = [
        float(sum(score - effects[rater] for rater, score in enumerate(row)) / 4)
        for row in ([1, 1, 1, 2], [0, 0, 0, 1])
    ]
    assert gold["consensus"] == [1.25, 0.25]
    assert gold["consensus_debiased"] == pytest.approx(expected, abs=1e-9)


def test_every_rating_is_listed_under_its_raters_label(world: World):
    frozen = world.freeze()
    labels = dict(ReleaseLabel.objects.filter(type="R").values_list("stable_id", "number"))
    expected = sorted(
        (clip_id, f"{clip_id}-m{i}", f"R{labels[world.raters[r].participant.public_id]}", score)
        for clip_id in ELIGIBLE
        for i, row in enumerate(SCORES[clip_id])
        for r, score in enumerate(row)
    )
    listed = [(r["item_id"], r["moment_id"], r["rater"], r["score"]) for r in ratings_of(frozen)]
    assert listed == expected


def test_creators_of_one_name_on_two_channels_are_two_people(world: World):
    items = items_of(world.freeze())
    labels = {clip_id: item["source"]["creator"] for clip_id, item in items.items()}
    assert labels["c1"] == labels["c2"]
    assert len({labels["c1"], labels["c4"], labels["c5"]}) == len({CREATORS[c] for c in ELIGIBLE}) == 3


def test_the_evaluator_accepts_the_bundle_strictly(world: World, releases: Path):
    findings = Findings(strict=True)
    read = ip_set_read(releases / world.freeze().bundle, findings)
    assert findings.problems == []
    assert read is not None
    assert len(read.tasks) == 4


def test_the_manifest_tells_how_the_set_was_made(world: World):
    frozen = world.freeze(seed=7, parameters={"size": 3, "cap": 2})
    manifest = manifest_of(frozen)
    assert (manifest["set"], manifest["name"], manifest["version"], manifest["seed"]) == ("ip", "demo", 1, 7)
    assert manifest["parameters"] == {
        "size": 3,
        "cap": 2,
        "include_pilot": False,
        "min_ratings": 3,
        "min_moments": 2,
        "min_range": 0.25,
        "kind": "intensity",
        "kind_version": "1",
        "line": "main",
    }
    assert manifest["counts"]["items"] == 3
    assert manifest["content_sha256"] == frozen.content_sha256
    assert manifest["created_at"] == frozen.created_at.isoformat()
    assert manifest["created_at"].endswith("+00:00")


def test_no_creator_holds_more_than_the_cap(world: World):
    items = items_of(world.freeze(parameters={"cap": 1}))
    creators = [item["source"]["creator"] for item in items.values()]
    assert len(creators) == len(set(creators)) == 3


def test_nothing_secret_is_in_the_bundle(world: World, releases: Path):
    raw = (releases / world.freeze().bundle).read_bytes()
    clips = Clip.objects.prefetch_related("media")
    secrets = {"kanarien", "Quatsch", "Zweifel", "Kanal", "Aufnahme", "geheime", world.study.slug}
    secrets |= {str(rater.public_id) for rater in world.raters}
    secrets |= {file.storage_key for clip in clips for file in clip.media.all()}
    secrets |= {file.sha256 for clip in clips for file in clip.media.all()}
    assert [secret for secret in sorted(secrets) if secret.encode() in raw] == []


# --- what stays out, and the sentence for it -------------------------------------------------------------


def _left_out(frozen: GoldSetVersion) -> dict[str, int]:
    return {why: n for why, n in manifest_of(frozen)["counts"]["left_out"].items() if n}


def test_nothing_is_left_out_without_a_reason(world: World):
    assert _left_out(world.freeze()) == {}


def test_a_sentence_says_what_each_rule_removed(world: World):
    frozen = world.freeze()
    assert "1 moment dropped: fewer than 3 ratings." in frozen.removed
    assert "1 clip dropped: fewer than 2 moments left." in frozen.removed
    assert frozen.removed[0].startswith("0 scores left out: blocked clips or creators; from people who")
    assert "1 clip dropped: consensus range below 0.25." in frozen.removed
    sheet = files_of(frozen)["DATASHEET.md"].decode()
    assert all(sentence in sheet for sentence in frozen.removed)


def test_people_who_withdrew_are_left_out(world: World):
    Enrolment.objects.filter(pk=world.raters[0].pk).update(state=Enrolment.State.WITHDRAWN)
    for clip_id in ("c1", "c2"):
        extra = factories.enrolment(world.study)
        columns = {f"{clip_id}-m{i}": [row[0]] for i, row in enumerate(SCORES[clip_id])}
        factories.rating_round(clip_id, columns, [extra])
    frozen = world.freeze()
    assert list(items_of(frozen)) == ["c1", "c2"]
    assert _left_out(frozen) == {"withdrawn_person": 13}
    assert "13 scores left out: from people who withdrew." in frozen.removed


def test_pilot_waves_are_left_out_unless_asked_for(world: World):
    pilot = Wave.objects.create(study=world.study, number=9, name="pilot", pilot=True)
    StudyUnit.objects.filter(key="c1").update(wave=pilot)
    frozen = world.freeze()
    assert list(items_of(frozen)) == ["c2", "c4", "c5"]
    assert "6 scores left out: from pilot waves." in frozen.removed
    assert list(items_of(world.freeze(parameters={"include_pilot": True}))) == ELIGIBLE


def test_late_answers_whose_place_was_taken_are_left_out(world: World):
    late = factories.enrolment(world.study)
    given = factories.assignment(late, "c1", surplus=True)
    factories.score(given, "c1-m0", 3)
    factories.score(given, "c1-m1", 3)
    frozen = world.freeze()
    assert items_of(frozen)["c1"]["gold"]["n_ratings"] == [3, 3]
    assert "2 scores left out: came late, when the place was taken." in frozen.removed
    Study.objects.update(late=Study.Late.KEEP)
    assert items_of(world.freeze())["c1"]["gold"]["n_ratings"] == [4, 4]


def test_answers_in_a_clip_left_half_way_count_unless_the_study_drops_them(world: World):
    hasty = factories.enrolment(world.study)
    given = factories.assignment(hasty, "c1", state=Assignment.State.RELEASED)
    factories.score(given, "c1-m0", 3)
    assert items_of(world.freeze())["c1"]["gold"]["n_ratings"] == [4, 3]
    Study.objects.update(partial=Study.Partial.DROP)
    frozen = world.freeze()
    assert items_of(frozen)["c1"]["gold"]["n_ratings"] == [3, 3]
    assert "1 score left out: units left half-way, which the study drops." in frozen.removed


def test_answers_in_a_clip_that_the_person_then_reported_are_left_out(world: World):
    reporter = factories.enrolment(world.study)
    given = factories.assignment(reporter, "c1", state=Assignment.State.SKIPPED)
    factories.score(given, "c1-m0", 3)
    frozen = world.freeze()
    assert items_of(frozen)["c1"]["gold"]["n_ratings"] == [3, 3]
    assert _left_out(frozen) == {"skipped": 1}


def test_practice_is_left_out(world: World):
    Assignment.objects.filter(unit__key="c1").update(purpose=Assignment.Purpose.PRACTICE)
    frozen = world.freeze()
    assert list(items_of(frozen)) == ["c2", "c4", "c5"]
    assert _left_out(frozen) == {"not_study": 6}


def test_blocked_clips_and_creators_are_left_out(world: World):
    Clip.objects.filter(clip_id="c1").update(blocked_at=timezone.now())
    Creator.objects.filter(name="Bo Zweifel").update(blocked_at=timezone.now())
    frozen = world.freeze()
    assert list(items_of(frozen)) == ["c2", "c5"]
    assert "18 scores left out: blocked clips or creators." in frozen.removed


def test_a_clip_that_a_manager_took_out_is_left_out(world: World):
    StudyUnit.objects.filter(key="c1").update(state=StudyUnit.State.WITHDRAWN)
    frozen = world.freeze()
    assert list(items_of(frozen)) == ["c2", "c4", "c5"]
    assert _left_out(frozen) == {"withdrawn_unit": 6}


def test_of_a_persons_scores_in_two_studies_the_earliest_counts(world: World):
    second = factories.study("again", clips=[Clip.objects.get(clip_id="c1")])
    again = factories.enrolment(second, world.raters[0].participant)
    given = factories.assignment(again, "c1")
    factories.score(given, "c1-m0", 3, at=factories.START + timedelta(days=1))
    factories.score(given, "c1-m1", 0, at=factories.START - timedelta(days=1))
    frozen = world.freeze(studies=["laughs", "again"])
    assert items_of(frozen)["c1"]["gold"]["consensus"] == [1 / 3, 5 / 3]
    assert _left_out(frozen) == {"second_study": 2}
    assert "2 scores left out: the same person scored the moment earlier in another study." in frozen.removed
    assert set(frozen.studies.values_list("slug", flat=True)) == {"laughs", "again"}


# --- refusals ------------------------------------------------------------------------------------------


def test_every_fault_of_a_request_is_told_at_once(world: World):
    factories.study("essays", kind="rationale")
    with pytest.raises(FreezeRefused) as refused:
        world.freeze(
            studies=["laughts", "essays"],
            name="no spaces",
            seed=-1,
            parameters={"size": 0, "kap": 3, "include_pilot": 1},
        )
    assert refused.value.sentences == (
        'Study "essays" is of kind rationale; a gold set ip is made of kind intensity.',
        'No study is called "laughts". Did you mean laughs?',
        'name: found "no spaces"; expected letters A-Z a-z, digits, - and _, starting with a letter or '
        "digit, at most 80.",
        "seed: found -1; expected a whole number of at least 0, below 2^63.",
        'No parameter is called "kap". Did you mean cap?',
        "size: found 0; expected at least 1.",
        "include_pilot: found 1; expected true or false.",
    )
    assert not GoldSetVersion.objects.exists()


def test_an_unknown_set_is_answered_with_the_known_ones(world: World):
    with pytest.raises(FreezeRefused, match="no study kind makes a gold set 'pi'; known: ip"):
        world.freeze(set="pi")


def test_when_nothing_is_eligible_the_rules_say_why_and_nothing_is_kept(world: World, releases: Path):
    Enrolment.objects.update(state=Enrolment.State.WITHDRAWN)
    with pytest.raises(FreezeRefused) as refused:
        world.freeze()
    assert refused.value.sentences[0] == "Nothing is eligible."
    assert "38 scores left out: from people who withdrew." in refused.value.sentences
    assert not GoldSetVersion.objects.exists()
    assert not ReleaseLabel.objects.exists()
    assert not releases.exists()


# --- for good ----------------------------------------------------------------------------------------------


def test_a_frozen_set_cannot_be_changed_or_deleted_by_the_program(world: World):
    frozen = world.freeze()
    for deed in (
        frozen.save,
        frozen.delete,
        lambda: GoldSetVersion.objects.update(name="x"),
        lambda: GoldSetVersion.objects.all().delete(),
        lambda: GoldSetVersion.objects.bulk_update([frozen], ["name"]),
    ):
        with pytest.raises(FrozenForGood):
            deed()


@pytest.mark.parametrize("column", ["name", "counts", "content_sha256", "supersedes_id", "version"])
def test_the_database_itself_refuses_to_change_a_frozen_set(world: World, column: str):
    frozen = world.freeze()
    from django.db import connection

    with pytest.raises(DatabaseError, match="a frozen set never changes"), transaction.atomic():
        connection.cursor().execute(f"UPDATE exports_goldsetversion SET {column} = {column}")
    assert GoldSetVersion.objects.get() == frozen


def test_a_deleted_user_leaves_the_set_behind(world: World, django_user_model):
    user = django_user_model.objects.create_user("mia")
    frozen = world.freeze(by=user)
    user.delete()
    assert GoldSetVersion.objects.get(pk=frozen.pk).created_by is None


def test_a_storage_that_fails_leaves_neither_row_nor_label(world: World, releases: Path):
    (releases / "ip").parent.mkdir(parents=True)
    (releases / "ip").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="ip"):
        world.freeze()
    assert not GoldSetVersion.objects.exists()
    assert not ReleaseLabel.objects.exists()


def _effects_by_fractions(scores: dict[str, dict[int, int]]) -> dict[int, Fraction]:
    """Least-squares rater effects summing to zero, by Gauss-Jordan elimination in exact fractions."""
    raters = sorted({rater for row in scores.values() for rater in row})
    n = len(raters)
    matrix = [[Fraction(0)] * (n + 1) for _ in range(n)]
    for row in scores.values():
        mean = Fraction(sum(row.values()), len(row))
        for rater, score in row.items():
            matrix[rater][rater] += 1
            matrix[rater][n] += score - mean
            for other in row:
                matrix[rater][other] -= Fraction(1, len(row))
    matrix[-1] = [Fraction(1)] * n + [Fraction(0)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if matrix[i][k])
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        matrix[k] = [value / matrix[k][k] for value in matrix[k]]
        for i in range(n):
            if i != k:
                factor = matrix[i][k]
                matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[k], strict=True)]
    return {rater: matrix[rater][n] for rater in raters}


def test_the_files_are_json_in_one_canonical_form(world: World):
    files = files_of(world.freeze())
    for name in ("tasks.json", "manifest.json", "schema.json"):
        value = json.loads(files[name])
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
        assert files[name].decode() == text
