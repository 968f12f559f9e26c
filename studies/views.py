"""An annotator's pages: working, pausing, returning, the end, and the media they play."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from catalogue.serving import media_response
from studies import access, queries
from studies.endings import ending_of
from studies.models import Enrolment, Study, StudyVersion
from studies.pages import end_page, enrolled, message, page, returned_page
from studies.text import markdown_html
from studies.tokens import token_hash


def _return_address(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("studies:return", args=[access.token_in(request, study)]))


@never_cache
@require_safe
def welcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Right after joining: the personal return address, and the instructions."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    study = enrolment.study
    return page(
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
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    study = enrolment.study
    if enrolment.state == Enrolment.State.HANDED_IN:
        return redirect("studies:thanks", slug=slug)
    if enrolment.returned_at is not None:
        return returned_page(request, enrolment)
    if queries.work_state(enrolment) == "device_check":
        return redirect("studies:device", slug=slug)
    kind = queries.kind_of(study)
    frozen = StudyVersion.objects.get(study=study, number=study.version).frozen
    return page(
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
def leave(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Pause and leave: everything is saved, and this is how to come back."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    if enrolment.state == Enrolment.State.HANDED_IN:
        return redirect("studies:thanks", slug=slug)
    if enrolment.returned_at is not None:
        return returned_page(request, enrolment)
    return page(
        request,
        "studies/leave.html",
        enrolment.study,
        stopped=queries.work_state(enrolment) in (Study.State.HALTED, Study.State.CLOSED),
        done=queries.work_done(enrolment),
        return_address=_return_address(request, enrolment.study),
        work_url=reverse("studies:work", args=[slug]),
    )


@never_cache
@require_safe
def thanks(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The end: what was handed in. Before that, back to work."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    if enrolment.state != Enrolment.State.HANDED_IN:
        return redirect("studies:work", slug=slug)
    done = queries.work_done(enrolment)
    return end_page(request, enrolment.study, ending_of(enrolment), done=done, has_data=True)


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
        return message(
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
