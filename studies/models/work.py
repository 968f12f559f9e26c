"""What people are given, the places they fill, and the append-only events of what they say."""

import uuid

from django.db import models
from django.db.models import F, Q

from studies.models.people import Enrolment
from studies.models.study import Study, StudyUnit


class Place(models.Model):
    """A rating that is wanted: rating `n` of a unit, or in a panel (no unit) seat `n` of all units.

    It is free when nobody holds it, or when a reservation has lapsed and somebody else comes. `until` is the
    end of the reservation; none once the work is done. The row is the arbiter: whoever moves it locks it.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="places")
    unit = models.ForeignKey(StudyUnit, on_delete=models.CASCADE, null=True, related_name="places")
    n = models.PositiveSmallIntegerField()
    enrolment = models.ForeignKey(Enrolment, on_delete=models.SET_NULL, null=True, related_name="places")
    until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]  # plain: rows are locked by it, and a join would lock more
        constraints = [
            models.UniqueConstraint(fields=["unit", "n"], name="place_once_per_unit"),
            models.UniqueConstraint(
                fields=["study", "n"], condition=Q(unit__isnull=True), name="seat_once_per_study"
            ),
            models.UniqueConstraint(fields=["unit", "enrolment"], name="one_place_per_unit_and_enrolment"),
            models.UniqueConstraint(
                fields=["study", "enrolment"], condition=Q(unit__isnull=True), name="one_seat_per_enrolment"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.unit or self.study} #{self.n}"


class Assignment(models.Model):
    """One unit given to one enrolment, at a position in that person's own order.

    Work of the study in a pool holds a `Place` of its unit; practice, checks and repeats hold none.
    """

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
    round = models.PositiveSmallIntegerField(default=1, help_text="Which try of the practice.")
    position = models.PositiveIntegerField(
        null=True, help_text="1 is the first unit this person saw; none until it was opened."
    )
    media = models.JSONField(default=dict, help_text="The files shown: {role: {id, sha256}}.")
    passed = models.BooleanField(
        null=True, help_text="Practice and checks: whether all answers were accepted ones."
    )
    active_ms = models.PositiveIntegerField(
        default=0, help_text="How long the person was at work on it, as the page measured."
    )
    surplus = models.BooleanField(
        default=False, help_text="Late, and its place was taken: outside the figures."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was first opened; never reset."
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["enrolment", "position"]
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "position"], name="position_once_per_enrolment"),
            models.UniqueConstraint(
                fields=["enrolment", "unit", "purpose", "round"], name="unit_once_per_enrolment"
            ),
            models.UniqueConstraint(
                fields=["enrolment"], condition=Q(state="open"), name="one_open_unit_per_enrolment"
            ),
        ]
        indexes = [models.Index(fields=["unit", "state"], name="assignment_unit_state")]

    def __str__(self) -> str:
        return f"{self.enrolment} #{self.position}: {self.unit}"

    @property
    def needs_place(self) -> bool:
        """Whether it fills a place of its unit: work of the study in a pool does."""
        return self.purpose == self.Purpose.STUDY and self.enrolment.study.mode == Study.Mode.POOL


class ResponseEvent(models.Model):
    """One thing an annotator said: an answer, a report about the whole unit, or the undoing of either.

    Events are only ever added. Those of one (assignment, scope, question) form a chain: each names the one it
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
                fields=["assignment", "scope", "question", "replaces"], name="event_replaced_once"
            ),
            # Nulls count as equal: a chain has one first event, on every database.
            models.UniqueConstraint(
                fields=["assignment", "scope", "question"],
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
