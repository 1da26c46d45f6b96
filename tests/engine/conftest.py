"""The real Pulumi engine for tests, where there is one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hpc_components.testing.engine import Engine, copy_project

HERE = Path(__file__).parent


@pytest.fixture
def engine_for(tmp_path: Path) -> Callable[[Path], Engine]:
    """Makes an engine around a copy of a project."""
    if not Engine.available():
        pytest.skip("no `pulumi` on PATH; install Pulumi's CLI to run the real engine")

    def make(source: Path) -> Engine:
        return Engine(copy_project(source, tmp_path / "project"), tmp_path / "engine")

    return make


@pytest.fixture
def sample(engine_for: Callable[[Path], Engine]) -> Engine:
    """An engine around the sample program."""
    return engine_for(HERE / "sample")
