"""People of a description on nodes that boot on Azure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .azure_cluster import azure_booted
from .azure_stage import azure_spec
from .people_scenarios import SLURM, Key, PeopleScenarios, Site
from .ssh_scenarios import SshScenarios

pytestmark = [pytest.mark.boot, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with azure_booted(layers, azure_spec(people=key.people("ada", "eva"), slurm=SLURM)) as cluster:
        yield Site(cluster, key, azure_spec)


class TestSshOnAzure(SshScenarios):
    """People log in from node to node."""


class TestPeopleOnAzure(PeopleScenarios):
    """People come and go, afterwards."""
