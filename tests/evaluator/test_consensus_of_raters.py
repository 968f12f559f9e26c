"""Plain and debiased consensus against exact fractions and a general least-squares solver."""

from fractions import Fraction
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.consensus import consensus, exact_mean, rater_effects, rater_sd

RATERS = [f"R{n}" for n in range(1, 7)]
RATINGS = st.dictionaries(
    st.tuples(st.sampled_from([f"m{n}" for n in range(8)]), st.sampled_from(RATERS)),
    st.integers(0, 3),
    min_size=1,
    max_size=40,
).map(lambda cells: [(moment, rater, score) for (moment, rater), score in cells.items()])


def parts_of(ratings):
    """The connected parts of the rater-moment graph, by joining sets until nothing joins."""
    parts = [{("m", m), ("r", r)} for m, r, _ in ratings]
    merged = True
    while merged:
        merged = False
        for a in range(len(parts)):
            for b in range(a + 1, len(parts)):
                if parts[a] & parts[b]:
                    parts[a] |= parts.pop(b)
                    merged = True
                    break
            if merged:
                break
    return parts


def least_squares_effects(ratings):
    """Rater effects by numpy's general solver, the sum-to-zero rows added for each part."""
    moments, raters = sorted({m for m, _, _ in ratings}), sorted({r for _, r, _ in ratings})
    rows = np.zeros((len(ratings), len(moments) + len(raters)))
    for at, (moment, rater, _) in enumerate(ratings):
        rows[at, moments.index(moment)] = 1
        rows[at, len(moments) + raters.index(rater)] = 1
    zero = [
        [0.0] * len(moments) + [float(("r", rater) in part) for rater in raters] for part in parts_of(ratings)
    ]
    right = [score for _, _, score in ratings] + [0] * len(zero)
    solution = np.linalg.lstsq(np.vstack([rows, zero]), right, rcond=None)[0]
    return dict(zip(raters, solution[len(moments) :], strict=True))


@settings(max_examples=60, deadline=None)
@given(RATINGS)
def test_rater_effects_are_the_least_squares_ones_summing_to_zero_in_each_part(ratings):
    effects = rater_effects(ratings)
    assert effects == pytest.approx(least_squares_effects(ratings), abs=1e-9)
    for part in parts_of(ratings):
        assert sum(effects[name] for kind, name in part if kind == "r") == pytest.approx(0, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(RATINGS)
def test_consensus_is_the_mean_before_and_after_subtracting_effects(ratings):
    effects = least_squares_effects(ratings)
    for moment, label in consensus(ratings).items():
        own = [(rater, score) for m, rater, score in ratings if m == moment]
        scores = [score for _, score in own]
        assert label.mean == float(Fraction(sum(scores), len(scores)))
        assert label.debiased == pytest.approx(np.mean([s - effects[r] for r, s in own]), abs=1e-9)
        assert label.n_ratings == len(own)
        if len(own) == 1:
            assert label.rater_sd is None
        else:
            assert label.rater_sd == pytest.approx(stdev(scores), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(RATINGS.flatmap(lambda ratings: st.tuples(st.just(ratings), st.permutations(ratings))))
def test_the_order_of_ratings_changes_no_bit(pair):
    ratings, shuffled = pair
    assert consensus(ratings) == consensus(shuffled)


def test_a_harsh_and_a_mild_rater_are_brought_together():
    ratings = [("a", "mild", 2), ("a", "harsh", 1), ("b", "mild", 3), ("b", "harsh", 2), ("c", "mild", 3)]
    assert rater_effects(ratings) == pytest.approx({"mild": 0.5, "harsh": -0.5})
    labels = consensus(ratings)
    assert labels["c"].mean == 3.0
    assert labels["c"].debiased == 2.5


def test_equal_fractions_are_equal_means():
    labels = consensus(
        [("a", r, s) for r, s in zip(RATERS, (1, 1, 2), strict=False)]
        + [("b", r, s) for r, s in zip(RATERS, (1, 1, 2, 1, 1, 2), strict=True)]
    )
    assert labels["a"].mean == labels["b"].mean


def test_a_rater_who_scored_a_moment_twice_is_refused():
    with pytest.raises(ValueError, match="'R1' scored moment 'a' twice"):
        consensus([("a", "R1", 1), ("a", "R1", 2)])


def test_a_mean_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        exact_mean([])


def test_the_spread_of_one_rating_is_unknown():
    assert rater_sd([2]) is None
    assert rater_sd([2, 2]) == 0.0
