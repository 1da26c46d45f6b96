"""People of a description on nodes that boot on AWS."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .cluster import booted, spec
from .people_scenarios import Key, PeopleScenarios, Site

pytestmark = [pytest.mark.boot, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with booted(layers, spec(people=key.people("ada"))) as cluster:
        yield Site(cluster, key, spec, patient=True)


class TestAws(PeopleScenarios):
    """AWS keeps it."""
