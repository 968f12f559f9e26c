"""How every annotator page is answered."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from studies import access
from studies.endings import Ending
from studies.models import Enrolment, Study


def page(
    request: HttpRequest, template: str, study: Study, *, status: int = 200, **context: Any
) -> HttpResponse:
    """A page of a study, which shows its contact and its content warning."""
    return render(request, template, {"study": study, **context}, status=status)


def message(
    request: HttpRequest,
    heading: str,
    text: str,
    *,
    study: Study | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """A page that says one thing: what is the case, and what to do."""
    context = {"heading": heading, "text": text, "study": study, **more}
    return render(request, "studies/message.html", context, status=status)


def end_page(
    request: HttpRequest, study: Study, ending: Ending, *, done: int | None = None, has_data: bool = False
) -> HttpResponse:
    """The last page of somebody's part in a study, with the way back to where they came from."""
    data = reverse("studies:my_data", args=[study.slug]) if has_data else ""
    return page(request, "studies/thanks.html", study, ending=ending, done=done, my_data_url=data)


def enrolled(request: HttpRequest, slug: str) -> Enrolment | HttpResponse:
    """The browser's visit to a study, or the page that says how to come back to it."""
    study = get_object_or_404(Study, slug=slug)
    enrolment = access.enrolment_in(request, study)
    if enrolment is None:
        return message(
            request,
            "This browser is not signed in to the study",
            "Open your personal return address to go on where you stopped. "
            "If you have not started yet, begin with the study link.",
            study=study,
            status=403,
            link=reverse("studies:join", args=[slug]),
            link_text="Go to the study",
        )
    return enrolment


def returned_page(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """Their submission was returned, timed out or rejected on Prolific, so that the work does not go on."""
    return message(
        request,
        "Your submission was returned or has timed out on Prolific",
        "The work cannot go on here. What you did is stored. If this is not what you expected, "
        f"write to {enrolment.study.contact}.",
        study=enrolment.study,
        link=reverse("studies:my_data", args=[enrolment.study.slug]),
        link_text="See what is stored",
    )
