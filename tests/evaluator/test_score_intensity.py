"""Scoring intensity profiles: the published example, and how every kind of prediction is counted."""

import math

import numpy as np
import pytest
from scipy import stats

from evaluator.rank import rho0

FIGURE_3 = (1.50, 2.00, 1.25)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [((50, 25, 65), -1.0), ((22, 30, 20), 1.0), ((15, 75, 25), 0.5), ((35, 65, 15), 1.0)],
)
def test_the_profiles_of_figure_3_score_as_published(profile, expected):
    """000 section D.1 and Figure 3."""
    assert rho0(profile, FIGURE_3) == pytest.approx(expected, abs=1e-15)


def test_a_constant_profile_scores_zero():
    assert rho0((40, 40, 40), FIGURE_3) == 0.0


def test_a_constant_consensus_has_no_score():
    assert rho0((10, 20, 30), (1.0, 1.0, 1.0)) is None


def full(clip, *scores):
    return {"item_id": clip, "scores": {f"{clip}_c{at:02}": score for at, score in enumerate(scores)}}


def test_the_report_of_a_set_holds_every_figure_with_its_coverage(evaluate, demo_set, jsonl):
    predictions = jsonl(
        full("66324", 15, 75, 25),
        full("70001", 10, 90),
        full("70002", 50, 50),
        {"item_id": "70003", "output": "?"},
    )
    status, out, _, report = evaluate("ip", demo_set, "--joint", predictions)
    joint = report["joint"]
    assert status == 0
    assert (joint["n_items"], joint["n_parsed"], joint["n_missing"], joint["n_constant"]) == (4, 3, 1, 1)
    assert joint["rho0"]["mean"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert joint["spearman_nonconstant"]["mean"] == pytest.approx(0.75)
    assert joint["spearman_nonconstant"]["n"] == 2
    scores = [15, 75, 25, 10, 90, 50, 50]
    consensus = [1.5, 2.0, 1.25, 1 / 3, 8 / 3, 8 / 3, 1 / 3]
    assert joint["pearson_pooled"] == pytest.approx(stats.pearsonr(scores, consensus).statistic, abs=1e-12)
    assert joint["prediction_sd"] == pytest.approx(np.std(scores), abs=1e-12)
    assert joint["distinct_values"] == 6
    assert report["items"]["70002"]["joint"] == {
        "scores": [50.0, 50.0],
        "constant": True,
        "rho0": 0.0,
        "spearman": None,
    }
    assert "no JSON object" in report["notes"]["items.70003.joint"]
    assert "0.500 [0.000, 1.000]" in out


def test_both_modes_are_scored_side_by_side(evaluate, demo_set, jsonl):
    joint = jsonl(full("66324", 15, 75, 25), name="joint.jsonl")
    lines = [
        {"item_id": "70001", "moment_id": "70001_c00", "output": "Score: 20."},
        {"item_id": "70001", "moment_id": "70001_c01", "output": "about 35/100"},
        {"item_id": "70002", "moment_id": "70002_c00", "output": "80"},
    ]
    independent = jsonl(*lines, name="single.jsonl")
    _, _, _, report = evaluate("ip", demo_set, "--joint", joint, "--independent", independent)
    assert report["independent"]["n_parsed"] == 1
    assert report["items"]["70001"]["independent"]["scores"] == [20.0, 35.0]
    assert "70002_c01" in report["notes"]["items.70002.independent"]


def test_figures_that_are_undefined_are_null_and_say_why(evaluate, demo_set, jsonl):
    _, _, _, report = evaluate("ip", demo_set, "--joint", jsonl())
    joint, notes = report["joint"], report["notes"]
    assert joint["rho0"] == {"mean": None, "ci": None}
    assert joint["spearman_nonconstant"] == {"mean": None, "ci": None, "n": 0}
    assert joint["pearson_pooled"] is None
    assert joint["prediction_sd"] is None
    for key in ("rho0.mean", "rho0.ci", "spearman_nonconstant.mean", "pearson_pooled", "prediction_sd"):
        assert notes[f"joint.{key}"] == "no prediction could be parsed"


def test_one_scored_item_has_a_mean_but_no_interval(evaluate, demo_set, jsonl):
    _, _, _, report = evaluate("ip", demo_set, "--joint", jsonl(full("66324", 22, 30, 20)))
    assert report["joint"]["rho0"] == {"mean": 1.0, "ci": None}
    assert "fewer than two" in report["notes"]["joint.rho0.ci"]


def test_the_order_of_prediction_lines_changes_nothing(evaluate, demo_set, jsonl):
    lines = [
        full("66324", 15, 75, 25),
        full("70001", 10, 90),
        full("70002", 50, 60),
        full("70003", 1, 5, 3, 2),
    ]
    first = evaluate("ip", demo_set, "--joint", jsonl(*lines))[3]
    second = evaluate("ip", demo_set, "--joint", jsonl(*reversed(lines)))[3]
    assert first == second


def test_groups_are_resampled_whole_and_named_in_the_signature(evaluate, demo_set, jsonl):
    lines = [
        full("66324", 50, 25, 65),
        full("70001", 10, 90),
        full("70002", 90, 10),
        full("70003", 1, 2, 3, 4),
    ]
    plain = evaluate("ip", demo_set, "--joint", jsonl(*lines))[3]
    grouped = evaluate("ip", demo_set, "--joint", jsonl(*lines), "--group", "source_group")[3]
    assert plain["joint"]["rho0"]["mean"] == grouped["joint"]["rho0"]["mean"]
    assert plain["joint"]["rho0"]["ci"] != grouped["joint"]["rho0"]["ci"]
    assert "|group:source_group|" in grouped["signature"]
    assert "group" not in plain["signature"]


def test_the_signature_says_how_the_figures_were_made(evaluate, demo_set, jsonl):
    from evaluator import __version__

    _, out, _, report = evaluate("ip", demo_set, "--joint", jsonl(), "--resamples", "200", "--seed", "3")
    short = report["content_sha256"][:4]
    expected = f"ip|consensus:mean|constant:zero|ci:pct95|n:200|seed:3|set:demo-1@{short}|v:{__version__}"
    assert report["signature"] == expected
    assert out.endswith(f"{expected}\n")
    task, *settings = expected.split("|")
    assert report["task"] == task
    for key, value in (setting.split(":") for setting in settings):
        assert str(report[key]) == value


def test_a_set_with_a_constant_consensus_item_keeps_it_out_of_the_means(evaluate, save, make_files, jsonl):
    scores = {"a": {"R1": (1, 1), "R2": (2, 2)}, "b": {"R1": (0, 3), "R2": (1, 3)}}
    lines = [full("a", 10, 90), full("b", 10, 90)]
    _, _, _, report = evaluate("ip", save(make_files(scores)), "--joint", jsonl(*lines))
    assert report["joint"]["n_parsed"] == 2
    assert report["joint"]["rho0"]["mean"] == 1.0
    assert report["items"]["a"]["joint"]["rho0"] is None
    assert report["notes"]["items.a.joint.rho0"] == "the consensus is constant"


def test_ties_in_means_of_different_numbers_of_ratings_are_exact():
    """4/3 and 8/6 are one value, so they share a rank."""
    assert rho0((1, 2, 3), (4 / 3, 8 / 6, 2.0)) == pytest.approx(math.sqrt(3) / 2)
