"""Personal invitations to a study: make them in bulk as a file, see which were used, take one back."""

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from studies.admin.desk import Desk, StudyPage, csv_file
from studies.models import Invitation, Study
from studies.services.invitation import invitation_revoke, invitations_make

MOST = 5000
_PAGE = 100


class NumberForm(forms.Form):
    """How many invitations to make."""

    number = forms.IntegerField(
        label="How many",
        min_value=1,
        max_value=MOST,
        initial=20,
        widget=UnfoldAdminIntegerFieldWidget,
    )


def invitations(desk: Desk) -> HttpResponse:
    """The list. On POST so many more are made, and their links go out as a file, this once."""
    form = NumberForm(desk.request.POST if desk.asked else None)
    if desk.asked and form.is_valid():
        made = invitations_make(study=desk.study, number=form.cleaned_data["number"], by=desk.by)
        rows = [(invitation.number, _link(desk, token)) for invitation, token in made]
        name = f"{desk.study.slug}-invitations-{rows[0][0]}-to-{rows[-1][0]}.csv"
        return csv_file(name, [("number", "link"), *rows])
    listed = Paginator(
        desk.study.invitations.select_related("enrolment__participant").order_by("number"), _PAGE
    )
    return desk.render(
        "studies/manage/invitations.html",
        "Invitations",
        form=form,
        page=listed.get_page(desk.request.GET.get("p")),
        totals=desk.study.invitations.aggregate(
            made=Count("pk"),
            used=Count("pk", filter=Q(enrolment__isnull=False)),
            revoked=Count("pk", filter=Q(revoked_at__isnull=False)),
        ),
        draft=desk.study.state == Study.State.DRAFT,
    )


def _link(desk: Desk, token: str) -> str:
    return desk.request.build_absolute_uri(reverse("studies:invite", args=[token]))


def revoke(desk: Desk, number: int) -> HttpResponse:
    """Take an invitation back."""
    found = get_object_or_404(Invitation, study=desk.study, number=number)
    if desk.asked:
        invitation_revoke(invitation=found, by=desk.by)
        return desk.back("invitations", f"Invitation {number} is revoked.")
    used = (
        "Whoever has used it goes on in their browser, or by their return address. "
        if found.enrolment_id
        else "Nobody has used it yet. "
    )
    question = f"The link of invitation {number} works no more. {used}This cannot be undone."
    return desk.ask(f"Revoke invitation {number}", question, "Revoke", desk.address("invitations"))


PAGES = (
    StudyPage("invitations", "invitations/", invitations, tab="Invitations"),
    StudyPage("invitations_revoke", "invitations/<int:number>/revoke/", revoke),
)
