"""A manager's pages about one study beside its form: a bar leads to them, one door stands before them."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from studies.errors import Refused
from studies.models import Study

IDENTITIES = "studies.see_identities"
"""The permission to see and export participants' outside ids."""


@dataclass(frozen=True, slots=True)
class StudyPage:
    """A page below a study's own: its name, its path, what it does, and who may open it.

    `tab` is its word in the bar; pages without one belong to the page whose name begins theirs. `may` is
    `view` or `change` of studies, or a permission by its full name; what `writes` takes a POST only.
    """

    name: str
    path: str
    view: Callable[..., HttpResponseBase]
    tab: str = ""
    may: str = "change"
    writes: bool = False

    def allowed(self, request: HttpRequest) -> bool:
        """Whether this user may open it. Who sees ids must be allowed to see the study as well."""
        view = request.user.has_perms(["studies.view_study"]) or request.user.has_perm("studies.change_study")
        if "." in self.may:
            return view and request.user.has_perm(self.may)
        return view if self.may == "view" else request.user.has_perm("studies.change_study")


@dataclass(frozen=True, slots=True)
class Tab:
    """One entry of the bar."""

    title: str
    url: str
    here: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """One request of a manager about one study, and how to answer it."""

    request: HttpRequest
    study: Study
    page: StudyPage
    pages: Sequence[StudyPage]
    admin: "ModelAdmin[Study]"

    @property
    def asked(self) -> bool:
        """Whether something is to be done, by a POST."""
        return self.request.method == "POST"

    @property
    def by(self) -> Any:
        """Whoever asks."""
        return self.request.user

    def address(self, name: str, *more: Any) -> str:
        """Where a page of this study is."""
        return reverse(f"admin:studies_study_{name}", args=[self.study.pk, *more])

    def render(self, template: str, title: str, **context: Any) -> HttpResponse:
        """The page, in the admin's frame, under the bar."""
        frame = self.admin.admin_site.each_context(self.request) | {
            "title": f"{title}: {self.study.title}",
            "opts": self.study._meta,
            "original": self.study,
            "study": self.study,
            "tabs": tabs(self.request, self.study, self.pages, self.page),
            "may_change": self.request.user.has_perm("studies.change_study"),
        }
        return TemplateResponse(self.request, template, frame | context)

    def ask(self, title: str, question: str, verb: str, back: str, **context: Any) -> HttpResponse:
        """Ask first, by a page that changes nothing. A `form` in the context is filled in there."""
        asked = {"question": question, "verb": verb, "back": back}
        return self.render("studies/manage/ask.html", title, **asked, **context)

    def back(self, name: str, done: str = "", *more: Any) -> HttpResponse:
        """Say what was done and go to a page of this study."""
        if done:
            messages.success(self.request, done)
        return redirect(self.address(name, *more))

    def refuse(self, refusal: Refused) -> None:
        """Say why something was not done."""
        messages.error(self.request, refusal.message)


def tabs(request: HttpRequest, study: Study, pages: Sequence[StudyPage], here: StudyPage | None) -> list[Tab]:
    """The bar of a study's pages that this user may open; the study's own page first."""
    root = here.name.partition("_")[0] if here else ""
    shown = [page for page in pages if page.tab and page.allowed(request)]
    return [
        Tab("Settings", reverse("admin:studies_study_change", args=[study.pk]), not root),
        *(
            Tab(page.tab, reverse(f"admin:studies_study_{page.name}", args=[study.pk]), page.name == root)
            for page in shown
        ),
    ]


def page_urls(admin: "ModelAdmin[Study]", pages: Sequence[StudyPage]) -> list[URLPattern]:
    """The addresses of the pages, each behind the door of the admin and that of the page."""
    return [
        path(
            f"<int:pk>/{page.path}",
            admin.admin_site.admin_view(_door(admin, page, pages)),
            name=f"studies_study_{page.name}",
        )
        for page in pages
    ]


def _door(
    admin: "ModelAdmin[Study]", page: StudyPage, pages: Sequence[StudyPage]
) -> Callable[..., HttpResponseBase]:
    methods = ["POST"] if page.writes else ["GET", "HEAD", "POST"]

    def view(request: HttpRequest, pk: int, **more: Any) -> HttpResponseBase:
        if not page.allowed(request):
            raise PermissionDenied
        if request.method not in methods:
            return HttpResponseNotAllowed(methods)
        study = get_object_or_404(Study, pk=pk)
        return page.view(Desk(request, study, page, pages, admin), **more)

    return view


def csv_file(name: str, rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """Rows as a CSV file to download."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([_cell(cell) for cell in row] for row in rows)
    return download(name, text.getvalue().encode(), "text/csv; charset=utf-8")


def download(name: str, data: bytes, content_type: str) -> HttpResponse:
    """A file to download; the admin lets no cache keep it."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _cell(value: Any) -> str:
    """A value as a cell. Text that a spreadsheet would take for a formula is marked as text."""
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
