"""Who a participant is outside Touchstone. The one place where such ids are kept; nothing leads back to it.

Participant-facing code is barred from this module, and `related_name="+"` leaves no way from a participant
to the table.
"""

from django.db import models


class ParticipantIdentity(models.Model):
    """A participant's id in the place they come from, for instance a rater's id in an imported file."""

    participant = models.ForeignKey("studies.Participant", on_delete=models.CASCADE, related_name="+")
    source = models.CharField(max_length=80, help_text="Where the id comes from: import:NAME.")
    external_id = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "participant identities"
        constraints = [
            models.UniqueConstraint(fields=["source", "external_id"], name="identity_once_per_source")
        ]

    def __str__(self) -> str:
        return f"an identity from {self.source}"
