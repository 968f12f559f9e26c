"""People who come from Prolific, each at a browser, and studies that are ready for them."""

from html import unescape
from typing import Any

from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from catalogue.models import Clip
from studies.access import enrolment_in
from studies.identity import ParticipantIdentity, ProlificSubmission
from studies.models import CompletionCode, Enrolment, EnrolmentKey, Participant, Path, Study
from tests.studies.person import AGREES, Person, open_study

STUDY_ID = "5f00000000000000000000aa"
DECLINES = {"answer": "decline"}


def an_id(number: int, kind: str = "a") -> str:
    """An id as Prolific makes them, by number: `a` people, `c` submissions."""
    return f"{kind}{number:023x}"


def prolific_study(*clips: Clip, **fields: Any) -> Study:
    """An open study over the clips that takes people from Prolific alone, with a code for each path."""
    study = open_study(*clips, **({"shared_link": False} | fields))
    for path in Path:
        CompletionCode.objects.create(study=study, path=path, code=f"CODE-{path.value.upper()}")
    Study.objects.filter(pk=study.pk).update(prolific=True)
    study.refresh_from_db()
    return study


class Arriving(Person):
    """Somebody from Prolific: `pid` and `session` by number; `at` is a browser that was used before."""

    def __init__(self, study: Study, pid: int = 1, session: int = 1, *, at: Client | None = None) -> None:
        super().__init__(study)
        self.client = at or Client()
        self.pid, self.session = an_id(pid), an_id(session, "c")

    @property
    def join_url(self) -> str:
        """The clean address of the study."""
        return reverse("studies:join", args=[self.study.slug])

    @property
    def ids(self) -> dict[str, str]:
        """What Prolific puts into the link."""
        return {"PROLIFIC_PID": self.pid, "STUDY_ID": STUDY_ID, "SESSION_ID": self.session}

    def arrives(self, **changes: str) -> HttpResponseBase:
        """Open the link on Prolific and follow it to the page that it ends on."""
        return self.client.get(self.join_url, self.ids | changes, follow=True)

    def agrees(self) -> "Arriving":
        """Open the link and press the button under the consent text."""
        self.arrives()
        response = self.client.post(self.join_url, AGREES)
        assert response.status_code == 302, text_of(response)
        return self

    def declines(self) -> HttpResponseBase:
        """Open the link and press the other button."""
        self.arrives()
        return self.client.post(self.join_url, DECLINES)

    @property
    def here(self) -> Enrolment | None:
        """The visit that this browser opens, if any."""
        request = self.client.get(reverse("login")).wsgi_request
        return enrolment_in(request, self.study)


def rows() -> list[int]:
    """How many people, identities, submissions, visits and keys there are."""
    tables = (Participant, ParticipantIdentity, ProlificSubmission, Enrolment, EnrolmentKey)
    return [table.objects.count() for table in tables]


def text_of(response: HttpResponseBase) -> str:
    """A page as people read it."""
    return unescape(response.content.decode())


def codes_in(response: HttpResponseBase) -> list[str]:
    """The paths whose completion codes a page gives away anywhere in its source."""
    source = response.content.decode()
    return [path.value for path in Path if f"CODE-{path.value.upper()}" in source]
