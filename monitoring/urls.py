"""Addresses of the read-only dashboards; every one is wrapped in `read_only`."""

from django.urls import path

from monitoring import views
from monitoring.readonly import read_only

app_name = "monitoring"
urlpatterns = [
    path("", read_only(views.studies), name="studies"),
    path("<slug:slug>/", read_only(views.overview), name="overview"),
]
