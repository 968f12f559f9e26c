"""The front door: settings, addresses, Celery and the server's entry points. No behaviour lives here."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
