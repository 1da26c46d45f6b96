"""What nodes do with their rights at boot, done by their own programs: in this process, where no time passes."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

from hpc_components.boot import user_data
from hpc_components.boot.manifest import MANIFEST, manifest

Act = Callable[[], object]
"""Something that a node does. It raises where it can't."""

_FILES = {"common/cluster.env": "HPC_CLUSTER=lab\n"}

CONFIG_OBJECTS = {path: text.encode() for path, text in {**_FILES, MANIFEST: manifest(_FILES)}.items()}
"""A configuration of one file, without a script to run."""


def load_program(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a node's program, loaded anew with the modules beside it: they read the environment."""
    monkeypatch.syspath_prepend(path.parent)
    for beside in path.parent.glob("*.py"):
        sys.modules.pop(beside.stem, None)
    spec = importlib.util.spec_from_file_location(f"node_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pass_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that wait for a right go on at once."""
    now = [1_790_000_000.0]
    monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr("time.monotonic", lambda: now[0])


def configuration(cloud: str, url: str) -> str:
    """Fetch the configuration by the user data, as a node does first. Return what its log says; PermissionError."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "python3").symlink_to(Path(sys.executable).resolve())
        (folder / "shutdown").symlink_to("/bin/true")
        services = dict.fromkeys(("IMDS", "S3", "BLOB", "GOOGLEAPIS"), url)
        places = {"HPC_ROOT": made, "HPC_LOG": f"{made}/boot.log", "HPC_CONSOLE": "/dev/null", "HPC_TRIES": "1"}
        settings = {"PATH": f"{made}:{os.environ['PATH']}", **services, **places}
        command = ["bash", "-c", user_data(cloud)]
        run = subprocess.run(command, env=settings, capture_output=True, check=False, timeout=60)
        log = (folder / "boot.log").read_text()
    if run.returncode != 0:
        raise PermissionError(log)
    return log


def failing(acts: Mapping[str, Act], *errors: type[Exception]) -> set[str]:
    """Return the names of the acts that can't be done; `errors` are the program's own."""
    failed = set()
    for name, act in acts.items():
        try:
            act()
        except (OSError, SystemExit, *errors):
            failed.add(name)
    return failed
