"""Practice items and attention checks of a study: look at them, replace them, take them out as a file."""

from functools import partial
from typing import Any

from django import forms
from django.http import HttpResponse
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextareaWidget

from evaluator.formats import InputRefused
from studies.accepting import rule_words
from studies.admin.desk import Desk, StudyPage, download
from studies.items_in import items_lines, items_set
from studies.models import StudyUnit

MOST_BYTES = 5 * 1024 * 1024
_SHOWN = 200


class ItemsForm(forms.Form):
    """Items as a file or as text."""

    file = forms.FileField(required=False, widget=UnfoldAdminFileFieldWidget, help_text="JSONL, UTF-8.")
    text = forms.CharField(
        label="Or pasted",
        required=False,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 8, "spellcheck": "false", "class": "font-mono"}),
    )

    def clean_file(self) -> Any:
        """Items are few; a large file is another one."""
        file = self.cleaned_data["file"]
        if file and file.size > MOST_BYTES:
            raise forms.ValidationError(f"found {file.size:,} bytes, expected at most {MOST_BYTES:,}")
        return file

    def clean(self) -> dict[str, Any]:
        """One of the two."""
        data = super().clean() or self.cleaned_data
        if data.get("file") and data.get("text", "").strip():
            raise forms.ValidationError("Choose a file or paste text, not both.")
        return data

    def given(self) -> tuple[str, bytes]:
        """The name and the bytes of what was given."""
        file = self.cleaned_data.get("file")
        if file:
            return file.name, file.read()
        return "pasted text", self.cleaned_data["text"].encode("utf-8", "surrogatepass")


_WORDS = {
    "practice": (
        "Practice items",
        "Shown before the work, in this order, with feedback after each answer. The practice is passed when "
        "as many items as the study asks for were answered as accepted. Practice never enters the data.",
    ),
    "check": (
        "Attention checks",
        "Instructed items, mixed in among the work at places drawn for each person, and not marked as such. "
        "Results are for you to look at; nothing follows from them by itself.",
    ),
}


def items_page(desk: Desk, purpose: str) -> HttpResponse:
    """The items that are set; on POST they are replaced, all or nothing, with every fault listed."""
    title, words = _WORDS[purpose]
    form = ItemsForm(desk.request.POST or None, desk.request.FILES or None)
    problems: list[str] = []
    if desk.asked and form.is_valid():
        name, data = form.given()
        try:
            number = items_set(study=desk.study, purpose=purpose, file=name, data=data, by=desk.by)
        except InputRefused as refused:
            problems = [problem.text for problem in refused.problems]
        else:
            return desk.back(purpose, f"{number} items are set.")
    elif not desk.asked:
        present = b"".join(items_lines(desk.study, purpose)).decode()
        form = ItemsForm(initial={"text": present})
    units = desk.study.units.filter(purpose=purpose, state=StudyUnit.State.ACTIVE).order_by("order", "key")
    return desk.render(
        "studies/manage/items.html",
        title,
        form=form,
        words=words,
        purpose=purpose,
        units=[(unit, _rules(unit)) for unit in units],
        asked_for=desk.study.training_pass if purpose == "practice" else None,
        file_url=desk.address(f"{purpose}_file"),
        problems=problems[:_SHOWN],
        more=max(0, len(problems) - _SHOWN),
    )


def _rules(unit: StudyUnit) -> list[tuple[str, str]]:
    return [(question, rule_words(rule)) for question, rule in sorted(unit.accepts.items())]


def items_file(desk: Desk, purpose: str) -> HttpResponse:
    """The items as a file that can be brought in again."""
    data = b"".join(items_lines(desk.study, purpose))
    return download(f"{desk.study.slug}-{purpose}.jsonl", data, "application/x-ndjson")


PAGES = tuple(
    page
    for purpose, tab in (("practice", "Practice"), ("check", "Attention checks"))
    for page in (
        StudyPage(purpose, f"{purpose}/", partial(items_page, purpose=purpose), tab=tab),
        StudyPage(f"{purpose}_file", f"{purpose}/file/", partial(items_file, purpose=purpose)),
    )
)
