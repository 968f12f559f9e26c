"""Links and codes of a study, ready to copy; what it still lacks; and who is kept out of it on Prolific."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextInputWidget

from studies.admin.desk import IDENTITIES, Desk, StudyPage, download
from studies.arrival import STUDY_URL_QUERY
from studies.endings import COMPLETE_URL
from studies.errors import Refused
from studies.models import Path, StudyLog
from studies.pay_queries import exclusion_ids
from studies.services.codes import codes_fill, codes_set
from studies.services.study import study_lacks

WHEN = {
    Path.COMPLETED: "did a whole portion, or all there was",
    Path.STOPPED_EARLY: "stopped by their own choice, or withdrew",
    Path.SCREENED_OUT: "were told that the study needs other people",
    Path.FAILED_TRAINING: "used up their tries of the practice",
    Path.NO_CONSENT: "did not agree",
    Path.DEVICE_FAILED: "had a screen, sound or video that does not do",
    Path.KEPT_OUT: "had taken part in a study that is kept apart",
    Path.STUDY_FULL: "came when every place was taken",
    Path.NOTHING_LEFT: "did less than a portion because no more was left",
    Path.HALTED: "were inside when the study was halted or closed",
}


class CodesForm(forms.Form):
    """The completion code of every path."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for path in Path:
            self.fields[path.value] = forms.CharField(
                label=path.label.capitalize(),
                required=False,
                max_length=64,
                widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "spellcheck": "false"}),
            )

    def clean(self) -> dict[str, Any]:
        """Prolific's codes are letters and digits; a space inside would never match."""
        data = super().clean() or self.cleaned_data
        for name, code in list(data.items()):  # an error takes its field out
            if code and not re.fullmatch(r"[A-Za-z0-9_-]+", code):
                self.add_error(name, f"found {code!r}, expected letters and digits without spaces")
        return data


@dataclass(frozen=True, slots=True)
class PathLine:
    """One path on the page: its words, its code, and where the code takes people."""

    path: Path
    when: str
    field: forms.BoundField
    code: str
    url: str


def links(desk: Desk) -> HttpResponse:
    """Everything that is copied into Prolific or handed out, and the form of the codes."""
    codes = dict(desk.study.codes.values_list("path", "code"))
    form = CodesForm(desk.request.POST if desk.asked else None, initial=codes)
    if desk.asked and form.is_valid():
        try:
            changed = codes_set(study=desk.study, codes=form.cleaned_data, by=desk.by)
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            return desk.back("links", f"{len(changed)} codes changed." if changed else "No code was changed.")
    join = desk.request.build_absolute_uri(reverse("studies:join", args=[desk.study.slug]))
    return desk.render(
        "studies/manage/links.html",
        "Links and codes",
        form=form,
        join=join,
        prolific_url=f"{join}?{STUDY_URL_QUERY}",
        lacks=study_lacks(desk.study),
        lines=[
            PathLine(p, WHEN[p], form[p.value], codes.get(p, ""), _code_url(codes.get(p, ""))) for p in Path
        ],
        alike=sorted(code for code, n in Counter(codes.values()).items() if n > 1),
        missing=len(Path.values) - len(codes),
        keeps_out=desk.study.keeps_out.order_by("slug"),
        may_see_ids=desk.request.user.has_perm(IDENTITIES),
    )


def _code_url(code: str) -> str:
    return COMPLETE_URL + quote(code, safe="") if code else ""


def fill(desk: Desk) -> HttpResponse:
    """Give every path without a code a random one."""
    filled = codes_fill(study=desk.study, by=desk.by)
    if not filled:
        messages.info(desk.request, "Every path has a code already.")
        return desk.back("links")
    return desk.back("links", f"{len(filled)} codes made. Set them up on Prolific as well.")


def exclusion(desk: Desk) -> HttpResponse:
    """The ids for Prolific's exclusion list, one a line; that they were taken is kept on record."""
    ids = exclusion_ids(desk.study)
    what = f"exclusion list exported: {len(ids)} Prolific ids"
    StudyLog.objects.create(study=desk.study, what=what, by=desk.by)
    data = "".join(f"{one}\r\n" for one in ids).encode()
    return download(f"{desk.study.slug}-exclusion.csv", data, "text/csv; charset=utf-8")


PAGES = (
    StudyPage("links", "links/", links, tab="Links and codes"),
    StudyPage("links_fill", "links/fill/", fill, writes=True),
    StudyPage("links_exclusion", "links/exclusion/", exclusion, may=IDENTITIES, writes=True),
)
