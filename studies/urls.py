"""Addresses of annotators: joining, working, returning, leaving."""

from django.urls import URLPattern

app_name = "studies"
urlpatterns: list[URLPattern] = []
