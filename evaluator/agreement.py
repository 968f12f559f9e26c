"""How far raters agree on the 0-3 scale (000 section 4.2, Tables 5 and 6).

What does not depend on who rated comes from counts (see :mod:`evaluator.alpha`), so a dashboard can keep
nothing but four numbers a moment. Shares are quotients of integers, rounded once.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.alpha import alpha
from evaluator.consensus import KeyT, consensus, rater_effects

SCALE = (0, 1, 2, 3)
# From this score on a moment counts as a clear reaction.
PASS = 2
ONE_STEP = ("0-1", "1-2", "2-3")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement figures that need only score counts; ``None`` where undefined.

    ``unanimous_items`` and ``pass_unanimous`` are shares of moments with two or more ratings,
    ``pairwise_exact`` of all pairs of raters within moments, ``one_step`` of the pairs that differ by
    exactly one. ``two_draw`` is the chance that two draws from all ratings pooled are equal.
    ``distribution`` counts ratings by score. A moment rated once counts in ``n_items``, ``n_ratings``,
    ``distribution`` and ``two_draw`` only.
    """

    n_items: int
    n_ratings: int
    n_pairs: int
    alpha_ordinal: float | None
    alpha_nominal: float | None
    alpha_interval: float | None
    unanimous_items: float | None
    pairwise_exact: float | None
    two_draw: float | None
    pass_unanimous: float | None
    one_step: dict[str, float | None]
    distribution: dict[str, int]


def agreement(counts: NDArray[np.int64]) -> Agreement:
    """The figures of score counts with shape (moments, 4), columns being the scores 0 to 3.

    Rows without a rating are no moments and are passed over. Raises ``ValueError`` for another shape.
    """
    if counts.ndim != 2 or counts.shape[1] != len(SCALE):
        raise ValueError(f"counts of shape {counts.shape}: expected (moments, {len(SCALE)})")
    sizes = counts.sum(axis=1)
    pairable = counts[sizes >= 2]
    pooled = [int(total) for total in counts.sum(axis=0)]
    n_ratings = sum(pooled)
    n_pairs = int((sizes * (sizes - 1)).sum()) // 2
    passing = pairable[:, PASS:].sum(axis=1)
    one_sided = (passing == 0) | (passing == pairable.sum(axis=1))
    steps = [int(total) for total in (counts[:, :-1] * counts[:, 1:]).sum(axis=0)]
    return Agreement(
        n_items=int((sizes > 0).sum()),
        n_ratings=n_ratings,
        n_pairs=n_pairs,
        alpha_ordinal=alpha(counts, "ordinal"),
        alpha_nominal=alpha(counts, "nominal"),
        alpha_interval=alpha(counts, "interval"),
        unanimous_items=_share(int(((pairable > 0).sum(axis=1) == 1).sum()), len(pairable)),
        pairwise_exact=_share(int((counts * (counts - 1)).sum()) // 2, n_pairs),
        two_draw=_share(sum(total * total for total in pooled), n_ratings * n_ratings),
        pass_unanimous=_share(int(one_sided.sum()), len(pairable)),
        one_step={name: _share(own, sum(steps)) for name, own in zip(ONE_STEP, steps, strict=True)},
        distribution={str(score): total for score, total in zip(SCALE, pooled, strict=True)},
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """What needs to know who rated: each rater's effect, and how far removing effects moves consensus.

    Effects are in points of the scale and sum to zero within each connected part of the rater-moment graph;
    ``mean_abs_change`` and ``max_abs_change`` compare plain and debiased consensus over all moments.
    """

    rater_effects: dict[str, float]
    mean_abs_change: float
    max_abs_change: float


def rater_figures(ratings: Iterable[tuple[KeyT, str, int]]) -> RaterFigures:
    """Rater effects of (moment, rater, score) by least squares, and the debiasing they give (000 3.2, B.2).

    Raises ``ValueError`` when there is no rating or a rater scored a moment twice.
    """
    rows = list(ratings)
    if not rows:
        raise ValueError("rater effects need at least one rating")
    changes = [abs(label.debiased - label.mean) for label in consensus(rows).values()]
    return RaterFigures(rater_effects(rows), math.fsum(changes) / len(changes), max(changes))
