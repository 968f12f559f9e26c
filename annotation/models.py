"""The typed current answer of intensity studies: one score of one enrolment for one moment."""

from django.db import models
from django.db.models import Q


class Score(models.Model):
    """The score that counts now. Rebuildable from the events; diagnostics and freezing read only this."""

    enrolment = models.ForeignKey("studies.Enrolment", on_delete=models.CASCADE, related_name="scores")
    assignment = models.ForeignKey("studies.Assignment", on_delete=models.CASCADE, related_name="scores")
    moment = models.ForeignKey("catalogue.Moment", on_delete=models.PROTECT, related_name="scores")
    event = models.OneToOneField("studies.ResponseEvent", on_delete=models.CASCADE, related_name="score")
    score = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["moment", "enrolment"]
        constraints = [
            models.UniqueConstraint(
                fields=["enrolment", "moment"], name="one_score_per_enrolment_and_moment"
            ),
            models.CheckConstraint(condition=Q(score__gte=0) & Q(score__lte=3), name="score_is_0_to_3"),
        ]

    def __str__(self) -> str:
        return f"{self.score} for {self.moment}"
