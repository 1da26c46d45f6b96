from pathlib import Path

import pytest

from elastic.cycle.stubs import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def tight(tmp_path: Path) -> Site:
    """All machines of a job stand together."""
    return Site(tmp_path, placement="cluster")
