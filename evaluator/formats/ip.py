"""The intensity profiling set (``touchstone/ip/1``): its objects, and writing its files.

A set is only ever read whole and checked: :mod:`evaluator.validate` does that.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from evaluator.consensus import consensus
from evaluator.formats.goldset import Manifest, SetName
from evaluator.formats.write import goldset_files

RATINGS = "ratings.jsonl"
IP_TASKS_SCHEMA = "touchstone/ip/1"
LOWEST, HIGHEST = 0, 3


@dataclass(frozen=True, slots=True)
class Moment:
    """A marked time range of a reaction, in seconds of media time."""

    moment_id: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class IpSource:
    """Where an item comes from, in the pseudonyms of its release line."""

    creator: str
    channel: str
    category: str
    source_group: str


@dataclass(frozen=True, slots=True)
class IpItem:
    """One clip without its labels: what a model may see, and its provenance."""

    item_id: str
    duration_s: float
    moments: tuple[Moment, ...]
    source: IpSource

    @property
    def reaction(self) -> str:
        """The media key of the reaction video."""
        return f"{self.item_id}/reaction"


@dataclass(frozen=True, slots=True)
class IpGold:
    """The labels of one clip, each in the order of its moments."""

    consensus: tuple[float, ...]
    consensus_debiased: tuple[float, ...]
    n_ratings: tuple[int, ...]
    rater_sd: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class IpTask:
    """One item of ``tasks.json``: a clip with its labels."""

    item: IpItem
    gold: IpGold


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of ``ratings.jsonl``: a rater's 0-3 score of a moment."""

    item_id: str
    moment_id: str
    rater: str
    score: int


@dataclass(frozen=True, slots=True)
class IpSet:
    """A whole intensity set as read from disk and found sound."""

    manifest: Manifest
    tasks: tuple[IpTask, ...]
    ratings: tuple[Rating, ...]


def ip_goldset_files(
    *,
    items: Iterable[IpItem],
    ratings: Iterable[Rating],
    name: str,
    version: int,
    seed: int,
    parameters: Mapping[str, object],
    counts: Mapping[str, object],
    supersedes: SetName | None,
    software: str,
    created_at: datetime,
    datasheet: str,
) -> dict[str, bytes]:
    """All files of an intensity gold set by name, the manifest among them.

    The order of ``items``, of their moments and of ``ratings`` does not matter. Labels are computed here
    from the ratings, so that a set agrees with itself; ratings of moments outside the items are refused.
    ``counts`` is the caller's own (exclusions, what selection removed); ``items``, ``moments``, ``ratings``
    and ``raters`` are added to it. Only the manifest depends on ``created_at``.

    Raises ``ValueError`` when items and ratings do not belong together.
    """
    ordered = sorted((_in_time(item) for item in items), key=lambda item: item.item_id)
    own = sorted(ratings, key=lambda rating: (rating.item_id, rating.moment_id, rating.rater))
    if not ordered:
        raise ValueError("a set needs at least one item")
    tasks = ip_tasks(ordered, own)
    totals = ip_counts(tasks, own)
    clash = sorted(totals.keys() & counts.keys())
    if clash:
        raise ValueError(f"counts: {', '.join(clash)} are counted here and cannot be given")
    return goldset_files(
        set="ip",
        items=[ip_task_value(task) for task in tasks],
        tables={RATINGS: [ip_rating_value(rating) for rating in own]},
        name=name,
        version=version,
        seed=seed,
        parameters=parameters,
        counts={**counts, **totals},
        supersedes=supersedes,
        software=software,
        created_at=created_at,
        datasheet=datasheet,
    )


def ip_counts(tasks: Sequence[IpTask], ratings: Sequence[Rating]) -> dict[str, int]:
    """The totals every intensity set's manifest carries."""
    return {
        "items": len(tasks),
        "moments": sum(len(task.item.moments) for task in tasks),
        "ratings": len(ratings),
        "raters": len({rating.rater for rating in ratings}),
    }


def ip_tasks(items: Sequence[IpItem], ratings: Sequence[Rating]) -> list[IpTask]:
    """Items with the labels their ratings give, in the given order.

    Rater effects are fitted over these ratings, so that anyone holding the set can repeat the debiasing.
    Raises ``ValueError`` when an id stands twice, a rating belongs to no moment of its item, a score is off
    the scale, or a moment has no rating.
    """
    _refuse_twice("item", (item.item_id for item in items))
    for item in items:
        _refuse_twice("moment", (moment.moment_id for moment in item.moments))
    known = {(item.item_id, moment.moment_id) for item in items for moment in item.moments}
    for rating in ratings:
        if (rating.item_id, rating.moment_id) not in known:
            raise ValueError(
                f"rating of moment {rating.moment_id!r}: not a moment of item {rating.item_id!r}"
            )
        if not LOWEST <= rating.score <= HIGHEST:
            raise ValueError(f"rating of moment {rating.moment_id!r}: score {rating.score} is not 0 to 3")
    labels = consensus(((r.item_id, r.moment_id), r.rater, r.score) for r in ratings)
    unrated = sorted(moment for _, moment in known - labels.keys())
    if unrated:
        raise ValueError(f"moments without a rating: {', '.join(unrated)}")
    tasks = []
    for item in items:
        own = [labels[item.item_id, moment.moment_id] for moment in item.moments]
        gold = IpGold(
            consensus=tuple(label.mean for label in own),
            consensus_debiased=tuple(label.debiased for label in own),
            n_ratings=tuple(label.n_ratings for label in own),
            rater_sd=tuple(label.rater_sd for label in own),
        )
        tasks.append(IpTask(item, gold))
    return tasks


def moment_order(moment: Moment) -> tuple[float, float, str]:
    """The key by which the moments of an item are ordered: time, then id."""
    return (moment.start_s, moment.end_s, moment.moment_id)


def _in_time(item: IpItem) -> IpItem:
    moments = tuple(sorted(item.moments, key=moment_order))
    return IpItem(item.item_id, item.duration_s, moments, item.source)


def _refuse_twice(what: str, ids: Iterable[str]) -> None:
    twice = sorted(name for name, times in Counter(ids).items() if times > 1)
    if twice:
        raise ValueError(f"{what} ids given twice: {', '.join(twice)}")


def ip_task_value(task: IpTask) -> dict[str, object]:
    """An item as it stands in ``tasks.json``."""
    item, gold = task.item, task.gold
    return {
        "item_id": item.item_id,
        "input": {
            "reaction": item.reaction,
            "duration_s": float(item.duration_s),
            "moments": [
                {"moment_id": m.moment_id, "start_s": float(m.start_s), "end_s": float(m.end_s)}
                for m in item.moments
            ],
        },
        "gold": asdict(gold),
        "source": asdict(item.source),
    }


def ip_rating_value(rating: Rating) -> dict[str, object]:
    """A rating as it stands in ``ratings.jsonl``."""
    return asdict(rating)
