"""Django's SQLite backend, but the writers of one process wait for each other in Python, not inside SQLite.

A thread that waits inside SQLite keeps its connection's mutex. When the garbage collector of another thread
frees a cursor of that connection, CPython resets it with the interpreter's lock in its hand, and the whole
process stands still until the wait is over: also the writer that everybody waits for. A turn taken in Python
leaves one waiting thread a process, which waits for other processes only, and is fair besides.
"""

import threading
from collections import defaultdict

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that takes its turn before it begins a transaction that writes."""

    _has_turn = False

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode == "IMMEDIATE":  # type: ignore[attr-defined]
            self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except BaseException:
            self._give_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._give_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _take_turn(self) -> None:
        patience_s = self.settings_dict["OPTIONS"].get("timeout", 5)
        if not _turns[str(self.settings_dict["NAME"])].acquire(timeout=patience_s):
            raise OperationalError("database is locked")  # SQLite's own words for the same
        self._has_turn = True

    def _give_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            _turns[str(self.settings_dict["NAME"])].release()
