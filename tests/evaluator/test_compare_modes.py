"""Independent against joint scoring: paired changes and the signed-rank test beside them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluator.paired import wilcoxon_p

HALVES = st.integers(-8, 8).map(lambda value: value / 4)


def full(clip, *scores):
    return {"item_id": clip, "scores": {f"{clip}_c{at:02}": score for at, score in enumerate(scores)}}


def exact_p(differences):
    """The two-sided p by writing down every assignment of signs."""
    ranks = stats.rankdata(np.abs(differences))
    rising = ranks[np.array(differences) > 0].sum()
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    low = sum(own <= rising for own in sums) / len(sums)
    high = sum(own >= rising for own in sums) / len(sums)
    return min(1.0, 2 * min(low, high))


def normal_p(differences):
    """The textbook normal approximation: zeros dropped, ties corrected, no continuity correction."""
    moved = [value for value in differences if value]
    n = len(moved)
    ranks = stats.rankdata(np.abs(moved))
    rising = ranks[np.array(moved) > 0].sum()
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    return 2 * stats.norm.sf(abs(rising - n * (n + 1) / 4) / np.sqrt(variance))


@settings(deadline=None)
@given(st.lists(HALVES, min_size=1, max_size=9))
def test_few_differences_without_ties_are_exact_and_others_normal(differences):
    sizes = {abs(value) for value in differences}
    if set(differences) == {0}:
        assert wilcoxon_p(differences) is None
    elif 0 in sizes or len(sizes) < len(differences):
        assert wilcoxon_p(differences) == pytest.approx(normal_p(differences), abs=1e-12)
    else:
        assert wilcoxon_p(differences) == pytest.approx(exact_p(differences), abs=1e-12)


@pytest.mark.parametrize(("n", "method"), [(50, "exact"), (51, "approx")])
def test_fifty_differences_are_the_most_for_the_exact_distribution(n, method):
    differences = np.random.default_rng(1).normal(0.2, 1, n)
    expected = stats.wilcoxon(differences, method=method, correction=False).pvalue
    assert wilcoxon_p(list(differences)) == pytest.approx(expected, rel=1e-12)
    assert wilcoxon_p(list(differences)) != pytest.approx(
        stats.wilcoxon(differences, method="approx" if method == "exact" else "exact").pvalue, rel=1e-6
    )


def test_rounding_noise_is_neither_a_difference_nor_keeps_ties_apart():
    assert wilcoxon_p([1e-16, -3e-17, 0.0]) is None
    assert wilcoxon_p([0.1 + 0.2, -0.3, 0.5]) == wilcoxon_p([0.3, -0.3, 0.5])


def test_the_change_is_reported_under_both_conventions(evaluate, demo_set, jsonl):
    joint = jsonl(
        full("66324", 50, 25, 65),
        full("70001", 90, 10),
        full("70002", 50, 50),
        full("70003", 1, 2, 3, 4),
        name="j",
    )
    independent = jsonl(
        full("66324", 22, 30, 20),
        full("70001", 10, 90),
        full("70002", 80, 10),
        full("70003", 5, 5, 5, 5),
        name="i",
    )
    _, out, _, report = evaluate("ip", demo_set, "--joint", joint, "--independent", independent)
    paired, last = report["paired"], report["items"]["70003"]["joint"]["rho0"]
    changes = [2.0, 2.0, 1.0, -last]
    assert paired["n"] == 4
    assert paired["delta_rho0"]["mean"] == pytest.approx(np.mean(changes))
    assert paired["wilcoxon_p"] == pytest.approx(normal_p(np.round(changes, 12)))
    assert paired["nonconstant"]["n"] == 2
    assert paired["nonconstant"]["delta"] == {"mean": 2.0, "ci": [2.0, 2.0]}
    assert "Independent minus joint" in out


def test_the_interval_of_the_change_is_that_of_all_possible_resamples(evaluate, demo_set, jsonl):
    joint = jsonl(full("66324", 50, 25, 65), full("70001", 90, 10), full("70003", 4, 3, 3, 1), name="j")
    independent = jsonl(full("66324", 15, 75, 25), full("70001", 10, 90), full("70003", 2, 1, 5, 5), name="i")
    report = evaluate("ip", demo_set, "--joint", joint, "--independent", independent)[3]
    changes = [
        own["independent"]["rho0"] - own["joint"]["rho0"]
        for own in report["items"].values()
        if own["joint"]["rho0"] is not None
    ]
    every = [np.mean(draw) for draw in product(changes, repeat=3)]
    assert report["paired"]["delta_rho0"]["ci"] == pytest.approx(
        np.percentile(every, [2.5, 97.5], method="inverted_cdf")
    )


def test_modes_that_never_differ_have_no_p_and_say_so(evaluate, demo_set, jsonl):
    lines = jsonl(full("66324", 22, 30, 20), full("70001", 10, 90))
    _, _, _, report = evaluate("ip", demo_set, "--joint", lines, "--independent", lines)
    assert report["paired"]["wilcoxon_p"] is None
    assert report["notes"]["paired.wilcoxon_p"] == "no item differs between the modes"
    assert report["paired"]["delta_rho0"] == {"mean": 0.0, "ci": [0.0, 0.0]}


def test_modes_without_a_common_item_have_no_change_and_say_so(evaluate, demo_set, jsonl):
    joint, independent = jsonl(full("66324", 1, 2, 3), name="j"), jsonl(full("70001", 1, 2), name="i")
    report = evaluate("ip", demo_set, "--joint", joint, "--independent", independent)[3]
    assert report["paired"]["n"] == 0
    assert report["paired"]["delta_rho0"] == {"mean": None, "ci": None}
    assert "in both modes" in report["notes"]["paired.delta_rho0.mean"]
