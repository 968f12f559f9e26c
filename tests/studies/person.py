"""People at their browsers: they come through the study's link and speak through the pages' own API.

Nobody waits for real: time that passes while somebody watches is taken from the unit's opening time.
"""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from catalogue.models import Clip
from studies.access import enrolment_in
from studies.models import Assignment, Enrolment, Study
from studies.services.study import study_add_units, study_set_state
from tests import factories


def open_study(*clips: Clip, slug: str = "laughs", **fields: Any) -> Study:
    """A study over the clips, opened as a manager opens it."""
    values = {
        "title": "Laughs",
        "kind": "intensity",
        "consent": "I agree.",
        "contact": "lab@example.org",
        "device_check": False,
    }
    study = Study.objects.create(slug=slug, **(values | fields))
    study_add_units(study=study, keys=[clip.clip_id for clip in clips])
    return study_set_state(study=study, state=Study.State.OPEN)


def two_moments(**fields: Any) -> Clip:
    """A clip of 12 s whose moments, 1–3 s and 5–7 s, are called `laugh` and `gasp`."""
    clip = factories.clip(moments=(), **fields)
    for name, start in (("laugh", 1000), ("gasp", 5000)):
        clip.moments.create(moment_id=name, start_ms=start, end_ms=start + 2000)
    return clip


AGREES = {"answer": "agree"}
"""What the button under the consent text sends."""


class Person:
    """One browser with one tab. Remembers what a page remembers: heads, stretches watched, what is open."""

    def __init__(self, study: Study, *, csrf: bool = False) -> None:
        self.study = study
        self.client = Client(enforce_csrf_checks=csrf)
        self.tab = "tab-1"
        self.opened: dict[str, Any] = {}
        self.heads: dict[str, str | None] = {}
        self.watched: list[list[float]] = []

    @classmethod
    def joins(cls, study: Study) -> "Person":
        """Somebody new who agrees to the consent text."""
        person = cls(study)
        response = person.client.post(reverse("studies:join", args=[study.slug]), AGREES)
        assert response.status_code == 302, response.content
        return person

    @property
    def enrolment(self) -> Enrolment:
        """Their place in the study."""
        request = self.client.get(reverse("studies:leave", args=[self.study.slug])).wsgi_request
        found = enrolment_in(request, self.study)
        assert found is not None
        return found

    def post(self, act: str, body: Any, **headers: str) -> HttpResponseBase:
        """Say something to the API."""
        address = reverse(f"studies:api_{act}", args=[self.study.slug])
        return self.client.post(address, body, content_type="application/json", headers=headers)

    def open(self) -> dict[str, Any]:
        """Load the page: take the lease and open a unit. Returns what came."""
        response = self.post("open", {"tab": self.tab})
        assert response.status_code == 200, response.content
        body: dict[str, Any] = response.json()
        if body.get("assignment", {}).get("id") != self.opened.get("assignment", {}).get("id"):
            self.watched = []
        self.opened = body
        self.heads |= {key: answer["head"] for key, answer in body.get("answers", {}).items()}
        return body

    @property
    def assignment_id(self) -> int:
        """The unit on the desk."""
        return int(self.opened["assignment"]["id"])

    @property
    def assignment(self) -> Assignment:
        """The unit on the desk as the database has it now."""
        return Assignment.objects.get(pk=self.assignment_id)

    @property
    def moments(self) -> list[str]:
        """The keys of the open clip's moments, in order of time."""
        return [moment["key"] for moment in self.opened["view"]["moments"]]

    def time_passes(self, seconds: float) -> None:
        """Let time pass since the unit was opened."""
        Assignment.objects.filter(pk=self.assignment_id).update(
            opened_at=F("opened_at") - timedelta(seconds=seconds)
        )

    def watch(self, moment: str) -> None:
        """Watch a moment of the open clip."""
        [window] = [m for m in self.opened["view"]["moments"] if m["key"] == moment]
        self.watched.append([window["start_s"], window["end_s"]])
        self.time_passes(window["end_s"] - window["start_s"])

    def say(self, **changes: Any) -> HttpResponseBase:
        """Send an event, by default an answer with what was watched so far and the head last seen."""
        question = changes.get("question", "")
        body = {
            "event_id": str(uuid.uuid4()),
            "assignment": changes.get("assignment") or self.assignment_id,
            "tab": self.tab,
            "action": "answer",
            "scope": "question",
            "question": question,
            "replaces": self.heads.get(question),
            "age_s": 0,
            "played": {"reaction": self.watched},
        } | changes
        response = self.post("events", {name: value for name, value in body.items() if value is not ...})
        if response.status_code in (200, 201):
            self.heads[question] = response.json()["head"]
        return response

    def rate(self, moment: str, value: Any, **changes: Any) -> HttpResponseBase:
        """Watch a moment and score it."""
        self.watch(moment)
        return self.say(question=moment, value=value, **changes)

    def undo(self, question: str = "", **changes: Any) -> HttpResponseBase:
        """Take back the last answer to a question, or the report when no question is named."""
        scope = "question" if question else "unit"
        return self.say(action="undo", scope=scope, question=question, value=None, **changes)

    def report(self, reason: str = "no_sound", **changes: Any) -> HttpResponseBase:
        """Say that there is a problem with the clip."""
        changes = {"value": {"reason": reason}} | changes
        return self.say(action="report", scope="unit", question="", **changes)

    def rate_all(self, values: Sequence[int] = (2, 1)) -> dict[str, Any]:
        """Open a clip and score every moment; returns what opening gave."""
        body = self.open()
        for moment, value in zip(self.moments, values, strict=False):
            response = self.rate(moment, value)
            assert response.status_code == 201, response.content
        return body


def is_full(study: Study) -> bool:
    """Whether somebody new who opens the study link is told that there is no place for them."""
    page = Client().get(reverse("studies:join", args=[study.slug]))
    return b"The study is full." in page.content


def refusal(response: HttpResponseBase) -> dict[str, Any]:
    """The error of a response that refuses."""
    error: dict[str, Any] = response.json()["error"]
    return error | {"status": response.status_code}
