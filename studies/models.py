"""Studies, the people in them, what each is given to judge, and the append-only events of their answers."""

import secrets
import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


def new_public_id() -> str:
    """A random internal id that tells nothing; everything but the private identity table knows only this."""
    return secrets.token_hex(6)


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

    class Partial(models.TextChoices):
        KEEP = "keep", "keep answers of clips left half-way"
        DROP = "drop", "leave them out of figures and sets"

    class Late(models.TextChoices):
        SURPLUS = "surplus", "out of the figures unless the place is still free"
        KEEP = "keep", "always in the figures"

    slug = models.SlugField(max_length=80, unique=True, help_text="The study's address: /join/SLUG/")
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    version = models.PositiveIntegerField(default=0, help_text="0 until the study first opens.")
    parameters = models.JSONField(default=dict, blank=True, help_text="Settings of the kind.")
    instructions = models.TextField(blank=True, help_text="Markdown; shown before the work and under Help.")
    consent = models.TextField(help_text="Markdown; what people agree to before they start.")
    contact = models.CharField(max_length=200, help_text="Shown on every annotator page.")
    content_warning = models.CharField(max_length=300, blank=True)
    language = models.CharField(max_length=20, default="en")
    raters_per_unit = models.PositiveSmallIntegerField(default=3)
    reservation_minutes = models.PositiveSmallIntegerField(default=60)
    technical_reports_limit = models.PositiveSmallIntegerField(
        default=2, help_text="After this many technical reports a clip waits for a manager."
    )
    partial = models.CharField(max_length=10, choices=Partial.choices, default=Partial.KEEP)
    late = models.CharField(max_length=10, choices=Late.choices, default=Late.SURPLUS)
    seed = models.PositiveIntegerField(default=new_seed, help_text="Behind each annotator's own order.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "studies"
        permissions = [("monitor_study", "Can read the dashboards of studies")]

    def __str__(self) -> str:
        return self.title


class StudyVersion(models.Model):
    """What shaped the answers from one moment on; never changed. Events carry its number."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    frozen = models.JSONField(help_text="Kind and version, parameters, instructions, consent, language.")
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


class Wave(models.Model):
    """A portion of work that is issued together. A pilot wave stays out of figures and sets."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="waves")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    pilot = models.BooleanField(default=False)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="wave_number_once"),
            models.UniqueConstraint(fields=["study", "name"], name="wave_name_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class StudyUnit(models.Model):
    """A unit that a study asks about (intensity: a clip), by the key that its kind gives it."""

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        REPORTED = "reported", "reported: waits for a manager"
        WITHDRAWN = "withdrawn", "withdrawn"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="units")
    wave = models.ForeignKey(Wave, on_delete=models.CASCADE, related_name="units")
    key = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    decided_at = models.DateTimeField(
        null=True, blank=True, help_text="When a manager last decided: earlier reports are settled."
    )

    class Meta:
        ordering = ["study", "key"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="unit_once_per_study")]

    def __str__(self) -> str:
        return self.key


class Participant(models.Model):
    """A person, known by a random id only. Names and outside ids never come near this table."""

    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.public_id


class Enrolment(models.Model):
    """A participant's place in one study, from consent to hand-in."""

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        HANDED_IN = "handed_in", "handed in"
        WITHDRAWN = "withdrawn", "withdrawn"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="enrolments")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="enrolments")
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    pool = models.CharField(max_length=60, default="lab", help_text="lab, prolific or import:NAME")
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the personal address.")
    consent_version = models.PositiveIntegerField(help_text="The study version whose text was agreed to.")
    joined_at = models.DateTimeField(default=timezone.now)
    handed_in_at = models.DateTimeField(null=True, blank=True)
    tab = models.CharField(max_length=64, blank=True, help_text="The browser tab that holds the lease.")
    simulated = models.BooleanField(default=False, help_text="Made by the demo, not by a person.")

    class Meta:
        ordering = ["study", "joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["study", "participant"], name="enrolled_once_per_study")
        ]

    def __str__(self) -> str:
        return self.public_id


class Assignment(models.Model):
    """One unit given to one enrolment, at a position in that person's own order."""

    class State(models.TextChoices):
        RESERVED = "reserved", "reserved"
        OPEN = "open", "open"
        FINISHED = "finished", "finished"
        SKIPPED = "skipped", "skipped with a reason"
        EXPIRED = "expired", "expired"
        RELEASED = "released", "released"

    class Purpose(models.TextChoices):
        STUDY = "study", "study"
        PRACTICE = "practice", "practice"
        CHECK = "check", "check"
        REPEAT = "repeat", "repeat"

    HOLDING = (State.RESERVED, State.OPEN, State.FINISHED)
    WORK_DONE = (State.FINISHED, State.SKIPPED)

    enrolment = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="assignments")
    unit = models.ForeignKey(StudyUnit, on_delete=models.PROTECT, related_name="assignments")
    study_version = models.PositiveIntegerField()
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.STUDY)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RESERVED)
    position = models.PositiveIntegerField(help_text="1 is the first unit this person was given.")
    media = models.JSONField(default=dict, help_text="The files shown: {role: {id, sha256}}.")
    surplus = models.BooleanField(
        default=False, help_text="Late, and its place was taken: outside the figures."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was first opened; never reset."
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    reserved_until = models.DateTimeField()

    class Meta:
        ordering = ["enrolment", "position"]
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "position"], name="position_once_per_enrolment"),
            models.UniqueConstraint(fields=["enrolment", "unit", "purpose"], name="unit_once_per_enrolment"),
            models.UniqueConstraint(
                fields=["enrolment"], condition=Q(state="open"), name="one_open_unit_per_enrolment"
            ),
        ]
        indexes = [models.Index(fields=["unit", "state"], name="assignment_unit_state")]

    def __str__(self) -> str:
        return f"{self.enrolment} #{self.position}: {self.unit}"


class ResponseEvent(models.Model):
    """One thing an annotator said: an answer, a report about the whole unit, or the undoing of either.

    Events are only ever added. Those of one (enrolment, scope, question) form a chain: each names the one it
    replaces, and nothing else can replace that one. An undo names the answer that it `restores`, if there
    was one.
    """

    class Action(models.TextChoices):
        ANSWER = "answer", "answer"
        REPORT = "report", "problem with the unit"
        UNDO = "undo", "undo"

    class Scope(models.TextChoices):
        QUESTION = "question", "a question"
        UNIT = "unit", "the whole unit"

    event_id = models.UUIDField(unique=True, default=uuid.uuid4)
    enrolment = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="events")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="events")
    action = models.CharField(max_length=10, choices=Action.choices)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    question = models.CharField(max_length=200, help_text="The question's key; the unit's for a report.")
    kind = models.CharField(max_length=40)
    kind_version = models.CharField(max_length=20)
    study_version = models.PositiveIntegerField()
    payload = models.JSONField(null=True)
    replaces = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="replaced_by"
    )
    restores = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    late = models.BooleanField(default=False)
    received_at = models.DateTimeField(db_index=True)
    answered_at = models.DateTimeField(
        help_text="By the server's clock, less the time it waited in the browser."
    )
    played = models.JSONField(default=dict, help_text="Watched stretches by role, in ms: {role: [[a, b], …]}")
    active_ms = models.PositiveIntegerField(default=0)
    stalls = models.PositiveIntegerField(default=0)
    stall_ms = models.PositiveIntegerField(default=0)
    media_sha256 = models.JSONField(default=dict)
    language = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["enrolment", "scope", "question", "replaces"], name="event_replaced_once"
            ),
            # Nulls count as equal: a chain has one first event, on every database.
            models.UniqueConstraint(
                fields=["enrolment", "scope", "question"],
                condition=Q(replaces__isnull=True),
                name="event_chain_starts_once",
            ),
            models.CheckConstraint(
                condition=~Q(replaces=F("id")) | Q(replaces__isnull=True), name="event_replaces_another"
            ),
            models.CheckConstraint(
                condition=Q(restores__isnull=True) | Q(action="undo"), name="only_an_undo_restores"
            ),
        ]
        indexes = [models.Index(fields=["assignment", "scope", "question"], name="event_by_question")]

    def __str__(self) -> str:
        return f"{self.action} of {self.question}"

    @property
    def standing(self) -> "ResponseEvent | None":
        """The answer or report that is current after this event, or None."""
        return self.restores if self.action == self.Action.UNDO else self


class TechnicalFault(models.Model):
    """A media error as the browser told it: which file, which error, which browser family."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="faults")
    role = models.CharField(max_length=10)
    code = models.CharField(max_length=40)
    browser = models.CharField(max_length=60, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.code} in {self.role}"


from studies.identity import ParticipantIdentity  # noqa: E402  (Django finds an app's models here)

__all__ = [
    "Assignment",
    "Enrolment",
    "Participant",
    "ParticipantIdentity",
    "ResponseEvent",
    "Study",
    "StudyLog",
    "StudyUnit",
    "StudyVersion",
    "TechnicalFault",
    "Wave",
]
