"""The people of a study, known by random ids only, and how each one is let in again."""

import secrets

from django.db import models
from django.utils import timezone

from studies.models.study import Path, Study


def new_public_id() -> str:
    """A random internal id that tells nothing; everything but the private identity table knows only this."""
    return secrets.token_hex(6)


class Participant(models.Model):
    """A person, known by a random id only. Names and outside ids never come near this table."""

    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.public_id


class Enrolment(models.Model):
    """One visit of a participant to a study, from consent to hand-in.

    A person who comes back after handing in (on Prolific: a new submission) makes another attempt, with
    other units than before.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        HANDED_IN = "handed_in", "handed in"
        WITHDRAWN = "withdrawn", "withdrawn"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="enrolments")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="enrolments")
    attempt = models.PositiveSmallIntegerField(default=1)
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    path = models.CharField(
        max_length=20, choices=Path.choices, blank=True, help_text="How it ended; empty while it goes on."
    )
    pool = models.CharField(max_length=60, default="lab", help_text="lab, prolific or import:NAME")
    consent_version = models.PositiveIntegerField(help_text="The study version whose text was agreed to.")
    joined_at = models.DateTimeField(default=timezone.now, help_text="When it was agreed to.")
    device_passed_at = models.DateTimeField(null=True, blank=True)
    device = models.JSONField(
        default=dict, blank=True, help_text="Browser family and version, screen class, tries of the check."
    )
    trained_at = models.DateTimeField(null=True, blank=True, help_text="When the practice was passed.")
    handed_in_at = models.DateTimeField(null=True, blank=True)
    returned_at = models.DateTimeField(
        null=True, blank=True, help_text="When their submission was returned, timed out or rejected."
    )
    erased_at = models.DateTimeField(
        null=True, blank=True, help_text="When a person who withdrew had their answers deleted."
    )
    tab = models.CharField(max_length=64, blank=True, help_text="The browser tab that holds the lease.")
    simulated = models.BooleanField(default=False, help_text="Made by the demo, not by a person.")

    class Meta:
        ordering = ["study", "joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["study", "participant", "attempt"], name="attempt_once_per_study")
        ]

    def __str__(self) -> str:
        return self.public_id


class EnrolmentKey(models.Model):
    """What lets somebody into an enrolment: a personal return address, or the cookie of one more browser."""

    enrolment = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="keys")
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token.")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"a key of {self.enrolment}"


class Invitation(models.Model):
    """A personal link into a study: it makes one enrolment, and keeps leading to it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    number = models.PositiveIntegerField(help_text="Counts the study's invitations from 1.")
    token_hash = models.CharField(max_length=64, unique=True)
    enrolment = models.OneToOneField(
        Enrolment, on_delete=models.SET_NULL, null=True, blank=True, related_name="invitation"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="invitation_number_once")]

    def __str__(self) -> str:
        return f"invitation {self.number} to {self.study}"
