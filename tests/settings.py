"""The platform's settings as tests see them: a var folder of their own, and nothing of the caller's.

`TEST_DATABASE=postgresql` runs the same suite on PostgreSQL; else it is SQLite in a file, in WAL mode,
as in production.
"""

import atexit
import os
import re
import shutil
import tempfile
from pathlib import Path

from tests.services import postgres

ROOT = Path(__file__).resolve().parent.parent

# A developer's own installation may be described in the environment; tests must never reach it.
for name in re.findall(r'env\.\w+\(\s*"(\w+)"', (ROOT / "config" / "settings.py").read_text()):
    os.environ.pop(name, None)

_FOLDER = tempfile.mkdtemp(prefix="touchstone-test-")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
os.environ["TOUCHSTONE_VAR"] = _FOLDER
_KIND = os.environ.get("TEST_DATABASE", "sqlite")
if _KIND not in ("sqlite", "postgresql"):
    raise RuntimeError(f"TEST_DATABASE: found {_KIND!r}, expected sqlite or postgresql")
if _KIND == "postgresql":
    os.environ["DATABASE_URL"] = postgres.with_database(postgres.server(), postgres.random_database())

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STATIC_ROOT, STORAGES, VAR  # noqa: E402

os.environ.pop("DATABASE_URL", None)  # processes beside a test are told its database explicitly

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}
else:
    DATABASES["default"]["TEST"] = {"NAME": DATABASES["default"]["NAME"]}
STATIC_ROOT.mkdir(exist_ok=True)
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast, and worthless elsewhere
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
DURABILITY_CHECK = False
