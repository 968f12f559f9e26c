"""Intensity profiling: a model's scores of the moments of a clip against the raters' consensus (000 3.1)."""

from collections.abc import Mapping, Sequence

from evaluator.formats.ip import IpItem, IpSet
from evaluator.formats.problems import Findings
from evaluator.report import Result
from evaluator.resample import Resampling
from evaluator.tasks.ip.aggregate import mode_figures, paired_figures
from evaluator.tasks.ip.figures import IpFigures, IpItems
from evaluator.tasks.ip.human import HumanFigures, channel_versus, mode_versus, rater_figures
from evaluator.tasks.ip.items import item_scores
from evaluator.tasks.ip.matched import matched_item, rater_item, units_by_item
from evaluator.tasks.ip.parse import MODES, Mode, Profile, profiles_read
from evaluator.tasks.ip.report import ip_report
from evaluator.tasks.ip.show import ip_charts, ip_tables

# Fields of an item's source by which items may be resampled together.
GROUPS = ("source_group", "creator", "channel", "category")


def ip_score(
    ip_set: IpSet,
    predictions: Mapping[Mode, tuple[str, bytes]],
    plan: Resampling,
    findings: Findings,
    *,
    group: str | None = None,
) -> Result:
    """Score predictions, given by mode as (file name, bytes), against a set.

    ``group`` names the source field by which items are resampled together. Raises
    :class:`~evaluator.formats.problems.InputRefused` when ``findings`` holds problems after reading.
    """
    items = [task.item for task in sorted(ip_set.tasks, key=lambda task: task.item.item_id)]
    profiles = {
        mode: profiles_read(*predictions[mode], mode, items, findings)
        for mode in MODES
        if mode in predictions
    }
    findings.raise_if_any()
    per_item = _per_item(ip_set, profiles)
    figures = _figures(per_item, items, plan, group)
    return Result(
        report=ip_report(ip_set.manifest, per_item, figures, plan, group),
        title=f"Intensity profiling · {ip_set.manifest.label}",
        tables=ip_tables(figures),
        charts=ip_charts(figures),
    )


def _per_item(ip_set: IpSet, profiles: Mapping[Mode, Mapping[str, Profile]]) -> IpItems:
    tasks = sorted(ip_set.tasks, key=lambda task: task.item.item_id)
    units = units_by_item(tasks, ip_set.ratings)
    scores = {mode: item_scores(tasks, own) for mode, own in profiles.items()}
    return IpItems(
        sources=[task.item.source for task in tasks],
        scores=scores,
        raters=[rater_item(task.item.item_id, own) for task, own in zip(tasks, units, strict=True)],
        matched={
            mode: [
                matched_item(score.item_id, unit, score.scores)
                for score, unit in zip(own, units, strict=True)
            ]
            for mode, own in scores.items()
        },
    )


def _figures(per_item: IpItems, items: Sequence[IpItem], plan: Resampling, group: str | None) -> IpFigures:
    """Everything about the set, from per-item figures alone."""
    groups = None if group is None else [str(getattr(item.source, group)) for item in items]
    channels = [item.source.channel for item in items]
    scores, matched = per_item.scores, per_item.matched
    by_mode = {mode: channel_versus(own, channels) for mode, own in matched.items()}
    both = "joint" in scores and "independent" in scores
    return IpFigures(
        modes={mode: mode_figures(own, plan, groups) for mode, own in scores.items()},
        paired=paired_figures(scores["joint"], scores["independent"], plan, groups) if both else None,
        human=HumanFigures(
            raters=rater_figures(per_item.raters),
            modes={mode: mode_versus(own, plan, groups) for mode, own in matched.items()},
            channels={
                channel: {mode: own[channel] for mode, own in by_mode.items()}
                for channel in sorted(set(channels))
            },
        ),
    )
