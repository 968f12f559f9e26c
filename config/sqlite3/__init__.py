"""A database backend: Django's for SQLite, whose writers of one process take turns."""
