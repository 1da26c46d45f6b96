"""Rules that were AWS's first hold on the toy cloud, in its own words."""

import re
from typing import Any

import pytest

from clouds.descriptions import PLAY, said_of
from hpc_components.spec.findings import Level

pytestmark = pytest.mark.usefixtures("toy")

AWS_WORDS = re.compile(r"\b(AWS|EC2|VPC|EFA|S3|RDS|CloudWatch|Session Manager|Service Quotas|ami-|subnet-|aws )")

MPI, GPU, SERIAL = PLAY["queues"]
HOME = PLAY["storage"]["home"]
POOL = {"pool": "pools/ours", "cidr": "10.0.0.0/8"}
SUBNET = {"id": "subnets/ours", "cidr": "10.7.0.0/16"}
DATABASE = {"host": "db.reef-1.toy.example", "password_secret": "secrets/slurm"}


def queues(*queues: dict[str, Any]) -> dict[str, Any]:
    return {"queues": list(queues)}


def changed(key: str, **more: Any) -> dict[str, Any]:
    return {key: PLAY[key] | more}


def storage(**systems: dict[str, Any]) -> dict[str, Any]:
    return {"storage": {"home": HOME, **systems}}


def pool(**more: Any) -> dict[str, Any]:
    """In a network that is there already."""
    return {"network": {"existing": POOL | {"private": {"reef-1": SUBNET}} | more}}


def database(**more: Any) -> dict[str, Any]:
    return changed("slurm", accounting={"database": DATABASE | more})


BROKEN = {
    "HPC-EFA-001": (
        queues(SERIAL | {"fabric": True}),
        "queues[0].fabric",
        "shell-32 has no Current",
    ),
    "HPC-EFA-002": (
        queues(MPI | {"fabric": False}),
        "queues[0].fabric",
        "tide-64 has 200 Gbit/s of Current at no extra cost",
    ),
    "HPC-EFA-003": (
        queues(MPI | {"zones": ["reef-1-a", "reef-1-b"]}),
        "queues[0].zones",
        "nodes in reef-1-a, reef-1-b can't reach each other over Current",
    ),
    "HPC-EFA-006": (
        queues(MPI | {"machine": "tide-8", "placement": "cluster"}),
        "queues[0].machine",
        "nodes of type tide-8 are placed close together for tightly coupled jobs, but have no Current",
    ),
    "HPC-PLC-001": (
        queues(SERIAL | {"purchase": "spot", "placement": "cluster"}),
        "queues[0].machine",
        "shell-32 can't be launched with a raft",
    ),
    "HPC-PLC-002": (
        queues(MPI | {"placement": "cluster", "zones": ["reef-1-a", "reef-1-b"]}),
        "queues[0].placement",
        "a raft can't span several zones: reef-1-a, reef-1-b",
    ),
    "HPC-PLC-006": (
        queues(MPI | {"placement": "none"}),
        "queues[0].placement",
        "use Current but are not placed close together",
    ),
    "HPC-PLC-007": (
        queues(MPI | {"fallback": ["coral-192"]}),
        "queues[0].fallback",
        "tide-64, coral-192 would share one raft",
    ),
    "HPC-CAP-004": (
        queues(SERIAL | {"purchase": {"lease": "7"}}),
        "queues[0].purchase.lease",
        "'7' is no lease",
    ),
    "HPC-CAP-005": (
        queues(SERIAL | {"fallback": ["pebble-4"]}),
        "queues[0].fallback",
        "l-1 is for one machine type, not for",
    ),
    "HPC-CAP-006": (
        queues(SERIAL, SERIAL | {"name": "other", "machine": "pebble-4"}),
        "queues[1].purchase.lease",
        "reservation l-1 is for one machine type, but queue serial uses shell-32 and this queue uses pebble-4",
    ),
    "HPC-CAP-008": (
        queues(SERIAL | {"zones": ["reef-1-a", "reef-1-b"]}),
        "queues[0].zones",
        "l-1 is in one zone",
    ),
    "HPC-CAP-011": (
        queues(GPU | {"max_spot_price": 2.0}),
        "queues[0].max_spot_price",
        "the purchase option of queue gpu is on_demand, which has no price limit",
    ),
    "HPC-CAP-012": (
        queues(MPI | {"max_spot_price": 0.0}),
        "queues[0].max_spot_price",
        "no machine is sold for 0 USD",
    ),
    "HPC-CAP-013": (
        queues(MPI | {"max_spot_price": 5.0}),
        "queues[0].max_spot_price",
        "tide-64 costs 4 USD an hour on demand",
    ),
    "HPC-CAP-016": (
        queues(MPI | {"max_spot_price": 0.3}),
        "queues[0].max_spot_price",
        "a node costs 4 USD an hour on demand",
    ),
    "HPC-BUD-002": (
        changed("budget", alert_at=[500]),
        "budget.alert_at[0]",
        "500 is not a valid percentage",
    ),
    "HPC-BUD-003": (
        changed("budget", alert_at=[20, 40, 60, 80]),
        "budget.alert_at",
        "4 alerts are too many: the toy cloud supports 3, plus one for the forecast",
    ),
    "HPC-BUD-005": (
        changed("budget", notify=["a@toy.example", "b@toy.example", "c@toy.example"]),
        "budget.notify",
        "the toy cloud supports 1 to 2 alert recipients, but the budget has 3",
    ),
    "HPC-BUD-006": (
        changed("budget", monthly=100),
        "budget.monthly",
        # 3 x 0.2 USD x 730 hours, and 64 GiB x 0.17 USD
        "at least 449 USD a month without running a single job (login nodes 292, head node 146, disks 11; "
        "list prices)",
    ),
    "HPC-BUD-008": (
        changed("budget", monthly=5000),
        "budget.monthly",
        "the toy cloud then sends mail, but doesn't stop anything",
    ),
    "HPC-NET-007": (
        changed("network", cidr="10.40.0.0/25") | queues(GPU | {"max": 60}),
        "network.cidr",
        "the private subnet of reef-1 has 108 addresses for nodes, but 123 are needed: queue gpu 120",
    ),
    "HPC-NET-008": (
        pool(private={"atoll-2": SUBNET}),
        "network.existing.private",
        "there is no private subnet in reef-1",
    ),
    "HPC-NET-010": (
        pool(cidr="10.8.0.0/16"),
        "network.existing.private.reef-1.cidr",
        "10.7.0.0/16 is not within the network's range 10.8.0.0/16",
    ),
    "HPC-NET-011": (
        pool(private={"reef-1": SUBNET, "atoll-2": {"id": "subnets/far", "cidr": "10.7.8.0/24"}}),
        "network.existing.private.reef-1.cidr",
        "10.7.0.0/16 overlaps 10.7.8.0/24, the range of private.atoll-2",
    ),
    "HPC-NET-012": (
        pool(private={"reef-1": SUBNET | {"cidr": "10.7.0.0/28"}}),
        "network.existing.private.reef-1.cidr",
        "this subnet must have 32 to 16,777,216",
    ),
    "HPC-NET-013": (
        pool(pool="ours"),
        "network.existing.pool",
        "'ours' is no network",
    ),
    "HPC-NET-014": (
        {"network": pool()["network"] | {"nat": "none"}},
        "network.nat",
        "nat has no effect, because the existing network pools/ours is not changed",
    ),
    "HPC-NET-016": (
        changed("network", nat="none"),
        "network.nat",
        "without NAT, no software can be installed at first boot",
    ),
    "HPC-NET-026": (
        pool(cidr="127.0.0.0/8"),
        "network.existing.cidr",
        "a pool can't have the range 127.0.0.0/8: these are loopback addresses",
    ),
    "HPC-SLM-011": (
        database(host="db.atoll-2.toy.example"),
        "slurm.accounting.database.host",
        "the database is in atoll-2, but the cluster is in reef-1",
    ),
    "HPC-SLM-013": (
        database(password_secret="hunter2"),
        "slurm.accounting.database.password_secret",
        "this is no secret",
    ),
    "HPC-MNT-006": (
        storage(work={"type": "nfs", "mount": "/work", "existing": HOME["existing"]}),
        "storage.work.existing",
        "storage home mounts the same file system (10.90.255.1, /home)",
    ),
    "HPC-MNT-007": (
        storage(),
        "storage.home.existing",
        "10.90.255.1 is outside 10.40.0.0/16",
    ),
    "HPC-NFS-006": (
        storage(home=HOME | {"size": "1TiB"}),
        "storage.home.size",
        "size applies only to new file systems, but",
    ),
    "HPC-NFS-007": (
        storage(home=HOME | {"existing": {"server": "nfs://a", "export": "/home"}}),
        "storage.home.existing.server",
        "not a host name or IPv4 address",
    ),
    "HPC-FSX-011": (
        storage(wide={"type": "lustre", "mount": "/wide", "size": "9TiB", "existing": {"address": "10.1.0.4"}}),
        "storage.wide.size",
        "size applies only to new file systems, but",
    ),
    "HPC-OSI-004": (
        changed("head_node", image="dune"),
        "head_node.image",
        "'dune' is no image",
    ),
    "HPC-OSI-006": (
        {"os": "debian-12", "slurm": {"version": "22.05"}},
        "queues[1].machine",
        "Debian 12 has no public image for x86_64 with a driver for MI300X",
    ),
    "HPC-HED-005": (
        {"log_retention": "366d"},
        "log_retention",
        "the toy cloud's diary can't keep logs for 366d",
    ),
    "HPC-TAG-001": (
        {"tags": {f"tag{number}": "x" for number in range(21)}},
        "tags",
        "21 tags are too many, because 4 of a resource's 24 tags are reserved for the cluster",
    ),
    "HPC-TAG-004": (
        {"tags": {"Toy-owner": "x"}},
        "tags.Toy-owner",
        "the toy cloud reserves keys that begin with toy-",
    ),
    "HPC-MCH-014": (
        queues(SERIAL | {"machine": "boulder-32", "smt": False}),
        "queues[0].machine",
        "the toy cloud can't launch boulder-32 with one thread per core",
    ),
    "HPC-EBS-007": (
        queues(GPU | {"root": {"size": "30GiB"}}),
        "queues[0].root.size",
        "the image for debian-13 with drivers takes up 40 GiB",
    ),
    "HPC-QTA-001": (
        {},
        "queues[1].max",
        "the full cluster runs 428 vCPUs (head node 4 + login nodes 8 + queue gpu 384 + queue serial 32), and a new",
    ),
    "HPC-BKT-003": (
        {"buckets": {"data": {"type": "pond", "name": "koi"}, "more": {"type": "pond", "name": "koi"}}},
        "buckets.more.name",
        "buckets.data also has the name koi",
    ),
}  # fmt: skip
"""A broken description for each rule: what is changed, where that is found, and a part of the reason."""


@pytest.mark.parametrize("id", BROKEN)
def test_it_is_caught_in_the_clouds_own_words(id: str) -> None:
    parts, place, reason = BROKEN[id]
    found = said_of(**parts)
    assert id in found, sorted(found)
    assert found[id].path == place
    assert reason in found[id].reason
    assert found[id].remedy
    for each in found.values():
        assert not AWS_WORDS.search(f"{each.reason}; {each.remedy}"), each


@pytest.mark.parametrize(
    ("id", "parts", "remedy"),
    [
        (
            "HPC-HED-007",
            changed("head_node", machine="coral-192"),
            "use a general-purpose machine type such as pebble-4",
        ),
        ("HPC-MCH-004", queues(GPU | {"machine": "zzz"}), "use a machine type such as shell-32 or tide-64"),
        ("HPC-NAM-005", queues(), "add a queue: {name: cpu, machine: shell-32, max: 4}"),
        (
            "HPC-NET-004",
            changed("network", ssh_from=["0.0.0.0/0"]),
            "or remove ssh_from and use the toy cloud's window",
        ),
        ("HPC-NET-006", changed("network", ssh_from=[]), "remove public: true and use the toy cloud's window"),
    ],
)
def test_what_is_proposed_is_what_the_cloud_has(id: str, parts: dict[str, Any], remedy: str) -> None:
    assert remedy in said_of(**parts)[id].remedy


def test_what_a_cloud_does_not_know_is_not_judged() -> None:
    assert "HPC-HED-005" not in said_of(log_retention="365d")
    assert "HPC-SLM-011" not in said_of(**database())
    assert "HPC-SLM-011" not in said_of(**database(host="db.example.org"))
    assert "HPC-CAP-004" not in said_of()


def test_a_secret_that_may_stand_there_is_not_repeated() -> None:
    said = said_of(**database(password_secret="hunter2"))["HPC-SLM-013"]
    assert "hunter2" not in f"{said.value} {said.reason} {said.remedy}"


def test_a_wider_range_is_proposed_by_the_clouds_own_plan() -> None:
    crowd = changed("network", cidr="192.168.0.0/25") | queues(GPU | {"max": 300})
    assert said_of(**crowd)["HPC-NET-007"].remedy == "use at least a /22, e.g. 192.168.0.0/22"
    crowd = changed("network", cidr="192.168.0.0/17") | queues(SERIAL | {"purchase": "spot", "max": 70_000})
    said = said_of(**crowd)["HPC-NET-007"]
    assert said.remedy.startswith("lower max of serial so that "), "192.168.0.0/15 overlaps others"
    assert "zones" not in said.remedy, "the subnet is the region's"


def test_nodes_of_all_zones_share_the_subnet_of_the_region() -> None:
    subnet = pool(private={"reef-1": SUBNET | {"cidr": "10.7.0.0/26"}})
    both = queues(SERIAL | {"purchase": "spot", "max": 30}, SERIAL | {"name": "b", "max": 30, "zones": ["reef-1-b"]})
    said = said_of(**subnet, **both)["HPC-NET-007"]
    assert (said.level, said.path) == (Level.ERROR, "network.existing.private.reef-1.cidr")
    assert "queue serial 30 + queue b 30" in said.reason


def test_a_lease_may_hold_several_machine_types(monkeypatch: pytest.MonkeyPatch) -> None:
    from clouds.toy.spec import Lease

    monkeypatch.setattr(Lease, "one_pool", False)
    several = queues(SERIAL | {"fallback": ["pebble-4"], "zones": ["reef-1-a", "reef-1-b"]})
    assert not {"HPC-CAP-005", "HPC-CAP-006", "HPC-CAP-008"} & set(said_of(**several))
