"""Per-item statistics of intensity profiling: what each parsed profile is worth against its consensus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.formats.ip import IpTask
from evaluator.rank import is_constant, rho0, spearman
from evaluator.tasks.ip.parse import Profile


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One item under one mode.

    ``rho0`` is ``None`` for a missing prediction or a constant consensus; ``spearman`` for a constant
    prediction as well. ``reason`` says why a prediction is missing.
    """

    item_id: str
    consensus: tuple[float, ...]
    scores: tuple[float, ...] | None
    reason: str | None
    constant: bool
    rho0: float | None
    spearman: float | None

    @property
    def parsed(self) -> bool:
        """Whether there is a prediction to score."""
        return self.scores is not None


def item_scores(tasks: Sequence[IpTask], profiles: Mapping[str, Profile]) -> list[ItemScore]:
    """The statistics of every item, in the order of ``tasks``."""
    return [_item_score(task, profiles[task.item.item_id]) for task in tasks]


def _item_score(task: IpTask, profile: Profile) -> ItemScore:
    scores, consensus = profile.scores, task.gold.consensus
    return ItemScore(
        item_id=task.item.item_id,
        consensus=consensus,
        scores=scores,
        reason=profile.reason,
        constant=scores is not None and is_constant(scores),
        rho0=None if scores is None else rho0(scores, consensus),
        spearman=None if scores is None else spearman(scores, consensus),
    )
