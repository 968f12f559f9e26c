"""The manager's pages for gold sets: freeze one, watch it being made, read what it holds, download it."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.core.files.storage import storages
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import action, display

from exports.admin_answers import StudyAnswersAdmin
from exports.datasheet import totals
from exports.forms import FreezeForm
from exports.models import FreezeJob, GoldSetVersion
from exports.request import FreezeRefused
from exports.services import freeze_job_start
from studies.admin import ReadOnlyAdmin
from studies.models import Study

__all__ = ["FreezeJobAdmin", "GoldSetVersionAdmin", "StudyAnswersAdmin"]


def _values(parameters: Mapping[str, Any]) -> SafeString:
    """Parameters, one a line, values as files have them."""
    return _lines([f"{name}: {json.dumps(value)}" for name, value in sorted(parameters.items())])


def _lines(sentences: list[str]) -> SafeString:
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ([line] for line in sentences)))


def _studies(studies: QuerySet[Study]) -> SafeString:
    links = (
        (reverse("admin:studies_study_change", args=[study.pk]), study.title)
        for study in studies.order_by("slug")
    )
    return format_html_join(", ", '<a href="{}">{}</a>', links)


@admin.register(GoldSetVersion)
class GoldSetVersionAdmin(ReadOnlyAdmin):
    """Frozen sets, to read and to download; nobody changes or deletes one here."""

    list_display = ("__str__", "set", "show_state", "items", "ratings", "raters", "line", "created_at", "by")
    list_filter = ("set", "line", "name")
    search_fields = ("name", "content_sha256")
    actions_list = ("freeze",)
    actions_detail = ("download",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "name",
                    "version",
                    "set",
                    "show_state",
                    "supersedes",
                    "show_studies",
                    "created_at",
                    "by",
                )
            },
        ),
        ("What it holds", {"fields": ("show_counts", "show_removed")}),
        ("How to get it again", {"fields": ("line", "seed", "show_parameters", "content_sha256")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[GoldSetVersion]:
        sets = super().get_queryset(request).select_related("supersedes", "created_by")
        return sets.prefetch_related("superseded_by")

    def has_freeze_permission(self, request: HttpRequest) -> bool:
        """Who may freeze: those who may add freeze jobs."""
        return bool(request.user.has_perm("exports.add_freezejob"))

    @display(description="state", label={"newest": "success"})
    def show_state(self, goldset: GoldSetVersion) -> str:
        """Whether a later version replaces this one."""
        later = next(iter(goldset.superseded_by.all()), None)
        return "newest" if later is None else f"superseded by v{later.version}"

    @display(description="items")
    def items(self, goldset: GoldSetVersion) -> int | None:
        """How many items it holds."""
        return goldset.counts.get("items")

    @display(description="ratings")
    def ratings(self, goldset: GoldSetVersion) -> int | None:
        """How many single answers it holds."""
        return goldset.counts.get("ratings")

    @display(description="raters")
    def raters(self, goldset: GoldSetVersion) -> int | None:
        """How many people gave them."""
        return goldset.counts.get("raters")

    @display(description="frozen by", ordering="created_by")
    def by(self, goldset: GoldSetVersion) -> str:
        """Who asked for it."""
        return str(goldset.created_by or "the command line")

    @display(description="studies")
    def show_studies(self, goldset: GoldSetVersion) -> SafeString:
        """The studies whose answers it holds."""
        return _studies(goldset.studies.all())

    @display(description="counts")
    def show_counts(self, goldset: GoldSetVersion) -> str:
        """The totals of the manifest."""
        return totals(goldset.counts)

    @display(description="what each rule removed")
    def show_removed(self, goldset: GoldSetVersion) -> SafeString:
        """One sentence a line."""
        return _lines(goldset.removed)

    @display(description="parameters")
    def show_parameters(self, goldset: GoldSetVersion) -> SafeString:
        """Everything besides answers and seed that shaped it."""
        return _values(goldset.parameters)

    @action(description="Freeze a gold set", url_path="freeze", icon="ac_unit", permissions=["freeze"])
    def freeze(self, request: HttpRequest) -> HttpResponse:
        """Ask for a freeze, and go and watch it."""
        assert request.user.is_authenticated
        form = FreezeForm(request.POST or None, initial={"studies": request.GET.getlist("study")})
        if request.method == "POST" and form.is_valid():
            try:
                job = freeze_job_start(**form.asked(), by=request.user)
            except FreezeRefused as refused:
                form.add_error(None, list(refused.sentences))
            else:
                return redirect("admin:exports_freezejob_change", job.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": "Freeze a gold set",
            "form": form,
            "opts": self.opts,
        }
        return render(request, "exports/freeze.html", context)

    @action(description="Download bundle", url_path="download", icon="download", permissions=["view"])
    def download(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """The zip as it was frozen, byte for byte."""
        goldset = self.get_object(request, object_id)
        if goldset is None:
            raise Http404
        try:
            bundle = storages["releases"].open(goldset.bundle)
        except FileNotFoundError:
            messages.error(
                request, f"The releases storage has no file {goldset.bundle}. Restore it from a backup."
            )
            return redirect("admin:exports_goldsetversion_change", goldset.pk)
        return FileResponse(
            bundle, as_attachment=True, filename=goldset.bundle_file, content_type="application/zip"
        )


@admin.register(FreezeJob)
class FreezeJobAdmin(ReadOnlyAdmin):
    """Freezes on their way and how they ended. The page of a running one keeps itself up to date."""

    list_display = ("name", "set", "show_state", "progress", "last_words", "created_at", "by")
    list_filter = ("state",)
    change_form_outer_before_template = "exports/job_progress.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "name",
                    "set",
                    "show_studies",
                    "line",
                    "seed",
                    "show_parameters",
                    "created_at",
                    "by",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[FreezeJob]:
        return super().get_queryset(request).select_related("result", "created_by")

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The job's page; it knows the form that asks for the same studies again."""
        job = self.get_object(request, object_id)
        slugs = [study.slug for study in job.studies.order_by("slug")] if job else []
        form = reverse("admin:exports_goldsetversion_freeze", query={"study": slugs})
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "again": form})

    @display(
        description="state",
        label={"waiting": "info", "running": "info", "done": "success", "failed": "danger"},
    )
    def show_state(self, job: FreezeJob) -> tuple[str, str]:
        """Where it stands."""
        return job.state, job.get_state_display()

    @display(description="sentence")
    def last_words(self, job: FreezeJob) -> str:
        """The first line of what it said last."""
        return job.sentence.partition("\n")[0]

    @display(description="asked for by", ordering="created_by")
    def by(self, job: FreezeJob) -> str:
        """Who asked for it."""
        return str(job.created_by or "")

    @display(description="studies")
    def show_studies(self, job: FreezeJob) -> SafeString:
        """The studies whose answers are frozen."""
        return _studies(job.studies.all())

    @display(description="parameters")
    def show_parameters(self, job: FreezeJob) -> SafeString:
        """As they were asked for."""
        return _values(job.parameters)
