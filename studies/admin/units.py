"""The units of studies, and what is decided about those that wait after technical reports."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from studies.models import Assignment, StudyUnit
from studies.services import study as services


@admin.register(StudyUnit)
class StudyUnitAdmin(ModelAdmin):
    """The units of studies, above all those that wait for a decision after technical reports."""

    list_display = ("key", "study", "purpose", "wave", "state", "finished", "reports")
    list_filter = ("state", "purpose", "study")
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
