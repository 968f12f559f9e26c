"""Opening, pausing, halting and closing a study: each asks first."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action

from studies.errors import Refused
from studies.models import Study
from studies.services import study as services


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


class DecisionActions(ModelAdmin):
    """The buttons at the top of a study's form: only what can be done in the state that the study is in."""

    actions_detail = ("add_all_clips", "open_study", "pause_study", "halt_study", "close_study")

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[Any]:
        """Only what can be done in the state that the study is in."""
        study = Study.objects.filter(pk=object_id).first()
        if study is None:
            return []
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
                "question": decision.question,
                "verb": decision.verb,
                "back": back,
                "lacks": services.study_lacks(study) if decision.state == Study.State.OPEN else [],
            }
            return TemplateResponse(request, "studies/manage/ask.html", context)
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
