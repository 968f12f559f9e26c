"""The manager's page for answers: download what a study holds, bring in what was collected elsewhere."""

import tempfile
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextInputWidget

from evaluator.formats import InputRefused
from exports.answers import ANSWER_FILES
from exports.models import StudyAnswers
from studies.admin import ReadOnlyAdmin
from studies.queries import kind_of

MOST_BYTES = 20 * 1024 * 1024
IN_MEMORY_BYTES = 8 * 1024 * 1024


class AnswersForm(forms.Form):
    """A file of answers and where it comes from."""

    file = forms.FileField(
        label="File",
        help_text='JSONL or CSV with moment_id, rater and score, for instance {"moment_id": "66324_c00", '
        '"rater": "r1", "score": 2}.',
        widget=UnfoldAdminFileFieldWidget,
    )
    name = forms.SlugField(
        label="Collected at",
        max_length=60,
        help_text="Its raters become the pool import:NAME; an id under one name is always one person.",
        widget=UnfoldAdminTextInputWidget,
    )

    def clean_file(self) -> Any:
        """Files larger than the page can take belong to the command."""
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(
                f"found {file.size:,} bytes, expected at most {MOST_BYTES:,}; use manage.py import_ratings"
            )
        return file


@admin.register(StudyAnswers)
class StudyAnswersAdmin(ReadOnlyAdmin):
    """Every study with its files of answers."""

    list_display = ("title", "kind", "state", "take_out", "bring_in")
    list_display_links = None
    search_fields = ("title", "slug")

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                "<int:pk>/<str:what>.jsonl",
                self.admin_site.admin_view(self.download),
                name="exports_answers_download",
            ),
            path("<int:pk>/import/", self.admin_site.admin_view(self.bring), name="exports_answers_import"),
        ]
        return own + list(super().get_urls())

    @display(description="take out")
    def take_out(self, study: StudyAnswers) -> SafeString:
        """Links to the files."""
        links = (
            (reverse("admin:exports_answers_download", args=[study.pk, what]), what) for what in ANSWER_FILES
        )
        return format_html_join(" · ", '<a href="{}" class="underline">{}</a>', links)

    @display(description="bring in")
    def bring_in(self, study: StudyAnswers) -> SafeString:
        """Link to the import."""
        address = reverse("admin:exports_answers_import", args=[study.pk])
        return format_html('<a href="{}" class="underline">import answers…</a>', address)

    def download(self, request: HttpRequest, pk: int, what: str) -> HttpResponseBase:
        """One file, whole before it is sent: an error half-way is an error and no shorter file."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        study = get_object_or_404(StudyAnswers, pk=pk)
        if what not in ANSWER_FILES:
            raise Http404
        file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 - the response closes it
        file.writelines(ANSWER_FILES[what](study))
        file.seek(0)
        name = f"{study.slug}-{what}.jsonl"
        return FileResponse(file, as_attachment=True, filename=name, content_type="application/x-ndjson")

    def bring(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The form; on POST the import, all or nothing, with every problem listed."""
        if not request.user.has_perm("studies.change_study"):
            raise PermissionDenied
        study = get_object_or_404(StudyAnswers, pk=pk)
        form = AnswersForm(request.POST or None, request.FILES or None)
        problems: list[str] = []
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data["file"]
            try:
                done = kind_of(study).answers_in(
                    study=study,
                    name=form.cleaned_data["name"],
                    file=given.name,
                    data=given.read(),
                    by=request.user,
                )
            except InputRefused as refused:
                problems = [problem.text for problem in refused.problems]
            else:
                messages.success(request, done.sentence)
                for warning in done.warnings[:20]:
                    messages.warning(request, warning)
                return redirect("admin:exports_studyanswers_changelist")
        context = self.admin_site.each_context(request) | {
            "title": f"Import answers: {study.title}",
            "form": form,
            "problems": problems[:200],
            "more": max(0, len(problems) - 200),
            "opts": self.opts,
        }
        return render(request, "exports/import_answers.html", context)
