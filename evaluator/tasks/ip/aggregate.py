"""From per-item statistics to the figures of one mode, each with its coverage and interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.rank import pearson
from evaluator.resample import Estimate, Resampling, mean_estimate
from evaluator.tasks.ip.items import ItemScore


@dataclass(frozen=True, slots=True)
class ModeFigures:
    """The figures of one mode (000 sections 3.1, D.1, D.2, Table 36).

    ``rho0`` averages items equally, constants at zero; ``spearman_nonconstant`` leaves constants out.
    ``pearson_pooled``, ``prediction_sd`` (population SD) and ``distinct_values`` pool the scores of all
    parsed items. ``None`` where undefined.
    """

    n_items: int
    n_parsed: int
    n_missing: int
    n_constant: int
    rho0: Estimate
    spearman_nonconstant: Estimate
    pearson_pooled: float | None
    prediction_sd: float | None
    distinct_values: int


def mode_figures(
    scores: Sequence[ItemScore], plan: Resampling, groups: Sequence[str] | None = None
) -> ModeFigures:
    """Aggregate one mode. ``groups`` gives each item's resampling group, in the order of ``scores``."""
    parsed = [score for score in scores if score.parsed]
    predicted = [value for score in parsed for value in score.scores or ()]
    consensus = [value for score in parsed for value in score.consensus]
    return ModeFigures(
        n_items=len(scores),
        n_parsed=len(parsed),
        n_missing=len(scores) - len(parsed),
        n_constant=sum(score.constant for score in parsed),
        rho0=mean_estimate([score.rho0 for score in scores], plan, groups),
        spearman_nonconstant=mean_estimate([score.spearman for score in scores], plan, groups),
        pearson_pooled=pearson(predicted, consensus),
        prediction_sd=_population_sd(predicted),
        distinct_values=len(set(predicted)),
    )


def _population_sd(values: Sequence[float]) -> float | None:
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
