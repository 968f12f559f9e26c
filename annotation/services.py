"""Writes of the intensity kind: the typed current score. Called inside the transaction of the event."""

from collections.abc import Sequence

from django.db import transaction

from annotation.models import Score
from catalogue.models import Moment
from studies.kinds import Question
from studies.models import Assignment, ResponseEvent


def score_record(assignment: Assignment, question: Question, event: ResponseEvent) -> None:
    """Make the event's score the current one of this enrolment for the moment."""
    current = Score(
        enrolment_id=assignment.enrolment_id,
        assignment=assignment,
        moment_id=Moment.objects.values_list("pk", flat=True).get(moment_id=question.key),
        event=event,
        score=int(event.payload or 0),
    )
    Score.objects.bulk_create(  # one statement, whether there was a score before or not
        [current],
        update_conflicts=True,
        unique_fields=["enrolment", "moment"],
        update_fields=["assignment", "event", "score"],
    )


def score_forget(assignment: Assignment, question: Question) -> None:
    """After an undo without an earlier answer there is no current score."""
    Score.objects.filter(enrolment_id=assignment.enrolment_id, moment__moment_id=question.key).delete()


@transaction.atomic
def scores_rebuild(study_ids: Sequence[int]) -> int:
    """Make the current scores of studies anew from their events; returns how many there are."""
    heads = ResponseEvent.objects.filter(
        enrolment__study__in=study_ids,
        kind="intensity",
        assignment__purpose=Assignment.Purpose.STUDY,
        scope=ResponseEvent.Scope.QUESTION,
        replaced_by__isnull=True,
    ).select_related("restores")
    Score.objects.filter(enrolment__study__in=study_ids).delete()
    moments = dict(Moment.objects.values_list("moment_id", "pk"))
    made = Score.objects.bulk_create(
        [
            Score(
                enrolment_id=answer.enrolment_id,
                assignment_id=answer.assignment_id,
                moment_id=moments[answer.question],
                event_id=answer.pk,
                score=int(answer.payload or 0),
            )
            for answer in (head.standing for head in heads)
            if answer is not None
        ],
        batch_size=2000,
    )
    return len(made)
