"""Reads of the intensity kind."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.db.models.lookups import Exact

from annotation.models import Score
from catalogue.models import Moment
from studies.counting import REASONS, LeavingOut, why_left_out
from studies.models import ResponseEvent

BLOCKED = LeavingOut("blocked", "blocked clips or creators")
_BATCH = 5000


class CountedScore(NamedTuple):
    """One person's score of one moment (its primary key); `rater` is the person's random public id."""

    moment: int
    rater: str
    score: int


class RatedClip(NamedTuple):
    """A clip that somebody scored, and where it comes from. `duration_ms` is the reaction's length."""

    clip_id: str
    duration_ms: int
    category: str
    source_group: str
    creator: str
    channel: str


class RatedMoment(NamedTuple):
    """A moment of such a clip, scored or not. Times are milliseconds of media time."""

    pk: int
    moment_id: str
    start_ms: int
    end_ms: int
    clip: RatedClip


def clips_with_answers(clip_ids: Collection[str]) -> set[str]:
    """Of the clip ids given, those that any event of an intensity study is about."""
    return set(
        ResponseEvent.objects.filter(kind="intensity", assignment__unit__key__in=clip_ids)
        .values_list("assignment__unit__key", flat=True)
        .distinct()
    )


def _why_left_out(include_pilot: bool, for_set: bool) -> Case:
    """An expression: why a score does not count, or ""."""
    blocked = Q(moment__clip__blocked_at__isnull=False) | Q(moment__clip__creator__blocked_at__isnull=False)
    return Case(
        When(blocked, then=Value(BLOCKED.reason)),
        default=why_left_out("assignment__", include_pilot=include_pilot, complete_seats=for_set),
        output_field=CharField(),
    )


def scores_counted(
    study_ids: Sequence[int], *, include_pilot: bool = False, for_set: bool = False
) -> QuerySet[Score, Score]:
    """The current scores that figures may use, in no order (`studies.counting`, block list).

    `for_set`: those that a set may use, which takes of a panel only its complete seats.
    """
    counts = Exact(_why_left_out(include_pilot, for_set), "")
    return Score.objects.filter(counts, enrolment__study__in=study_ids).order_by()


def scores_left_out(study_ids: Sequence[int], *, include_pilot: bool = False) -> list[tuple[LeavingOut, int]]:
    """How many current scores each reason leaves out of a set, in the order of the rules, zeros included."""
    scores = Score.objects.filter(enrolment__study__in=study_ids).order_by()
    by_reason = scores.values(reason=_why_left_out(include_pilot, for_set=True)).annotate(n=Count("pk"))
    counts = dict(by_reason.values_list("reason", "n"))
    return [(why, counts.get(why.reason, 0)) for why in (BLOCKED, *REASONS)]


def scores_once_per_person(
    study_ids: Sequence[int], *, include_pilot: bool = False
) -> tuple[list[CountedScore], int]:
    """The scores a set may use, one per person and moment, in no order, and how many were second ones.

    Where a person scored a moment in two studies, the score given earliest counts (by the time of the answer
    that is current, then by the study's address).
    """
    rows = scores_counted(study_ids, include_pilot=include_pilot, for_set=True).values_list(
        "moment_id",
        "enrolment__participant__public_id",
        "score",
        "event__answered_at",
        "enrolment__study__slug",
    )
    first: dict[tuple[int, str], tuple[object, str, int]] = {}
    total = 0
    for moment, rater, score, at, slug in rows.iterator(chunk_size=_BATCH):
        total += 1
        held = first.get((moment, rater))
        if held is None or (at, slug) < held[:2]:
            first[moment, rater] = (at, slug, score)
    scores = [CountedScore(moment, rater, held[2]) for (moment, rater), held in first.items()]
    return scores, total - len(scores)


def moments_of_scored_clips(study_ids: Sequence[int]) -> Iterator[RatedMoment]:
    """All moments of every clip with a score in the studies, counted or not, in no order."""
    clips = Score.objects.filter(enrolment__study__in=study_ids).values(clip=F("moment__clip"))
    rows = Moment.objects.filter(clip__in=clips).order_by()
    columns = rows.values_list(
        "pk",
        "moment_id",
        "start_ms",
        "end_ms",
        "clip__clip_id",
        "clip__duration_ms",
        "clip__category",
        "clip__source_group",
        "clip__creator__name",
        "clip__creator__channel__name",
    )
    for row in columns.iterator(chunk_size=_BATCH):
        yield RatedMoment(*row[:4], clip=RatedClip(*row[4:]))
