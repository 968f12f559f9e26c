"""Simulated annotators: they join, open, watch and answer through the same services as people do.

Used by the demo and by the contract suite. Time is theirs: each act carries the moment it would have
happened at, so nobody waits.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from studies.kinds import Question, SimulatedAnswer, Unit
from studies.models import Enrolment, Study
from studies.services.assignment import Opened, unit_open
from studies.services.enrolment import enrolment_hand_in, enrolment_join
from studies.services.response import Recorded, response_record
from studies.services.settling import Said

Answerer = Callable[[Unit], Sequence[SimulatedAnswer]]


@dataclass
class SimulatedAnnotator:
    """One pretended person in one study, with a clock of their own."""

    enrolment: Enrolment
    now: datetime
    tab: str = "simulated"

    @classmethod
    def join(cls, study: Study, now: datetime) -> "SimulatedAnnotator":
        """Agree and enrol."""
        enrolment, _ = enrolment_join(study=study, simulated=True, now=now)
        return cls(enrolment, now)

    def open(self) -> Opened:
        """Ask for the unit to work on."""
        return unit_open(enrolment=self.enrolment, tab=self.tab, now=self.now)

    def watch(self, question: Question) -> dict[str, list[list[int]]]:
        """Let the time pass that watching takes, and claim what was watched."""
        played: dict[str, list[list[int]]] = {}
        for window in question.must_play:
            self.now += timedelta(milliseconds=window.end_ms - window.start_ms + 1500)
            played.setdefault(window.role, []).append([window.start_ms, window.end_ms])
        return played

    def say(
        self,
        opened: Opened,
        question: Question,
        value: Any,
        *,
        replaces: uuid.UUID | None = None,
        action: str = "answer",
        event_id: uuid.UUID | None = None,
    ) -> Recorded:
        """Watch what the question asks for and answer, report or undo."""
        if opened.assignment is None:
            raise ValueError("nothing is open")
        said = Said(
            event_id=event_id or uuid.uuid4(),
            assignment_id=opened.assignment.pk,
            tab=self.tab,
            action=action,
            scope="unit" if action == "report" else "question",
            question=question.key,
            value=value,
            replaces=replaces,
            played=self.watch(question) if action == "answer" else {},
        )
        return response_record(enrolment=self.enrolment, said=said, now=self.now)

    def work(self, answer: Answerer, *, most: int | None = None) -> int:
        """Open unit after unit and answer every question; returns how many units were done."""
        done = 0
        while most is None or done < most:
            opened = self.open()
            if opened.unit is None:
                break
            for given in answer(opened.unit):
                question = opened.unit.question(given.question)
                if question is None:
                    raise ValueError(f"{given.question}: not asked by {opened.unit.key}")
                self.say(opened, question, given.value)
            done += 1
        return done

    def hand_in(self) -> None:
        """Hand the work in."""
        enrolment_hand_in(enrolment=self.enrolment, now=self.now)
