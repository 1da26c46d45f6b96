from typing import Any

import pytest

from clouds.azure.nodes_sample import NODES_GROUP, SERVICES, WHO
from clouds.azure.sample import GROUP, NETWORK, SUBSCRIPTION, TAGS
from hpc_components.azure import from_spec as to
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.ports import BucketRef
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.boot import user_data

USUAL: dict[str, Any] = {
    "name": "cfd",
    "cloud": "azure",
    "region": "eastus",
    "zone": "eastus-1",
    "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "Standard_D4s_v5"},
    "queues": [{"name": "hb", "machine": "Standard_HB176rs_v4", "max": 4}],
}
HPC = "microsoft-dsvm:ubuntu-hpc:2404:"
GALLERY = f"{SUBSCRIPTION}/resourceGroups/i/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"
PLAIN = "Canonical:ubuntu-24_04-lts:server:"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD admin@site"


def cluster(**change: Any) -> AzureClusterSpec:
    return AzureClusterSpec.model_validate({**USUAL, **change})


def fleet(queue: dict[str, Any], **change: Any) -> Any:
    described = cluster(queues=[{**USUAL["queues"][0], **queue}], **change)
    return to.fleet_args(described, described.queues[0], NETWORK, WHO, SERVICES, NODES_GROUP, TAGS)


def head(**change: Any) -> Any:
    described = cluster(head_node={**USUAL["head_node"], **change.pop("head", {})}, **change)
    return to.head_args(described, NETWORK, WHO, SERVICES, (), GROUP, NODES_GROUP, TAGS)


@pytest.mark.parametrize(
    ("machine", "image"),
    [
        ("Standard_HB176rs_v4", HPC),
        ("Standard_NC40ads_H100_v5", HPC),
        ("Standard_ND96isr_MI300X_v5", "microsoft-dsvm:ubuntu-hpc:2404-rocm:"),
        ("Standard_D96as_v5", PLAIN),
        ("Standard_D4ps_v6", "Canonical:ubuntu-24_04-lts:server-arm64:"),
    ],
)
def test_each_machine_gets_the_image_with_what_it_needs_in_one_version(machine, image):
    found = fleet({"machine": machine}).image
    assert found.startswith(image)
    assert not found.endswith("latest"), "the same description would make other nodes next month"


def test_a_fallback_uses_infiniband_only_where_the_first_machine_does():
    assert fleet({"fallback": ["Standard_HB120rs_v3"]}).fabric is None
    plain = {"machine": "Standard_D16s_v5", "fallback": ["Standard_HB120-16rs_v3"]}
    many = fleet({**plain, "max": 1000})  # a single placement group holds 100
    assert many.fabric is False
    assert many.image.startswith(PLAIN), "it has no drivers"


def test_an_own_image_becomes_arguments_with_its_plan():
    assert fleet({"image": "me:mine:1:1.0.0"}).image == "me:mine:1:1.0.0"
    sold = {"image": "me:mine:1:1.0.0", "image_plan": {"name": "one"}}
    assert fleet(sold).image_plan == ImagePlan(publisher="me", product="mine", name="one")
    theirs = {"publisher": "they", "product": "theirs", "name": "two"}
    assert fleet({"image": GALLERY, "image_plan": theirs}).image_plan == ImagePlan(**theirs)
    with pytest.raises(ValueError, match="no debian-13 image for Standard_NC40ads_H100_v5; specify an image, as"):
        fleet({"machine": "Standard_NC40ads_H100_v5"}, os="debian-13")


def test_the_default_image_of_almalinux_comes_with_its_plan():
    slurm = {"version": "25.11", "from_source": True}
    made = fleet({"machine": "Standard_HB176rs_v4"}, os="almalinux-9", slurm=slurm)
    assert made.image == "almalinux:almalinux-hpc:9-hpc-gen2:latest"
    assert made.image_plan == ImagePlan(publisher="almalinux", product="almalinux-hpc", name="9-hpc-gen2")


@pytest.mark.parametrize(
    ("queue", "gib"),
    [
        ({}, 128),
        ({"machine": "Standard_NC40ads_H100_v5"}, 128),
        ({"machine": "Standard_D96as_v5"}, 64),
        ({"machine": "Standard_D96as_v5", "fallback": ["Standard_HB176rs_v4"]}, 128),
        ({"root": {"size": "200GiB", "type": "StandardSSD_LRS"}}, 200),
    ],
)
def test_the_root_disk_has_room_for_drivers(queue, gib):
    assert fleet(queue).root.size_gib == gib


def test_a_described_queue_becomes_arguments():
    args = fleet({"min": 1, "max": 8, "zones": ["eastus-2"], "scale_set_limit": 200, "fabric": False})
    assert (args.group, args.queue, args.machines) == (NODES_GROUP, "hb", ("Standard_HB176rs_v4",))
    assert (args.min, args.max, args.zones, args.scale_set_limit, args.fabric) == (1, 8, ("eastus-2",), 200, False)
    assert (args.user_data, args.admin_user) == (user_data("azure"), "azureuser")
    assert (args.identities, args.services, args.network) == (WHO, SERVICES, NETWORK)


def test_an_ephemeral_root_disk_becomes_arguments():
    assert not fleet({}).ephemeral_root
    found = fleet({"ephemeral_root": True})
    assert (found.ephemeral_root, found.root.size_gib) == (True, 128)


def test_a_queues_purchase_becomes_arguments():
    reservation = f"{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g"
    bought = fleet({"machine": "Standard_D96as_v5", "purchase": {"reservation": reservation}})
    assert (bought.purchase, bought.reservation_id) == ("reservation", reservation)
    spot = fleet({"machine": "Standard_D96as_v5", "purchase": "spot", "max_spot_price": 2})
    assert (spot.purchase, spot.max_spot_price, spot.reservation_id) == ("spot", 2, None)


def test_an_availability_set_becomes_an_argument():
    assert fleet({"availability_set": True, "zones": ["eastus"]}).availability_set
    assert not fleet({}).availability_set


def test_a_described_head_node_becomes_arguments():
    args = head()
    assert (args.group, args.nodes_group, args.zone) == (GROUP, NODES_GROUP, "eastus-1")
    assert (args.private_ip, args.subnet_id) == ("10.20.0.20", NETWORK.subnets["head"])
    assert args.image.startswith(PLAIN)
    assert (args.public, args.ssh_key, args.retain) == (False, None, True)
    assert (args.state.size_gib, args.state.type, args.root.size_gib) == (64, "Premium_LRS", 64)


def test_an_unusual_head_node_becomes_arguments():
    state = {"size": "256GiB", "type": "PremiumV2_LRS", "iops": 6000, "throughput": 300}
    args = head(head={"state": state, "public": True, "ssh_key": KEY}, admin_user="hpcadmin", throw_away=True)
    assert (args.state.size_gib, args.state.type, args.state.iops, args.state.throughput) == (
        256,
        "PremiumV2_LRS",
        6000,
        300,
    )
    assert (args.public, args.ssh_key, args.admin_user, args.retain) == (True, KEY, "hpcadmin", False)


def test_described_login_nodes_become_arguments():
    described = cluster(
        login_nodes={"machine": "Standard_D4s_v5", "min": 2, "max": 3, "public": True, "ssh_key": KEY}
    )
    assert described.login_nodes is not None
    args = to.login_args(described, described.login_nodes, NETWORK, WHO, SERVICES, GROUP, TAGS)
    assert (args.min, args.max, args.public, args.zones, args.ssh_key) == (2, 3, True, ("eastus-1",), KEY)
    assert args.image.startswith(PLAIN)


def bucket(name: str) -> BucketRef:
    return BucketRef(name=name, account="a", container="data", id=f"/{name}", url=f"https://{name}")


@pytest.mark.parametrize(
    ("place", "read", "write"),
    [("hb", ["raw"], ["runs"]), ("login", [], ["raw", "runs"]), ("other", [], ["runs"]), (None, None, None)],
)
def test_people_and_jobs_may_use_buckets_as_described(place, read, write):
    buckets = {
        "raw": {"type": "blob", "read_from": ["hb", "login"], "write_from": ["login"]},
        "runs": {"type": "blob"},
    }
    args = to.identity_args(cluster(buckets=buckets), place, [bucket("raw"), bucket("runs")], GROUP, TAGS)
    if read is None:
        assert args.buckets is None
    else:
        assert [each.name for each in args.buckets.read] == read
        assert [each.name for each in args.buckets.write] == write


def test_reaper_logs_and_budget_get_their_arguments():
    described = cluster(log_retention="60d", budget={"monthly": 500, "notify": ["pi@example.org"]})
    assert to.reaper_args(described, TAGS).group_name == "cfd-nodes"
    assert to.logs_args(described, GROUP, TAGS).retention_days == 60
    assert to.vault_args(described, "tenant", NETWORK, GROUP, TAGS).retain is True
    assert to.vault_args(cluster(throw_away=True), "tenant", NETWORK, GROUP, TAGS).retain is False
    assert described.budget is not None
    budget = to.budget_args(described.budget, GROUP, NODES_GROUP)
    assert (budget.groups, budget.monthly, budget.alert_at) == (("cfd", "cfd-nodes"), 500, (80, 100))
