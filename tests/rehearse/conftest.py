"""Rehearsals that tests look at. Each is performed once, by the worker that has its tests."""

from collections.abc import Callable

import pytest

from tests.rehearse import scenes
from tests.rehearse.performing import converted, lacks, played, rehearsed

PERFORMANCES: dict[str, tuple[str, Callable[[], object]]] = {
    "cfd on 22.05": ("22.05", lambda: rehearsed("aws-cfd")),
    "university on 22.05": ("22.05", lambda: rehearsed("aws-university")),
    "ultracluster on 22.05": ("22.05", lambda: rehearsed("aws-ultracluster")),
    "cfd on 24.11": ("24.11", lambda: rehearsed("aws-cfd", "24.11")),
    "university on 24.11": ("24.11", lambda: rehearsed("aws-university", "24.11")),
    "ultracluster on 24.11": ("24.11", lambda: rehearsed("aws-ultracluster", "24.11")),
    "dev on 22.05": ("22.05", lambda: rehearsed("aws-dev")),
    "dev on 24.11": ("24.11", lambda: rehearsed("aws-dev", "24.11")),
    "hbv4 on 24.11": ("24.11", lambda: rehearsed("azure-hbv4", "24.11")),
    "h3 on 22.05": ("22.05", lambda: rehearsed("gcp-h3")),
    "gcp ultracluster on 24.11": ("24.11", lambda: rehearsed("gcp-ultracluster", "24.11")),
    "azure university on 22.05": ("22.05", lambda: rehearsed("azure-university")),
    "converted on 22.05": ("22.05", lambda: rehearsed(converted("published"))),
    "capacity": ("22.05", lambda: rehearsed("aws-university", fault="capacity")),
    "capacity, no other pool": ("22.05", lambda: rehearsed("aws-cfd", fault="capacity")),
    "spot": ("22.05", lambda: rehearsed("aws-cfd", fault="spot")),
    "spot, two nodes": ("22.05", lambda: rehearsed("aws-cfd", fault="spot", nodes=2)),
    "spot on azure": ("24.11", lambda: rehearsed("azure-hbv4", "24.11", fault="spot")),
    "spot on google cloud": ("22.05", lambda: rehearsed("gcp-h3", fault="spot")),
    "spot on google cloud, switched off at once": (
        "22.05",
        lambda: played(scenes.switch_off_with_notice, "gcp-h3", fault="spot"),
    ),
    "dead-node": ("22.05", lambda: rehearsed("aws-cfd", fault="dead-node")),
    "dead-daemon": ("22.05", lambda: rehearsed("aws-cfd", fault="dead-daemon")),
    "boot": ("22.05", lambda: rehearsed("aws-cfd", fault="boot")),
    "failed over": ("22.05", lambda: played(scenes.fail_over, "aws-university")),
    "lost controllers": ("22.05", lambda: played(scenes.lose_controllers, "aws-university")),
    "held controller": ("22.05", lambda: played(scenes.hold_controller, "aws-dev")),
    "held controller on 24.11": ("24.11", lambda: played(scenes.hold_controller, "aws-dev", "24.11")),
}
"""What is performed, by name: the release of Slurm that it needs, and how it goes."""


@pytest.fixture(scope="module")
def performed(request: pytest.FixtureRequest):
    """What came of the performance of that name."""
    release, perform = PERFORMANCES[request.param]
    if reason := lacks(release):
        pytest.skip(reason)
    return perform()
