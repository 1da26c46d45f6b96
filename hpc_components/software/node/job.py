"""What the job does: it installs EasyBuild, then everything on the list."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hpc_components.software.node.state import State, write_results
from hpc_components.software.node.wanted import EASYCONFIGS, PINNED

DOWNLOADS = "downloads"
"""Folder in which an administrator may put the packages of EasyBuild for nodes that can't reach a package index."""

_BUILT = "built.json"
_READY = ".ready"
_BUILDER = "setuptools=="
"""Beginning of the line with the package that must be there before the others can be installed from source."""


class BuildError(Exception):
    """Raised if nothing can be built. The message says why."""


def run_job(request: Path, scratch: Path) -> int:
    """Build what is listed in the folder `request`, and return the exit code of the job.

    An easyconfig that fails does not keep the others from being built.
    """
    os.umask(0o022)
    job = int(os.environ["SLURM_JOB_ID"])
    names = (request / "install").read_text(encoding="utf-8").split()
    done: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="hpc-software-", dir=scratch) as temporary:
        home = Path(temporary)
        try:
            python = _easybuild(request, home)
        except BuildError as error:
            print(f"hpc-software: {error}", file=sys.stderr)
            write_results(request, State(job, ended="failed", reason=str(error)))
            return 1
        for name in names:
            done[name] = "built" if _install(python, request, name, home) else "failed"
            write_results(request, State(job, dict(done)))
    failed = [name for name in names if done[name] == "failed"]
    write_results(request, State(job, done, "failed" if failed else "built"))
    print(f"hpc-software: {len(names) - len(failed)} of {len(names)} built", flush=True)
    return 1 if failed else 0


def _easybuild(request: Path, home: Path) -> Path:
    """Install EasyBuild's pinned release beside the software, unless it is there. Return its Python."""
    directory = request.parents[1]
    pinned = (request / PINNED).read_text(encoding="utf-8")
    there = directory / "easybuild" / hashlib.sha256(pinned.encode()).hexdigest()[:12]
    python = there / "bin" / "python"
    if (there / _READY).exists():
        return python
    shutil.rmtree(there, ignore_errors=True)  # the rest of a job that was interrupted
    print("hpc-software: installing EasyBuild", flush=True)
    _run([sys.executable, "-m", "venv", str(there)], home)
    lines = [line for line in pinned.splitlines() if line and not line.startswith("#")]
    for part in ([line for line in lines if line.startswith(_BUILDER)], lines):
        needed = home / "needed.txt"
        needed.write_text("".join(f"{line}\n" for line in part), encoding="utf-8")
        options = ["--require-hashes", "--no-deps", "--no-build-isolation", "--use-pep517", "--no-cache-dir"]
        options += ["--quiet", "--disable-pip-version-check", "--no-input", *_index(directory)]
        _run([str(python), "-m", "pip", "install", *options, f"--requirement={needed}"], home)
    (there / _READY).touch()
    return python


def _index(directory: Path) -> list[str]:
    downloads = directory / DOWNLOADS
    return ["--no-index", f"--find-links={downloads}"] if downloads.is_dir() else []


def _run(command: Sequence[str], home: Path) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, env=_environment(home), check=False)
    if done.returncode:
        raise BuildError(f"EasyBuild can't be installed: `{' '.join(command[:4])}` ended with {done.returncode}")


def _install(python: Path, request: Path, name: str, home: Path) -> bool:
    """Build one easyconfig with what it depends on, and return whether that succeeded."""
    print(f"hpc-software: {name}", flush=True)
    directory = request.parents[1]
    options = {
        "PREFIX": str(directory),
        "BUILDPATH": str(home / "build"),
        "TMPDIR": str(home),
        "MODULES_TOOL": "EnvironmentModules",
        "MODULE_SYNTAX": "Tcl",
        # an empty entry stands for the easyconfigs of the release
        "ROBOT_PATHS": f"{request / EASYCONFIGS}:",
    }
    environment = _environment(home) | {f"EASYBUILD_{key}": value for key, value in options.items()}
    environment["EB_PYTHON"] = str(python)
    rebuild = ["--rebuild"] if _has_changed(request, name) else []
    command = [str(python.with_name("eb")), "--robot", *rebuild, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, cwd=home, check=False)
    if done.returncode == 0:
        _remember(request, name)
    return done.returncode == 0


def _environment(home: Path) -> dict[str, str]:
    kept = ("PATH", "LANG", "MODULES_CMD", "MODULESHOME", "LMOD_CMD", "LMOD_DIR", "LMOD_PKG")
    return {key: os.environ[key] for key in kept if key in os.environ} | {"HOME": str(home)}


def _has_changed(request: Path, name: str) -> bool:
    """Return whether an easyconfig of the description was built before from another text.

    EasyBuild by itself goes by name and version alone.
    """
    before = _texts(request).get(name)
    return before is not None and before != _text(request, name)


def _remember(request: Path, name: str) -> None:
    if text := _text(request, name):
        known = _texts(request) | {name: text}
        (request.parents[1] / _BUILT).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def _texts(request: Path) -> dict[str, str]:
    try:
        return json.loads((request.parents[1] / _BUILT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def _text(request: Path, name: str) -> str:
    """Return a digest of the description's easyconfig and the files beside it, or nothing if it is not there."""
    folder = request / EASYCONFIGS
    if not (folder / name).exists():
        return ""
    found = hashlib.sha256()
    for file in (folder / name, *sorted(one for one in folder.iterdir() if one.suffix != ".eb")):
        found.update(file.read_bytes())
    return found.hexdigest()
