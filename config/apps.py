"""The front door as an app: it brings the system checks and no models."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The config app."""

    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401  # registers itself
