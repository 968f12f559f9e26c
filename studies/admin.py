"""The manager's pages for studies: set one up, add clips, open it, copy its link, pause it, close it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
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
        return (*fixed, "kind", "seed") if obj else fixed

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

    def _set_state(self, request: HttpRequest, object_id: int, state: str, done: str) -> HttpResponse:
        study = Study.objects.get(pk=object_id)
        try:
            services.study_set_state(study=study, state=state, by=request.user)
            messages.success(request, done)
        except Refused as refusal:
            messages.error(request, refusal.message)
        return redirect("admin:studies_study_change", object_id)

    @action(description="Add all clips")
    def add_all_clips(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Put every clip of the catalogue that has moments into the study."""
        added = services.study_add_units(study=Study.objects.get(pk=object_id), by=request.user)
        messages.success(request, f"{added} clips added.")
        return redirect("admin:studies_study_change", object_id)

    @action(description="Open")
    def open_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Open or reopen."""
        return self._set_state(request, object_id, "open", "The study is open: hand out its link.")

    @action(description="Pause")
    def pause_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Nobody new; those inside finish."""
        return self._set_state(request, object_id, "paused", "Paused: nobody new, those inside finish.")

    @action(description="Halt")
    def halt_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Everyone stops after the current save."""
        return self._set_state(request, object_id, "halted", "Halted: everyone stops after the current save.")

    @action(description="Close")
    def close_study(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """No more work; can be reopened."""
        return self._set_state(request, object_id, "closed", "Closed. It can be opened again.")


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
    exclude = ("token_hash", "tab")

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
