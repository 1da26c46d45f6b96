"""Rehearsals that tests look at are performed beside one another: mostly they wait, for Slurm's clocks."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.rehearse import scenes
from tests.rehearse.performing import lacks, played, rehearsed

AT_ONCE = 2

PERFORMANCES: dict[str, tuple[str, Callable[[], object]]] = {
    "cfd on 22.05": ("22.05", lambda: rehearsed("aws-cfd")),
    "university on 22.05": ("22.05", lambda: rehearsed("aws-university")),
    "ultracluster on 22.05": ("22.05", lambda: rehearsed("aws-ultracluster")),
    "cfd on 24.11": ("24.11", lambda: rehearsed("aws-cfd", "24.11")),
    "university on 24.11": ("24.11", lambda: rehearsed("aws-university", "24.11")),
    "ultracluster on 24.11": ("24.11", lambda: rehearsed("aws-ultracluster", "24.11")),
    "dev on 22.05": ("22.05", lambda: rehearsed("aws-dev")),
    "dev on 24.11": ("24.11", lambda: rehearsed("aws-dev", "24.11")),
    "capacity": ("22.05", lambda: rehearsed("aws-university", fault="capacity")),
    "capacity, no other pool": ("22.05", lambda: rehearsed("aws-cfd", fault="capacity")),
    "spot": ("22.05", lambda: rehearsed("aws-cfd", fault="spot")),
    "dead-node": ("22.05", lambda: rehearsed("aws-cfd", fault="dead-node")),
    "dead-daemon": ("22.05", lambda: rehearsed("aws-cfd", fault="dead-daemon")),
    "boot": ("22.05", lambda: rehearsed("aws-cfd", fault="boot")),
    "failed over": ("22.05", lambda: played(scenes.fail_over, "aws-university")),
    "lost controllers": ("22.05", lambda: played(scenes.lose_controllers, "aws-university")),
}
"""What is performed, by name: the release of Slurm that it needs, and how it goes."""


@pytest.fixture(scope="module")
def performances(request: pytest.FixtureRequest) -> Iterator[dict[str, Future]]:
    """All that the selected tests of a file look at, begun at once; a file's tests run in one process."""
    here = [item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    asked = {item.callspec.params.get("performed") for item in here}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            name: pool.submit(perform)
            for name, (release, perform) in PERFORMANCES.items()
            if name in asked and not lacks(release)
        }


@pytest.fixture
def performed(request: pytest.FixtureRequest, performances: dict[str, Future]):
    """What came of the performance of that name."""
    if reason := lacks(PERFORMANCES[request.param][0]):
        pytest.skip(reason)
    return performances[request.param].result()
