"""An annotator's pages: joining, working, pausing, returning, and the media they play."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_safe

from catalogue.serving import media_response
from studies import access, queries
from studies.errors import Refused
from studies.models import Enrolment, Study, StudyVersion
from studies.services.enrolment import CANNOT_JOIN, enrolment_join
from studies.text import markdown_html
from studies.tokens import token_hash


def _page(request: HttpRequest, template: str, study: Study, **context: Any) -> HttpResponse:
    return render(request, template, {"study": study, **context})


def _message(
    request: HttpRequest,
    heading: str,
    text: str,
    *,
    study: Study | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {"heading": heading, "text": text, "study": study, **more}
    return render(request, "studies/message.html", context, status=status)


def _return_address(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("studies:return", args=[access.token_in(request, study)]))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The study link: what it is about and what is agreed to. Only agreeing makes a participant."""
    study = get_object_or_404(Study, slug=slug)
    if access.enrolment_in(request, study):
        return redirect("studies:work", slug=slug)
    if study.state != Study.State.OPEN:
        return _message(request, CANNOT_JOIN[Study.State(study.state)], "", study=study)
    if request.method == "POST":
        try:
            _, token = enrolment_join(study=study)
        except Refused as refusal:
            return _message(request, refusal.message, "", study=study)
        response = redirect("studies:welcome", slug=slug)
        access.remember(response, study, token)
        return response
    return _page(request, "studies/join.html", study, consent_html=markdown_html(study.consent))


def _enrolled(request: HttpRequest, slug: str) -> Enrolment | HttpResponse:
    study = get_object_or_404(Study, slug=slug)
    enrolment = access.enrolment_in(request, study)
    if enrolment is None:
        return _message(
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


@never_cache
@require_safe
def welcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Right after joining: the personal return address, and the instructions."""
    enrolment = _enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    study = enrolment.study
    return _page(
        request,
        "studies/welcome.html",
        study,
        return_address=_return_address(request, study),
        instructions_html=markdown_html(study.instructions),
        work_url=reverse("studies:work", args=[slug]),
    )


@never_cache
@ensure_csrf_cookie
@require_safe
def work(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The page of the study's kind, where the work is done."""
    enrolment = _enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    study = enrolment.study
    if enrolment.state == Enrolment.State.HANDED_IN:
        return redirect("studies:thanks", slug=slug)
    if queries.work_state(enrolment) == "device_check":
        return redirect("studies:device", slug=slug)
    kind = queries.kind_of(study)
    frozen = StudyVersion.objects.get(study=study, number=study.version).frozen
    return _page(
        request,
        kind.template,
        study,
        asks=kind.asks,
        instructions_html=markdown_html(frozen["instructions"]),
        api_base=reverse("studies:api_open", args=[slug]).removesuffix("open"),
        enrolment_key=enrolment.public_id,
        leave_url=reverse("studies:leave", args=[slug]),
        thanks_url=reverse("studies:thanks", args=[slug]),
    )


@never_cache
@require_safe
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Pause and leave: everything is saved, and this is how to come back."""
    enrolment = _enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    return _page(
        request,
        "studies/leave.html",
        enrolment.study,
        done=queries.work_done(enrolment),
        return_address=_return_address(request, enrolment.study),
        work_url=reverse("studies:work", args=[slug]),
    )


@never_cache
@require_safe
def thanks(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The end: what was handed in. Before that, back to work."""
    enrolment = _enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    if enrolment.state != Enrolment.State.HANDED_IN:
        return redirect("studies:work", slug=slug)
    return _page(request, "studies/thanks.html", enrolment.study, done=queries.work_done(enrolment))


@never_cache
@require_safe
def return_(request: HttpRequest, token: str) -> HttpResponseBase:
    """The personal address: signs this browser in and goes on where the person stopped."""
    enrolment = (
        Enrolment.objects.select_related("study")
        .filter(keys__token_hash=token_hash(token))
        .exclude(state=Enrolment.State.WITHDRAWN)
        .first()
    )
    if enrolment is None:
        return _message(
            request,
            "This address is not known",
            "Check that it was copied whole. If it still does not work, "
            "write to the researcher who invited you.",
            status=404,
        )
    response = redirect("studies:work", slug=enrolment.study.slug)
    access.remember(response, enrolment.study, token)
    return response


@require_safe
def media(request: HttpRequest, signed: str) -> HttpResponseBase:
    """One file of one enrolment's unit, in ranges. Whatever is wrong, the answer is the same 404."""
    version = access.media_required(request, signed)
    if version is None:
        raise Http404
    return media_response(request, version)
