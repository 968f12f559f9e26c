"""Read-only dashboards."""

from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    """The monitoring app."""

    name = "monitoring"
