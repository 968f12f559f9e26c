"""A person's own data and their ways out: stopping, reading what is held, withdrawing."""

import json

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from studies import access, queries
from studies.endings import ending_of
from studies.holdings import held_about
from studies.models import Enrolment
from studies.pages import end_page, enrolled, page
from studies.services.enrolment import enrolment_hand_in, enrolment_withdraw


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Stop here and hand in: asks first, as it cannot be undone."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    if enrolment.state != Enrolment.State.ACTIVE or enrolment.returned_at is not None:
        return redirect("studies:work", slug=slug)
    if request.method == "POST":
        enrolment_hand_in(enrolment=enrolment)
        return redirect("studies:thanks", slug=slug)
    return page(
        request,
        "studies/stop.html",
        enrolment.study,
        done=queries.work_done(enrolment),
        early=queries.path_at_hand_in(enrolment, timezone.now()) == "stopped_early",
        prolific=enrolment.pool == "prolific",
        enrolment_key=enrolment.public_id,
        work_url=reverse("studies:work", args=[slug]),
    )


@never_cache
@require_safe
def my_data(request: HttpRequest, slug: str) -> HttpResponseBase:
    """What is held about the person in this visit, to read."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    return page(
        request,
        "studies/my_data.html",
        enrolment.study,
        enrolment=enrolment,
        held=held_about(enrolment),
        done=queries.work_done(enrolment),
        prolific=enrolment.pool == "prolific",
    )


@never_cache
@require_safe
def my_data_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The same as a JSON file, with nothing left out for the sake of reading."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    body = json.dumps(held_about(enrolment), indent=1, ensure_ascii=False)
    name = f'attachment; filename="my-data-{slug}.json"'
    return HttpResponse(body, content_type="application/json", headers={"Content-Disposition": name})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Withdraw, with or without deletion. Access ends, so the last page is the answer to the form itself."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    answers = request.POST.get("answers")
    if request.method != "POST" or answers not in ("keep", "delete"):
        return page(
            request,
            "studies/withdraw.html",
            enrolment.study,
            prolific=enrolment.pool == "prolific",
            unsaid=request.method == "POST",
        )
    done = queries.work_done(enrolment)
    enrolment = enrolment_withdraw(enrolment=enrolment, erase=answers == "delete")
    response = end_page(request, enrolment.study, ending_of(enrolment), done=done)
    access.forget(response, enrolment.study)
    return response
