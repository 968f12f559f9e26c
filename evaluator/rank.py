"""Rank correlation within short profiles (000 equation 1)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1 along the last axis, equal values sharing the mean of their ranks.

    Compares all pairs, which suits many short profiles at once: shape (..., m) needs (..., m, m) cells.
    """
    x = np.asarray(values, dtype=np.float64)
    below = (x[..., None, :] < x[..., :, None]).sum(axis=-1)
    equal = (x[..., None, :] == x[..., :, None]).sum(axis=-1)
    ranks: NDArray[np.float64] = below + (equal + 1) / 2
    return ranks


def is_constant(values: Sequence[float]) -> bool:
    """Whether all values are equal (true of one value or none)."""
    return len(set(values)) <= 1


def spearman(prediction: Sequence[float], consensus: Sequence[float]) -> float | None:
    """Spearman's correlation with mid-ranks for ties; ``None`` when either side is constant.

    Raises ``ValueError`` when the two differ in length.
    """
    if len(prediction) != len(consensus):
        raise ValueError(f"{len(prediction)} predictions for {len(consensus)} moments")
    if is_constant(prediction) or is_constant(consensus):
        return None
    # Twice the ranks minus their mean are integers, so a perfect order gives exactly 1.
    middle = len(prediction) + 1
    x, y = 2 * midranks(prediction) - middle, 2 * midranks(consensus) - middle
    return float((x * y).sum() / math.sqrt(float((x * x).sum()) * float((y * y).sum())))


def rho0(prediction: Sequence[float], consensus: Sequence[float]) -> float | None:
    """The extended Spearman correlation of 000 equation 1.

    A constant prediction scores 0. ``None`` when the consensus is constant: there is no order to find.
    """
    if is_constant(consensus):
        return None
    value = spearman(prediction, consensus)
    return 0.0 if value is None else value


def pairwise_accuracy(prediction: Sequence[float], reference: Sequence[float]) -> float | None:
    """The share of moment pairs put in the order of the reference (000 section 4.2 and D.4).

    Pairs that tie in the reference do not count; a tie in the prediction earns one half. ``None`` when the
    reference is constant. Raises ``ValueError`` when the two differ in length.
    """
    if len(prediction) != len(reference):
        raise ValueError(f"{len(prediction)} predictions for {len(reference)} moments")
    pairs = halves = 0
    for at, right in enumerate(reference):
        for before in range(at):
            if reference[before] != right:
                pairs += 1
                rises = right > reference[before]
                halves += _halves(prediction[before], prediction[at], rises)
    return halves / (2 * pairs) if pairs else None


def _halves(before: float, after: float, rises: bool) -> int:
    """Half points for one pair: two for the right order, one for a tie."""
    if before == after:
        return 1
    return 2 if (after > before) == rises else 0


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's correlation; ``None`` when either side is constant or has fewer than two values."""
    if is_constant(x) or is_constant(y):
        return None
    a = np.asarray(x, dtype=np.float64) - math.fsum(x) / len(x)
    b = np.asarray(y, dtype=np.float64) - math.fsum(y) / len(y)
    value = math.fsum(a * b) / math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return min(1.0, max(-1.0, value))
