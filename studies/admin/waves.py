"""Waves and seats of a study: add work, give out what was held back, want more raters, let a seat go."""

import re
from typing import Any

from django import forms
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from studies.admin.desk import Desk, StudyPage
from studies.errors import Refused
from studies.models import Place, Study, Wave
from studies.seats import seats_of
from studies.services.study import study_raise, wave_issue
from studies.services.waves import seat_release, wave_add

ALL, PASTED = "all", "pasted"


class WaveForm(forms.Form):
    """A new wave: its name, what it holds, and how it is given out."""

    name = forms.CharField(
        max_length=100, widget=UnfoldAdminTextInputWidget, help_text="For instance main 2."
    )
    which = forms.ChoiceField(
        label="Clips or items",
        choices=[(ALL, "all that the study does not hold yet"), (PASTED, "these:")],
        initial=ALL,
        widget=UnfoldAdminRadioSelectWidget,
    )
    keys = forms.CharField(
        label="Ids",
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text="One id a line.",
    )
    raters = forms.IntegerField(
        min_value=1,
        max_value=30_000,
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="For each of its clips or items; empty: the study's number.",
    )
    pilot = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="A pilot wave stays out of figures and sets.",
    )
    issued = forms.BooleanField(
        label="Give it out at once",
        initial=True,
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="Off: it is held back until you issue it.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if study.mode == Study.Mode.PANEL:
            del self.fields["raters"]

    def clean(self) -> dict[str, Any]:
        """Pasted ids are there when they are to be used."""
        data = super().clean() or self.cleaned_data
        data["keys"] = [key for line in re.split(r"[\r\n]+", data.get("keys", "")) if (key := line.strip())]
        if data.get("which") == PASTED and not data["keys"]:
            self.add_error("keys", "found nothing, expected at least one id")
        return data


class RaiseForm(forms.Form):
    """How many raters are wanted from now on."""

    raters = forms.IntegerField(min_value=1, max_value=30_000, widget=UnfoldAdminIntegerFieldWidget)


def waves(desk: Desk) -> HttpResponse:
    """The waves and, in a panel, the seats; the form for one more wave."""
    may = desk.request.user.has_perm("studies.change_study")
    asked = desk.asked and may
    form = WaveForm(desk.study, desk.request.POST if asked else None)
    if asked and form.is_valid():
        data = form.cleaned_data
        try:
            added = wave_add(
                study=desk.study,
                name=data["name"],
                keys=data["keys"] if data["which"] == PASTED else None,
                raters=data.get("raters"),
                pilot=data["pilot"],
                issued=data["issued"],
                by=desk.by,
            )
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            return desk.back("waves", _added(added, data))
    study_units = Q(units__purpose="study")
    return desk.render(
        "studies/manage/waves.html",
        "Waves",
        form=form,
        waves=desk.study.waves.annotate(
            clips=Count("units", filter=study_units),
            withdrawn=Count("units", filter=study_units & Q(units__state="withdrawn")),
        ).order_by("number"),
        panel=desk.study.mode == Study.Mode.PANEL,
        seats=seats_of(desk.study),
    )


def _added(added: int, data: dict[str, Any]) -> str:
    there = len(dict.fromkeys(data["keys"])) - added if data["which"] == PASTED else 0
    rest = f" {there} were in the study already and stay where they are." if there else ""
    held = "" if data["issued"] else " It is held back until you issue it."
    return f"Wave {data['name']} added with {added} clips or items.{rest}{held}"


def issue(desk: Desk, wave: int) -> HttpResponse:
    """Give out a wave that was held back."""
    held = get_object_or_404(Wave, pk=wave, study=desk.study)
    if desk.asked:
        wave_issue(wave=held, by=desk.by)
        return desk.back("waves", f"Wave {held.name} is given out.")
    question = (
        f"The {held.units.count()} clips or items of wave {held.name} are given out from now on. "
        "A wave cannot be held back again."
    )
    return desk.ask(f"Issue wave {held.name}", question, "Issue the wave", desk.address("waves"))


def raise_raters(desk: Desk, wave: int | None = None) -> HttpResponse:
    """Want more raters for each clip or item of the study, or of one wave; in a panel, more seats."""
    one = None if wave is None else get_object_or_404(Wave, pk=wave, study=desk.study)
    before = (one and one.raters) or desk.study.raters_per_unit
    form = RaiseForm(desk.request.POST if desk.asked else None, initial={"raters": before})
    panel = desk.study.mode == Study.Mode.PANEL
    what = "Seats" if panel else "Raters for each clip or item"
    form.fields["raters"].label = what
    if desk.asked and form.is_valid():
        raters = form.cleaned_data["raters"]
        try:
            made = study_raise(study=desk.study, wave=one, raters=raters, by=desk.by)
        except Refused as refusal:
            form.add_error("raters", refusal.message)
        else:
            return desk.back("waves", f"{what}: {raters} from now on. {made} places were added.")
    where = f"Wave {one.name} wants" if one else "The study wants"
    question = f"{where} {before} now. Once the study has been open, the number is only ever raised."
    title = (
        f"Raise the raters of wave {one.name}" if one else "Raise the seats" if panel else "Raise the raters"
    )
    return desk.ask(title, question, "Raise", desk.address("waves"), form=form)


def release(desk: Desk, seat: int) -> HttpResponse:
    """Let a seat of a panel go to a new person."""
    found = get_object_or_404(
        Place.objects.select_related("enrolment__participant"), study=desk.study, unit=None, n=seat
    )
    if desk.asked:
        if seat_release(seat=found, by=desk.by):
            return desk.back("waves", f"Seat {seat} is free; a new person starts it from zero.")
        return desk.back("waves", f"Seat {seat} was free already.")
    holder = found.enrolment.participant.public_id if found.enrolment else "nobody"
    question = (
        f"Seat {seat} is held by {holder}. Released, it goes to a new person, who starts from zero. What "
        f"{holder} has said stays stored, outside the panel, and they are paid as before. If they come back "
        "before the seat is taken, they get it again."
    )
    return desk.ask(f"Release seat {seat}", question, "Release the seat", desk.address("waves"))


PAGES = (
    StudyPage("waves", "waves/", waves, tab="Waves and seats", may="view"),
    StudyPage("waves_issue", "waves/<int:wave>/issue/", issue),
    StudyPage("waves_raise", "waves/raise/", raise_raters),
    StudyPage("waves_raise_one", "waves/<int:wave>/raise/", raise_raters),
    StudyPage("waves_release", "seats/<int:seat>/release/", release),
)
