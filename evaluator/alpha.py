"""Krippendorff's alpha from the coincidence matrix (Krippendorff 2004, 2011; 000 section 4.2 and Table 6).

Everything here starts from *counts*: one row per moment, one column per point of the scale in ascending
order, each cell saying how many raters gave that point. Alpha does not ask who rated.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluator.resample import Resampling, percentile_interval, resampled_kind_sums, resampled_sums

Metric = Literal["ordinal", "nominal", "interval"]
METRICS: tuple[Metric, ...] = ("ordinal", "nominal", "interval")


def score_counts(moments: Iterable[Iterable[float]], values: Sequence[float]) -> NDArray[np.int64]:
    """How often each point of a scale was given to each moment; shape (moments, points).

    ``values`` are the scale's points in ascending order. Raises ``ValueError`` for points out of order and
    for a score that is none of them.
    """
    if any(low >= high for low, high in pairwise(values)):
        raise ValueError(f"scale {list(values)}: expected points in ascending order, each once")
    column = {value: at for at, value in enumerate(values)}
    rows = [list(scores) for scores in moments]
    counts = np.zeros((len(rows), len(values)), dtype=np.int64)
    for row, scores in enumerate(rows):
        for score in scores:
            if score not in column:
                raise ValueError(f"score {score!r} of moment {row}: expected one of {list(values)}")
            counts[row, column[score]] += 1
    return counts


def alpha(
    counts: NDArray[np.int64], metric: Metric = "ordinal", values: Sequence[float] | None = None
) -> float | None:
    """Krippendorff's alpha of score counts, computed in exact fractions and rounded once.

    ``counts`` has shape (moments, points). ``values`` are the points themselves, needed only by the interval
    metric; by default 0, 1, 2, … Moments with fewer than two ratings are not pairable and drop out. ``None``
    where nothing can be said: no pairable moment, or no variation at all among the pairable ratings.
    """
    pairable = _pairable(counts)
    totals = [int(total) for total in pairable.sum(axis=0)]
    scale, together = _coincidences(pairable)
    positions = _positions(totals, metric, values)
    observed = expected = Fraction(0)
    for low in range(len(totals)):
        for high in range(low + 1, len(totals)):
            apart = Fraction(1) if positions is None else Fraction(positions[high] - positions[low]) ** 2
            observed += together[low][high] * apart
            expected += totals[low] * totals[high] * apart
    if expected == 0:
        return None
    return float(1 - (sum(totals) - 1) * observed / (scale * expected))


def alpha_interval(
    counts: NDArray[np.int64],
    plan: Resampling,
    metric: Metric = "ordinal",
    values: Sequence[float] | None = None,
    groups: Sequence[str] | None = None,
) -> tuple[float, float] | None:
    """The 95 % percentile bootstrap interval of alpha, resampling pairable moments.

    ``groups`` gives one label a moment; then whole groups are drawn and their moments pooled. Resamples in
    which alpha is undefined are left out. ``None`` when it is undefined in all of them or there are fewer
    than two units to draw from. The order of moments, and of groups, changes nothing.
    """
    if groups is None:
        return _interval_over_moments(_pairable(counts), plan, metric, values)
    rows = counts.sum(axis=1) >= 2
    names = sorted({group for group, kept in zip(groups, rows, strict=True) if kept})
    at = {name: index for index, name in enumerate(names)}
    owner = np.array([at[group] for group, kept in zip(groups, rows, strict=True) if kept], dtype=np.int64)
    if len(names) < 2:
        return None
    columns = _columns(counts[rows])
    # Summed one group after another in the order of values, so that the file's order cannot show.
    order = np.lexsort((*columns.T[::-1], owner))
    units = np.zeros((len(names), columns.shape[1]))
    np.add.at(units, owner[order], columns[order])
    return percentile_interval(_alphas(resampled_sums(units, plan), counts.shape[1], metric, values))


def _interval_over_moments(
    pairable: NDArray[np.int64], plan: Resampling, metric: Metric, values: Sequence[float] | None
) -> tuple[float, float] | None:
    if len(pairable) < 2:
        return None
    # Moments with the same counts are interchangeable, and there are few kinds of them. One integer names a
    # kind: its counts are the digits.
    base = int(pairable.max()) + 1
    if base ** pairable.shape[1] < 2**63:
        keys = pairable @ base ** np.arange(pairable.shape[1])
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        kinds = pairable[first]
    else:
        kinds, times = np.unique(pairable, axis=0, return_counts=True)
    sums = resampled_kind_sums(_columns(kinds), times, plan)
    return percentile_interval(_alphas(sums, pairable.shape[1], metric, values))


def _pairable(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    pairable: NDArray[np.int64] = counts[counts.sum(axis=1) >= 2]
    return pairable


def _coincidences(pairable: NDArray[np.int64]) -> tuple[int, list[list[int]]]:
    """The off-diagonal coincidences as integers, all multiplied by the first value returned.

    A moment with m ratings adds its ordered pairs divided by m - 1 (Krippendorff 2011), so moments of one
    size are summed together as integers.
    """
    sizes = pairable.sum(axis=1)
    present = [int(size) for size in np.unique(sizes)]
    scale = math.lcm(*(size - 1 for size in present))
    points = pairable.shape[1]
    total = [[0] * points for _ in range(points)]
    for size in present:
        rows = pairable[sizes == size]
        pairs = (rows.T @ rows).tolist()
        for low in range(points):
            for high in range(points):
                total[low][high] += pairs[low][high] * (scale // (size - 1))
    return scale, total


def _positions(
    totals: Sequence[int], metric: Metric, values: Sequence[float] | None
) -> list[int] | list[Fraction] | None:
    """Where the points lie, in any unit; ``None`` when all differences count alike.

    The ordinal metric's distance between two points, the ratings from one to the other with half of those at
    either end, is the difference of their middle ranks.
    """
    if metric == "nominal":
        return None
    if metric == "interval":
        return [Fraction(value) for value in (range(len(totals)) if values is None else values)]
    middles, below = [], 0
    for total in totals:
        middles.append(2 * below + total)
        below += total
    return middles


def _columns(pairable: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each moment adds to alpha's sums: its counts, then its coincidences above the diagonal."""
    low, high = np.triu_indices(pairable.shape[1], 1)
    together = pairable[:, low] * pairable[:, high] / (pairable.sum(axis=1) - 1)[:, None]
    return np.hstack([pairable, together])


def _alphas(
    sums: NDArray[np.float64], points: int, metric: Metric, values: Sequence[float] | None
) -> NDArray[np.float64]:
    """Alpha of each row of sums (see :func:`_columns`); rows without variation are left out."""
    low, high = np.triu_indices(points, 1)
    totals, together = sums[:, :points], sums[:, points:]
    products = totals[:, low] * totals[:, high]
    if metric == "ordinal":
        middles = np.cumsum(totals, axis=1) - totals / 2
        apart = (middles[:, high] - middles[:, low]) ** 2
    elif metric == "interval":
        scale = np.asarray(range(points) if values is None else values, dtype=np.float64)
        apart = np.broadcast_to((scale[high] - scale[low]) ** 2, products.shape)
    else:
        apart = np.ones_like(products)
    expected = (products * apart).sum(axis=1)
    observed = (together * apart).sum(axis=1)
    defined = expected > 0
    result: NDArray[np.float64] = (
        1 - (totals.sum(axis=1)[defined] - 1) * observed[defined] / expected[defined]
    )
    return result
