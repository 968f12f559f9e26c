"""`make demo`: build the demo study, start web server and worker, print the links, stop them on Ctrl-C."""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import FrameType

from scripts.processes import web_command, worker_command

ROOT = Path(__file__).resolve().parent.parent
WAIT_S = 60


def main() -> int:
    """Run until interrupted. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--clips", help="folder of NAME.reaction.mp4 / NAME.stimulus.mp4 pairs of your own")
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
    options = parser.parse_args()
    port = _free_port(options.port)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    _manage("migrate", "--verbosity", "0")
    _manage("check", "--database", "default")
    _manage("collectstatic", "--noinput", "--verbosity", "0")
    _manage("build_demo", *(["--clips", options.clips] if options.clips else []))
    accounts = _accounts()
    schedule = str(_var() / "beat-schedule")
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        for command, log in [
            (web_command(port), (_var() / "web.log").open("ab")),
            (worker_command(schedule=schedule), (_var() / "worker.log").open("ab")),
        ]
    ]
    try:
        signal.signal(signal.SIGTERM, _interrupted)
        _await_answer(f"http://localhost:{port}/join/demo/", processes[0])
        print(_links(port, accounts), flush=True)
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        print(f"A process has ended; see the logs in {_var()}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=20)


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _var() -> Path:
    return ROOT / os.environ.get("TOUCHSTONE_VAR", "var")


def _manage(*words: str) -> None:
    done = subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def _free_port(wanted: int) -> int:
    """The wanted port, or the next one that is free."""
    for port in range(wanted, wanted + 50):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    raise SystemExit(f"No free port between {wanted} and {wanted + 49}; choose one with PORT=…")


def _accounts() -> dict[str, str]:
    """The demo's manager and monitor with their passwords, made at the first start."""
    import django

    django.setup()
    from django.contrib.auth.models import Permission, User

    kept = _var() / "demo" / "accounts.json"
    accounts: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    for name in ("manager", "monitor"):
        if name in accounts and User.objects.filter(username=name).exists():
            continue
        accounts[name] = secrets.token_urlsafe(9)
        user, _ = User.objects.get_or_create(username=name)
        user.is_staff = user.is_superuser = name == "manager"
        user.set_password(accounts[name])
        user.save()
        user.user_permissions.set(Permission.objects.filter(codename="monitor_study"))
    kept.touch(mode=0o600)
    kept.write_text(json.dumps(accounts))
    return accounts


def _await_answer(url: str, web: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and web.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - our own address
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"The web server did not answer at {url}; see {_var() / 'web.log'}.")


def _links(port: int, accounts: dict[str, str]) -> str:
    base = f"http://localhost:{port}"
    python = Path(sys.executable).relative_to(ROOT) if Path(sys.executable).is_relative_to(ROOT) else "python"
    predictions = _var() / "demo" / "predictions" / "attentive.jsonl"
    shown = predictions.relative_to(ROOT) if predictions.is_relative_to(ROOT) else predictions
    return f"""
  annotator  {base}/join/demo/
  monitor    {base}/monitor/      monitor / {accounts["monitor"]}
  admin      {base}/admin/        manager / {accounts["manager"]}

Freeze a gold set and score a model on it:
  {python} manage.py freeze ip demo --name demo --size 6 --out .
  {python} -m evaluator ip demo-v1.zip --joint {shown}

Ctrl-C stops the demo."""


if __name__ == "__main__":
    sys.exit(main())
