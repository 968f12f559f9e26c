"""A study: what it asks, of whom, in which portions, and how its people are sent off."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q


def new_seed() -> int:
    """A random seed that fits every database's integer."""
    return secrets.randbelow(2**31)


class Study(models.Model):
    """One data collection of one kind. Opening it freezes what shapes answers into a `StudyVersion`."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        PAUSED = "paused", "paused: nobody new, those inside finish"
        HALTED = "halted", "halted: everyone stops after the current save"
        CLOSED = "closed", "closed"

    class Mode(models.TextChoices):
        POOL = "pool", "pool: each clip or item gets so many different raters"
        PANEL = "panel", "panel: so many people each do every clip or item"

    class Partial(models.TextChoices):
        KEEP = "keep", "keep answers of clips left half-way"
        DROP = "drop", "leave them out of figures and sets"

    class Late(models.TextChoices):
        SURPLUS = "surplus", "out of the figures unless the place is still free"
        KEEP = "keep", "always in the figures"

    class Returned(models.TextChoices):
        KEEP = "keep", "keep the clips or items that they had finished"
        DROP = "drop", "leave all of theirs out and give the places to others"

    slug = models.SlugField(max_length=80, unique=True, help_text="The study's address: /join/SLUG/")
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    version = models.PositiveIntegerField(default=0, help_text="0 until the study first opens.")
    parameters = models.JSONField(default=dict, blank=True, help_text="Settings of the kind.")
    language = models.CharField(max_length=20, default="en")
    seed = models.PositiveIntegerField(default=new_seed, help_text="Behind each annotator's own order.")
    created_at = models.DateTimeField(auto_now_add=True)

    # What people read
    instructions = models.TextField(blank=True, help_text="Markdown; shown before the work and under Help.")
    consent = models.TextField(help_text="Markdown; what people agree to before they start.")
    contact = models.CharField(max_length=200, help_text="Shown on every annotator page.")
    content_warning = models.CharField(max_length=300, blank=True, help_text="Shown on every annotator page.")

    # How work is given out
    mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.POOL)
    raters_per_unit = models.PositiveSmallIntegerField(
        default=3, help_text="Different raters for each clip or item; in a panel, its seats."
    )
    units_per_participant = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Clips or items of one visit, reserved together; empty: as many as there are.",
    )
    units_most = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The most that one person is given over all visits; empty: no limit."
    )
    reservation_minutes = models.PositiveSmallIntegerField(
        default=60, help_text="How long a clip or item waits for somebody who went silent."
    )
    seat_hours = models.PositiveSmallIntegerField(
        default=48, help_text="In a panel: how long a seat waits for somebody who went silent."
    )
    technical_reports_limit = models.PositiveSmallIntegerField(
        default=2, help_text="After this many technical reports a clip waits for a manager."
    )

    # What comes before the work, and among it
    device_check = models.BooleanField(
        default=True, help_text="Screen, sound and video are tried before the work."
    )
    screen_min_width = models.PositiveSmallIntegerField(
        default=600, help_text="Narrowest window (CSS pixels) that passes the device check."
    )
    training_pass = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Practice items to be answered as accepted; empty: all of them."
    )
    training_attempts = models.PositiveSmallIntegerField(
        default=2, help_text="How often the practice may be tried."
    )
    check_every = models.PositiveSmallIntegerField(
        default=0, help_text="One attention check among each so many clips or items; 0: none."
    )
    repeats = models.PositiveSmallIntegerField(
        default=0, help_text="Clips or items shown to each person a second time; 0: none."
    )
    repeat_gap = models.PositiveSmallIntegerField(
        default=10, help_text="At least so many others lie between the first time and the second."
    )

    # What counts
    partial = models.CharField(max_length=10, choices=Partial.choices, default=Partial.KEEP)
    late = models.CharField(max_length=10, choices=Late.choices, default=Late.SURPLUS)
    returned = models.CharField(
        max_length=10,
        choices=Returned.choices,
        default=Returned.KEEP,
        help_text="People whose Prolific submission was returned, timed out or rejected.",
    )

    # Where people come from
    shared_link = models.BooleanField(
        default=True, help_text="Anyone with the study link can take part; off: invited people and Prolific."
    )
    keeps_out = models.ManyToManyField(
        "self", symmetrical=False, blank=True, help_text="People of these studies cannot take part."
    )
    prolific = models.BooleanField(
        default=False, help_text="People come from Prolific. Needs a completion code for every path."
    )
    prolific_study_ids = models.CharField(
        max_length=400, blank=True, help_text="Prolific's study ids, separated by spaces; empty: any."
    )
    prolific_signed = models.BooleanField(
        default=False, help_text="Take only links that Prolific has signed (secure URL parameters)."
    )

    # What is paid
    reward = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, help_text="For one completed visit."
    )
    currency = models.CharField(max_length=3, default="GBP")
    pay_floor = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="Warn when the median hourly pay falls below this.",
    )

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "studies"
        permissions = [
            ("monitor_study", "Can read the dashboards of studies"),
            ("see_identities", "Can see and export participants' outside ids"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(raters_per_unit__gte=1), name="study_needs_raters"),
            models.CheckConstraint(
                condition=Q(units_per_participant__isnull=True) | Q(units_per_participant__gte=1),
                name="study_portion_is_not_empty",
            ),
            models.CheckConstraint(condition=Q(training_attempts__gte=1), name="study_training_can_be_tried"),
        ]

    def __str__(self) -> str:
        return self.title


class StudyVersion(models.Model):
    """What shaped the answers from one moment on; never changed. Events carry its number."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    frozen = models.JSONField(help_text="Kind and version, parameters, texts, training, checks, language.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="study_version_once")]

    def __str__(self) -> str:
        return f"{self.study} v{self.number}"


class StudyLog(models.Model):
    """What was decided about a study, by whom and when: opening, pausing, raised targets, added clips."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="log")
    what = models.CharField(max_length=300)
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.what


class Path(models.TextChoices):
    """The ways in which somebody's part in a study ends."""

    COMPLETED = "completed", "completed"
    STOPPED_EARLY = "stopped_early", "stopped early"
    SCREENED_OUT = "screened_out", "screened out"
    FAILED_TRAINING = "failed_training", "failed the training"
    NO_CONSENT = "no_consent", "did not consent"
    DEVICE_FAILED = "device_failed", "device check failed"
    KEPT_OUT = "kept_out", "kept out by another study"
    STUDY_FULL = "study_full", "study full"
    NOTHING_LEFT = "nothing_left", "nothing left"
    HALTED = "halted", "study halted"


class CompletionCode(models.Model):
    """The completion code of one path of a study, as set up on Prolific."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="codes")
    path = models.CharField(max_length=20, choices=Path.choices)
    code = models.CharField(max_length=64)

    class Meta:
        ordering = ["study", "path"]
        constraints = [models.UniqueConstraint(fields=["study", "path"], name="one_code_per_path")]

    def __str__(self) -> str:
        return f"{self.study}: {self.get_path_display()}"


class Wave(models.Model):
    """A portion of work that is issued together. A pilot wave stays out of figures and sets."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="waves")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    pilot = models.BooleanField(default=False)
    raters = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Raters for each of its clips or items; empty: the study's number."
    )
    issued = models.BooleanField(default=True, help_text="Off: its work waits and is given to nobody yet.")

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="wave_number_once"),
            models.UniqueConstraint(fields=["study", "name"], name="wave_name_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class StudyUnit(models.Model):
    """A unit that a study asks about (intensity: a clip), by the key that its kind gives it.

    Practice and check units are in no wave, and no unit is two things in one study. `accepts` says which
    answers to them are accepted: {question key: rule}; see `studies.accepting`.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        REPORTED = "reported", "reported: waits for a manager"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Purpose(models.TextChoices):
        STUDY = "study", "study"
        PRACTICE = "practice", "practice"
        CHECK = "check", "attention check"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="units")
    wave = models.ForeignKey(Wave, on_delete=models.CASCADE, null=True, blank=True, related_name="units")
    key = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.STUDY)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    decided_at = models.DateTimeField(
        null=True, blank=True, help_text="When a manager last decided: earlier reports are settled."
    )
    order = models.PositiveSmallIntegerField(default=0, help_text="Practice comes in this order.")
    accepts = models.JSONField(default=dict, blank=True, help_text="Accepted answers by question.")
    feedback = models.TextField(blank=True, help_text="Practice: what is said after an answer.")

    class Meta:
        ordering = ["study", "key"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="unit_once_per_study"),
            models.CheckConstraint(
                condition=Q(purpose="study", wave__isnull=False)
                | Q(purpose__in=["practice", "check"], wave__isnull=True),
                name="unit_of_the_study_is_in_a_wave",
            ),
        ]

    def __str__(self) -> str:
        return self.key
