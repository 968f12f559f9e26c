"""The JSON report of intensity profiling, with a note for every null."""

from dataclasses import asdict

from evaluator.formats.goldset import Manifest
from evaluator.report import estimate_notes, estimate_value, report_head
from evaluator.resample import Resampling
from evaluator.tasks.ip.aggregate import Change, ModeFigures, PairedFigures
from evaluator.tasks.ip.figures import IpFigures, IpItems
from evaluator.tasks.ip.items import ItemScore
from evaluator.tasks.ip.parse import Mode
from evaluator.tasks.ip.report_human import human_notes, human_value, item_human_notes, item_human_value

# Scores are compared with the plain mean, and a constant profile counts as zero (000 equation 1).
_CONVENTIONS = {"consensus": "mean", "constant": "zero"}


def ip_report(
    manifest: Manifest, items: IpItems, figures: IpFigures, plan: Resampling, group: str | None
) -> dict[str, object]:
    """The JSON report: figures over the set, per-item figures, and a note for every null."""
    notes: dict[str, str] = {}
    notes |= human_notes(figures.human)
    scored: dict[str, object] = {}
    for mode, own in figures.modes.items():
        scored[mode] = _mode_value(own)
        notes |= _mode_notes(mode, own)
    if figures.paired is not None:
        scored["paired"] = _paired_value(figures.paired)
        notes |= _paired_notes(figures.paired)
    return {
        **report_head("ip", _CONVENTIONS, manifest.label, plan, group),
        "content_sha256": manifest.content_sha256,
        **scored,
        "human": human_value(figures.human),
        "items": _items(items, notes),
        "notes": notes,
    }


def _items(items: IpItems, notes: dict[str, str]) -> dict[str, object]:
    """What each item adds to the figures; why something is missing goes to ``notes``."""
    values: dict[str, object] = {}
    for at, (raters, source) in enumerate(zip(items.raters, items.sources, strict=True)):
        scores = {mode: own[at] for mode, own in items.scores.items()}
        matched = {mode: own[at] for mode, own in items.matched.items()}
        value: dict[str, object] = {"source": asdict(source), "human": item_human_value(raters, matched)}
        for mode, score in scores.items():
            value[mode] = _item_value(score)
            notes |= _item_notes(mode, score)
        values[raters.item_id] = value
        notes |= item_human_notes(raters, matched, scores)
    return values


def _mode_value(figures: ModeFigures) -> dict[str, object]:
    return {
        "n_items": figures.n_items,
        "n_parsed": figures.n_parsed,
        "n_missing": figures.n_missing,
        "n_constant": figures.n_constant,
        "n_rho0": figures.rho0.n,
        "rho0": estimate_value(figures.rho0),
        "spearman_nonconstant": {
            **estimate_value(figures.spearman_nonconstant),
            "n": figures.spearman_nonconstant.n,
        },
        "pearson_pooled": figures.pearson_pooled,
        "prediction_sd": figures.prediction_sd,
        "distinct_values": figures.distinct_values,
    }


def _paired_value(figures: PairedFigures) -> dict[str, object]:
    extended, nonconstant = figures.extended, figures.nonconstant
    return {
        "n": extended.delta.n,
        "delta_rho0": estimate_value(extended.delta),
        "wilcoxon_p": extended.wilcoxon_p,
        "nonconstant": {
            "n": nonconstant.delta.n,
            "delta": estimate_value(nonconstant.delta),
            "wilcoxon_p": nonconstant.wilcoxon_p,
        },
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


def _paired_notes(figures: PairedFigures) -> dict[str, str]:
    return _change_notes(
        "paired.delta_rho0", "paired.wilcoxon_p", figures.extended, "no item has a score in both modes"
    ) | _change_notes(
        "paired.nonconstant.delta",
        "paired.nonconstant.wilcoxon_p",
        figures.nonconstant,
        "no item has a prediction that is not constant in both modes",
    )


def _change_notes(delta_key: str, p_key: str, figures: Change, nothing: str) -> dict[str, str]:
    notes = estimate_notes(delta_key, figures.delta, nothing)
    if figures.wilcoxon_p is None:
        notes[p_key] = nothing if figures.delta.n == 0 else "no item differs between the modes"
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
