"""The one door through which participant code reaches an enrolment, a unit's media and their addresses."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from catalogue.models import MediaVersion
from catalogue.queries import blocked_clip_ids
from studies.arrival import ProlificIds
from studies.errors import NotEnrolled
from studies.models import Assignment, Enrolment, EnrolmentKey, Study
from studies.tokens import token_hash

COOKIE_DAYS = 180
ARRIVAL_SECONDS = 4 * 3600
"""How long a browser remembers from which submission it came, until consent is given or refused."""
_media_signer = signing.TimestampSigner(salt="touchstone.media")


def cookie_name(study: Study) -> str:
    """The cookie that carries a browser's personal token for one study."""
    return f"touchstone_{study.pk}"


def token_in(request: HttpRequest, study: Study) -> str:
    """The personal token that the browser sent for this study, or an empty string."""
    return str(request.COOKIES.get(cookie_name(study), ""))


def enrolment_in(request: HttpRequest, study: Study) -> Enrolment | None:
    """The enrolment that the browser's cookie stands for, or None."""
    token = token_in(request, study)
    if not token:
        return None
    return (
        Enrolment.objects.select_related("study", "participant")
        .filter(study=study, keys__token_hash=token_hash(token))
        .exclude(state=Enrolment.State.WITHDRAWN)
        .first()
    )


def enrolment_required(request: HttpRequest, slug: str) -> Enrolment:
    """The browser's enrolment in the study of that address; `NotEnrolled` otherwise, whatever the reason.

    A study that does not exist is answered like one that the browser has no place in.
    """
    study = Study.objects.filter(slug=slug).first()
    enrolment = enrolment_in(request, study) if study else None
    if enrolment is None:
        raise NotEnrolled
    return enrolment


def remember(response: HttpResponseBase, study: Study, token: str) -> None:
    """Let this browser come back without its personal address."""
    response.set_cookie(
        cookie_name(study),
        token,
        max_age=COOKIE_DAYS * 86400,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def forget(response: HttpResponseBase, study: Study) -> None:
    """This browser no longer opens anything of that study."""
    response.delete_cookie(cookie_name(study), samesite="Lax")


def opens_one_of(request: HttpRequest, studies: Iterable[Study]) -> bool:
    """Whether the browser has a key to a visit, in whatever state, to one of these studies."""
    hashes = {study.pk: token_hash(token) for study in studies if (token := token_in(request, study))}
    held = EnrolmentKey.objects.filter(token_hash__in=hashes.values())
    return any(
        hashes[study] == hashed
        for study, hashed in held.values_list("enrolment__study", "token_hash")
        if study in hashes
    )


def _arrival_cookie(study: Study) -> str:
    return f"touchstone_arrival_{study.pk}"


def _arrival_signer(study: Study) -> signing.TimestampSigner:
    return signing.TimestampSigner(salt=f"touchstone.arrival.{study.pk}")


def arrival_remember(response: HttpResponseBase, study: Study, ids: ProlificIds) -> None:
    """Keep the ids of a study link signed in a cookie, so that they can go from the address."""
    response.set_cookie(
        _arrival_cookie(study),
        _arrival_signer(study).sign_object(asdict(ids)),
        max_age=ARRIVAL_SECONDS,
        path=reverse("studies:join", args=[study.slug]),
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def arrival_in(request: HttpRequest, study: Study) -> ProlificIds | None:
    """The ids with which this browser came to the study's link, or None when it did not, or too long ago."""
    signed = request.COOKIES.get(_arrival_cookie(study), "")
    try:
        return ProlificIds(**_arrival_signer(study).unsign_object(signed, max_age=ARRIVAL_SECONDS))
    except signing.BadSignature:
        return None


def arrival_forget(response: HttpResponseBase, study: Study) -> None:
    """The person has joined: from now on the visit's own cookie stands for them."""
    response.delete_cookie(
        _arrival_cookie(study), path=reverse("studies:join", args=[study.slug]), samesite="Lax"
    )


@dataclass(frozen=True, slots=True)
class MediaAddress:
    """Where a page finds one medium, for how long, and of what type."""

    url: str
    type: str
    expires_in_s: float


def media_addresses(assignment: Assignment) -> dict[str, MediaAddress]:
    """Addresses of an assignment's media by role, bound to this enrolment and expiring."""
    types = dict(
        MediaVersion.objects.filter(pk__in=[shown["id"] for shown in assignment.media.values()]).values_list(
            "pk", "content_type"
        )
    )
    return {
        role: MediaAddress(
            url=reverse("studies:media", args=[_media_signer.sign_object([assignment.pk, shown["id"]])]),
            type=types[shown["id"]],
            expires_in_s=float(settings.MEDIA_ADDRESS_SECONDS),
        )
        for role, shown in sorted(assignment.media.items())
    }


def media_required(request: HttpRequest, signed: str) -> MediaVersion | None:
    """The file behind a media address, or None when this browser may not have it now.

    Checked at each request: the signature and its age, that the browser's cookie is the enrolment's the
    address was made for, that the assignment still shows this file, and the block list.
    """
    try:
        assignment_id, version_id = _media_signer.unsign_object(
            signed, max_age=settings.MEDIA_ADDRESS_SECONDS
        )
    except signing.BadSignature:
        return None
    assignment = (
        Assignment.objects.select_related("enrolment__study")
        .filter(pk=assignment_id)
        .exclude(enrolment__state=Enrolment.State.WITHDRAWN)
        .first()
    )
    if assignment is None:
        return None
    enrolment = assignment.enrolment
    token = token_in(request, enrolment.study)
    if not token or not enrolment.keys.filter(token_hash=token_hash(token)).exists():
        return None
    version = MediaVersion.objects.select_related("clip").filter(pk=version_id).first()
    if version is None or assignment.media.get(version.role, {}).get("id") != version.pk:
        return None
    return None if blocked_clip_ids([version.clip.clip_id]) else version
