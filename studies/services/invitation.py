"""Personal invitations: each makes one visit of one person, and keeps leading to it on any device."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from studies.errors import Refused
from studies.models import Invitation, Study, StudyLog
from studies.services.arrival import Browser, Next, entry, opened
from studies.services.enrolment import enrolment_join
from studies.tokens import token_hash, token_new

User = Any  # whoever Django's user model is


@transaction.atomic
def invitations_make(*, study: Study, number: int, by: User = None) -> list[tuple[Invitation, str]]:
    """Make so many invitations, each with its token, which is stored nowhere and can only be read now."""
    if number < 1:
        raise Refused("number", f"Found {number}, expected 1 invitation or more.")
    study = Study.objects.select_for_update().get(pk=study.pk)
    last = study.invitations.aggregate(last=Max("number"))["last"] or 0
    tokens = [token_new() for _ in range(number)]
    made = Invitation.objects.bulk_create(
        Invitation(study=study, number=last + count, token_hash=token_hash(token))
        for count, token in enumerate(tokens, 1)
    )
    StudyLog.objects.create(study=study, what=f"invitations {last + 1} to {last + number} made", by=by)
    return list(zip(made, tokens, strict=True))


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, by: User = None) -> Invitation:
    """The link works no more. Who has joined by it goes on in their browser or by their return address."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        StudyLog.objects.create(study=invitation.study, what=f"invitation {invitation.number} revoked", by=by)
    return invitation


@transaction.atomic
def invitation_arrive(*, invitation: Invitation, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody opens their invitation: the visit it has made, which this browser may then open, if any."""
    return opened(_coming(invitation, browser, now or timezone.now()), browser)


@transaction.atomic
def invitation_agree(*, invitation: Invitation, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody agrees who was invited: the invitation's one visit begins."""
    invitation = Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
    coming = _coming(invitation, browser, now or timezone.now())
    if coming.enrolment is None and coming.path is None:
        invitation.enrolment, token = enrolment_join(study=invitation.study, now=now)
        invitation.save(update_fields=["enrolment"])
        return Next(enrolment=invitation.enrolment, token=token)
    return opened(coming, browser)


def _coming(invitation: Invitation, browser: Browser, now: datetime) -> Next:
    if invitation.revoked_at is not None:
        raise Refused(
            "revoked",
            "This invitation has been taken back",
            text="If you think that this is a mistake, write to the researcher who invited you.",
        )
    if invitation.enrolment is not None:
        return Next(enrolment=invitation.enrolment)
    return entry(invitation.study, browser, None, now)
