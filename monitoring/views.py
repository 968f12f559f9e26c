"""Read-only dashboards. Nothing here saves anything."""

from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from monitoring import queries
from monitoring.charts import bars
from studies.access import enrolment_in
from studies.models import Study

may_monitor = permission_required("studies.monitor_study", raise_exception=True)


@never_cache
@require_safe
@login_required
@may_monitor
def studies(request: HttpRequest) -> HttpResponse:
    """Every study that has been opened."""
    return render(request, "monitoring/studies.html", {"lines": queries.study_lines()})


@never_cache
@require_safe
@login_required
@may_monitor
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Coverage and distribution of one study; closed to its own annotators until the study closes."""
    study = get_object_or_404(Study, slug=slug, version__gt=0)
    if study.state != Study.State.CLOSED and enrolment_in(request, study):
        raise PermissionDenied("You take part in this study; its figures open to you when it closes.")
    seen = queries.study_overview(study)
    scores = {str(k): v for k, v in seen.figures.get("distribution", {}).items()}
    names = {"0": "0 Calm", "1": "1 Mild", "2": "2 Clear", "3": "3 Peak"}
    context = {
        "overview": seen,
        "study": study,
        "scores": bars([(names.get(key, key), n, f"i{key}") for key, n in scores.items()]),
        "by_ratings": bars(
            [(str(key), n, "now") for key, n in seen.figures.get("moments_by_ratings", {}).items()]
        ),
    }
    return render(request, "monitoring/overview.html", context)
