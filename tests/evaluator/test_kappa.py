"""Weighted kappa against published values and against another way of computing it."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.kappa import NO_PAIRS, NO_VARIATION, exact_agreement, weighted_kappa

SCALE = (0, 1, 2, 3)
PAIRS = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=1, max_size=40)


def test_a_published_table_of_husbands_and_wives():
    # Hout, Duncan and Sobel (1987), 91 couples; R's vcd gives .3320 for it with Fleiss-Cohen weights.
    table = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
    pairs = [(i, j) for i in SCALE for j in SCALE for _ in range(table[i][j])]
    assert weighted_kappa(pairs, SCALE).value == pytest.approx(0.3320, abs=5e-5)


def test_a_published_example_of_two_raters_of_anxiety():
    # R's irr: kappa2(anxiety[, 1:2], "squared") gives .297.
    first = [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3]
    second = [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4]
    found = weighted_kappa(list(zip(first, second, strict=True)), range(1, 7))
    assert found.value == pytest.approx(0.297, abs=5e-4)


def test_a_small_case_by_hand():
    # Observed disagreement (0+1+4+0)/4; expected, all 16 ways of pairing 0,1,2,3 with 0,2,0,3: 48/16.
    assert weighted_kappa([(0, 0), (1, 2), (2, 0), (3, 3)], SCALE).value == pytest.approx(
        1 - (5 / 4) / (48 / 16)
    )


def test_full_agreement_is_one_and_a_wrong_round_is_none_or_less():
    assert weighted_kappa([(0, 0), (3, 3), (1, 1)], SCALE).value == 1.0
    assert weighted_kappa([(2, 3), (2, 3)], SCALE).value == 0.0
    assert weighted_kappa([(0, 3), (3, 0)], SCALE).value == -1.0


def test_where_it_is_not_defined_it_says_why():
    assert weighted_kappa([], SCALE) == (found := weighted_kappa([], SCALE))
    assert (found.value, found.note) == (None, NO_PAIRS)
    flat = weighted_kappa([(2, 2), (2, 2)], SCALE)
    assert (flat.value, flat.note) == (None, NO_VARIATION)
    assert exact_agreement([]) is None


def test_answers_outside_the_scale_and_scales_out_of_order_are_refused():
    with pytest.raises(ValueError, match="answer 4"):
        weighted_kappa([(0, 4)], SCALE)
    with pytest.raises(ValueError, match="ascending"):
        weighted_kappa([(0, 0)], (0, 2, 1))


def test_steps_count_and_not_the_numbers_that_name_the_points():
    steps = [(0, 1), (1, 1), (2, 0), (3, 3)]
    named = [(10 * 2**a, 10 * 2**b) for a, b in steps]
    assert weighted_kappa(named, (10, 20, 40, 80)) == weighted_kappa(steps, SCALE)


@given(PAIRS)
def test_it_is_the_concordance_correlation_of_the_two_rounds(pairs):
    # With quadratic weights kappa equals 2 cov / (var + var + (difference of means)²): Lin (1989),
    # computed here in floats by NumPy from the answers themselves and not from counts.
    first, second = np.array(pairs, dtype=float).T
    below = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    assume(below > 0)
    expected = 2 * ((first - first.mean()) * (second - second.mean())).mean() / below
    assert weighted_kappa(pairs, SCALE).value == pytest.approx(expected, abs=1e-12)


@given(PAIRS, st.randoms())
def test_neither_the_order_of_pairs_nor_which_round_was_first_changes_it(pairs, random):
    found = weighted_kappa(pairs, SCALE)
    shuffled = random.sample(pairs, len(pairs))
    assert weighted_kappa(shuffled, SCALE) == found
    assert weighted_kappa([(b, a) for a, b in pairs], SCALE) == found
