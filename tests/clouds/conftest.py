"""The toy cloud, for the tests of this folder."""

from pathlib import Path

import pytest

from clouds import registered
from hpc_components.cloud import CLOUDS
from hpc_components.elastic import drivers


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered in this process, and in those that it starts."""
    for name in ("toy", "gcp"):  # as they were before, afterwards
        monkeypatch.setitem(CLOUDS, name, "")
        monkeypatch.delitem(CLOUDS, name)
    monkeypatch.setattr(drivers, "__path__", drivers.__path__)
    registered.register()
    for folder in (Path(__file__).parents[1], Path(__file__).parent / "site"):
        monkeypatch.syspath_prepend(folder)
