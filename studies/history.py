"""What has been said in one assignment so far, read in one query."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from studies.models import Assignment, ResponseEvent
from studies.playback import Stretch, merged_by_role


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain of events: its newest event, and the value that is current after it."""

    event: ResponseEvent

    @property
    def value(self) -> Any:
        """The current value; None after an undo without an earlier answer."""
        return self.event.standing.payload if self.event.standing else None

    def public(self) -> dict[str, Any]:
        """The head as the annotator's own page may know it."""
        return {"head": str(self.event.event_id), "value": self.value}


@dataclass(frozen=True)
class History:
    """The events of an assignment in the order they came."""

    events: tuple[ResponseEvent, ...]

    @cached_property
    def heads(self) -> dict[tuple[str, str], Head]:
        """The head of every chain, by (scope, question)."""
        return {(event.scope, event.question): Head(event) for event in self.events}

    @cached_property
    def played(self) -> dict[str, list[Stretch]]:
        """What all events claimed to have watched, whatever device said so."""
        return merged_by_role(*(event.played for event in self.events))

    @cached_property
    def answered(self) -> set[str]:
        """The questions that have ever been answered, undone answers included."""
        return {event.question for event in self.events if event.action == ResponseEvent.Action.ANSWER}


def history_of(assignment: Assignment) -> History:
    """Everything said in an assignment."""
    events = ResponseEvent.objects.filter(assignment=assignment).select_related("restores").order_by("id")
    return History(tuple(events))
