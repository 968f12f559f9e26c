"""The people of studies, by random id, and the media errors that their browsers met."""

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from studies import queries
from studies.admin.base import ReadOnlyAdmin
from studies.checks import CheckAnswer, check_answers, check_tally
from studies.models import Enrolment, TechnicalFault
from studies.repeats import repeat_agreement, repeat_pairs

_NONE = "none"


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    """Who takes part, by random id; one line a visit."""

    list_display = ("public_id", "study", "attempt", "state", "path", "pool", "units_done", "joined_at")
    list_filter = ("study", "state", "path", "pool")
    search_fields = ("public_id", "participant__public_id")
    exclude = ("tab",)
    fieldsets = (
        (None, {"fields": ("public_id", "participant", "study", "attempt", "state", "path", "pool")}),
        (
            "When",
            {
                "fields": (
                    "joined_at",
                    "device_passed_at",
                    "trained_at",
                    "handed_in_at",
                    "returned_at",
                    "erased_at",
                )
            },
        ),
        ("Work", {"fields": ("units_done", "consent_version", "device", "simulated")}),
        (
            "Attention checks and repeats",
            {
                "fields": ("show_checks", "show_repeats"),
                "description": "For you to look at: nothing follows from them by itself.",
            },
        ),
    )
    readonly_fields = ("units_done", "show_checks", "show_repeats")

    @display(description="clips or items done")
    def units_done(self, enrolment: Enrolment) -> int:
        """Units finished or skipped."""
        return queries.work_done(enrolment)

    @display(description="attention checks")
    def show_checks(self, enrolment: Enrolment) -> SafeString | str:
        """How many were passed, and each answer beside what was accepted."""
        tally = check_tally(enrolment)
        if not tally.given:
            return _NONE
        lines = format_html_join("", "<li>{}</li>", ([_check_line(a)] for a in check_answers(enrolment)))
        return format_html(
            "<p>{} of {} passed</p><ul class='list-disc pl-5'>{}</ul>", tally.passed, tally.given, lines
        )

    @display(description="repeats")
    def show_repeats(self, enrolment: Enrolment) -> str:
        """How far this person agrees with themselves in this visit."""
        pairs = [p for p in repeat_pairs([enrolment.study_id]) if p.enrolment == enrolment.public_id]
        if not pairs:
            return _NONE
        found = repeat_agreement(queries.kind_of(enrolment.study), pairs)
        kappa = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
        note = f" ({found.note})" if found.note else ""
        return f"{found.same} of {found.pairs} answers the same; weighted kappa {kappa}{note}"


def _check_line(answer: CheckAnswer) -> str:
    said = "not answered" if answer.given is None else f"answered {answer.given}"
    verdict = {True: "passed", False: "not passed", None: "not finished"}[answer.passed]
    return f"{answer.item}, {answer.question}: {said}; accepted {answer.accepted} — {verdict}"


@admin.register(TechnicalFault)
class TechnicalFaultAdmin(ReadOnlyAdmin):
    """Media errors as browsers told them."""

    list_display = ("at", "unit", "role", "code", "browser")
    list_filter = ("code", "role", "browser")
    list_select_related = ("assignment__unit",)

    def unit(self, fault: TechnicalFault) -> str:
        """The unit that was being shown."""
        return fault.assignment.unit.key
