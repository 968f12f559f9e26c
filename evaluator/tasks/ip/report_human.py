"""The human comparison as a report holds it, over the set and by item, with a note for every null."""

from collections.abc import Mapping

from evaluator.report import estimate_notes, estimate_value
from evaluator.tasks.ip.human import HumanFigures, ModeVersus, RaterFigures
from evaluator.tasks.ip.items import ItemScore
from evaluator.tasks.ip.matched import MatchedItem, RaterItem
from evaluator.tasks.ip.parse import Mode

_NO_UNIT = "no rater scored all of an item's moments against others who differ between them"
_NO_ITEM_UNIT = "no rater scored all moments against others who differ between them"
_NO_RANKED = "in no unit do rater, model and remaining raters all differ between moments"
_ALL_CONSTANT = "every such rater gave all moments one score"
_UNCOMPARED = "no item with a prediction has an eligible unit"


def human_value(figures: HumanFigures) -> dict[str, object]:
    """The ``human`` object of a report."""
    raters = figures.raters
    return {
        "units": raters.units,
        "videos": raters.videos,
        "pairwise_accuracy": raters.pairwise_accuracy,
        "constant_units": raters.constant_units,
        "nonconstant": {
            "units": raters.nonconstant_units,
            "videos": raters.nonconstant_videos,
            "rho_unit_weighted": raters.rho_unit_weighted,
            "rho_video_weighted": raters.rho_video_weighted,
        },
        **{mode: _mode_value(own) for mode, own in figures.modes.items()},
        "by_channel": {
            channel: {
                mode: {"videos": own.videos, "human": own.human, "model": own.model, "delta": own.delta}
                for mode, own in modes.items()
            }
            for channel, modes in figures.channels.items()
        },
        "leave_one_channel_out": {
            channel: {mode: own.delta_without for mode, own in modes.items()}
            for channel, modes in figures.channels.items()
        },
    }


def _mode_value(figures: ModeVersus) -> dict[str, object]:
    pairwise, extended, ranked = figures.pairwise, figures.rho0, figures.conditional
    return {
        "units": pairwise.units,
        "videos": pairwise.videos,
        "human": pairwise.human,
        "model": pairwise.model,
        "delta": estimate_value(pairwise.delta),
        "rho0": {
            "human": extended.human,
            "model": extended.model,
            "delta": estimate_value(extended.delta),
        },
        "conditional": {
            "units": ranked.units,
            "videos": ranked.videos,
            "human_rho": ranked.human,
            "model_rho": ranked.model,
            "delta": estimate_value(ranked.delta),
            "pairwise": {
                "human": figures.conditional_human_pairwise,
                "model": figures.conditional_model_pairwise,
            },
        },
    }


def human_notes(figures: HumanFigures) -> dict[str, str]:
    """Why figures of the ``human`` object are null."""
    notes = _rater_notes(figures.raters)
    for mode, own in figures.modes.items():
        notes |= _mode_notes(f"human.{mode}", own)
    for channel, modes in figures.channels.items():
        for mode, versus in modes.items():
            if versus.delta is None:
                key = f"human.by_channel.{channel}.{mode}"
                notes |= {f"{key}.{name}": _UNCOMPARED for name in ("human", "model", "delta")}
            if versus.delta_without is None:
                key = f"human.leave_one_channel_out.{channel}.{mode}"
                notes[key] = f"in the other channels, {_UNCOMPARED}"
    return notes


def _rater_notes(figures: RaterFigures) -> dict[str, str]:
    notes = {} if figures.units else {"human.pairwise_accuracy": _NO_UNIT}
    if figures.nonconstant_units == 0:
        reason = _ALL_CONSTANT if figures.units else _NO_UNIT
        names = ("rho_unit_weighted", "rho_video_weighted")
        notes |= {f"human.nonconstant.{name}": reason for name in names}
    return notes


def _mode_notes(key: str, figures: ModeVersus) -> dict[str, str]:
    notes = estimate_notes(f"{key}.delta", figures.pairwise.delta, _UNCOMPARED)
    notes |= estimate_notes(f"{key}.rho0.delta", figures.rho0.delta, _UNCOMPARED)
    if figures.pairwise.units == 0:
        names = ("human", "model", "rho0.human", "rho0.model")
        notes |= {f"{key}.{name}": _UNCOMPARED for name in names}
    reason = _NO_RANKED if figures.pairwise.units else _UNCOMPARED
    notes |= estimate_notes(f"{key}.conditional.delta", figures.conditional.delta, reason)
    if figures.conditional.units == 0:
        names = ("human_rho", "model_rho", "pairwise.human", "pairwise.model")
        notes |= {f"{key}.conditional.{name}": reason for name in names}
    return notes


def item_human_value(raters: RaterItem, matched: Mapping[Mode, MatchedItem]) -> dict[str, object]:
    """The ``human`` object of one item, built like that of the set."""
    return {
        "units": raters.units,
        "pairwise_accuracy": raters.pairwise_accuracy,
        "constant_units": raters.constant_units,
        "nonconstant": {"units": raters.nonconstant_units, "rho": raters.spearman},
        **{mode: _matched_value(own) for mode, own in matched.items()},
    }


def _matched_value(item: MatchedItem) -> dict[str, object]:
    ranked = item.conditional
    return {
        "units": item.units,
        "human": item.human,
        "model": item.model,
        "rho0": {"human": item.human_rho0, "model": item.model_rho0},
        "conditional": {
            "units": ranked.units,
            "human_rho": ranked.human_rho,
            "model_rho": ranked.model_rho,
            "pairwise": {"human": ranked.human_pairwise, "model": ranked.model_pairwise},
        },
    }


def item_human_notes(
    raters: RaterItem, matched: Mapping[Mode, MatchedItem], scores: Mapping[Mode, ItemScore]
) -> dict[str, str]:
    """Why figures of one item's ``human`` object are null."""
    key = f"items.{raters.item_id}.human"
    if raters.units == 0:
        return {key: _NO_ITEM_UNIT}
    notes = {} if raters.nonconstant_units else {f"{key}.nonconstant.rho": _ALL_CONSTANT}
    for mode, own in matched.items():
        if own.units == 0:
            notes[f"{key}.{mode}"] = scores[mode].reason or "missing"
        elif own.conditional.units == 0:
            notes[f"{key}.{mode}.conditional"] = _NO_RANKED
    return notes
