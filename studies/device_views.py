"""The device check as its page meets it: the page, its small films, and what it says to the server."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalogue.serving import bytes_response
from studies import access, queries, wire
from studies.api import EnrolmentView
from studies.device import TRIES, beeps, film, film_asked, film_token, sounds_of
from studies.models import Enrolment
from studies.pages import enrolled, page
from studies.services import device as devices


@never_cache
@ensure_csrf_cookie
@require_safe
def device(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The page of the check; whoever has it behind them, or never needed it, goes on to the work."""
    enrolment = enrolled(request, slug)
    if isinstance(enrolment, HttpResponse):
        return enrolment
    if queries.work_state(enrolment) != "device_check":
        return redirect("studies:work", slug=slug)
    return page(
        request,
        "studies/device.html",
        enrolment.study,
        sounds=len(queries.kind_of(enrolment.study).roles),
        api_base=reverse("studies:api_device_start", args=[slug]).removesuffix("start"),
        leave_url=reverse("studies:leave", args=[slug]),
    )


@require_safe
def device_film(request: HttpRequest, signed: str) -> HttpResponseBase:
    """The film of one try, for the browser that it was made for. Whatever is wrong, the same 404."""
    asked = film_asked(signed)
    if asked is None:
        raise Http404
    pk, role, number = asked
    enrolment = Enrolment.objects.select_related("study").filter(pk=pk).first()
    if enrolment is None or access.enrolment_in(request, enrolment.study) != enrolment:
        raise Http404
    return bytes_response(
        request, film(beeps(enrolment, role, number)), content_type="video/mp4", name=signed
    )


class AnswerIn(serializers.Serializer[Any]):
    """How many beeps were heard in one try of a sound."""

    role = serializers.CharField(max_length=20)
    number = serializers.IntegerField(min_value=1, max_value=TRIES)
    heard = serializers.IntegerField(min_value=0, max_value=99)


class BrowserField(serializers.RegexField):
    """A browser's family and major version, such as `Firefox 153`: nothing that tells people apart."""

    def __init__(self, **options: Any) -> None:
        super().__init__(r"^([A-Za-z ]{1,30} \d{1,4}|other)$", **options)


class PassIn(serializers.Serializer[Any]):
    """What the page has seen: the window's width, and pictures of the film shown."""

    width = serializers.IntegerField(min_value=0, max_value=100_000)
    frames = serializers.IntegerField(min_value=0, max_value=100_000)
    browser = BrowserField()


class FailIn(serializers.Serializer[Any]):
    """What does not work."""

    reason = serializers.ChoiceField(choices=devices.REASONS)
    browser = BrowserField()


class SoundOut(serializers.Serializer[Any]):
    """One sound: its try that is on, how many there are, whether it was heard, and the film to play."""

    role = serializers.CharField()
    number = serializers.IntegerField()
    tries = serializers.IntegerField()
    heard = serializers.BooleanField()
    url = serializers.CharField()


class CheckOut(serializers.Serializer[Any]):
    """Where the check stands. `state` is `device_check` while it goes on; `next` is where to go after it."""

    state = serializers.ChoiceField(choices=wire.WORK_STATES)
    sounds = SoundOut(many=True)
    next = serializers.CharField()


def _stands(enrolment: Enrolment) -> Response:
    slug = enrolment.study.slug
    sounds = [
        {
            "role": sound.role,
            "number": sound.current,
            "tries": TRIES,
            "heard": sound.heard,
            "url": reverse("studies:device_film", args=[film_token(enrolment, sound)]),
        }
        for sound in sounds_of(enrolment)
    ]
    ended = enrolment.state == Enrolment.State.HANDED_IN
    after = reverse("studies:thanks" if ended else "studies:work", args=[slug])
    return Response({"state": queries.work_state(enrolment), "sounds": sounds, "next": after})


_ANSWERS = {200: CheckOut, 400: wire.ErrorOut, 403: wire.ErrorOut, 409: wire.ErrorOut}


class DeviceStartView(EnrolmentView):
    """Where the check stands, and fresh addresses of its films."""

    @extend_schema(request=None, responses=_ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        return _stands(self.enrolment)


class DeviceAnswerView(EnrolmentView):
    """Say how many beeps were heard."""

    @extend_schema(request=AnswerIn, responses=_ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        given = AnswerIn(data=request.data)
        given.is_valid(raise_exception=True)
        said = given.validated_data
        answered = devices.device_answer(
            enrolment=self.enrolment, role=said["role"], number=said["number"], said=said["heard"]
        )
        return _stands(answered)


class DevicePassView(EnrolmentView):
    """Go on to the work."""

    @extend_schema(request=PassIn, responses=_ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        given = PassIn(data=request.data)
        given.is_valid(raise_exception=True)
        return _stands(devices.device_pass(enrolment=self.enrolment, **given.validated_data))


class DeviceFailView(EnrolmentView):
    """Give up: it does not work here."""

    @extend_schema(request=FailIn, responses=_ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        given = FailIn(data=request.data)
        given.is_valid(raise_exception=True)
        return _stands(devices.device_fail(enrolment=self.enrolment, **given.validated_data))
