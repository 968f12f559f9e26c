"""What no annotator may learn about a moment (000 §A.2). Participant code is barred from this module.

The relation has no way back (`related_name="+"`), so a query that starts at a moment cannot reach it.
"""

from django.db import models


class Nomination(models.Model):
    """How a pre-screen proposed a moment: its selector, score, rank and evidence."""

    moment = models.OneToOneField("catalogue.Moment", on_delete=models.CASCADE, related_name="+")
    selector = models.CharField(max_length=200, blank=True)
    score = models.FloatField(null=True, blank=True)
    rank = models.IntegerField(null=True, blank=True)
    evidence = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"nomination of {self.moment_id}"
