"""Intensity answers in and out: the lines of a `ratings` file (design: "Answers out")."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.queries import scores_counted


def rating_lines(study_ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Every counted score of the studies as `{"moment_id", "rater", "score"}`, by moment and rater.

    `rater` is the person's random internal id. Sorted by code point here, as databases sort differently.
    """
    rows = scores_counted(study_ids).values_list(
        "moment__moment_id", "enrolment__participant__public_id", "score"
    )
    for moment, rater, score in sorted(rows.iterator(chunk_size=5000)):
        yield {"moment_id": moment, "rater": rater, "score": score}
