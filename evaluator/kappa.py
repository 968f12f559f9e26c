"""Weighted kappa of two rounds of answers (Cohen 1968, Psychological Bulletin 70, 213-220).

Here it says how far somebody agrees with themselves on what they were shown twice. The weights are quadratic:
an answer two points away counts four times as much as one a single point away.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

NO_PAIRS = "no pair of answers"
NO_VARIATION = "every answer of both rounds is the same, so that chance agreement is perfect as well"


@dataclass(frozen=True, slots=True)
class Kappa:
    """Weighted kappa, or None with the reason why it is not defined."""

    value: float | None
    note: str = ""


def weighted_kappa(pairs: Iterable[tuple[int, int]], scale: Sequence[int]) -> Kappa:
    """Cohen's weighted kappa with quadratic weights, in exact fractions and rounded once.

    `pairs` are (first answer, second answer); `scale` holds the points in ascending order, and the weight of
    a disagreement is the square of the steps between its two points. 1 - observed / expected disagreement,
    where expected means both rounds' answers paired at random. Raises `ValueError` for points out of order
    and for an answer that is none of them.
    """
    if any(low >= high for low, high in pairwise(scale)):
        raise ValueError(f"scale {list(scale)}: expected points in ascending order, each once")
    step = {point: at for at, point in enumerate(scale)}
    found = list(pairs)
    for answer in (one for pair in found for one in pair):
        if answer not in step:
            raise ValueError(f"answer {answer!r}: expected one of {list(scale)}")
    if not found:
        return Kappa(None, NO_PAIRS)
    observed = sum((step[first] - step[second]) ** 2 for first, second in found)
    firsts, seconds = (Counter(step[answer] for answer in half) for half in zip(*found, strict=True))
    expected = sum(n * m * (a - b) ** 2 for a, n in firsts.items() for b, m in seconds.items())
    if expected == 0:
        return Kappa(None, NO_VARIATION)
    return Kappa(float(1 - Fraction(observed * len(found), expected)))


def exact_agreement(pairs: Sequence[tuple[object, object]]) -> float | None:
    """The share of pairs whose two answers are the same; None without a pair."""
    return sum(first == second for first, second in pairs) / len(pairs) if pairs else None
