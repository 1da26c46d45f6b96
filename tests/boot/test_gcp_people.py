"""People of a description on nodes that boot on Google Cloud."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .gcp_cluster import gcp_booted
from .gcp_stage import gcp_spec
from .people_scenarios import SLURM, Key, PeopleScenarios, Site
from .ssh_scenarios import SshScenarios

pytestmark = [pytest.mark.boot, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with gcp_booted(layers, gcp_spec(people=key.people("ada", "eva"), slurm=SLURM)) as cluster:
        yield Site(cluster, key, gcp_spec)


class TestSshOnGcp(SshScenarios):
    """People log in from node to node."""


class TestPeopleOnGcp(PeopleScenarios):
    """People come and go, afterwards."""
