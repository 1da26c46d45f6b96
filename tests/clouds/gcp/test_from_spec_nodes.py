from typing import Any

import pytest

from clouds.gcp.nodes_sample import OWN_IMAGE, WHO
from clouds.gcp.sample import NETWORK, PROJECT, SERVICES, TAGS, bucket
from hpc_components.boot import user_data
from hpc_components.gcp import from_spec as to
from hpc_components.gcp.disks.component import RootDisk
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.ports import CompactPlacement
from hpc_components.gcp.spec import GcpClusterSpec

USUAL: dict[str, Any] = {
    "name": "cfd",
    "cloud": "gcp",
    "project": PROJECT,
    "region": "us-central1",
    "zone": "us-central1-a",
    "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "n2-standard-8"},
    "queues": [{"name": "h3", "machine": "h3-standard-88", "max": 4}],
}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD admin@site"


def cluster(**change: Any) -> GcpClusterSpec:
    return GcpClusterSpec.model_validate({**USUAL, **change})


def fleet(queue: dict[str, Any], policy: str | None = None, **change: Any) -> Any:
    described = cluster(queues=[{**USUAL["queues"][0], **queue}], **change)
    return to.fleet_args(described, described.queues[0], NETWORK, WHO, SERVICES, TAGS, policy)


def head(**change: Any) -> Any:
    described = cluster(head_node={**USUAL["head_node"], **change.pop("head", {})}, **change)
    return to.head_args(described, NETWORK, WHO, SERVICES, (), TAGS)


@pytest.mark.parametrize(
    ("machine", "image"),
    [
        ("h3-standard-88", "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"),
        ("g2-standard-96", "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-"),
    ],
)
def test_each_machine_gets_the_image_with_what_it_needs(machine, image):
    assert fleet({"machine": machine}).image.startswith(image)


def test_with_lustre_the_image_has_a_kernel_that_googles_client_is_for():
    scratch = {"type": "lustre", "mount": "/scratch", "size": "18000GiB"}
    assert fleet({}, storage={"s": scratch}).image != fleet({}).image
    assert head(storage={"s": scratch}).image == fleet({}, storage={"s": scratch}).image


def test_an_own_image_becomes_an_argument():
    assert fleet({"image": OWN_IMAGE}).image == OWN_IMAGE
    with pytest.raises(
        ValueError, match="the catalogue has no debian-13 image for g2-standard-96; specify your own image with"
    ):
        fleet({"machine": "g2-standard-96"}, os="debian-13")


def test_a_queue_as_the_fleet_takes_it():
    args = fleet(
        {"min": 1, "fallback": ["c3-standard-176"], "zones": ["us-central1-a", "us-central1-c"], "tier_1": False}
    )
    assert (args.project, args.queue, args.machines) == (PROJECT, "h3", ("h3-standard-88", "c3-standard-176"))
    assert (args.zones, args.min, args.max) == (("us-central1-a", "us-central1-c"), 1, 4)
    assert (args.purchase, args.reservation, args.smt, args.tier_1) == ("on_demand", None, True, False)
    assert args.user_data == user_data("gcp")
    assert args.root == RootDisk(size_gib=64)


@pytest.mark.parametrize(
    ("queue", "placement"),
    [
        ({}, None),
        ({"placement": "cluster"}, CompactPlacement(machines=1500)),
        ({"placement": "cluster", "max_distance": 2}, CompactPlacement(machines=150, max_distance=2)),
        (
            {"machine": "a3-highgpu-8g", "placement": "cluster", "max_distance": 2, "fabric": False},
            CompactPlacement(machines=256, max_distance=2),
        ),
        ({"placement": "none"}, None),
    ],
)
def test_a_queue_has_so_many_machines_in_one_policy(queue, placement):
    assert fleet(queue).placement == placement


def test_a_queue_is_spread_by_its_policy():
    policy = f"projects/{PROJECT}/regions/us-central1/resourcePolicies/wide"
    args = fleet({"placement": "spread"}, policy)
    assert (args.placement, args.spread, args.policy) == (None, 8, policy)
    assert to.placement_args(cluster(), TAGS).spread == 8


def test_flex_start_for_a_time():
    args = fleet({"machine": "a2-highgpu-8g", "purchase": "flex_start", "max_run": "2h"})
    assert (args.purchase, args.max_run_seconds) == ("flex_start", 7200)


def test_a_described_reservation_becomes_arguments():
    id = f"projects/{PROJECT}/reservations/cpus"
    args = fleet({"purchase": {"reservation": id}})
    assert (args.purchase, args.reservation, args.placement, args.bound) == ("reservation", id, None, None)
    assert fleet({"purchase": {"reservation": id, "bound": True}}).bound is True


def test_an_image_with_drivers_has_a_larger_root_disk():
    assert fleet({"machine": "g2-standard-96"}).root.size_gib == 128
    disk = {
        "size": "200GiB",
        "type": "hyperdisk-balanced",
        "kms_key": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
    }
    root = fleet({"root": disk}).root
    assert (root.size_gib, root.type, root.kms_key) == (200, "hyperdisk-balanced", disk["kms_key"])


def test_the_head_node_has_its_fixed_address():
    args = head(head={"public": True, "ssh_key": KEY, "state": {"size": "100GiB"}}, admin_user="ops")
    assert (args.private_ip, args.subnet_id, args.zone) == ("10.20.0.20", NETWORK.subnets["head"], "us-central1-a")
    assert (args.public, args.state.size_gib, args.retain) == (True, 100, True)
    assert args.login == Login(admin_user="ops", ssh_key=KEY)
    assert head(throw_away=True, os_login=True).login.os_login is True
    assert head(throw_away=True).retain is False


def test_login_nodes_are_in_the_clusters_zone_or_their_own():
    described = cluster(login_nodes={"machine": "n2-standard-4", "min": 2, "max": 4, "ssh_key": KEY})
    assert described.login_nodes is not None
    args = to.login_args(described, described.login_nodes, NETWORK, WHO, SERVICES, TAGS)
    assert (args.zones, args.min, args.max, args.public) == (("us-central1-a",), 2, 4, False)
    assert args.login.ssh_key == KEY
    zones = ["us-central1-b", "us-central1-c"]
    described = cluster(login_nodes={"machine": "n2-standard-4", "zones": zones})
    assert described.login_nodes is not None
    assert to.login_args(described, described.login_nodes, NETWORK, WHO, SERVICES, TAGS).zones == tuple(zones)


def test_people_and_jobs_may_use_buckets_as_described():
    described = cluster(
        buckets={"a": {"type": "gcs", "write_from": ["login"]}, "b": {"type": "gcs", "read_from": ["h3"]}}
    )
    buckets = [bucket("a"), bucket("b")]
    queue = to.identity_args(described, "h3", buckets).buckets
    assert queue is not None
    assert ([each.name for each in queue.read], [each.name for each in queue.write]) == (["a"], ["b"])
    login = to.identity_args(described, "login", buckets).buckets
    assert login is not None
    assert ([each.name for each in login.read], [each.name for each in login.write]) == ([], ["a"])
    assert to.identity_args(described, None, buckets).buckets is None
