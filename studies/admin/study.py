"""The manager's form of a study, its list, and the way to everything else about it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from unfold.admin import ModelAdmin
from unfold.decorators import display

from studies.admin import codes, invitations, items, pay, prolific, waves
from studies.admin.base import ReadOnlyInline
from studies.admin.decisions import DecisionActions
from studies.admin.desk import StudyPage, page_urls, tabs
from studies.admin.form import FIELDSETS, FIXED_ONCE_MADE, FIXED_ONCE_OPEN, FROZEN_FIELDS, StudyForm
from studies.errors import Refused
from studies.models import Study, StudyLog, StudyUnit
from studies.services import study as services

PAGES: Sequence[StudyPage] = (
    *codes.PAGES,
    *waves.PAGES,
    *items.PAGES,
    *invitations.PAGES,
    *prolific.PAGES,
    *pay.PAGES,
)


class LogInline(ReadOnlyInline):
    """What was decided about a study, and by whom."""

    model = StudyLog
    fields = readonly_fields = ("at", "what", "by")
    verbose_name_plural = "log"
    hide_title = True


@admin.register(Study)
class StudyAdmin(DecisionActions, ModelAdmin):
    """Studies: one page from the first sentence to the closing."""

    form = StudyForm
    list_display = ("title", "kind", "show_state", "show_progress", "study_link")
    list_filter = ("state", "kind")
    search_fields = ("title", "slug")
    prepopulated_fields = {"slug": ("title",)}
    inlines = (LogInline,)
    readonly_fields = ("state", "version", "study_link")
    fieldsets = FIELDSETS
    change_form_outer_before_template = "studies/manage/bar.html"

    def get_urls(self) -> list[URLPattern]:
        return page_urls(self, PAGES) + list(super().get_urls())

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form, under the bar that leads to the study's other pages."""
        study = self.get_object(request, object_id)
        bar = {"tabs": tabs(request, study, PAGES, None)} if study else {}
        response: HttpResponse = super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **bar}
        )
        return response

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> tuple[str, ...]:
        fixed: tuple[str, ...] = tuple(self.readonly_fields)
        if obj is None:
            return fixed
        return (*fixed, *FIXED_ONCE_MADE, *(FIXED_ONCE_OPEN if obj.version else ()))

    def get_prepopulated_fields(self, request: HttpRequest, obj: Study | None = None) -> Any:
        return {} if obj else self.prepopulated_fields

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Boxes to tick, as the form has them; there are few studies."""
        return db_field.formfield(widget=StudyForm.Meta.widgets[db_field.name])

    def has_delete_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        """A study people have worked in is never deleted; a draft may be."""
        return bool(obj and obj.version == 0) and super().has_delete_permission(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        work = Q(enrolments__assignments__state="finished", enrolments__assignments__purpose="study")
        done = Count("enrolments__assignments", filter=work, distinct=True)
        return super().get_queryset(request).annotate(done=done)

    @display(description="state", label={"open": "success", "paused": "warning", "halted": "danger"})
    def show_state(self, study: Study) -> str:
        """The state as a coloured label."""
        return study.state

    @display(description="clips finished")
    def show_progress(self, study: Study) -> str:
        """Finished against wanted."""
        active = study.units.filter(state=StudyUnit.State.ACTIVE, purpose=StudyUnit.Purpose.STUDY)
        if study.mode == Study.Mode.PANEL:
            wanted = active.count() * study.raters_per_unit
        else:
            wanted = sum(
                own or study.raters_per_unit for own in active.values_list("wave__raters", flat=True)
            )
        return f"{getattr(study, 'done', 0)} of {wanted}"

    @display(description="study link")
    def study_link(self, study: Study) -> str:
        """The link that annotators get."""
        if not study.pk:
            return "appears when the study is saved"
        address = reverse("studies:join", args=[study.slug])
        return format_html('<a href="{}">{}</a>', address, address)

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Only what was changed is written; a target is raised by the service, which makes the places."""
        if not change:
            super().save_model(request, obj, form, change)
            return
        changed = set(form.changed_data)
        columns = {field.name for field in obj._meta.concrete_fields}
        obj.save(update_fields=sorted(changed & columns - {"raters_per_unit"}))
        if "raters_per_unit" in changed:
            self._raise(request, obj, form.cleaned_data["raters_per_unit"])
        if changed & set(FROZEN_FIELDS):
            before = obj.version
            after = services.study_refreeze(study=obj, by=request.user).version
            if after != before:
                messages.info(request, f"What shapes answers has changed: this is now version {after}.")

    def _raise(self, request: HttpRequest, study: Study, raters: int) -> None:
        try:
            made = services.study_raise(study=study, raters=raters, by=request.user)
        except Refused as refusal:  # somebody else has just raised it further
            messages.error(request, f"Raters were not changed. {refusal.message}")
            return
        if study.version:
            messages.info(request, f"{made} places were added.")
