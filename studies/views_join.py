"""Coming to a study: from Prolific, by the shared link, by an invitation; and agreeing or not."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studies import access, queries
from studies.arrival import STUDY_URL_QUERY, BadLink, ProlificIds, comes_from_prolific
from studies.endings import ending_at_once, ending_of
from studies.errors import Refused
from studies.models import Enrolment, Path, Study
from studies.pages import end_page, message, page
from studies.services import arrival
from studies.services import invitation as invitations
from studies.services.arrival import Browser, Next
from studies.text import markdown_html

PROLIFIC = "prolific"
TOO_LONG = (
    "The consent page was open for too long",
    "Please open the study from Prolific again. Nothing of yours is lost.",
)
PERSONAL = (
    "This study is open to people with a personal link",
    "If you were invited, open the link that you were sent. If you take part through Prolific, open the "
    "study there; this browser has to allow cookies of this site.",
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way into a study: what happens when somebody comes, agrees, declines. `source` is for the form."""

    came: Callable[[], Next]
    agree: Callable[[], Next]
    decline: Callable[[], Next]
    source: str = ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The study link. Only agreeing, or saying that one does not, stores anybody."""
    study = get_object_or_404(Study, slug=slug)
    if request.method != "POST" and comes_from_prolific(dict(request.GET.lists())):
        return _prolific_link(request, study)
    browser = _browser(request, study)
    ids = access.arrival_in(request, study)
    if ids is not None:
        return _walk(request, study, _from_prolific(study, ids, browser))
    if request.POST.get("source") == PROLIFIC:
        return message(request, *TOO_LONG, study=study, status=403)
    if browser.enrolment is None and not study.shared_link:
        return message(request, *PERSONAL, study=study, status=403)
    return _walk(request, study, _by_shared_link(study, browser))


def _prolific_link(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The link as Prolific opens it. The ids go into a cookie, so that no address, history or log has any."""
    try:
        ids = arrival.ids_of_link(study, dict(request.GET.lists()))
    except BadLink as bad:
        study_url = f"{request.build_absolute_uri(request.path)}?{STUDY_URL_QUERY}"
        return page(request, "studies/bad_link.html", study, status=400, bad=bad, study_url=study_url)
    except Refused as refusal:
        return _refused(request, study, refusal)
    response = redirect("studies:join", slug=study.slug)
    access.arrival_remember(response, study, ids)
    return response


def _from_prolific(study: Study, ids: ProlificIds, browser: Browser) -> Way:
    return Way(
        came=lambda: arrival.prolific_arrive(study=study, ids=ids, browser=browser),
        agree=lambda: arrival.prolific_agree(study=study, ids=ids, browser=browser),
        decline=lambda: arrival.prolific_decline(study=study, ids=ids, browser=browser),
        source=PROLIFIC,
    )


def _by_shared_link(study: Study, browser: Browser) -> Way:
    return Way(
        came=lambda: arrival.shared_arrive(study=study, browser=browser),
        agree=lambda: arrival.shared_agree(study=study, browser=browser),
        decline=lambda: Next(path=Path.NO_CONSENT),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, token: str) -> HttpResponseBase:
    """A personal invitation: asks for consent once, and leads to the same visit ever after."""
    invited = queries.invitation_of(token)
    if invited is None:
        return message(
            request,
            "This invitation is not known",
            "Check that the address was copied whole. If it still does not work, write to the researcher who "
            "invited you.",
            status=404,
        )
    browser = _browser(request, invited.study)
    way = Way(
        came=lambda: invitations.invitation_arrive(invitation=invited, browser=browser),
        agree=lambda: invitations.invitation_agree(invitation=invited, browser=browser),
        decline=lambda: Next(path=Path.NO_CONSENT),
    )
    return _walk(request, invited.study, way)


# --- the same for all ways ----------------------------------------------------------------------------


def _browser(request: HttpRequest, study: Study) -> Browser:
    return Browser(
        enrolment=access.enrolment_in(request, study),
        kept_out=access.opens_one_of(request, study.keeps_out.all()),
    )


def _walk(request: HttpRequest, study: Study, way: Way) -> HttpResponseBase:
    """Come, read, answer, and be led on. An answer counts only for the text that was read."""
    answer = request.POST.get("answer", "")
    changed = answer == "agree" and not _read_as_it_is(request, study)
    act = {"decline": way.decline, "agree": way.came if changed else way.agree}.get(answer, way.came)
    try:
        coming = act()
    except Refused as refusal:
        return _refused(request, study, refusal)
    if coming.enrolment is not None:
        return _go_on(request, coming.enrolment, coming.token, new=act == way.agree)
    if coming.path is not None:
        prolific = way.source == PROLIFIC
        ending = ending_at_once(study, coming.path, prolific=prolific, words=coming.words)
        return end_page(request, study, ending)
    return page(
        request,
        "studies/join.html",
        study,
        consent_html=markdown_html(queries.consent_text(study, study.version)),
        source=way.source,
        changed=changed,
    )


def _read_as_it_is(request: HttpRequest, study: Study) -> bool:
    """Whether the text that was shown with the form is the one that people agree to now."""
    shown = request.POST.get("version", "")
    if not shown.isdecimal() or int(shown) == study.version:
        return True
    return queries.consent_text(study, int(shown)) == queries.consent_text(study, study.version)


def _go_on(request: HttpRequest, enrolment: Enrolment, token: str, *, new: bool) -> HttpResponseBase:
    study = enrolment.study
    if enrolment.state == Enrolment.State.WITHDRAWN:
        return end_page(request, study, ending_of(enrolment))
    response = redirect("studies:welcome" if new and token else "studies:work", slug=study.slug)
    if token:
        access.remember(response, study, token)
    access.arrival_forget(response, study)
    return response


def _refused(request: HttpRequest, study: Study, refusal: Refused) -> HttpResponse:
    status = 200 if refusal.code == "not_open" else 403
    return message(request, refusal.message, refusal.facts.get("text", ""), study=study, status=status)
