"""Frozen gold sets, the labels of their release lines, and the long jobs that make them."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q

from studies.models import Study


class FrozenForGood(Exception):
    """Somebody tried to change or delete a frozen set."""

    def __init__(self) -> None:
        super().__init__("a frozen set never changes; freeze a new version instead")


class FrozenQuerySet(models.QuerySet["GoldSetVersion"]):
    """Reads and adds, and refuses everything else."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Refuse."""
        raise FrozenForGood

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse."""
        raise FrozenForGood

    def delete(self) -> NoReturn:
        """Refuse."""
        raise FrozenForGood


class GoldSetVersion(models.Model):
    """One frozen set. It never changes: a correction is a new version that names the one it supersedes.

    Both databases refuse an UPDATE by a trigger (`migrations/_guard.py`), PostgreSQL a DELETE as well.
    """

    made_now = False
    """True on the instance a freeze has just made, False where nothing had changed. Not stored."""

    set = models.CharField(max_length=10, help_text="ip, srm, grg or anchor")
    name = models.SlugField(max_length=80)
    line = models.CharField(max_length=80, default="main", help_text="Sets of one line share labels.")
    version = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    parameters = models.JSONField()
    counts = models.JSONField()
    removed = models.JSONField(default=list, help_text="A sentence for what each rule removed.")
    content_sha256 = models.CharField(max_length=64)
    bundle = models.CharField(max_length=200, help_text="Name of the zip in the releases storage.")
    studies = models.ManyToManyField("studies.Study", related_name="goldsets")
    supersedes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = FrozenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "gold set"
        constraints = [
            models.UniqueConstraint(fields=["set", "name", "version"], name="goldset_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="goldset_versions_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new version; a stored one is refused."""
        if not self._state.adding:
            raise FrozenForGood
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse."""
        raise FrozenForGood

    @property
    def bundle_file(self) -> str:
        """The name under which people get the zip."""
        return f"{self.name}-v{self.version}.zip"


class ReleaseLine(models.Model):
    """A family of sets that share labels. Freezes of one line take turns on its row."""

    name = models.SlugField(max_length=80, unique=True)

    def __str__(self) -> str:
        return self.name


class StudyAnswers(Study):
    """A study seen as the answers it holds: a page of the admin to take them out and bring others in."""

    class Meta:
        proxy = True
        verbose_name = verbose_name_plural = "answers"


class ReleaseLabel(models.Model):
    """A label fixed in a release line: R rater, P creator persona, C channel, S source group."""

    line = models.CharField(max_length=80)
    type = models.CharField(
        max_length=1, choices=[("R", "rater"), ("P", "creator"), ("C", "channel"), ("S", "source group")]
    )
    stable_id = models.CharField(max_length=420)
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["line", "type", "number"]
        constraints = [
            models.UniqueConstraint(fields=["line", "type", "stable_id"], name="label_once_per_line"),
            models.UniqueConstraint(fields=["line", "type", "number"], name="label_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.type}{self.number}"


class FreezeJob(models.Model):
    """A freeze on its way: state, progress, a sentence, and the set it made."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    set = models.CharField(max_length=10)
    name = models.SlugField(max_length=80)
    line = models.CharField(max_length=80, default="main")
    studies = models.ManyToManyField("studies.Study", related_name="freeze_jobs")
    seed = models.BigIntegerField(default=0)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0, help_text="Percent.")
    sentence = models.TextField(blank=True, help_text="What is being done, or how it ended.")
    result = models.ForeignKey(GoldSetVersion, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [models.CheckConstraint(condition=Q(progress__lte=100), name="progress_is_percent")]

    def __str__(self) -> str:
        return f"freeze {self.name}"
