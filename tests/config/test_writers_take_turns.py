"""On SQLite the writers of one process take turns, so that one who waits never holds up the others."""

import gc
import threading
import time

import pytest
from django.db.utils import ConnectionHandler, OperationalError

from config.databases import databases

pytestmark = pytest.mark.django_db


@pytest.fixture
def connections(tmp_path):
    """Connections to a database of its own, one a thread, as the settings make them."""
    return ConnectionHandler(databases(url="", monitor_url="", var=tmp_path, pool=1))


def begin(connection):
    connection.ensure_connection()
    connection._start_transaction_under_autocommit()


def test_collecting_garbage_never_waits_for_somebody_who_waits_to_write(connections):
    mine = connections["default"]
    begin(mine)
    waiting = threading.Event()

    def wait_to_write():
        theirs = connections["default"]
        theirs.ensure_connection()
        cursor = theirs.connection.execute("SELECT 1 UNION SELECT 2")
        next(cursor)
        garbage = [cursor]  # as an exception leaves it behind, with its frames
        garbage.append(garbage)
        del cursor, garbage
        waiting.set()
        begin(theirs)
        theirs._rollback()
        theirs.close()

    gc.collect()
    gc.disable()
    try:
        other = threading.Thread(target=wait_to_write)
        other.start()
        assert waiting.wait(10)
        time.sleep(0.3)  # until it waits
        before = time.monotonic()
        gc.collect()
        took = time.monotonic() - before
    finally:
        gc.enable()
        mine._commit()
        other.join(30)
        mine.close()
    assert took < 5


@pytest.mark.parametrize("end", ["_commit", "_rollback", "close"])
def test_a_turn_ends_with_the_transaction_however_it_ends(connections, end):
    mine = connections["default"]
    begin(mine)
    done = []

    def write():
        theirs = connections["default"]
        begin(theirs)
        done.append(time.monotonic())
        theirs._commit()
        theirs.close()

    other = threading.Thread(target=write)
    other.start()
    time.sleep(0.2)
    assert not done
    getattr(mine, end)()
    other.join(10)
    assert done
    mine.close()


def test_a_transaction_that_cannot_begin_keeps_nobody_waiting(connections):
    mine = connections["default"]
    begin(mine)
    mine._rollback()
    begin(mine)
    with pytest.raises(OperationalError, match="within a transaction"):
        mine.cursor().execute("BEGIN IMMEDIATE")
    mine._rollback()
    begin(mine)
    mine.close()
