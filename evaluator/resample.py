"""Percentile bootstrap intervals (Efron 1979; 000 section C.9) as matrix products over resampling weights.

A resample is a row of weights: how often each unit was drawn. Sums over many resamples are then one product
of weights and per-unit sums. Units are put in order of their values first, so neither their order in a file
nor their names can move an interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERCENTILES = (2.5, 97.5)
# Weights of one chunk of resamples stay below this many cells (8 bytes each), whatever the number of units.
_CHUNK_CELLS = 1_000_000


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
    n_units, n_columns = units.shape
    ordered = units[np.lexsort(units.T[::-1])] if n_columns else units
    generator = np.random.default_rng(plan.seed)
    sums = np.empty((plan.resamples, n_columns))
    step = max(1, _CHUNK_CELLS // max(1, n_units))
    for first in range(0, plan.resamples, step):
        rows = min(step, plan.resamples - first)
        drawn = generator.integers(0, n_units, size=(rows, n_units))
        drawn += np.arange(rows)[:, None] * n_units
        weights = np.bincount(drawn.ravel(), minlength=rows * n_units).reshape(rows, n_units)
        sums[first : first + rows] = weights.astype(np.float64) @ ordered
    return sums


def mean_estimate(
    values: Sequence[float | None], plan: Resampling, groups: Sequence[str] | None = None
) -> Estimate:
    """The mean of the defined values with its interval.

    Items whose value is ``None`` take no part. With ``groups`` (one label an item) whole groups are drawn
    with replacement and their items pooled, so a resample may hold more or fewer items than the data. The
    interval is ``None`` for fewer than two units: resampling one thing shows nothing.
    """
    kept = [index for index, value in enumerate(values) if value is not None]
    defined = [value for value in values if value is not None]
    if not defined:
        return Estimate(None, None, 0)
    mean = math.fsum(defined) / len(defined)
    units = _units(defined, None if groups is None else [groups[index] for index in kept])
    if len(units) < 2:
        return Estimate(mean, None, len(defined))
    sums = resampled_sums(units, plan)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], PERCENTILES)
    return Estimate(mean, (float(low), float(high)), len(defined))


def _units(values: Sequence[float], groups: Sequence[str] | None) -> NDArray[np.float64]:
    """Per resampling unit: the sum of its values and their number; shape (units, 2)."""
    if groups is None:
        return np.column_stack([values, np.ones(len(values))])
    members: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(value)
    return np.array([[math.fsum(own), len(own)] for own in members.values()])
