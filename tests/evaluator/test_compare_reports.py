"""Reports side by side: means over common coverage, paired differences, and what cannot be compared."""

import json

import numpy as np
import pytest
from scipy import stats


def full(clip, *scores):
    return {"item_id": clip, "scores": {f"{clip}_c{at:02}": score for at, score in enumerate(scores)}}


FIRST = (full("66324", 50, 25, 65), full("70001", 90, 10), full("70002", 50, 50), full("70003", 1, 2, 3, 4))
SECOND = (full("66324", 15, 75, 25), full("70001", 10, 90), full("70003", 4, 1, 3, 2))
THIRD = (full("66324", 22, 30, 20), full("70001", 10, 90), full("70002", 9, 1), full("70003", 9, 1, 1, 1))


@pytest.fixture
def report_file(evaluate, demo_set, jsonl, tmp_path):
    """Scores predictions and keeps the report under a name of its own."""

    def make(name, *lines, modes=("joint",), gold=demo_set):
        flags = [part for mode in modes for part in (f"--{mode}", jsonl(*lines))]
        report = evaluate("ip", gold, *flags)[3]
        path = tmp_path / name
        path.write_text(json.dumps(report))
        return path

    return make


def rho(report, item):
    return json.loads(report.read_text())["items"][item]["joint"]["rho0"]


def test_means_cover_the_items_all_reports_scored(evaluate, report_file):
    paths = [report_file(*own) for own in (("a.json", *FIRST), ("b.json", *SECOND), ("c.json", *THIRD))]
    status, out, _, report = evaluate("compare", *paths)
    joint, common = report["joint"], ["66324", "70001", "70003"]
    assert status == 0
    assert joint["n"] == 3
    for path in paths:
        values = [rho(path, item) for item in common]
        assert joint["mean"][path.name] == pytest.approx(np.mean(values), abs=1e-12)
    assert set(report["items"]) == set(common)
    assert report["items"]["70003"]["joint"]["b.json"] == rho(paths[1], "70003")
    assert "joint, on 3 common items" in out


def test_every_pair_gets_its_paired_difference_later_minus_earlier(evaluate, report_file):
    paths = [report_file(*own) for own in (("a.json", *FIRST), ("b.json", *SECOND), ("c.json", *THIRD))]
    report = evaluate("compare", *paths)[3]
    mean, delta = report["joint"]["mean"], report["joint"]["delta"]
    assert {name: set(own) for name, own in delta.items()} == {
        "b.json": {"a.json"},
        "c.json": {"a.json", "b.json"},
    }
    for later, others in delta.items():
        for earlier, own in others.items():
            assert own["mean"] == pytest.approx(mean[later] - mean[earlier], abs=1e-12)
            assert own["ci"][0] <= own["mean"] <= own["ci"][1]


def test_the_interval_of_a_difference_is_scipys_paired_bootstrap(evaluate, save, make_files, report_file):
    rng = np.random.default_rng(4)
    scores = {
        f"v{at:02}": {
            rater: tuple(int(own) for own in rng.permutation([0, 1, 2, 3])) for rater in ("R1", "R2")
        }
        for at in range(40)
    }
    gold = save(make_files(scores), "forty")
    paths = [
        report_file(name, *(full(clip, *map(int, rng.integers(0, 100, 4))) for clip in scores), gold=gold)
        for name in ("a.json", "b.json")
    ]
    report = evaluate("compare", *paths, "--resamples", "20000")[3]
    items = report["items"].values()
    values = [own["joint"]["b.json"] - own["joint"]["a.json"] for own in items]
    expected = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    interval = expected.confidence_interval
    found = report["joint"]["delta"]["b.json"]["a.json"]["ci"]
    assert found == pytest.approx((interval.low, interval.high), abs=0.02)


def test_source_groups_are_resampled_whole(evaluate, report_file):
    paths = report_file("a.json", *FIRST), report_file("b.json", *THIRD)
    plain = evaluate("compare", *paths)[3]
    grouped = evaluate("compare", *paths, "--group", "source_group")[3]
    assert plain["joint"]["mean"] == grouped["joint"]["mean"]
    assert "|group:source_group|" in grouped["signature"]
    assert grouped["signature"].startswith("compare|figure:rho0|coverage:common|ci:pct95|n:10000|seed:0|")


def test_only_parts_that_all_reports_have_are_compared(evaluate, report_file):
    both = report_file("both.json", *FIRST, modes=("joint", "independent"))
    joint = report_file("joint.json", *SECOND)
    report = evaluate("compare", both, joint)[3]
    assert "joint" in report
    assert "independent" not in report
    alone = report_file("alone.json", *SECOND, modes=("independent",))
    status, out, err, written = evaluate("compare", joint, alone)
    assert (status, out, written) == (1, "", None)
    assert "joint.json has joint; alone.json has independent" in err


def test_reports_of_different_sets_are_refused_even_under_one_name(evaluate, save, make_files, report_file):
    other = save(make_files(seed=1, datasheet="# Another\n"), "other")
    first, second = report_file("a.json", *FIRST), report_file("b.json", *FIRST, gold=other)
    status, out, err, report = evaluate("compare", first, second)
    assert (status, out, report) == (1, "", None)
    assert "b.json, content_sha256: found" in err
    assert "the same set" in err


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda own: own.pop("items"), "b.json, items: found nothing; expected an object"),
        (lambda own: own.update(task="agreement"), 'b.json, task: found "agreement"; expected "ip"'),
        (lambda own: own.pop("content_sha256"), "b.json, content_sha256: found nothing"),
        (lambda own: own.pop("joint"), "found a report without any; expected joint or independent"),
        (
            lambda own: own["items"]["66324"]["joint"].update(rho0="0.5"),
            'items.66324.joint.rho0: found "0.5"; expected a number from -1 to 1',
        ),
        (lambda own: own["items"]["66324"].pop("joint"), "items.66324.joint: found nothing"),
    ],
)
def test_a_file_that_is_no_report_is_refused_with_its_field(evaluate, report_file, change, expected):
    first, second = report_file("a.json", *FIRST), report_file("b.json", *SECOND)
    value = json.loads(second.read_text())
    change(value)
    second.write_text(json.dumps(value))
    status, out, err, report = evaluate("compare", first, second)
    assert (status, out, report) == (1, "", None)
    assert expected in err


def test_grouping_needs_sources_in_the_reports(evaluate, report_file):
    first, second = report_file("a.json", *FIRST), report_file("b.json", *SECOND)
    value = json.loads(first.read_text())
    del value["items"]["70001"]["source"]
    first.write_text(json.dumps(value))
    assert evaluate("compare", first, second)[0] == 0
    status, _, err, _ = evaluate("compare", first, second, "--group", "creator")
    assert status == 1
    assert "items.70001.source: found nothing" in err


def test_no_common_item_leaves_nulls_with_their_reason(evaluate, report_file):
    first = report_file("a.json", full("66324", 1, 2, 3))
    second = report_file("b.json", full("70001", 1, 2))
    report = evaluate("compare", first, second)[3]
    assert report["joint"]["n"] == 0
    assert report["joint"]["mean"] == {"a.json": None, "b.json": None}
    assert report["notes"]["joint.mean.a.json"] == "no item is scored in every report"
    assert report["notes"]["joint.delta.b.json.a.json.ci"]


def test_reports_of_one_file_name_are_told_apart_by_their_paths(evaluate, report_file, tmp_path):
    first = report_file("a.json", *FIRST)
    (tmp_path / "other").mkdir()
    second = tmp_path / "other" / "a.json"
    second.write_text(first.read_text())
    report = evaluate("compare", first, second)[3]
    assert set(report["joint"]["mean"]) == {str(first), str(second)}


def test_fewer_than_two_reports_or_one_twice_is_wrong_usage(evaluate, report_file):
    first = report_file("a.json", *FIRST)
    assert "two reports" in evaluate("compare", first)[2]
    status, _, err, _ = evaluate("compare", first, first)
    assert status == 2
    assert "the same report twice" in err
