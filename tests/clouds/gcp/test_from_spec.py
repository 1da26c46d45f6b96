from typing import Any

import pytest

from clouds.gcp.nodes_sample import WHO
from clouds.gcp.sample import NETWORK, OWN, PROJECT, SERVICES, TAGS, bucket, email
from hpc_components.gcp import from_spec as to
from hpc_components.gcp.network_cards.card_networks import NetworkCards
from hpc_components.gcp.ports import CardSubnet, Identities, Identity
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
SCRATCH: dict[str, Any] = {"type": "lustre", "mount": "/scratch", "size": "18000GiB", "throughput": 500}
HOME: dict[str, Any] = {"type": "nfs", "mount": "/home", "size": "1TiB"}
LOGIN: dict[str, Any] = {"machine": "n2-standard-4"}
SUBNETS = f"projects/{PROJECT}/regions/us-central1/subnetworks"
EXISTING: dict[str, Any] = {
    "network": f"projects/{PROJECT}/global/networks/site",
    "cidr": "10.20.0.0/16",
    "private": {"us-central1": {"id": f"{SUBNETS}/batch", "cidr": "10.20.128.0/17"}},
}
AS_HEAD = Identities(own=OWN)


def cluster(**change: Any) -> GcpClusterSpec:
    return GcpClusterSpec.model_validate({**USUAL, **change})


def test_a_described_network_becomes_arguments():
    args = to.vpc_args(cluster(), TAGS)
    assert (args.project, args.region, args.cidr) == (PROJECT, "us-central1", "10.20.0.0/16")
    assert (args.nat, args.mtu, args.services, args.retain, args.cards) == ("one", 8896, False, True, {})

    network = {**USUAL["network"], "nat": "none", "mtu": 1460}
    args = to.vpc_args(cluster(network=network, storage={"home": HOME}, throw_away=True), TAGS)
    assert (args.nat, args.mtu, args.services, args.retain) == ("none", 1460, True, False)


def test_only_file_systems_of_ours_need_a_connection_for_services():
    existing = {"type": "nfs", "mount": "/home", "existing": {"server": "10.20.0.9", "export": "/home"}}
    assert to.needs_services(cluster(storage={"home": existing})) is False
    assert to.needs_services(cluster(storage={"home": existing, "scratch": SCRATCH})) is True


def test_each_queue_has_networks_for_its_cards_in_each_of_its_zones():
    queues = [
        {"name": "rdma", "machine": "h4d-standard-192", "max": 4},
        {"name": "gpu", "machine": "a3-highgpu-8g", "max": 2, "zones": ["us-central1-a", "us-central1-c"]},
        {"name": "slow", "machine": "h4d-standard-192", "max": 4, "fabric": False},
        {"name": "plain", "machine": "c2d-standard-112", "max": 4},
    ]
    high = [NetworkCards(nic_type="GVNIC", count=4)]
    assert to.vpc_args(cluster(queues=queues), TAGS).cards == {
        ("rdma", "us-central1-a"): [NetworkCards(nic_type="IRDMA", count=1, profile="vpc-falcon")],
        ("gpu", "us-central1-a"): high,
        ("gpu", "us-central1-c"): high,
    }


def test_one_subnet_of_the_users_network_can_serve_all():
    found = to.existing_network(
        cluster(network={"existing": EXISTING}), cluster(network={"existing": EXISTING}).network.existing
    )
    assert found.subnets == dict.fromkeys(("nodes", "head", "login"), f"{SUBNETS}/batch")
    assert (found.id, found.cidr, found.firewall_rules) == (EXISTING["network"], "10.20.0.0/16", True)


def test_the_users_networks_for_further_cards_keep_their_order():
    networks = [
        {
            "network": f"projects/{PROJECT}/global/networks/net1",
            "subnets": [{"id": f"{SUBNETS}/net1", "cidr": "10.30.0.0/24"}],
        },
        {
            "network": f"projects/{PROJECT}/global/networks/roce",
            "subnets": [{"id": f"{SUBNETS}/roce{n}", "cidr": f"10.31.{n}.0/24"} for n in range(8)],
        },
    ]
    described = cluster(
        network={"existing": {**EXISTING, "cards": {"us-central1-a": networks}, "firewall_rules": False}},
        queues=[{"name": "gpu", "machine": "a3-ultragpu-8g", "max": 1}],
    )
    assert described.network.existing is not None
    found = to.existing_network(described, described.network.existing)
    cards = found.cards["gpu", "us-central1-a"]
    assert [card.nic_type for card in cards] == ["GVNIC"] + ["MRDMA"] * 8
    assert cards[1] == CardSubnet(network=networks[1]["network"], subnet=f"{SUBNETS}/roce0", nic_type="MRDMA")
    assert found.firewall_rules is False


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({}, ()),
        ({"head_node": {"machine": "n2-standard-8", "public": True}}, ("head",)),
        ({"login_nodes": LOGIN}, ("login",)),
        ({"login_nodes": {**LOGIN, "public": True}}, ("login",)),
    ],
)
def test_users_reach_a_public_head_node_and_login_nodes(change, places):
    """Private login nodes need it too: packets pass through the load balancer with the campus's source addresses."""
    described = cluster(network={**USUAL["network"], "ssh_from": ["10.0.0.0/12"]}, **change)
    args = to.firewall_args(described, NETWORK, AS_HEAD, None, [])
    assert (args.ssh_from, args.ssh_to) == (("10.0.0.0/12",), places)


def test_firewall_rules_go_by_the_accounts_of_nodes():
    nodes = [Identities(own=Identity(email=email(name))) for name in ("h3", "spot")]
    args = to.firewall_args(cluster(storage={"home": HOME}), NETWORK, AS_HEAD, WHO, nodes)
    assert (args.head, args.login, args.nodes) == (OWN.email, WHO.own.email, (email("h3"), email("spot")))
    assert (args.iap, args.services_range) == (True, "10.20.64.0/18")
    assert to.firewall_args(cluster(), NETWORK, AS_HEAD, None, nodes).services_range is None


def test_a_description_needs_its_apis():
    assert to.apis_args(cluster()).uses == ("iap",)
    everything = cluster(
        storage={"home": HOME, "scratch": SCRATCH},
        os_login=True,
        budget={"monthly": 100, "notify": ["a@example.org"]},
        network={**USUAL["network"], "iap": False},
    )
    assert set(to.apis_args(everything).uses) == {"lustre", "filestore", "budget", "os_login"}


def test_lustre_is_in_its_zone_with_its_copying_accounts():
    args = to.lustre_args(cluster(), cluster(storage={"s": SCRATCH}).storage["s"], NETWORK, AS_HEAD, TAGS)
    assert (args.capacity_gib, args.throughput, args.zone) == (18000, 500, "us-central1-a")
    assert (args.import_from, args.export_to, args.trusted, args.retain) == (None, None, (), True)

    more = {
        **SCRATCH,
        "zone": "us-central1-c",
        "import_from": "gs://wing-runs",
        "export_to": "gs://wing-results",
        "root_squash": "root_only",
    }
    args = to.lustre_args(cluster(), cluster(storage={"s": more}).storage["s"], NETWORK, AS_HEAD, TAGS)
    assert (args.zone, args.import_from, args.export_to, args.copied_by) == (
        "us-central1-c",
        "gs://wing-runs",
        "gs://wing-results",
        OWN,
    )
    assert args.trusted == ("10.20.0.20",), "root on the head node makes homes and directories of jobs"


def test_existing_file_systems_become_mounts():
    lustre = {"type": "lustre", "mount": "/s", "existing": {"server": "10.1.0.2", "mount_name": "fs"}}
    nfs = {"type": "nfs", "mount": "/home", "existing": {"server": "10.1.0.3", "export": "/vol1"}}
    storage = cluster(storage={"s": lustre, "home": nfs}).storage
    scratch, home = (to.existing_mount(key, storage[key]) for key in ("s", "home"))
    assert (scratch.type, scratch.server, scratch.export) == ("lustre", "10.1.0.2", "fs")
    assert (home.type, home.server, home.export, home.mount) == ("nfs", "10.1.0.3", "/vol1", "/home")


def test_a_bucket_and_what_it_costs_to_keep():
    described = {
        "type": "gcs",
        "archive": {"nearline": "30d"},
        "expire": "365d",
        "versioning": False,
        "folders": True,
    }
    args = to.bucket_args(cluster(), cluster(buckets={"data": described}).buckets["data"], TAGS)
    assert (args.archive, args.expire_days, args.versioning, args.folders) == ({"nearline": 30}, 365, False, True)
    assert (args.project, args.region, args.bucket_name, args.retain) == (PROJECT, "us-central1", None, True)


def test_the_config_bucket_has_what_nodes_fetch():
    args = to.config_args(cluster(), [], "munge 1\n", TAGS, [bucket("data")])
    assert {"common/buckets", "head/secrets", "common/mounts.json", "head/elastic.json", "common/cluster.env"} <= set(
        args.files
    )
    assert (args.project, args.region) == (PROJECT, "us-central1")


def test_a_budget_is_one_of_the_project():
    described = cluster(billing_account="012345-6789AB-CDEF01", budget={"monthly": 100, "notify": ["a@example.org"]})
    assert described.budget is not None
    args = to.budget_args(described, described.budget, 42, TAGS)
    assert (args.billing_account, args.monthly, args.project_number) == ("012345-6789AB-CDEF01", 100, 42)


def test_secrets_logs_and_reaper_get_their_arguments():
    assert to.secrets_args(cluster(), TAGS).project == PROJECT
    assert to.logs_args(cluster(log_retention="7d"), TAGS).retention_days == 7
    assert to.reaper_args(SERVICES.config, TAGS).config is SERVICES.config
