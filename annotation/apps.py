"""Study kind: 0–3 intensity of every marked moment of a reaction clip."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """The annotation app: tells the catalogue which clips have been judged."""

    name = "annotation"

    def ready(self) -> None:
        from annotation import queries
        from catalogue import inuse

        inuse.register(queries.clips_with_answers)
