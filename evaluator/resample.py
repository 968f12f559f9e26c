"""Percentile bootstrap intervals (Efron 1979; 000 section C.9) as matrix products over resampling weights.

A resample is a row of weights: how often each unit was drawn. Sums over many resamples are then one product
of weights and per-unit sums. Units are put in order of their values first, so neither their order in a file
nor their names can move an interval.

The products are taken by ``einsum``: a matrix library would start threads for products this small, wait for
them on a busy machine, and round one column by how many others it is multiplied with.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERCENTILES = (2.5, 97.5)
# Weights of one chunk of resamples stay below this many cells (8 bytes each), whatever the number of units:
# few enough for a processor's cache, or, where a chunk costs something to begin, for a little memory.
_CHUNK_CELLS = 60_000
_KIND_CHUNK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` items with its 95 % percentile interval; ``None`` where undefined."""

    mean: float | None
    ci: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: number of resamples and seed."""

    resamples: int = 10_000
    seed: int = 0


def resampled_sums(units: NDArray[np.float64], plan: Resampling) -> NDArray[np.float64]:
    """Column sums over units drawn with replacement.

    ``units`` has shape (units, columns), the result (resamples, columns). All columns see the same draws.
    """
    ordered = units[np.lexsort(units.T[::-1])] if units.shape[1] else units
    return _sums_in_order(ordered, plan)


def _sums_in_order(units: NDArray[np.float64], plan: Resampling) -> NDArray[np.float64]:
    """Like :func:`resampled_sums`, the draws meeting the units in the order given."""
    n_units, n_columns = units.shape
    columns = np.ascontiguousarray(units.T)
    generator = np.random.default_rng(plan.seed)
    sums = np.empty((plan.resamples, n_columns))
    step = max(1, _CHUNK_CELLS // max(1, n_units))
    for first in range(0, plan.resamples, step):
        rows = min(step, plan.resamples - first)
        # Small integers are drawn twice as fast; a chunk's cells, or one row's, fit them with room.
        drawn = generator.integers(0, n_units, size=(rows, n_units), dtype=np.int32)
        drawn += (np.arange(rows, dtype=np.int32) * n_units)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * n_units).reshape(rows, n_units)
        sums[first : first + rows] = np.einsum("rn,cn->rc", weights, columns)
    return sums


def resampled_kind_sums(
    kinds: NDArray[np.float64], times: NDArray[np.int64], plan: Resampling
) -> NDArray[np.float64]:
    """Column sums over units drawn with replacement, where many units are alike.

    ``kinds`` has shape (kinds, columns) and ``times`` says how many units there are of each; the result has
    shape (resamples, columns). The same distribution as :func:`resampled_sums` over all units, many times
    faster when kinds are few. The order of kinds matters to the draws and is the caller's to fix.
    """
    generator = np.random.Generator(np.random.SFC64(plan.seed))
    sums = np.empty((plan.resamples, kinds.shape[1]))
    columns = np.ascontiguousarray(kinds.T)
    step = max(1, _KIND_CHUNK_CELLS // len(kinds))
    for first in range(0, plan.resamples, step):
        rows = min(step, plan.resamples - first)
        weights = _kind_weights(times, rows, generator)
        sums[first : first + rows] = np.einsum("kr,ck->cr", weights, columns).T
    return sums


def _kind_weights(times: NDArray[np.int64], rows: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """How often each kind is drawn; shape (kinds, rows), every column summing to the number of units.

    Independent Poisson counts with a given total are multinomial. So a column is drawn as Poisson counts
    aimed a little below the number of units and topped up with single draws; one that comes out above is
    drawn anew.
    """
    n_units = int(times.sum())
    # Aiming two standard deviations low leaves few draws to top up and few columns to draw anew.
    means = times / (1 + 2 / math.sqrt(n_units))
    weights = _poisson_rows(means, rows, generator)
    totals = weights.sum(axis=0)
    while (over := np.flatnonzero(totals > n_units)).size:
        weights[:, over] = generator.poisson(means[:, None], (len(times), over.size))
        totals[over] = weights[:, over].sum(axis=0)
    missing = (n_units - totals).astype(np.int64)
    kind_of_unit = np.repeat(np.arange(len(times)), times)
    drawn = kind_of_unit[generator.integers(0, n_units, size=int(missing.sum()))]
    cells = drawn * rows + np.repeat(np.arange(rows), missing)
    weights += np.bincount(cells, minlength=weights.size).reshape(weights.shape)
    return weights


def _poisson_rows(
    means: NDArray[np.float64], rows: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Independent Poisson draws, ``rows`` of them for each mean; shape (means, rows).

    How often each value occurs among the draws of one mean is multinomial; drawing that and shuffling the
    values takes a third of the time of drawing one by one.
    """
    spread = np.sqrt(means)
    # Ten standard deviations and some: what lies outside has no weight in double precision.
    lowest = np.maximum(0, means - 10 * spread).astype(np.int64)
    values = lowest[:, None] + np.arange(int(20 * spread.max()) + 40)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(values.max()) + 1)))])
    shares = np.exp(values * np.log(means)[:, None] - means[:, None] - log_factorial[values])
    shares /= shares.sum(axis=1, keepdims=True)
    occurrences = generator.multinomial(rows, shares)
    draws = np.repeat(values.ravel().astype(np.float64), occurrences.ravel()).reshape(len(means), rows)
    return generator.permuted(draws, axis=1, out=draws)


def percentile_interval(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """The 2.5 and 97.5 percentiles of resampled figures; ``None`` when there are none."""
    if values.size == 0:
        return None
    low, high = np.percentile(values, PERCENTILES)
    return float(low), float(high)


def mean_estimate(
    values: Sequence[float | None], plan: Resampling, groups: Sequence[str] | None = None
) -> Estimate:
    """The mean of the defined values with its interval; see :func:`mean_estimates`."""
    return mean_estimates([values], plan, groups)[0]


def mean_estimates(
    columns: Sequence[Sequence[float | None]], plan: Resampling, groups: Sequence[str] | None = None
) -> list[Estimate]:
    """The mean of each column's defined values with its interval.

    Items whose value is ``None`` take no part. With ``groups`` (one label an item) whole groups are drawn
    with replacement and their items pooled, so a resample may hold more or fewer items than the data. The
    interval is ``None`` for fewer than two units: resampling one thing shows nothing. What else is estimated
    in the same call moves nothing; columns with equally many units share their draws, which saves time.
    """
    means = [_mean(values) for values in columns]
    units = [_units(values, groups) for values in columns]
    intervals: dict[int, tuple[float, float] | None] = {}
    for size in sorted({len(own) for own in units if len(own) >= 2}):
        alike = [at for at, own in enumerate(units) if len(own) == size]
        totals = _sums_in_order(np.column_stack([units[at][:, 0] for at in alike]), plan)
        # Without groups every unit is one item, so every resample holds as many items as the data.
        numbers: NDArray[np.float64] | int = size
        if groups is not None:
            numbers = _sums_in_order(np.column_stack([units[at][:, 1] for at in alike]), plan)
        for at, means_of_resamples in zip(alike, (totals / numbers).T, strict=True):
            intervals[at] = percentile_interval(means_of_resamples)
    return [Estimate(mean, intervals.get(at), n) for at, (mean, n) in enumerate(means)]


def _mean(values: Sequence[float | None]) -> tuple[float | None, int]:
    defined = [value for value in values if value is not None]
    return (math.fsum(defined) / len(defined) if defined else None), len(defined)


def _units(values: Sequence[float | None], groups: Sequence[str] | None) -> NDArray[np.float64]:
    """Per resampling unit, ordered by value: the sum of its values and their number; shape (units, 2)."""
    if groups is None:
        alone = np.sort([value for value in values if value is not None])
        return np.column_stack([alone, np.ones(len(alone))])
    members: dict[str, list[float]] = {}
    for value, label in zip(values, groups, strict=True):
        if value is not None:
            members.setdefault(label, []).append(value)
    return np.array(sorted((math.fsum(own), len(own)) for own in members.values())).reshape(-1, 2)
