"""All figures of a scored run, by item and over the set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.formats.ip import IpSource
from evaluator.tasks.ip.aggregate import ModeFigures, PairedFigures
from evaluator.tasks.ip.human import HumanFigures
from evaluator.tasks.ip.items import ItemScore
from evaluator.tasks.ip.matched import MatchedItem, RaterItem
from evaluator.tasks.ip.parse import Mode


@dataclass(frozen=True, slots=True)
class IpItems:
    """Per-item figures, every sequence in one order of items."""

    sources: Sequence[IpSource]
    scores: Mapping[Mode, Sequence[ItemScore]]
    raters: Sequence[RaterItem]
    matched: Mapping[Mode, Sequence[MatchedItem]]


@dataclass(frozen=True, slots=True)
class IpFigures:
    """Figures over the set; ``paired`` is ``None`` when only one mode was scored."""

    modes: Mapping[Mode, ModeFigures]
    paired: PairedFigures | None
    human: HumanFigures
