"""Channels, creators, clips, moments and stimulus windows; their import and the serving of media."""

from django.apps import AppConfig


class CatalogueConfig(AppConfig):
    """The catalogue app."""

    name = "catalogue"
