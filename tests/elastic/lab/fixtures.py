"""A fixture for tests on real daemons: `from elastic.lab.fixtures import lab` takes it in."""

from pathlib import Path

import pytest

from elastic.lab import DEBIAN_13, Lab, missing

RELEASES = {"this machine's Slurm": Path("/"), "Slurm 24.11": DEBIAN_13}


@pytest.fixture(scope="module", params=RELEASES)
def lab(request, tmp_path_factory):
    """A switch without hosts, once for each release of Slurm."""
    root = RELEASES[request.param]
    if lacking := missing(root):
        pytest.skip(lacking)
    made = Lab(tmp_path_factory.mktemp("lab"), root)
    yield made
    made.close()
