"""Paired comparisons: the Wilcoxon signed-rank test beside a bootstrap interval (000 section C.9)."""

from collections.abc import Sequence
from typing import Literal

# Differences of means carry rounding noise near 1e-16; cut off, equal differences are ties and none is zero.
_DECIMALS = 12
_EXACT_AT_MOST = 50


def wilcoxon_p(differences: Sequence[float]) -> float | None:
    """The two-sided p value of Wilcoxon's signed-rank test; ``None`` when no difference is other than zero.

    Differences are rounded to 12 decimals, zeros dropped, ties given mid-ranks. The exact distribution is
    used for up to 50 differences without zeros or ties, else the normal one with tie correction and without
    continuity correction.
    """
    rounded = [round(value, _DECIMALS) for value in differences]
    moved = [value for value in rounded if value != 0]
    if not moved:
        return None
    untied = len({abs(value) for value in moved}) == len(rounded)
    # Loading SciPy's tests takes a second, and only paired comparisons need them.
    from scipy.stats import wilcoxon

    method: Literal["exact", "approx"] = "exact" if untied and len(rounded) <= _EXACT_AT_MOST else "approx"
    result = wilcoxon(moved, zero_method="wilcox", correction=False, method=method)
    return float(result.pvalue)
