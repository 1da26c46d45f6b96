"""The built wheel, installed into a virtual environment of its own: the dependencies are this environment's, found by
a `.pth` file, and `hpc_components` itself is nowhere but in the wheel."""

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]


def _pip(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True, cwd="/"
    )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    _pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(target), str(ROOT))
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment into which the wheel is installed."""
    home = tmp_path_factory.mktemp("installed") / ".venv"
    venv.create(home)
    _pip("--python", str(home / "bin/python"), "install", "--no-deps", "--no-index", str(wheel))
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin"


@pytest.fixture
def hpc(installed: Path, tmp_path: Path) -> Run:
    """Runs the installed `hpc` in an empty folder."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "AWS_", "VIRTUAL_ENV"))}
    own |= {"PATH": f"{installed}:{own['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(installed / "hpc"), *arguments],
            cwd=tmp_path, env=own, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip

    return run
