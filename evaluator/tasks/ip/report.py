"""The report of intensity profiling: its JSON object and its table."""

from collections.abc import Mapping, Sequence

from evaluator.formats.ip import IpSet
from evaluator.report import (
    estimate_notes,
    estimate_text,
    estimate_value,
    number_text,
    report_head,
    table_text,
)
from evaluator.resample import Resampling
from evaluator.tasks.ip.aggregate import ModeFigures
from evaluator.tasks.ip.items import ItemScore
from evaluator.tasks.ip.parse import Mode

# Scores are compared with the plain mean, and a constant profile counts as zero (000 equation 1).
_CONVENTIONS = {"consensus": "mean", "constant": "zero"}


def ip_report(
    ip_set: IpSet,
    scores: Mapping[Mode, Sequence[ItemScore]],
    figures: Mapping[Mode, ModeFigures],
    plan: Resampling,
    group: str | None,
) -> dict[str, object]:
    """The JSON report: figures by mode, per-item figures, and a note for every null."""
    notes: dict[str, str] = {}
    items: dict[str, dict[str, object]] = {task.item.item_id: {} for task in ip_set.tasks}
    for mode, own in scores.items():
        for score in own:
            items[score.item_id][mode] = _item_value(score)
            notes.update(_item_notes(mode, score))
        notes.update(_mode_notes(mode, figures[mode]))
    return {
        **report_head("ip", _CONVENTIONS, ip_set.manifest, plan, group),
        **{mode: _mode_value(own) for mode, own in figures.items()},
        "items": items,
        "notes": notes,
    }


def _mode_value(figures: ModeFigures) -> dict[str, object]:
    return {
        "n_items": figures.n_items,
        "n_parsed": figures.n_parsed,
        "n_missing": figures.n_missing,
        "n_constant": figures.n_constant,
        "rho0": estimate_value(figures.rho0),
        "spearman_nonconstant": {
            **estimate_value(figures.spearman_nonconstant),
            "n": figures.spearman_nonconstant.n,
        },
        "pearson_pooled": figures.pearson_pooled,
        "prediction_sd": figures.prediction_sd,
        "distinct_values": figures.distinct_values,
    }


def _item_value(score: ItemScore) -> dict[str, object]:
    return {
        "scores": None if score.scores is None else list(score.scores),
        "constant": score.constant if score.parsed else None,
        "rho0": score.rho0,
        "spearman": score.spearman,
    }


def _mode_notes(mode: Mode, figures: ModeFigures) -> dict[str, str]:
    nothing = "no prediction could be parsed" if figures.n_parsed == 0 else "no item has an order to compare"
    notes = estimate_notes(f"{mode}.rho0", figures.rho0, nothing)
    if figures.n_parsed == figures.n_constant > 0:
        nothing = "every prediction is constant"
    notes |= estimate_notes(f"{mode}.spearman_nonconstant", figures.spearman_nonconstant, nothing)
    if figures.pearson_pooled is None:
        notes[f"{mode}.pearson_pooled"] = (
            "no prediction could be parsed"
            if figures.n_parsed == 0
            else "pooled scores or consensus are constant"
        )
    if figures.prediction_sd is None:
        notes[f"{mode}.prediction_sd"] = "no prediction could be parsed"
    return notes


def _item_notes(mode: Mode, score: ItemScore) -> dict[str, str]:
    key = f"items.{score.item_id}.{mode}"
    if not score.parsed:
        return {key: score.reason or "missing"}
    if score.rho0 is None:
        return {f"{key}.rho0": "the consensus is constant", f"{key}.spearman": "the consensus is constant"}
    if score.spearman is None:
        return {f"{key}.spearman": "the prediction is constant"}
    return {}


def ip_table(ip_set: IpSet, figures: Mapping[Mode, ModeFigures], signature: str) -> str:
    """The table for people: one column a mode, the coverage of every mean beside it."""
    columns = list(figures.values())
    rows = [
        ["items", *(str(own.n_items) for own in columns)],
        ["parsed", *(str(own.n_parsed) for own in columns)],
        ["missing or unparsed", *(str(own.n_missing) for own in columns)],
        ["constant predictions", *(str(own.n_constant) for own in columns)],
        ["mean ρ0, constants as 0", *(estimate_text(own.rho0) for own in columns)],
        ["  over items", *(str(own.rho0.n) for own in columns)],
        ["mean Spearman, no constants", *(estimate_text(own.spearman_nonconstant) for own in columns)],
        ["  over items", *(str(own.spearman_nonconstant.n) for own in columns)],
        ["Pearson, pooled moments", *(number_text(own.pearson_pooled) for own in columns)],
        ["SD of predictions", *(number_text(own.prediction_sd, 2) for own in columns)],
        ["distinct values", *(str(own.distinct_values) for own in columns)],
    ]
    title = f"Intensity profiling · {ip_set.manifest.label}"
    return "\n".join([title, "", table_text(["", *figures], rows), "", signature])
