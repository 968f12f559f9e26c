"""Single raters and models against the same remaining raters (000 sections 4.2 and D.4), item by item.

A *unit* is a rater who scored all moments of an item, with the consensus of everybody else as reference. It
is eligible when every moment has another rating and that consensus is not constant.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.formats.ip import IpTask, Rating
from evaluator.rank import is_constant, pairwise_accuracy, rho0

ByMoment = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Worth:
    """What a profile is worth against a remaining consensus; ``spearman`` is ``None`` if it is constant."""

    pairwise: float
    rho0: float
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Unit:
    """An eligible unit: a rater and the consensus of all others, in the order of moments.

    The consensus is given in whole numbers, all multiplied alike, so that equal means are equal. ``worth`` is
    what the rater's own scores are worth against it.
    """

    rater: str
    remaining: tuple[int, ...]
    worth: Worth


@dataclass(frozen=True, slots=True)
class RaterItem:
    """How an item's raters do against each other: means over its eligible units, ``None`` without any.

    ``nonconstant_units`` are the units whose rater did not give all moments one score; ``spearman`` is their
    mean.
    """

    item_id: str
    units: int
    constant_units: int
    pairwise_accuracy: float | None
    nonconstant_units: int
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Conditional:
    """Units in which rater, model and remaining consensus are all nonconstant; means over them."""

    units: int
    human_rho: float | None
    model_rho: float | None
    human_pairwise: float | None
    model_pairwise: float | None


@dataclass(frozen=True, slots=True)
class MatchedItem:
    """Raters and a model on the same units of one item; without a parsed prediction there are none."""

    item_id: str
    units: int
    human: float | None
    model: float | None
    human_rho0: float | None
    model_rho0: float | None
    conditional: Conditional


def units_by_item(tasks: Sequence[IpTask], ratings: Iterable[Rating]) -> list[list[Unit]]:
    """The eligible units of every item, in the order of ``tasks``, raters in code-point order."""
    scores: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for rating in ratings:
        scores[rating.item_id][rating.moment_id][rating.rater] = rating.score
    return [
        _units([moment.moment_id for moment in task.item.moments], scores[task.item.item_id])
        for task in tasks
    ]


def _units(moment_ids: Sequence[str], scores: ByMoment) -> list[Unit]:
    raters = sorted(set.intersection(*(set(scores[moment]) for moment in moment_ids)))
    if any(len(scores[moment]) < 2 for moment in moment_ids):
        return []
    others = [len(scores[moment]) - 1 for moment in moment_ids]
    totals = [sum(scores[moment].values()) for moment in moment_ids]
    scale = math.lcm(*others)
    units = []
    for rater in raters:
        own = tuple(scores[moment][rater] for moment in moment_ids)
        rest = tuple(
            (total - score) * (scale // n) for total, score, n in zip(totals, own, others, strict=True)
        )
        if not is_constant(rest):
            units.append(Unit(rater, rest, _worth(own, rest)))
    return units


def _worth(profile: Sequence[float], remaining: Sequence[int]) -> Worth:
    pairwise, extended = pairwise_accuracy(profile, remaining), rho0(profile, remaining)
    if pairwise is None or extended is None:
        raise ValueError("a constant consensus orders nothing")
    return Worth(pairwise, extended, None if is_constant(profile) else extended)


def rater_item(item_id: str, units: Sequence[Unit]) -> RaterItem:
    """The raters of one item against each other."""
    varied = [unit.worth.spearman for unit in units if unit.worth.spearman is not None]
    return RaterItem(
        item_id=item_id,
        units=len(units),
        constant_units=len(units) - len(varied),
        pairwise_accuracy=mean([unit.worth.pairwise for unit in units]),
        nonconstant_units=len(varied),
        spearman=mean(varied),
    )


def matched_item(item_id: str, units: Sequence[Unit], prediction: Sequence[float] | None) -> MatchedItem:
    """Raters and a model's prediction (``None`` when missing) against the same remaining consensus."""
    both = [] if prediction is None else [(unit.worth, _worth(prediction, unit.remaining)) for unit in units]
    varied = [
        (human, model) for human, model in both if human.spearman is not None and model.spearman is not None
    ]
    return MatchedItem(
        item_id=item_id,
        units=len(both),
        human=mean([human.pairwise for human, _ in both]),
        model=mean([model.pairwise for _, model in both]),
        human_rho0=mean([human.rho0 for human, _ in both]),
        model_rho0=mean([model.rho0 for _, model in both]),
        conditional=Conditional(
            units=len(varied),
            human_rho=mean([human.spearman for human, _ in varied]),
            model_rho=mean([model.spearman for _, model in varied]),
            human_pairwise=mean([human.pairwise for human, _ in varied]),
            model_pairwise=mean([model.pairwise for _, model in varied]),
        ),
    )


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the defined values, rounded once whatever their order; ``None`` when there are none."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None
