"""Intensity profiling: a model's scores of the moments of a clip against the raters' consensus (000 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.formats.ip import IpSet
from evaluator.formats.problems import Findings
from evaluator.resample import Resampling
from evaluator.tasks.ip.aggregate import ModeFigures, mode_figures
from evaluator.tasks.ip.items import ItemScore, item_scores
from evaluator.tasks.ip.parse import MODES, Mode, profiles_read
from evaluator.tasks.ip.report import ip_report, ip_table

# Fields of an item's source by which items may be resampled together.
GROUPS = ("source_group", "creator", "channel", "category")


@dataclass(frozen=True, slots=True)
class IpResult:
    """A scored run: the report for files and the table for people."""

    report: dict[str, object]
    table: str


def ip_score(
    ip_set: IpSet,
    predictions: Mapping[Mode, tuple[str, bytes]],
    plan: Resampling,
    findings: Findings,
    *,
    group: str | None = None,
) -> IpResult:
    """Score predictions, given by mode as (file name, bytes), against a set.

    ``group`` names the source field by which items are resampled together. Raises
    :class:`~evaluator.formats.problems.InputRefused` when ``findings`` holds problems after reading.
    """
    tasks = sorted(ip_set.tasks, key=lambda task: task.item.item_id)
    items = [task.item for task in tasks]
    profiles = {
        mode: profiles_read(*predictions[mode], mode, items, findings)
        for mode in MODES
        if mode in predictions
    }
    findings.raise_if_any()
    groups = None if group is None else [str(getattr(item.source, group)) for item in items]
    scores: dict[Mode, list[ItemScore]] = {mode: item_scores(tasks, own) for mode, own in profiles.items()}
    figures: dict[Mode, ModeFigures] = {mode: mode_figures(own, plan, groups) for mode, own in scores.items()}
    report = ip_report(ip_set, scores, figures, plan, group)
    return IpResult(report, ip_table(ip_set, figures, str(report["signature"])))
