"""Several people at once, each in a thread with a database connection of their own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(acts: Sequence[Callable[[], T]], *, patience_s: float = 60) -> list[T]:
    """Start all acts at the same moment and return their results in order; the first error is raised."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            start.wait(patience_s)
            return act()
        finally:
            for connection in connections.all(initialized_only=True):
                connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(patience_s) for future in [pool.submit(run, act) for act in acts]]
