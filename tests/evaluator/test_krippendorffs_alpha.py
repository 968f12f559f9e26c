"""Krippendorff's alpha against published values, the krippendorff package and a plain bootstrap."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.alpha import METRICS, alpha, alpha_interval, score_counts
from evaluator.resample import Resampling, resampled_kind_sums

COUNTS = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=12)


def counts_of(*raters, points=range(4)):
    """Counts from one string of scores a rater, anything but a digit being a missing cell."""
    moments = [[int(cell) for cell in column if cell.isdigit()] for column in zip(*raters, strict=True)]
    return score_counts(moments, list(points))


def test_the_published_example_of_four_observers_and_twelve_units():
    # Krippendorff (2011): five points, some cells missing.
    raters = (
        "123321412...",
        "1233224125.3",
        ".3332342251.",
        "12332441251.",
    )
    counts = counts_of(*raters, points=range(1, 6))
    values = {metric: alpha(counts, metric) for metric in METRICS}
    assert {name: round(value, 3) for name, value in values.items()} == {
        "nominal": 0.743,
        "ordinal": 0.815,
        "interval": 0.849,
    }


def test_a_point_nobody_used_and_a_missing_cell_change_nothing_they_should_not():
    raters = ("01332", "01322", "11-32")
    assert alpha(counts_of(*raters)) == pytest.approx(0.8905, abs=5e-5)
    assert alpha(counts_of(*raters, points=range(9))) == alpha(counts_of(*raters))


@pytest.mark.parametrize("metric", METRICS)
def test_undefined_and_exact_cases(metric):
    assert alpha(counts_of("2222", "2222", "2222"), metric) is None
    assert alpha(counts_of("012"), metric) is None
    assert alpha(counts_of("2222", "2222", "2220"), metric) == 0.0
    assert alpha(counts_of("0123", "0123"), metric) == 1.0
    assert alpha(np.zeros((0, 4), dtype=np.int64), metric) is None


def test_any_ordinal_points_will_do():
    moments = [[-1.5, 2], [2, 2, 7], [7, 7], [-1.5, 7]]
    points = [-1.5, 2, 7]
    counts = score_counts(moments, points)
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=points, level_of_measurement="interval", dtype=np.float64
    )
    assert alpha(counts, "interval", points) == pytest.approx(theirs, abs=1e-12)
    assert alpha(counts, "ordinal", points) == alpha(counts, "ordinal")


def test_scores_off_the_scale_and_scales_out_of_order_are_refused():
    with pytest.raises(ValueError, match="score 4 of moment 1"):
        score_counts([[0, 1], [4]], [0, 1, 2, 3])
    with pytest.raises(ValueError, match="ascending"):
        score_counts([], [0, 2, 1])


@settings(deadline=None)
@given(COUNTS, st.sampled_from(METRICS))
def test_it_is_the_packages_value_wherever_that_is_defined(rows, metric):
    counts = np.array(rows)
    pooled = counts[counts.sum(axis=1) >= 2].sum(axis=0)
    mine = alpha(counts, metric)
    if (pooled > 0).sum() <= 1:
        assert mine is None
    else:
        theirs = krippendorff.alpha(
            value_counts=counts[counts.sum(axis=1) >= 2],
            value_domain=[0.0, 1.0, 2.0, 3.0],
            level_of_measurement=metric,
            dtype=np.float64,
        )
        assert mine == pytest.approx(theirs, abs=1e-12)


@settings(deadline=None)
@given(COUNTS, st.sampled_from(METRICS), st.randoms())
def test_moments_rated_once_and_the_order_of_moments_change_nothing(rows, metric, random):
    plan = Resampling(50, 1)
    counts = np.array(rows)
    mixed = [*rows, [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    random.shuffle(mixed)
    assert alpha(np.array(mixed), metric) == alpha(counts, metric)
    assert alpha_interval(np.array(mixed), plan, metric) == alpha_interval(counts, plan, metric)


@settings(max_examples=30, deadline=None)
@given(COUNTS, st.randoms())
def test_groups_may_come_in_any_order_under_any_name(rows, random):
    plan = Resampling(50, 1)
    labels = [f"g{at % 3}" for at in range(len(rows))]
    order = list(range(len(rows)))
    random.shuffle(order)
    renamed = {"g0": "z", "g1": "a", "g2": "m"}
    first = alpha_interval(np.array(rows), plan, groups=labels)
    second = alpha_interval(
        np.array([rows[at] for at in order]), plan, groups=[renamed[labels[at]] for at in order]
    )
    assert first == (second if second is None else pytest.approx(second, abs=1e-12))


def many_moments():
    rng = np.random.default_rng(5)
    middles, sizes = rng.normal(1.8, 0.7, 400), rng.integers(1, 7, 400)
    scores = [
        np.clip(np.round(rng.normal(mid, 0.6, size)), 0, 3).astype(int)
        for mid, size in zip(middles, sizes, strict=True)
    ]
    return score_counts([own.tolist() for own in scores], range(4))


@pytest.mark.parametrize("metric", METRICS)
def test_the_interval_is_that_of_the_package_in_a_loop_over_resampled_moments(metric):
    counts = many_moments()
    pairable = counts[counts.sum(axis=1) >= 2]
    rng = np.random.default_rng(2)
    loop = [
        krippendorff.alpha(
            value_counts=pairable[rng.integers(0, len(pairable), len(pairable))],
            value_domain=[0.0, 1.0, 2.0, 3.0],
            level_of_measurement=metric,
        )
        for _ in range(3000)
    ]
    mine = alpha_interval(counts, Resampling(20_000, 0), metric)
    assert mine == pytest.approx(tuple(np.percentile(loop, [2.5, 97.5])), abs=0.006)
    alone = alpha_interval(
        counts, Resampling(20_000, 0), metric, groups=[str(at) for at in range(len(counts))]
    )
    assert mine == pytest.approx(alone, abs=0.004)


def test_drawing_kinds_is_drawing_units():
    """Every resample holds as many units as the data; means, variances, covariances are multinomial."""
    times = np.array([1, 1, 2, 5, 40, 151])
    n = times.sum()
    weights = resampled_kind_sums(np.eye(len(times)), times, Resampling(40_000, 3))
    assert (weights.sum(axis=1) == n).all()
    share = times / n
    expected = n * (np.diag(share) - np.outer(share, share))
    # Five standard errors of a variance or covariance estimated from 40,000 draws.
    room = 5 * np.sqrt((np.outer(np.diag(expected), np.diag(expected)) * 2 + np.diag(times)) / 40_000)
    assert np.abs(weights.mean(axis=0) - times).max() < 5 * np.sqrt(expected.max() / 40_000)
    assert (np.abs(np.cov(weights.T) - expected) < room + 0.01).all()


@settings(deadline=None)
@given(COUNTS)
def test_undefined_resamples_are_left_out(rows):
    counts = np.array([*rows, [0, 2, 0, 0], [0, 1, 1, 0]])
    assume((counts.sum(axis=1) >= 2).sum() >= 2)
    interval = alpha_interval(counts, Resampling(200, 0))
    assert interval is not None
    assert np.isfinite(interval).all()


def test_one_pairable_moment_has_no_interval():
    assert alpha_interval(counts_of("01", "1-"), Resampling(10, 0)) is None
    assert alpha_interval(counts_of("01", "12"), Resampling(10, 0), groups=["a", "a"]) is None
