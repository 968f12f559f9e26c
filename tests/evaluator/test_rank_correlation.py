"""Rank correlation against SciPy's, with and without ties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluator.rank import midranks, pairwise_accuracy, pearson, rho0, spearman

SCORES = st.sampled_from([0, 1, 5, 20, 33.5, 50, 75, 100])
PAIRS = st.lists(
    st.tuples(SCORES, st.sampled_from([0.0, 0.25, 1 / 3, 1.0, 4 / 3, 2.0, 3.0])), min_size=2, max_size=9
)


@settings(deadline=None)
@given(st.lists(SCORES, min_size=1, max_size=12))
def test_ranks_are_scipys_mid_ranks(values):
    assert midranks(values).tolist() == stats.rankdata(values).tolist()


def test_many_profiles_are_ranked_in_one_call():
    table = np.array([[3.0, 1.0, 1.0], [0.0, 5.0, 2.0]])
    assert midranks(table).tolist() == [[3.0, 1.5, 1.5], [1.0, 3.0, 2.0]]


@settings(deadline=None)
@given(PAIRS)
def test_spearman_is_scipys_where_it_is_defined(pairs):
    prediction, consensus = zip(*pairs, strict=True)
    value = spearman(prediction, consensus)
    if len(set(prediction)) == 1 or len(set(consensus)) == 1:
        assert value is None
    else:
        assert value == pytest.approx(stats.spearmanr(prediction, consensus).statistic, abs=1e-12)


@settings(deadline=None)
@given(PAIRS)
def test_rho0_differs_from_spearman_only_for_constant_predictions(pairs):
    prediction, consensus = zip(*pairs, strict=True)
    value = rho0(prediction, consensus)
    if len(set(consensus)) == 1:
        assert value is None
    elif len(set(prediction)) == 1:
        assert value == 0.0
    else:
        assert value == spearman(prediction, consensus)
        assert -1 <= value <= 1


@settings(deadline=None)
@given(PAIRS)
def test_only_the_order_of_scores_matters(pairs):
    prediction, consensus = zip(*pairs, strict=True)
    assert rho0([value**3 + 7 for value in prediction], consensus) == rho0(prediction, consensus)


def test_profiles_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 predictions for 3 moments"):
        spearman((1, 2), (1, 2, 3))


@settings(deadline=None)
@given(PAIRS)
def test_pearson_is_scipys_where_it_is_defined(pairs):
    x, y = zip(*pairs, strict=True)
    value = pearson(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert value is None
    else:
        assert value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)


@settings(deadline=None)
@given(PAIRS)
def test_pairwise_accuracy_counts_reference_pairs_with_half_for_a_tie(pairs):
    prediction, consensus = zip(*pairs, strict=True)
    points = [
        0.5
        if prediction[a] == prediction[b]
        else float((prediction[a] < prediction[b]) == (consensus[a] < consensus[b]))
        for a, b in combinations(range(len(pairs)), 2)
        if consensus[a] != consensus[b]
    ]
    expected = sum(points) / len(points) if points else None
    assert pairwise_accuracy(prediction, consensus) == expected


def test_pairwise_accuracy_refuses_profiles_of_different_length():
    with pytest.raises(ValueError, match="2 predictions for 3 moments"):
        pairwise_accuracy((1, 2), (1, 2, 3))
