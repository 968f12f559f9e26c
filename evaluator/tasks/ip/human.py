"""The human comparison: from items to the set, to each mode and to each channel (000 section D.4).

Every mean is taken over units within a video first and then equally over videos.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.resample import Estimate, Resampling, mean_estimates
from evaluator.tasks.ip.matched import MatchedItem, RaterItem, mean
from evaluator.tasks.ip.parse import Mode


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """Raters against each other over the whole set, whatever was predicted.

    ``units`` are eligible units and ``constant_units`` those among them whose rater gave one score only;
    the ``nonconstant`` figures leave these out. ``rho_unit_weighted`` averages units equally,
    ``rho_video_weighted`` videos.
    """

    units: int
    videos: int
    pairwise_accuracy: float | None
    constant_units: int
    nonconstant_units: int
    nonconstant_videos: int
    rho_unit_weighted: float | None
    rho_video_weighted: float | None


@dataclass(frozen=True, slots=True)
class Versus:
    """Human and model means over the same units and videos, and the model's lead."""

    units: int
    human: float | None
    model: float | None
    delta: Estimate

    @property
    def videos(self) -> int:
        """How many videos the means cover."""
        return self.delta.n


@dataclass(frozen=True, slots=True)
class ModeVersus:
    """One mode against single raters, on the items it has a prediction for."""

    pairwise: Versus
    rho0: Versus
    conditional: Versus
    conditional_human_pairwise: float | None
    conditional_model_pairwise: float | None


@dataclass(frozen=True, slots=True)
class ChannelVersus:
    """Pairwise accuracy within one channel, and the model's lead there and in all others together."""

    videos: int
    human: float | None
    model: float | None
    delta: float | None
    delta_without: float | None


@dataclass(frozen=True, slots=True)
class HumanFigures:
    """Everything that compares with single raters."""

    raters: RaterFigures
    modes: Mapping[Mode, ModeVersus]
    channels: Mapping[str, Mapping[Mode, ChannelVersus]]


def rater_figures(items: Sequence[RaterItem]) -> RaterFigures:
    """Raters against each other, over all items."""
    varied = [(item.nonconstant_units, item.spearman) for item in items if item.spearman is not None]
    n_varied = sum(units for units, _ in varied)
    return RaterFigures(
        units=sum(item.units for item in items),
        videos=sum(item.units > 0 for item in items),
        pairwise_accuracy=mean([item.pairwise_accuracy for item in items]),
        constant_units=sum(item.constant_units for item in items),
        nonconstant_units=n_varied,
        nonconstant_videos=len(varied),
        rho_unit_weighted=math.fsum(units * rho for units, rho in varied) / n_varied if varied else None,
        rho_video_weighted=mean([rho for _, rho in varied]),
    )


def mode_versus(
    items: Sequence[MatchedItem], plan: Resampling, groups: Sequence[str] | None = None
) -> ModeVersus:
    """One mode against single raters; ``groups`` gives each item's resampling group."""
    pairwise = _leads(items, lambda item: item.model, lambda item: item.human)
    extended = _leads(items, lambda item: item.model_rho0, lambda item: item.human_rho0)
    ranked = _leads(items, lambda item: item.conditional.model_rho, lambda item: item.conditional.human_rho)
    deltas = mean_estimates([pairwise, extended, ranked], plan, groups)
    units = sum(item.units for item in items)
    return ModeVersus(
        pairwise=Versus(
            units=units,
            human=mean([item.human for item in items]),
            model=mean([item.model for item in items]),
            delta=deltas[0],
        ),
        rho0=Versus(
            units=units,
            human=mean([item.human_rho0 for item in items]),
            model=mean([item.model_rho0 for item in items]),
            delta=deltas[1],
        ),
        conditional=Versus(
            units=sum(item.conditional.units for item in items),
            human=mean([item.conditional.human_rho for item in items]),
            model=mean([item.conditional.model_rho for item in items]),
            delta=deltas[2],
        ),
        conditional_human_pairwise=mean([item.conditional.human_pairwise for item in items]),
        conditional_model_pairwise=mean([item.conditional.model_pairwise for item in items]),
    )


def channel_versus(items: Sequence[MatchedItem], channels: Sequence[str]) -> dict[str, ChannelVersus]:
    """Pairwise accuracy by channel, and with each channel left out; ``channels`` is one label an item."""
    leads = _leads(items, lambda item: item.model, lambda item: item.human)
    figures = {}
    for channel in sorted(set(channels)):
        inside = [item for item, own in zip(items, channels, strict=True) if own == channel]
        within = [lead for lead, own in zip(leads, channels, strict=True) if own == channel]
        without = [lead for lead, own in zip(leads, channels, strict=True) if own != channel]
        figures[channel] = ChannelVersus(
            videos=sum(lead is not None for lead in within),
            human=mean([item.human for item in inside]),
            model=mean([item.model for item in inside]),
            delta=mean(within),
            delta_without=mean(without),
        )
    return figures


Figure = Callable[[MatchedItem], float | None]


def _leads(items: Sequence[MatchedItem], model: Figure, human: Figure) -> list[float | None]:
    """Model minus human, item by item."""
    pairs = [(model(item), human(item)) for item in items]
    return [None if ours is None or theirs is None else ours - theirs for ours, theirs in pairs]
