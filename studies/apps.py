"""Studies and the people in them: joining, assignment, saving, completion, and the registry of kinds."""

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """The studies app: finds the kinds that the installed apps declare."""

    name = "studies"

    def ready(self) -> None:
        from studies import kinds

        kinds.kinds_discover()
