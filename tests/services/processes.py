"""Child processes with a log, a readiness wait and a stop that touches nobody else's processes."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class DidNotStart(RuntimeError):
    """A server ended or stayed silent; the message carries the end of its log."""


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process:
    """One child process in a session of its own, its output going to a log file.

    `ready` is asked every 50 ms until it returns true; `DidNotStart` after `timeout_s` seconds or when
    the process has ended. `options` go to `subprocess.Popen`.
    """

    def __init__(
        self,
        command: list[str],
        *,
        log: Path,
        ready: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
        timeout_s: float = 40.0,
        **options: Any,
    ) -> None:
        self.log_path = log
        with log.open("ab") as output:
            self.popen = subprocess.Popen(
                command,
                env=dict(os.environ if environment is None else environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **options,
            )
        try:
            self._wait(ready, timeout_s)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The process id of the child itself; its own children share its process group."""
        return self.popen.pid

    @property
    def log(self) -> str:
        """Everything the process has said so far."""
        return self.log_path.read_text(errors="replace")

    def _wait(self, ready: Callable[[], bool], timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while not ready():
            if self.popen.poll() is not None or time.monotonic() > until:
                state = (
                    f"ended with {self.popen.returncode}" if self.popen.returncode is not None else "silent"
                )
                raise DidNotStart(f"{self.popen.args!r}: {state}\n{self.log[-4000:]}")
            time.sleep(0.05)

    def stop(self, with_signal: int = signal.SIGTERM, patience_s: float = 10.0) -> None:
        """Ask the process to end; after `patience_s` seconds kill its group. Safe to call twice."""
        if self.popen.poll() is None:
            self.popen.send_signal(with_signal)
            with suppress(subprocess.TimeoutExpired):
                self.popen.wait(patience_s)
        self.kill()

    def kill(self) -> None:
        """End the process and the children it left behind at once, as a power cut would."""
        while True:
            self.popen.poll()  # a dead leader that nobody waited for would keep its group alive
            try:
                os.killpg(self.popen.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            time.sleep(0.01)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def accepts_connections(port: int) -> bool:
    """Whether something on the loopback interface listens on `port`."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool], timeout_s: float = 15.0) -> None:
    """Return as soon as `condition` holds, asked every 50 ms; `TimeoutError` after `timeout_s` seconds."""
    until = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {timeout_s} s")
        time.sleep(0.05)
