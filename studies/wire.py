"""The JSON that an annotator's page and the server exchange: what comes in is checked here, what goes out
is described here for the API document. Seconds on the wire are whole milliseconds inside."""

import math
from typing import Any

from rest_framework import serializers

from studies.models import ResponseEvent
from studies.services.settling import Said


class SecondsField(serializers.FloatField):
    """Seconds on the wire, whole milliseconds inside; finite and not negative."""

    def to_internal_value(self, data: Any) -> Any:
        number = isinstance(data, int | float) and not isinstance(data, bool)
        if not number or not 0 <= data < math.inf:
            raise serializers.ValidationError(f"found {data!r}, expected seconds, 0 or more")
        return min(round(data * 1000), 2**31 - 1)


class PlayedField(serializers.JSONField):
    """Watched stretches by role: `{"reaction": [[a, b], …]}` in seconds."""

    MOST = 500

    def to_internal_value(self, data: Any) -> dict[str, list[list[int]]]:
        if not isinstance(data, dict) or len(data) > 4:
            raise serializers.ValidationError("expected an object of roles")
        return {str(role)[:20]: self._stretches(stretches) for role, stretches in data.items()}

    def _stretches(self, data: Any) -> list[list[int]]:
        if not isinstance(data, list) or len(data) > self.MOST:
            raise serializers.ValidationError(f"expected at most {self.MOST} stretches")
        seconds = SecondsField()
        stretches = []
        for pair in data:
            if not isinstance(pair, list) or len(pair) != 2:
                raise serializers.ValidationError(f"found {pair!r}, expected [start, end]")
            start, end = (seconds.to_internal_value(value) for value in pair)
            if end < start:
                raise serializers.ValidationError(f"found {pair!r}, expected start before end")
            stretches.append([start, end])
        return stretches


class TabIn(serializers.Serializer[Any]):
    """The browser tab that speaks."""

    tab = serializers.CharField(max_length=64)


class FaultIn(serializers.Serializer[Any]):
    """A media error as the browser tells it."""

    role = serializers.CharField(max_length=10)
    code = serializers.CharField(max_length=40)
    browser = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)


class HeartbeatIn(TabIn):
    """A sign of life, with a media error if there was one."""

    assignment = serializers.IntegerField(min_value=1)
    fault = FaultIn(required=False)
    active_s = SecondsField(default=0, help_text="How long the person was at work on this unit so far.")


class EventIn(TabIn):
    """One act: an answer, a report or an undo."""

    event_id = serializers.UUIDField(help_text="Made by the page; sending it again changes nothing.")
    assignment = serializers.IntegerField(min_value=1)
    action = serializers.ChoiceField(choices=ResponseEvent.Action.choices)
    scope = serializers.ChoiceField(choices=ResponseEvent.Scope.choices, default="question")
    question = serializers.CharField(max_length=200, allow_blank=True, default="", trim_whitespace=False)
    value = serializers.JSONField(allow_null=True, default=None)
    replaces = serializers.UUIDField(allow_null=True, help_text="The head that the page last saw, or null.")
    age_s = SecondsField(default=0, help_text="How long ago the person acted.")
    played = PlayedField(default=dict, help_text="Stretches of this unit watched so far, by role.")
    active_s = SecondsField(default=0)
    stalls = serializers.IntegerField(min_value=0, max_value=100_000, default=0)
    stall_s = SecondsField(default=0)

    def said(self) -> Said:
        """The act as the service takes it."""
        data = dict(self.validated_data)
        in_ms = {f"{name}_ms": data.pop(f"{name}_s") for name in ("age", "active", "stall")}
        return Said(assignment_id=data.pop("assignment"), **data, **in_ms)


class ProgressOut(serializers.Serializer[Any]):
    """Units done, and how many this person could still be given (null: not counted now)."""

    done = serializers.IntegerField()
    left = serializers.IntegerField(allow_null=True)


class AssignmentOut(serializers.Serializer[Any]):
    """The unit on the desk."""

    id = serializers.IntegerField()
    position = serializers.IntegerField()
    state = serializers.CharField()


class MediaOut(serializers.Serializer[Any]):
    """Where one medium is found, and for how long."""

    url = serializers.CharField()
    type = serializers.CharField()
    expires_in_s = serializers.FloatField()


class HeadOut(serializers.Serializer[Any]):
    """The newest event of a chain, and the value that is current after it (null: none)."""

    head = serializers.UUIDField()
    value = serializers.JSONField(allow_null=True)


class PreviousOut(serializers.Serializer[Any]):
    """What an undo would take back in the unit before this one."""

    assignment = serializers.IntegerField()
    scope = serializers.CharField()
    question = serializers.CharField(allow_blank=True)
    head = serializers.UUIDField()


class TriedOut(serializers.Serializer[Any]):
    """How a round of the practice went."""

    passed = serializers.IntegerField()
    of = serializers.IntegerField()
    needed = serializers.IntegerField()


class PracticeOut(serializers.Serializer[Any]):
    """Where somebody is in the practice: item of items, round of rounds, and how the round before went."""

    item = serializers.IntegerField()
    of = serializers.IntegerField()
    round = serializers.IntegerField()
    rounds = serializers.IntegerField()
    needed = serializers.IntegerField()
    before = TriedOut(allow_null=True)


class FeedbackOut(serializers.Serializer[Any]):
    """What is said after a practice answer: whether it was accepted, what was expected, the item's text."""

    accepted = serializers.BooleanField()
    expected = serializers.CharField()
    text = serializers.CharField(allow_blank=True)


WORK_STATES = ["working", "nothing_left", "halted", "closed", "handed_in", "returned", "device_check"]


class OpenOut(serializers.Serializer[Any]):
    """The state of the work and, while `working`, the unit on the desk."""

    state = serializers.ChoiceField(choices=WORK_STATES)
    progress = ProgressOut()
    previous = PreviousOut(allow_null=True)
    practice = PracticeOut(allow_null=True)
    assignment = AssignmentOut(required=False)
    view = serializers.JSONField(required=False, help_text="What the study's kind shows of the unit.")
    media = serializers.DictField(child=MediaOut(), required=False)
    answers = serializers.DictField(child=HeadOut(), required=False)
    report = HeadOut(required=False, allow_null=True)
    played = serializers.JSONField(required=False)


class EventOut(HeadOut):
    """What an act led to."""

    event_id = serializers.UUIDField()
    scope = serializers.CharField()
    question = serializers.CharField(allow_blank=True)
    assignment = AssignmentOut()
    progress = ProgressOut()
    feedback = FeedbackOut(allow_null=True)


class HeartbeatOut(serializers.Serializer[Any]):
    """Whether this tab still holds the unit, and fresh addresses of its media."""

    lease = serializers.BooleanField()
    state = serializers.CharField()
    media = serializers.DictField(child=MediaOut())


class HandInOut(serializers.Serializer[Any]):
    """Where to go next."""

    next = serializers.CharField()


class ErrorBodyOut(serializers.Serializer[Any]):
    """What is the case and what to do; some codes bring more fields (`stored`, `wait_s`, `problems`)."""

    code = serializers.CharField()
    message = serializers.CharField()


class ErrorOut(serializers.Serializer[Any]):
    """Every failure has this shape."""

    error = ErrorBodyOut()
