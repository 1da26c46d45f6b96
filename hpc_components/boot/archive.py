"""Builds the programs for nodes: the elastic daemon, `hpc-people`, `hpc-bill`, `hpc-software`, `hpc-health`,
`hpc-audit` and `hpc-metrics`, which are archives that Python can run; the programs that slurmctld runs; and systemd
units.

An archive keeps the names of packages (`hpc_components.elastic`), so that tracebacks on a node show the same paths as
in the repository. Its bytes must not depend on where and when it is built, so that the cluster's configuration
changes only when the daemon does. Therefore, nothing is compressed (zlib's output differs between versions), and
times, owners and modes are fixed.
"""

import io
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from hpc_components.elastic.drivers import clouds

_PACKAGE = "hpc_components"
_LEFT_OUT = ("__pycache__", "programs", "units")
_REHEARSAL = "local"
_MAIN = "from {package}.command import main\n\nraise SystemExit(main())\n"
DEFAULT_PYTHON = "/usr/bin/python3"
"""Interpreter of the nodes' programs, where the system's own is new enough."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can store


def archive(cloud: str, python: str = DEFAULT_PYTHON) -> bytes:
    """Return `hpc-elastic`: the package `hpc_components/elastic` as a single file for the head node's Python (3.10 or
    newer).

    Of the drivers, the archive contains only the one for `cloud`, by which a node recognizes its cloud, and the one
    for rehearsals. Raise ValueError if the cloud has no driver.
    """
    texts = _texts(files(_PACKAGE) / "elastic", f"{_PACKAGE}/elastic")
    drivers = f"{_PACKAGE}/elastic/drivers"
    every = tuple(f"{drivers}/{each}/" for each in clouds())
    texts = {path: text for path, text in texts.items() if not path.startswith(every)}
    for driver in (cloud, _REHEARSAL):
        texts |= _texts(_driver(driver), f"{drivers}/{driver}")
    return _packed(texts, f"{_PACKAGE}.elastic", python)


Room = Literal["audit", "bill", "health", "people", "software", "watch"]
"""A room whose `node/` is a program for nodes."""

_SHARED: Mapping[Room, tuple[str, ...]] = {
    "bill": ("textfile.py",),
    "health": ("xid_lines.py",),
    "watch": ("textfile.py", "xid_lines.py"),
}
"""Modules that a room's program carries besides its own package, because several programs use them."""


def node_archive(room: Room, python: str = DEFAULT_PYTHON) -> bytes:
    """Return a room's program: its package `node` as a single file for a node's Python (3.10 or newer)."""
    texts = _texts(files(_PACKAGE) / room / "node", f"{_PACKAGE}/{room}/node")
    shared = {f"{_PACKAGE}/{name}": _text(files(_PACKAGE) / name) for name in _SHARED.get(room, ())}
    return _packed(texts | shared | {f"{_PACKAGE}/{room}/__init__.py": ""}, f"{_PACKAGE}.{room}.node", python)


def _packed(texts: Mapping[str, str], package: str, python: str) -> bytes:
    """Return an archive with these files, keyed by path, that runs the package's command."""
    texts = {"__main__.py": _MAIN.format(package=package), f"{_PACKAGE}/__init__.py": "", **texts}
    out = io.BytesIO(f"#!{python} -I\n".encode())
    out.seek(0, io.SEEK_END)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as made:
        for name in sorted(texts):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # mark as made on Unix, even if built on Windows
            entry.external_attr = 0o644 << 16
            made.writestr(entry, texts[name])
    return out.getvalue()


def _driver(cloud: str) -> Traversable:
    if cloud not in clouds():
        raise ValueError(f"cloud {cloud!r} has no driver; use one of {', '.join(clouds())}")
    return files(f"{_PACKAGE}.elastic.drivers.{cloud}")


def programs() -> dict[str, str]:
    """Return the programs that slurmctld runs, keyed by file name in `/opt/hpc/bin`. The files must be executable."""
    folder = files(_PACKAGE) / "elastic" / "programs"
    wake, prolog = _text(folder / "wake.py"), _text(folder / "prolog.py")
    return dict.fromkeys(("hpc-resume", "hpc-suspend", "hpc-resume-fail"), wake) | {"hpc-prolog": prolog}


def units() -> dict[str, str]:
    """Return the systemd units, keyed by file name in `/etc/systemd/system`."""
    folder = files(_PACKAGE) / "elastic" / "units"
    return {unit.name: _text(unit) for unit in sorted(folder.iterdir(), key=lambda unit: unit.name)}


def _texts(folder: Traversable, path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in _LEFT_OUT:
            found |= _texts(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".py"):
            found[f"{path}/{entry.name}"] = _text(entry)
    return found


def _text(file: Traversable) -> str:
    r"""Return the text with `\n` line endings, even if Git converted them at checkout."""
    return file.read_text(encoding="utf-8")
