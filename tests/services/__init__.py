"""Real servers for tests and benchmarks: PostgreSQL, Redis, a Celery worker, the web server, Chromium.

A PostgreSQL or Redis found on its standard local port is used with a random database name or key
prefix only; otherwise one is started in a temporary folder on a free port. What is stopped is what was
started here, by its process id.
"""
