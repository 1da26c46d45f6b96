"""Head and login nodes during host maintenance."""

from typing import Any

import pytest

from clouds.gcp import test_login_node_nlb, test_slurm_head_node
from hpc_components.preview.record import record

MOVED = {"head": "n2-standard-8", "login": "n2-standard-4"}
MAKE = {"head": test_slurm_head_node.make, "login": test_login_node_nlb.make}
KIND = {"head": "gcp:compute/instance:Instance", "login": "RegionInstanceTemplate"}


def scheduling(place: str, machine: str) -> dict[str, Any] | None:
    return record(lambda: MAKE[place](machine=machine)).one(KIND[place]).inputs.get("scheduling")


@pytest.mark.parametrize("place", MAKE)
@pytest.mark.parametrize("machine", ["g2-standard-8", "h3-standard-88"])
def test_what_can_t_be_moved_is_stopped_and_started_again(place, machine):
    """Otherwise Google refuses machines with GPUs: "guest accelerators do not support live migration"."""
    assert scheduling(place, machine) == {"onHostMaintenance": "TERMINATE", "automaticRestart": True}


@pytest.mark.parametrize("place", MAKE)
def test_others_are_as_google_has_them(place):
    assert scheduling(place, MOVED[place]) is None
