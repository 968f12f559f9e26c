"""The manager's pages for studies: set one up, add clips, open it, copy its link, pause it, close it."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from studies import queries
from studies.errors import Refused
from studies.kinds import kinds_all
from studies.models import Assignment, Enrolment, Study, StudyLog, StudyUnit, TechnicalFault, Wave
from studies.services import study as services

FROZEN_FIELDS = ("instructions", "consent", "content_warning", "language", "parameters")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a manager can decide about a study: the state it leads to, and the words around it."""

    state: str
    verb: str
    question: str
    done: str


DECISIONS = {
    "open": Decision(
        "open",
        "Open the study",
        "Everybody with its link can take part. Texts and settings that shape answers are frozen.",
        "The study is open: hand out its link.",
    ),
    "pause": Decision(
        "paused",
        "Pause the study",
        "Nobody new can start. Those who are inside go on to their end. It can be opened again.",
        "Paused: nobody new, those inside finish.",
    ),
    "halt": Decision(
        "halted",
        "Halt the study",
        "Everybody stops after the answer they are giving; nothing is lost. It can be opened again.",
        "Halted: everyone stops after the current save.",
    ),
    "close": Decision(
        "closed",
        "Close the study",
        "The link takes nobody any more and the work ends. It can be opened again.",
        "Closed. It can be opened again.",
    ),
}
ADD_ALL = Decision(
    "",
    "Add all clips",
    "Every clip of the catalogue that has moments becomes part of the study's main wave.",
    "",
)


class StudyForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A study as a manager writes it; the kind is chosen among those installed."""

    kind = forms.ChoiceField(help_text="What people are asked to judge. Fixed once the study exists.")

    class Meta:
        model = Study
        fields = (
            "title",
            "slug",
            "kind",
            "consent",
            "instructions",
            "content_warning",
            "contact",
            "language",
            "raters_per_unit",
            "reservation_minutes",
            "technical_reports_limit",
            "parameters",
            "partial",
            "late",
            "seed",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = kinds_all()
        if "kind" in self.fields:
            self.fields["kind"].choices = [(k.name, k.title) for k in kinds]  # type: ignore[attr-defined]
        if "parameters" in self.fields:
            self.fields["parameters"].help_text = "JSON. " + " ".join(
                f"{k.title}: "
                + "; ".join(f"{p.name} ({p.default!r}): {p.meaning}" for p in k.parameters)
                + "."
                for k in kinds
            )

    def clean_parameters(self) -> dict[str, Any]:
        """Only parameters that the kind declares, with values it knows."""
        given = self.cleaned_data["parameters"] or {}
        name = self.instance.kind or self.cleaned_data.get("kind")
        kind = next((k for k in kinds_all() if k.name == name), None)
        if not isinstance(given, dict):
            raise forms.ValidationError("expected a JSON object, for instance {}")
        declared = {p.name: p for p in kind.parameters} if kind else {}
        for key, value in given.items():
            if key not in declared:
                raise forms.ValidationError(f"{key}: unknown; expected one of {', '.join(declared)}")
            parameter = declared[key]
            if parameter.choices and value not in parameter.choices:
                expected = ", ".join(map(repr, parameter.choices))
                raise forms.ValidationError(f"{key}: found {value!r}, expected one of {expected}")
            if not parameter.choices and type(value) is not type(parameter.default):
                expected = type(parameter.default).__name__
                raise forms.ValidationError(f"{key}: found {value!r}, expected {expected}")
        return given


class ReadOnlyInline(TabularInline):
    """A list for reading inside another page."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WaveInline(ReadOnlyInline):
    """The waves of a study; work is issued in them."""

    model = Wave
    fields = readonly_fields = ("number", "name", "pilot")


class LogInline(ReadOnlyInline):
    """What was decided about a study, and by whom."""

    model = StudyLog
    fields = readonly_fields = ("at", "what", "by")
    verbose_name_plural = "log"


@admin.register(Study)
class StudyAdmin(ModelAdmin):
    """Studies: one page from the first sentence to the closing."""

    form = StudyForm
    list_display = ("title", "kind", "show_state", "show_progress", "study_link")
    list_filter = ("state", "kind")
    search_fields = ("title", "slug")
    prepopulated_fields = {"slug": ("title",)}
    inlines = (WaveInline, LogInline)
    readonly_fields = ("state", "version", "study_link")
    actions_detail = ("add_all_clips", "open_study", "pause_study", "halt_study", "close_study")
    fieldsets = (
        (None, {"fields": ("title", "slug", "kind", "state", "version", "study_link")}),
        (
            "What people read",
            {"fields": ("consent", "instructions", "content_warning", "contact", "language")},
        ),
        (
            "Work",
            {"fields": ("raters_per_unit", "reservation_minutes", "technical_reports_limit", "parameters")},
        ),
        ("What counts", {"fields": ("partial", "late", "seed")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> tuple[str, ...]:
        fixed: tuple[str, ...] = tuple(self.readonly_fields)
        if obj is None:
            return fixed
        return (*fixed, "kind", "seed", "slug") if obj.version else (*fixed, "kind", "seed")

    def get_prepopulated_fields(self, request: HttpRequest, obj: Study | None = None) -> Any:
        return {} if obj else self.prepopulated_fields

    def has_delete_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        """A study people have worked in is never deleted; a draft may be."""
        return bool(obj and obj.version == 0) and super().has_delete_permission(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        done = Count("enrolments__assignments", filter=Q(enrolments__assignments__state="finished"))
        return super().get_queryset(request).annotate(done=done)

    @display(description="state", label={"open": "success", "paused": "warning", "halted": "danger"})
    def show_state(self, study: Study) -> str:
        """The state as a coloured label."""
        return study.state

    @display(description="clips finished")
    def show_progress(self, study: Study) -> str:
        """Finished against wanted."""
        wanted = study.units.filter(state=StudyUnit.State.ACTIVE).count() * study.raters_per_unit
        return f"{getattr(study, 'done', 0)} of {wanted}"

    @display(description="study link")
    def study_link(self, study: Study) -> str:
        """The link that annotators get."""
        if not study.pk:
            return "appears when the study is saved"
        address = reverse("studies:join", args=[study.slug])
        return format_html('<a href="{}">{}</a>', address, address)

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and set(form.changed_data) & set(FROZEN_FIELDS):
            before = obj.version
            after = services.study_refreeze(study=obj, by=request.user).version
            if after != before:
                messages.info(request, f"What shapes answers has changed: this is now version {after}.")

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[Any]:
        """Only what can be done in the state that the study is in."""
        study = Study.objects.get(pk=object_id)
        possible = {
            f"{name}_study" for name, d in DECISIONS.items() if services.state_reachable(study, d.state)
        }
        listed = super().get_actions_detail(request, object_id)
        return [one for one in listed if one.method.__name__ in possible | {"add_all_clips"}]

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Who may change studies may also open and close them."""
        return bool(self.has_change_permission(request))

    @action(description="Add all clips", permissions=["decide"])
    def add_all_clips(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Put every clip of the catalogue that has moments into the study."""
        return self._decide(request, object_id, ADD_ALL)

    @action(description="Open", permissions=["decide"])
    def open_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Open or reopen."""
        return self._decide(request, object_id, DECISIONS["open"])

    @action(description="Pause", permissions=["decide"])
    def pause_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Nobody new; those inside finish."""
        return self._decide(request, object_id, DECISIONS["pause"])

    @action(description="Halt", permissions=["decide"])
    def halt_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Everyone stops after the current save."""
        return self._decide(request, object_id, DECISIONS["halt"])

    @action(description="Close", permissions=["decide"])
    def close_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """No more work; can be reopened."""
        return self._decide(request, object_id, DECISIONS["close"])

    def _decide(self, request: HttpRequest, object_id: int, decision: Decision) -> HttpResponse:
        """Ask first, by a page that changes nothing; do it on its POST."""
        study = get_object_or_404(Study, pk=object_id)
        back = reverse("admin:studies_study_change", args=[study.pk])
        if request.method != "POST":
            context = self.admin_site.each_context(request) | {
                "title": f"{decision.verb}: {study.title}",
                "decision": decision,
                "back": back,
            }
            return TemplateResponse(request, "studies/decide.html", context)
        try:
            if decision.state:
                services.study_set_state(study=study, state=decision.state, by=request.user)
                messages.success(request, decision.done)
            else:
                added = services.study_add_units(study=study, by=request.user)
                messages.success(request, f"{added} clips added; the others were in the study already.")
        except Refused as refusal:
            messages.error(request, refusal.message)
        return redirect(back)


@admin.register(StudyUnit)
class StudyUnitAdmin(ModelAdmin):
    """The units of studies, above all those that wait for a decision after technical reports."""

    list_display = ("key", "study", "wave", "state", "finished", "reports")
    list_filter = ("state", "study")
    search_fields = ("key",)
    actions = ("return_to_queue", "withdraw")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[StudyUnit]:
        finished = Count("assignments", filter=Q(assignments__state=Assignment.State.FINISHED))
        skipped = Count("assignments", filter=Q(assignments__state=Assignment.State.SKIPPED))
        return super().get_queryset(request).annotate(finished_n=finished, reports_n=skipped)

    def finished(self, unit: StudyUnit) -> int:
        """How many have finished it."""
        return int(getattr(unit, "finished_n", 0))

    def reports(self, unit: StudyUnit) -> int:
        """How many have skipped it with a reason."""
        return int(getattr(unit, "reports_n", 0))

    @admin.action(description="Return to the queue")
    def return_to_queue(self, request: HttpRequest, units: QuerySet[StudyUnit]) -> None:
        """They are fine after all."""
        for unit in units.select_related("study"):
            services.unit_return_to_queue(unit=unit, by=request.user)
        messages.success(request, "Returned to the queue.")

    @admin.action(description="Withdraw from the study (answers stay stored, outside the figures)")
    def withdraw(self, request: HttpRequest, units: QuerySet[StudyUnit]) -> None:
        """Nobody is given them any more."""
        for unit in units.select_related("study"):
            services.unit_withdraw(unit=unit, by=request.user)
        messages.success(request, "Withdrawn; they can be returned to the queue.")


class ReadOnlyAdmin(ModelAdmin):
    """Rows to look at, never to edit: answers and people are changed by nobody here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    """Who takes part, by random id."""

    list_display = ("public_id", "study", "state", "pool", "units_done", "joined_at", "handed_in_at")
    list_filter = ("study", "state", "pool")
    search_fields = ("public_id",)
    exclude = ("tab",)

    def units_done(self, enrolment: Enrolment) -> int:
        """Units finished or skipped."""
        return queries.work_done(enrolment)


@admin.register(TechnicalFault)
class TechnicalFaultAdmin(ReadOnlyAdmin):
    """Media errors as browsers told them."""

    list_display = ("at", "unit", "role", "code", "browser")
    list_filter = ("code", "role", "browser")
    list_select_related = ("assignment__unit",)

    def unit(self, fault: TechnicalFault) -> str:
        """The unit that was being shown."""
        return fault.assignment.unit.key
