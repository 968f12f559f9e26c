"""What several raters say together: plain and rater-debiased consensus, and how far raters lie apart.

Source: 000 section 3.2 (two-way additive model). Results depend on the ratings alone, to the last bit:
ratings are put in one order first, sums of scores are sums of integers, and the small linear system is solved
with elementwise operations only, because matrix libraries add up in an order of their own.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

# What names a moment: its id, or (item id, moment id). Anything hashable with an order will do.
KeyT = TypeVar("KeyT", str, tuple[str, str])

# Debiased means carry rounding noise near 1e-15; cutting it off keeps equal means equal.
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class MomentConsensus:
    """The raters' joint word on one moment.

    ``mean`` is the plain mean and ``debiased`` the mean after subtracting rater effects, both on the raters'
    scale; ``n_ratings`` counts ratings; ``rater_sd`` is the sample standard deviation, ``None`` for a single
    rating.
    """

    mean: float
    debiased: float
    n_ratings: int
    rater_sd: float | None


def exact_mean(scores: Sequence[int]) -> Fraction:
    """The mean of integer scores as an exact fraction; ``ValueError`` when there are none."""
    if not scores:
        raise ValueError("a mean needs at least one score")
    return Fraction(sum(scores), len(scores))


def plain_mean(scores: Sequence[int]) -> float:
    """The mean of integer scores, rounded once: equal fractions give equal floats (4/3 and 8/6)."""
    if not scores:
        raise ValueError("a mean needs at least one score")
    return sum(scores) / len(scores)


def rater_sd(scores: Sequence[int]) -> float | None:
    """The sample standard deviation of integer scores; ``None`` for fewer than two."""
    n = len(scores)
    if n < 2:
        return None
    return math.sqrt(Fraction(n * sum(s * s for s in scores) - sum(scores) ** 2, n * (n - 1)))


@dataclass(frozen=True, slots=True)
class _Table(Generic[KeyT]):
    """Ratings as index arrays, ordered by moment, then rater (code points)."""

    moments: list[KeyT]
    raters: list[str]
    moment: NDArray[np.int64]
    rater: NDArray[np.int64]
    score: NDArray[np.int64]


def _table(ratings: Iterable[tuple[KeyT, str, int]]) -> _Table[KeyT]:
    ordered = sorted(ratings)
    for left, right in pairwise(ordered):
        if left[:2] == right[:2]:
            raise ValueError(f"rater {left[1]!r} scored moment {left[0]!r} twice")
    moments = sorted({moment for moment, _, _ in ordered})
    raters = sorted({rater for _, rater, _ in ordered})
    moment_at = {name: index for index, name in enumerate(moments)}
    rater_at = {name: index for index, name in enumerate(raters)}
    return _Table(
        moments,
        raters,
        np.array([moment_at[moment] for moment, _, _ in ordered], dtype=np.int64),
        np.array([rater_at[rater] for _, rater, _ in ordered], dtype=np.int64),
        np.array([score for _, _, score in ordered], dtype=np.int64),
    )


def rater_effects(ratings: Iterable[tuple[KeyT, str, int]]) -> dict[str, float]:
    """How much higher each rater scores than the others do on the same moments.

    ``ratings`` are (moment, rater, integer score). Fits ``score = moment + rater`` by least squares, with the
    effects summing to zero within each connected part of the rater-moment graph (000 section 3.2; between
    parts nothing can be compared). Raises ``ValueError`` when a rater scored a moment twice.
    """
    table = _table(ratings)
    return dict(zip(table.raters, _effects(table).tolist(), strict=True))


def consensus(ratings: Iterable[tuple[KeyT, str, int]]) -> dict[KeyT, MomentConsensus]:
    """The consensus of every moment from (moment, rater, integer score), keyed by moment.

    Raises ``ValueError`` when a rater scored a moment twice.
    """
    table = _table(ratings)
    counts = np.bincount(table.moment, minlength=len(table.moments))
    corrected = table.score - _effects(table)[table.rater]
    # Adding 0.0 turns a negative zero into zero.
    debiased = np.round(np.bincount(table.moment, weights=corrected) / counts, _DECIMALS) + 0.0
    scores: list[list[int]] = [[] for _ in table.moments]
    for moment, score in zip(table.moment.tolist(), table.score.tolist(), strict=True):
        scores[moment].append(score)
    return {
        name: MomentConsensus(plain_mean(own), float(debiased[index]), len(own), rater_sd(own))
        for index, (name, own) in enumerate(zip(table.moments, scores, strict=True))
    }


def _effects(table: _Table[KeyT]) -> NDArray[np.float64]:
    """Least-squares rater effects in the order of ``table.raters``.

    Each moment's own effect is its mean residual, so it can be eliminated; what is left is one equation per
    rater: ``n_r b_r - sum over r's moments of mean(b of its raters) = sum of (score - moment mean)``.
    """
    n_raters = len(table.raters)
    if n_raters == 0:
        return np.zeros(0)
    system = np.zeros((n_raters, n_raters))
    right = np.bincount(table.rater, weights=table.score, minlength=n_raters).astype(np.float64)
    system[np.diag_indices(n_raters)] = np.bincount(table.rater, minlength=n_raters)
    together = np.zeros((n_raters, n_raters), dtype=bool)
    counts = np.bincount(table.moment)
    per_rating = counts[table.moment]
    # Moments with equally many raters go together: their counts and sums are integers, hence exact.
    for size in np.unique(counts).tolist():
        rows = per_rating == size
        raters = table.rater[rows].reshape(-1, size)
        scores = table.score[rows].reshape(-1, size)
        pairs = (raters[:, :, None] * n_raters + raters[:, None, :]).ravel()
        shared = np.bincount(pairs, minlength=n_raters**2).reshape(n_raters, n_raters)
        sums = np.bincount(raters.ravel(), weights=np.repeat(scores.sum(axis=1), size), minlength=n_raters)
        system -= shared / size
        right -= sums / size
        together |= shared > 0
    for part in _parts(together):
        # Within a part effects are known up to a constant; this adds the equation that they sum to zero.
        system[np.ix_(part, part)] += 1.0
    return _solve(system, right)


def _parts(together: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The connected parts of the graph of raters who share a moment."""
    unseen = np.ones(len(together), dtype=bool)
    parts = []
    for start in range(len(together)):
        if not unseen[start]:
            continue
        part = np.zeros(len(together), dtype=bool)
        front = np.array([start])
        while front.size:
            part[front] = True
            front = np.flatnonzero(together[front].any(axis=0) & ~part)
        unseen &= ~part
        parts.append(np.flatnonzero(part))
    return parts


def _solve(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve a symmetric positive definite system by elimination, with elementwise operations only."""
    matrix, right = matrix.copy(), right.copy()
    n = len(right)
    for k in range(n - 1):
        factor = matrix[k + 1 :, k] / matrix[k, k]
        matrix[k + 1 :, k:] -= factor[:, None] * matrix[k, k:]
        right[k + 1 :] -= factor * right[k]
    for k in range(n - 1, -1, -1):
        right[k] /= matrix[k, k]
        right[:k] -= matrix[:k, k] * right[k]
    return right
