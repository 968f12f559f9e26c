"""Freezing gold sets and writing answers out."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """The exports app."""

    name = "exports"
