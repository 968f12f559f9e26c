"""What is shown: channels, creators, clips, their media, moments and stimulus windows.

Times are whole milliseconds of media time; files carry them as seconds. What annotators must never
see (nomination scores and evidence) is in `catalogue/private.py`, out of reach of participant code.
"""

import secrets

from django.db import models
from django.db.models import F, Q


def new_storage_key() -> str:
    """A random name for a stored media file, so that an address tells nothing about its clip."""
    return secrets.token_urlsafe(24)


class Channel(models.Model):
    """An online channel, as named in the import."""

    name = models.CharField(max_length=200, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Creator(models.Model):
    """A creator persona of one channel."""

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="creators")
    name = models.CharField(max_length=200)
    blocked_at = models.DateTimeField(
        null=True, blank=True, help_text="When set, no clip of theirs is shown."
    )

    class Meta:
        ordering = ["channel__name", "name"]
        constraints = [models.UniqueConstraint(fields=["channel", "name"], name="creator_once_per_channel")]

    def __str__(self) -> str:
        return f"{self.name} ({self.channel})"


class Clip(models.Model):
    """A synchronised pair of reaction and stimulus over one viewing interval."""

    clip_id = models.CharField(max_length=200, unique=True, help_text="As imported; published in gold sets.")
    creator = models.ForeignKey(Creator, on_delete=models.PROTECT, related_name="clips")
    category = models.CharField(max_length=200)
    domain = models.CharField(max_length=200, blank=True)
    source_group = models.CharField(max_length=200, help_text="The recording that this clip was cut from.")
    parent_clip = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="children"
    )
    duration_ms = models.PositiveIntegerField(help_text="Length of the reaction, in milliseconds.")
    blocked_at = models.DateTimeField(
        null=True, blank=True, help_text="When set, the clip is shown to nobody."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["clip_id"]
        constraints = [models.CheckConstraint(condition=Q(duration_ms__gt=0), name="clip_has_length")]

    def __str__(self) -> str:
        return self.clip_id


class MediaVersion(models.Model):
    """One file of a clip. Replaced media is a new version; answers keep the hash that they saw."""

    class Role(models.TextChoices):
        REACTION = "reaction", "reaction"
        STIMULUS = "stimulus", "stimulus"

    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="media")
    role = models.CharField(max_length=10, choices=Role.choices)
    current = models.BooleanField(default=True)
    storage_key = models.CharField(max_length=64, unique=True, default=new_storage_key, editable=False)
    sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(
        max_length=64, help_text="Of the file as imported, before its clock was set to zero."
    )
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    content_type = models.CharField(max_length=100)
    duration_ms = models.PositiveIntegerField()
    has_audio = models.BooleanField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["clip", "role", "-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["clip", "role"], condition=Q(current=True), name="one_current_media_per_role"
            ),
            models.CheckConstraint(condition=Q(role__in=["reaction", "stimulus"]), name="media_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.clip}/{self.role}"


class Moment(models.Model):
    """A marked range of a clip that raters judge."""

    moment_id = models.CharField(
        max_length=200, unique=True, help_text="As imported; published in gold sets."
    )
    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="moments")
    start_ms = models.PositiveIntegerField()
    end_ms = models.PositiveIntegerField()

    class Meta:
        ordering = ["clip", "start_ms", "end_ms", "moment_id"]
        constraints = [
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="moment_ends_after_start")
        ]

    def __str__(self) -> str:
        return self.moment_id


class StimulusWindow(models.Model):
    """A candidate segment of the stimulus, from which matching items are built."""

    window_id = models.CharField(max_length=200, unique=True)
    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="windows")
    start_ms = models.PositiveIntegerField()
    end_ms = models.PositiveIntegerField()
    description = models.TextField(blank=True)

    class Meta:
        ordering = ["clip", "start_ms", "window_id"]
        constraints = [
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="window_ends_after_start")
        ]

    def __str__(self) -> str:
        return self.window_id


from catalogue.private import Nomination  # noqa: E402  (Django finds an app's models here)

__all__ = ["Channel", "Clip", "Creator", "MediaVersion", "Moment", "Nomination", "StimulusWindow"]
