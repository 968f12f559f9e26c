"""Addresses of the read-only dashboards."""

from django.urls import URLPattern

app_name = "monitoring"
urlpatterns: list[URLPattern] = []
