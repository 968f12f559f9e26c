"""Prolific's submissions of a study: how they stand there and here, approving them, and a file for payment.

Nobody is ever rejected here, and nothing here touches answers: payment and exclusion are two decisions.
"""

from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextareaWidget

from studies.admin.desk import IDENTITIES, Desk, StudyPage, csv_file
from studies.errors import Invalid, Refused
from studies.models import Path, Payment, ProlificSubmission, ProlificSync, Study, StudyLog
from studies.prolific.answers import AWAITING_REVIEW
from studies.prolific.approve import (
    approvals_plan,
    approvals_wanted,
    overdue,
    payment_lines,
    payment_settle,
    under_way,
)
from studies.prolific.bonus import bonuses_plan
from studies.prolific.sync import ODDITIES
from studies.tasks import prolific_approve, prolific_bonus, prolific_sync


def submissions_page(desk: Desk) -> HttpResponse:
    """Every submission without its id, what waits for approval, and what the last look at Prolific found."""
    study = desk.study
    lines = payment_lines(study)
    waiting = set(approvals_wanted(study).values_list("pk", flat=True))
    unanswered = Payment.objects.filter(submission__study=study, state=Payment.State.SENT)
    sync = ProlificSync.objects.filter(study=study).first()
    return desk.render(
        "studies/manage/prolific.html",
        "Prolific",
        rows=[_row(line, line.submission in waiting) for line in lines],
        waiting=len(waiting),
        overdue=overdue(study, timezone.now()).count(),
        unanswered=unanswered.select_related("submission").order_by("pk"),
        bonuses_waiting=_bonuses_waiting(study).count(),
        sync=sync,
        oddities=[(ODDITIES[kind], found) for kind, found in sync.oddities.items() if kind in ODDITIES]
        if sync
        else [],
        connected=bool(settings.PROLIFIC_TOKEN),
        may_see_ids=desk.request.user.has_perm(IDENTITIES),
    )


def _row(line: Any, waiting: bool) -> dict[str, Any]:
    if not line.entered_code:
        code = ""
    elif line.code_fits:
        code = "as expected"
    else:
        code = "another one" if line.expected_code else "none expected yet"
    return {
        "line": line,
        "status": line.status.lower().replace("_", " ") or "not fetched yet",
        "path": Path(line.path).label if line.path else "at work",
        "code": code,
        "waiting": waiting,
    }


def sync_now(desk: Desk) -> HttpResponse:
    """Ask Prolific now instead of waiting for the next round."""
    prolific_sync.delay()
    return desk.back("prolific", "Asking Prolific. Load this page again in a moment.")


def approve_page(desk: Desk) -> HttpResponse:
    """Approve chosen submissions: the question first, then the ledger, then a worker sends them."""
    chosen = [int(key) for key in desk.request.POST.getlist("submission") if key.isdecimal()]
    submissions = ProlificSubmission.objects.filter(
        pk__in=chosen, study=desk.study, status=AWAITING_REVIEW
    ).order_by("pk")
    count = submissions.count()
    if not count:
        desk.refuse(Refused("nothing_chosen", "Choose submissions that wait for review first."))
        return desk.back("prolific")
    if "sure" not in desk.request.POST:
        return desk.render(
            "studies/manage/approve.html",
            "Approve",
            chosen=submissions.values_list("pk", flat=True),
            count=count,
            reward=desk.study.reward,
        )
    with transaction.atomic():
        planned = approvals_plan(submissions, by=desk.by)
        StudyLog.objects.create(study=desk.study, what=f"{len(planned)} submissions approved", by=desk.by)
        keys = [payment.pk for payment in planned]
        if keys:
            transaction.on_commit(partial(prolific_approve.delay, keys))
    already = count - len(planned)
    more = f" {already} had been asked for before." if already else ""
    return desk.back("prolific", f"{len(planned)} approvals are on their way to Prolific.{more}")


def settle(desk: Desk) -> HttpResponse:
    """A manager has looked on Prolific and says what became of a payment that had no answer."""
    key = desk.request.POST.get("payment", "")
    payment = Payment.objects.filter(
        pk=int(key) if key.isdecimal() else 0, submission__study=desk.study
    ).first()
    happened = desk.request.POST.get("happened")
    if payment is None or happened not in ("yes", "no"):
        desk.refuse(Refused("unknown", "Choose a payment of this study, and whether it happened."))
        return desk.back("prolific")
    if under_way(payment, timezone.now()):
        desk.refuse(Refused("under_way", "Its answer may still come. Look again in two minutes."))
        return desk.back("prolific")
    try:
        payment_settle(payment, happened == "yes", by=desk.by)
    except Refused as refusal:
        desk.refuse(refusal)
        return desk.back("prolific")
    return desk.back("prolific", "Kept on record.")


class BonusForm(forms.Form):
    """Bonuses as lines: submission id, amount, reason."""

    lines = forms.CharField(
        label="Bonuses",
        help_text="One a line: submission id, amount, reason. For instance: 65f…, 1.50, careful answers",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 8, "spellcheck": "false"}),
    )

    def clean_lines(self) -> list[tuple[str, str, str]]:
        """Each line as its three parts; the reason may hold commas."""
        rows = [line for line in self.cleaned_data["lines"].splitlines() if line.strip()]
        parts = [tuple(part.strip() for part in row.split(",", 2)) for row in rows]
        wrong = [str(number) for number, row in enumerate(parts, 1) if len(row) != 3]
        if wrong:
            raise forms.ValidationError(
                f"line {', '.join(wrong)}: expected submission id, amount, reason, with commas between"
            )
        return [(row[0], row[1], row[2]) for row in parts]


def bonus_page(desk: Desk) -> HttpResponse:
    """Pay bonuses: all lines or none go into the ledger, then a worker asks Prolific once."""
    if not desk.request.user.has_perm("studies.change_study"):
        raise PermissionDenied  # seeing ids is not enough to pay
    form = BonusForm(desk.request.POST if desk.asked else None)
    if desk.asked and form.is_valid():
        try:
            with transaction.atomic():
                planned = bonuses_plan(desk.study, form.cleaned_data["lines"], by=desk.by)
                what = f"{len(planned)} bonuses, {sum(p.amount or 0 for p in planned)} in all"
                StudyLog.objects.create(study=desk.study, what=what, by=desk.by)
                transaction.on_commit(partial(prolific_bonus.delay, [payment.pk for payment in planned]))
        except Invalid as error:
            for problem in error.facts["problems"]:
                text = f"{problem['field']}: found {problem['found']}, expected {problem['expected']}"
                form.add_error("lines", text)
        else:
            return desk.back("prolific", f"{len(planned)} bonuses are on their way to Prolific.")
    question = (
        "Each line is paid once, now, in the currency of the study on Prolific. This cannot be taken back."
    )
    return desk.ask("Bonuses", question, "Pay these bonuses", desk.address("prolific"), form=form)


def bonus_again(desk: Desk) -> HttpResponse:
    """Send bonuses that Prolific could not be asked for yet. What was asked for once is never sent again."""
    waiting = _bonuses_waiting(desk.study)
    prolific_bonus.delay(list(waiting.values_list("pk", flat=True)))
    return desk.back("prolific", "The waiting bonuses are on their way to Prolific.")


def _bonuses_waiting(study: Study) -> QuerySet[Payment, Payment]:
    """Bonuses in the ledger that Prolific was not asked for."""
    return Payment.objects.filter(
        submission__study=study, what=Payment.What.BONUS, state=Payment.State.PLANNED
    ).order_by("pk")


_HEADER = (
    *("submission_id", "status", "path", "expected_code", "entered_code", "code_fits"),
    *("approval", "bonus_paid", "bonus_open"),
)


def payment_file(desk: Desk) -> HttpResponse:
    """One line a submission, for payment, for those who may see ids; that it was taken is kept on record."""
    lines = payment_lines(desk.study)
    rows = [
        [
            *(line.session_id, line.status, line.path, line.expected_code, line.entered_code),
            *("yes" if line.code_fits else "no", line.approval, line.bonus, line.bonus_open),
        ]
        for line in lines
    ]
    what = f"payment list exported with submission ids: {len(rows)} submissions"
    StudyLog.objects.create(study=desk.study, what=what, by=desk.by)
    return csv_file(f"{desk.study.slug}-payment.csv", [_HEADER, *rows])


PAGES = (
    StudyPage("prolific", "prolific/", submissions_page, tab="Prolific", may="view"),
    StudyPage("prolific_sync", "prolific/sync/", sync_now, writes=True),
    StudyPage("prolific_approve", "prolific/approve/", approve_page, writes=True),
    StudyPage("prolific_settle", "prolific/settle/", settle, writes=True),
    StudyPage("prolific_bonus", "prolific/bonus/", bonus_page, may=IDENTITIES),
    StudyPage("prolific_bonus_again", "prolific/bonus/again/", bonus_again, writes=True),
    StudyPage("prolific_file", "prolific/payment-file/", payment_file, may=IDENTITIES, writes=True),
)
