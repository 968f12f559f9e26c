"""Percentile intervals against a plain loop, and what must not move them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluator import resample
from evaluator.resample import Resampling, mean_estimate, mean_estimates, resampled_sums

VALUES = [-0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, -1.0, 0.3, 0.7]


def test_the_mean_and_its_interval_agree_with_scipys_bootstrap():
    rng = np.random.default_rng(7)
    values = rng.normal(0.2, 0.6, 250)
    mine = mean_estimate(list(values), Resampling(20_000, 0))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=1
    ).confidence_interval
    assert mine.mean == pytest.approx(values.mean(), abs=1e-12)
    assert mine.ci == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_resampling_groups_agrees_with_a_plain_loop_over_resamples():
    groups = list("aabbbccdde")
    mine = mean_estimate(VALUES, Resampling(20_000, 0), groups)
    rng = np.random.default_rng(1)
    members = [[v for v, g in zip(VALUES, groups, strict=True) if g == name] for name in "abcde"]
    means = []
    for _ in range(20_000):
        pooled = [value for at in rng.integers(0, 5, 5) for value in members[at]]
        means.append(sum(pooled) / len(pooled))
    assert mine.ci == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])), abs=0.02)


def test_every_unit_alone_in_its_group_is_the_plain_bootstrap():
    plan = Resampling(500, 3)
    assert mean_estimate(VALUES, plan, [str(at) for at in range(10)]) == mean_estimate(VALUES, plan)


def test_undefined_values_take_no_part():
    plan = Resampling(500, 3)
    assert mean_estimate([None, *VALUES, None], plan) == mean_estimate(VALUES, plan)


def test_nothing_to_average_is_undefined():
    estimate = mean_estimate([None, None], Resampling(100, 0))
    assert (estimate.mean, estimate.ci, estimate.n) == (None, None, 0)


def test_one_unit_has_no_interval():
    assert mean_estimate([0.5], Resampling(100, 0)).ci is None
    assert mean_estimate([0.5, 0.7], Resampling(100, 0), ["a", "a"]).ci is None


@settings(max_examples=30, deadline=None)
@given(st.permutations(VALUES), st.integers(0, 2**32))
def test_the_order_of_items_does_not_move_the_interval(shuffled, seed):
    plan = Resampling(200, seed)
    assert mean_estimate(shuffled, plan) == mean_estimate(VALUES, plan)


def test_another_seed_gives_another_interval():
    values = list(np.random.default_rng(0).normal(size=50))
    assert mean_estimate(values, Resampling(200, 0)).ci != mean_estimate(values, Resampling(200, 1)).ci


def test_the_size_of_a_chunk_does_not_move_the_sums(monkeypatch):
    units = np.arange(12.0).reshape(6, 2)
    whole = resampled_sums(units, Resampling(100, 5))
    monkeypatch.setattr(resample, "_CHUNK_CELLS", 13)
    assert (resampled_sums(units, Resampling(100, 5)) == whole).all()


def test_all_columns_see_the_same_draws():
    column = np.arange(5.0)
    sums = resampled_sums(np.column_stack([column, 3 * column, np.ones(5)]), Resampling(50, 0))
    assert (sums[:, 1] == 3 * sums[:, 0]).all()
    assert (sums[:, 2] == 5).all()


def test_estimates_made_together_are_those_made_alone():
    plan, groups = Resampling(300, 2), list("aabbbccdde")
    gaps = [None, *VALUES[1:5], None, *VALUES[6:]]
    columns = [VALUES, gaps, [value * 3 for value in VALUES], [None] * 10]
    for labels in (None, groups):
        together = mean_estimates(columns, plan, labels)
        assert together == [mean_estimate(column, plan, labels) for column in columns]
