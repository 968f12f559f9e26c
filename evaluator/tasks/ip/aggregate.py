"""From per-item statistics to the figures of one mode, each with its coverage and interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.paired import wilcoxon_p
from evaluator.rank import pearson
from evaluator.resample import Estimate, Resampling, mean_estimates
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
    extended, conditional = mean_estimates(
        [[score.rho0 for score in scores], [score.spearman for score in scores]], plan, groups
    )
    return ModeFigures(
        n_items=len(scores),
        n_parsed=len(parsed),
        n_missing=len(scores) - len(parsed),
        n_constant=sum(score.constant for score in parsed),
        rho0=extended,
        spearman_nonconstant=conditional,
        pearson_pooled=pearson(predicted, consensus),
        prediction_sd=_population_sd(predicted),
        distinct_values=len(set(predicted)),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """The mean paired change over ``delta.n`` items, and Wilcoxon's p (``None`` when nothing changed)."""

    delta: Estimate
    wilcoxon_p: float | None


@dataclass(frozen=True, slots=True)
class PairedFigures:
    """Independent minus joint over the items scored in both (000 section D.3).

    ``extended`` counts constant predictions as zero; ``nonconstant`` keeps the items whose predictions are
    constant in neither mode.
    """

    extended: Change
    nonconstant: Change


def paired_figures(
    joint: Sequence[ItemScore],
    independent: Sequence[ItemScore],
    plan: Resampling,
    groups: Sequence[str] | None = None,
) -> PairedFigures:
    """The paired change between the modes; both sequences and ``groups`` are in one order of items."""
    pairs = list(zip(joint, independent, strict=True))
    extended = [change(one.rho0, other.rho0) for one, other in pairs]
    nonconstant = [change(one.spearman, other.spearman) for one, other in pairs]
    estimates = mean_estimates([extended, nonconstant], plan, groups)
    return PairedFigures(
        *(
            Change(estimate, wilcoxon_p([value for value in values if value is not None]))
            for estimate, values in zip(estimates, (extended, nonconstant), strict=True)
        )
    )


def change(before: float | None, after: float | None) -> float | None:
    """How much a figure rose; ``None`` unless both are there."""
    return None if before is None or after is None else after - before


def _population_sd(values: Sequence[float]) -> float | None:
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
