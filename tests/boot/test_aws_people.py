"""People of a description on nodes that boot on AWS."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .cluster import booted, spec
from .people_scenarios import SLURM, Key, PeopleScenarios, Site
from .ssh_scenarios import PersonalKeysScenarios, SshScenarios

pytestmark = [pytest.mark.boot, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with booted(layers, spec(people=key.people("ada", "eva"), slurm=SLURM)) as cluster:
        yield Site(cluster, key, spec, patient=True)


class TestSshOnAws(SshScenarios):
    """People log in from node to node."""


class TestPersonalKeys(PersonalKeysScenarios):
    """The way of these logins changes."""


class TestPeopleOnAws(PeopleScenarios):
    """People come and go, afterwards."""
