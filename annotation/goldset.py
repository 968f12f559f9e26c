"""The intensity gold set: which clips and moments go in, and with which labels (000 §3.2, §B.4)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation import queries
from annotation.queries import CountedScore, RatedClip, RatedMoment
from evaluator.formats.ip import (
    RATINGS,
    IpItem,
    IpSource,
    Moment,
    Rating,
    ip_counts,
    ip_rating_value,
    ip_task_value,
    ip_tasks,
    moment_order,
)
from evaluator.selection import Candidate, Selection, SelectionRules, ip_select
from studies.counting import LeavingOut
from studies.kinds import GoldSet, Labels, Parameter
from studies.models import Study

PARAMETERS = (
    Parameter("size", 250, "How many clips the set shall hold."),
    Parameter("cap", 50, "The most clips of one creator."),
    Parameter("include_pilot", False, "Whether answers of pilot waves count."),
)

SECOND_STUDY = LeavingOut("second_study", "the same person scored the moment earlier in another study")


class _Rated(NamedTuple):
    """What the studies hold: their moments by id, each one's counted scores, and what was left out."""

    moments: Mapping[str, RatedMoment]
    scores: Mapping[str, Sequence[CountedScore]]
    left_out: Mapping[str, int]
    sentences: tuple[str, ...]


def intensity_goldset(studies: Sequence[Study], parameters: Mapping[str, Any], labels: Labels) -> GoldSet:
    """The items and ratings of an intensity set.

    `parameters` holds `seed` and every name of `PARAMETERS`. Items stand in code-point order of their clip
    id, moments in time order, ratings as the file has them. A set without eligible clips has no items; its
    sentences say what each rule removed.
    """
    rules = SelectionRules(size=parameters["size"], seed=parameters["seed"], cap=parameters["cap"])
    rated = _rated([study.pk for study in studies], bool(parameters["include_pilot"]))
    selection = ip_select(_candidates(rated), rules)
    items = _items(selection, rated, labels)
    ratings = _ratings(selection, rated, labels)
    tasks = ip_tasks(items, ratings)
    return GoldSet(
        set="ip",
        items=[ip_task_value(task) for task in tasks],
        tables={RATINGS: [ip_rating_value(rating) for rating in ratings]},
        counts={
            **ip_counts(tasks, ratings),
            "left_out": rated.left_out,
            "selection": {step.rule: step.count for step in selection.report},
        },
        removed=[*rated.sentences, *(step.sentence for step in selection.report)],
        parameters={
            "size": rules.size,
            "cap": rules.cap,
            "include_pilot": bool(parameters["include_pilot"]),
            "min_ratings": rules.min_ratings,
            "min_moments": rules.min_moments,
            "min_range": float(rules.min_range),
        },
    )


def _rated(study_ids: Sequence[int], include_pilot: bool) -> _Rated:
    scores, second = queries.scores_once_per_person(study_ids, include_pilot=include_pilot)
    left_out = queries.scores_left_out(study_ids, include_pilot=include_pilot)
    # Read after the scores, so that every score finds its moment.
    moments = {moment.pk: moment for moment in queries.moments_of_scored_clips(study_ids)}
    by_moment: dict[str, list[CountedScore]] = {moment.moment_id: [] for moment in moments.values()}
    for score in scores:
        by_moment[moments[score.moment].moment_id].append(score)
    left_out.append((SECOND_STUDY, second))
    return _Rated(
        moments={moment.moment_id: moment for moment in moments.values()},
        scores=by_moment,
        left_out={why.reason: n for why, n in left_out},
        sentences=tuple(_sentences(left_out)),
    )


def _sentences(left_out: Sequence[tuple[LeavingOut, int]]) -> Iterable[str]:
    """One sentence for each reason that left something out, and one that names the others."""
    for why, number in left_out:
        if number:
            yield f"{_scores(number)} left out: {why.words}."
    idle = [why.words for why, number in left_out if not number]
    if idle:
        yield f"0 scores left out: {'; '.join(idle)}."


def _candidates(rated: _Rated) -> Iterable[Candidate]:
    """Every clip with a counted score, its unscored moments included."""
    scores: dict[RatedClip, dict[str, list[int]]] = defaultdict(dict)
    for moment in rated.moments.values():
        scores[moment.clip][moment.moment_id] = [score.score for score in rated.scores[moment.moment_id]]
    for clip, moments in scores.items():
        if any(moments.values()):
            yield Candidate(clip.clip_id, creator_stable_id(clip), clip.category, moments)


def creator_stable_id(clip: RatedClip) -> str:
    """A creator's imported id: the length of the channel's name, then both names, so that no two agree."""
    return f"{len(clip.channel)}:{clip.channel}{clip.creator}"


def _items(selection: Selection, rated: _Rated, labels: Labels) -> list[IpItem]:
    kept = {
        clip_id: [rated.moments[moment_id] for moment_id in selection.moments[clip_id]]
        for clip_id in selection.clip_ids
    }
    clips = [moments[0].clip for moments in kept.values()]
    creators = labels.creators(creator_stable_id(clip) for clip in clips)
    channels = labels.channels(clip.channel for clip in clips)
    groups = labels.source_groups(clip.source_group for clip in clips)
    return [
        IpItem(
            item_id=clip.clip_id,
            duration_s=clip.duration_ms / 1000,
            moments=tuple(sorted(map(_moment, kept[clip.clip_id]), key=moment_order)),
            source=IpSource(
                creator=creators[creator_stable_id(clip)],
                channel=channels[clip.channel],
                category=clip.category,
                source_group=groups[clip.source_group],
            ),
        )
        for clip in clips
    ]


def _moment(moment: RatedMoment) -> Moment:
    return Moment(moment.moment_id, moment.start_ms / 1000, moment.end_ms / 1000)


def _ratings(selection: Selection, rated: _Rated, labels: Labels) -> list[Rating]:
    chosen = [
        (clip_id, moment_id, score)
        for clip_id in selection.clip_ids
        for moment_id in selection.moments[clip_id]
        for score in rated.scores[moment_id]
    ]
    raters = labels.raters(score.rater for _, _, score in chosen)
    ratings = [Rating(clip_id, moment_id, raters[s.rater], s.score) for clip_id, moment_id, s in chosen]
    return sorted(ratings, key=lambda rating: (rating.item_id, rating.moment_id, rating.rater))


def _scores(number: int) -> str:
    return f"{number} score" if number == 1 else f"{number} scores"
