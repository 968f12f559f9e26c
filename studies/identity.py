"""Who a participant is outside Touchstone. The one place where such ids are kept; nothing leads back to it.

Participant-facing code is barred from this module, and `related_name="+"` leaves no way from a participant
to the tables.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

PROLIFIC = "prolific"
"""The source of Prolific ids."""


class ParticipantIdentity(models.Model):
    """A participant's id in the place they come from: a Prolific id, or a rater's id in an imported file."""

    participant = models.ForeignKey("studies.Participant", on_delete=models.CASCADE, related_name="+")
    source = models.CharField(max_length=80, help_text="Where the id comes from: prolific or import:NAME.")
    external_id = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "participant identities"
        constraints = [
            models.UniqueConstraint(fields=["source", "external_id"], name="identity_once_per_source")
        ]

    def __str__(self) -> str:
        return f"an identity from {self.source}"


class ProlificSubmission(models.Model):
    """A submission on Prolific (their SESSION_ID): whose it is, and how it stands there.

    `status` is Prolific's, in capitals with underscores; empty until it was first fetched. Times are theirs.
    """

    participant = models.ForeignKey("studies.Participant", on_delete=models.CASCADE, related_name="+")
    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="+")
    enrolment = models.ForeignKey(
        "studies.Enrolment", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    session_id = models.CharField(max_length=64, unique=True)
    prolific_study_id = models.CharField(max_length=64)
    path = models.CharField(max_length=20, blank=True, help_text="How it ended here without an enrolment.")
    status = models.CharField(max_length=30, blank=True)
    entered_code = models.CharField(max_length=64, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    arrived_at = models.DateTimeField(auto_now_add=True)
    synced_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"a submission, {self.status or 'not fetched yet'}"


class Payment(models.Model):
    """One line of the ledger: what was asked of Prolific for a submission. Written before asking.

    A line is never asked for twice: one that was `sent` without an answer stays so until somebody has looked
    at Prolific and says what became of it.
    """

    class What(models.TextChoices):
        APPROVE = "approve", "approval"
        BONUS = "bonus", "bonus"

    class State(models.TextChoices):
        PLANNED = "planned", "planned"
        SENT = "sent", "sent; no answer seen"
        DONE = "done", "done"
        REFUSED = "refused", "refused by Prolific"

    submission = models.ForeignKey(ProlificSubmission, on_delete=models.PROTECT, related_name="+")
    what = models.CharField(max_length=10, choices=What.choices)
    amount = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    said = models.CharField(max_length=300, blank=True, help_text="What Prolific answered.")
    batch = models.CharField(max_length=64, blank=True, help_text="Prolific's id of a bulk bonus.")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            # A refused approval may be tried again by hand; one that may have happened may not.
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(what="approve") & ~Q(state="refused"),
                name="approved_once",
            ),
            models.UniqueConstraint(
                fields=["submission", "reason"],
                condition=Q(what="bonus") & ~Q(state="refused"),
                name="bonus_once_per_reason",
            ),
            models.CheckConstraint(
                condition=Q(what="approve", amount__isnull=True) | Q(what="bonus", amount__gt=0),
                name="a_bonus_has_an_amount",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what}: {self.state}"


class ProlificSync(models.Model):
    """How the last look at Prolific went for a study. Oddities name submissions by our own keys alone."""

    study = models.OneToOneField("studies.Study", on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    ok = models.BooleanField(help_text="Off: it broke off; the sentence says why.")
    sentence = models.CharField(max_length=400)
    oddities = models.JSONField(default=dict, blank=True, help_text="What does not fit, by kind.")

    def __str__(self) -> str:
        return self.sentence
