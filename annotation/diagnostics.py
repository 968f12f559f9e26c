"""What the dashboards say of an intensity study: how many moments have their ratings, and which scores."""

from collections.abc import Sequence

from django.db.models import Count

from annotation.models import Score
from annotation.queries import scores_counted
from studies.kinds import Diagnostic


def intensity_diagnostics(study_ids: Sequence[int], *, using: str) -> list[Diagnostic]:
    """Counts over the counted current scores, read through the database alias `using`.

    `ratings`, `moments` (with at least one rating), `distribution` (counts by "0".."3") and
    `moments_by_ratings` (how many moments have 1, 2, … ratings).
    """
    counted = scores_counted(study_ids).using(using)
    per_moment = list(counted.values("moment_id").annotate(n=Count("pk")).values_list("n", flat=True))
    scores = dict(counted.values("score").annotate(n=Count("pk")).values_list("score", "n"))
    return [
        Diagnostic("ratings", sum(per_moment)),
        Diagnostic("moments", len(per_moment)),
        Diagnostic("distribution", {str(score): scores.get(score, 0) for score in range(4)}),
        Diagnostic("moments_by_ratings", {n: per_moment.count(n) for n in sorted(set(per_moment))}),
    ]


def scores_current(study_ids: Sequence[int]) -> dict[tuple[str, str], int]:
    """Every current score, counted or not, by (rater's internal id, moment id)."""
    rows = Score.objects.filter(enrolment__study__in=study_ids).values_list(
        "enrolment__participant__public_id", "moment__moment_id", "score"
    )
    return {(rater, moment): score for rater, moment, score in rows}
