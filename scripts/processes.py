"""How the platform's processes are started: one place for the demo, the tests, the benchmarks and you.

The web server is granian: Python threads compute an answer and hand it over as bytes, and its own
event loop holds the sockets. A viewer who reads slowly, or not at all, keeps a buffer of at most one
media range and no thread. Answers streamed in many parts do hold a thread while the reader is slow
(static files, downloads), hence threads in plenty.
"""

import sys

WEB_PROCESSES = 2
WEB_THREADS = 64


def web_command(
    port: int, *, host: str = "127.0.0.1", processes: int = WEB_PROCESSES, threads: int = WEB_THREADS
) -> list[str]:
    """The command line of the web server, listening on `host`:`port`."""
    options = {"--host": host, "--port": port, "--workers": processes, "--blocking-threads": threads}
    flags = [part for name, value in options.items() for part in (name, str(value))]
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--http", "1", "--no-ws"]
    command += ["--workers-kill-timeout", "10"]
    return [*command, *flags, "config.wsgi:application"]


def worker_command(*, processes: int = 1, schedule: str | None = None) -> list[str]:
    """The command line of a Celery worker; `schedule` is the file of its built-in beat, if it has one."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--loglevel", "INFO"]
    command += ["--concurrency", str(processes), "--without-gossip", "--without-mingle"]
    return [*command, "--beat", "--schedule", schedule] if schedule else command
