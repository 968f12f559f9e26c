"""The house stands as drawn: imports run one way, and web processes stay light."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.services.platform import ROOT

# Loads every address, view, admin page and system check, then reports what that brought in.
WEB_PROCESS = """
import json, sys
import config.wsgi
from django.urls import get_resolver
def visit(resolver):
    for entry in resolver.url_patterns:
        visit(entry) if hasattr(entry, "url_patterns") else entry.callback
visit(get_resolver())
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_imports_keep_the_contracts():
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_web_processes_load_no_heavy_library():
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    run = subprocess.run(
        [sys.executable, "-c", WEB_PROCESS], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    loaded = set(json.loads(run.stdout.splitlines()[-1]))
    assert {"django", "studies", "catalogue", "monitoring", "exports"} <= loaded
    assert loaded.isdisjoint({"scipy", "pandas", "plotly", "av", "jwt", "cryptography"})
