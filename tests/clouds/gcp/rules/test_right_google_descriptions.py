"""Valid descriptions on Google Cloud, close to invalid ones: only quotas are reported."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level

from .judged import HOME, cards, existing, queue, said_of

QUIET = {"HPC-QTA-010", "HPC-OSI-024"}
"""A new project's quota of GPUs, and the age of the default image that the Lustre client fits: no faults of a
description."""

WITHIN_A_DAY = {"slurm": {"MaxTime": "1-0", "DefaultTime": "4:00:00"}}
BUDGET = {"monthly": 20_000, "notify": ["hpc-admins@example.org"]}
FALCON = cards(("falcon", "10.1.0.0/20"))
ROCE = [cards(("gvnic", "10.2.0.0/20")), cards(*((f"roce-{n}", f"10.3.{16 * n}.0/20") for n in range(8)))]


def queues(*queues: dict[str, Any]) -> dict[str, Any]:
    return {"queues": [queue(**changes) for changes in queues]}


def home(**changes: Any) -> dict[str, Any]:
    return {"storage": {"home": HOME | changes}}


def lustre(**changes: Any) -> dict[str, Any]:
    return {"storage": {"home": HOME, "scratch": {"type": "lustre", "mount": "/scratch"} | changes}}


def buckets(**changes: Any) -> dict[str, Any]:
    return {"buckets": {"data": {"type": "gcs"} | changes}}


def head(**changes: Any) -> dict[str, Any]:
    return {"head_node": {"machine": "n2-standard-4"} | changes}


IRDMA = "projects/my-hpc-project/global/images/ubuntu-cloud-rdma"

RIGHT: dict[str, dict[str, Any]] = {
    "small": {},
    "the smallest range": {"network": {"cidr": "10.20.0.0/20"}},
    "the smallest packets of the internet": {"network": {"cidr": "10.20.0.0/16", "mtu": 1500}},
    "the longest names": {"name": "c" * 32}
    | queues({"name": "q" * 25, "max": 9999, "machine": "c2-standard-60"})
    | {"network": {"cidr": "10.16.0.0/16"}, "head_node": {"machine": "n2-highmem-64"}},
    "h3 as close as can be": queues(
        {"machine": "h3-standard-88", "placement": "cluster", "max_distance": 1, "max": 22}
    ),
    "h3 in one policy": queues({"machine": "h3-standard-88", "placement": "cluster", "max_distance": 2, "max": 150}),
    "a3 in one policy": {"zone": "us-central1-a"}
    | queues({"machine": "a3-highgpu-8g", "max_distance": 2, "max": 256}),
    "h4d": queues({"machine": "h4d-standard-192", "image": IRDMA}),
    "h4d in the smallest range": {"network": {"cidr": "10.20.0.0/20"}}
    | queues({"machine": "h4d-standard-192", "image": IRDMA, "max": 28}),
    "h4d of flex-start": queues(
        {"machine": "h4d-standard-192", "image": IRDMA, "purchase": "flex_start", "max_run": "2d"} | WITHIN_A_DAY
    ),
    "l4 of flex-start": queues({"machine": "g2-standard-96", "purchase": "flex_start"} | WITHIN_A_DAY),
    "spread": queues({"placement": "spread", "max": 8}),
    "spot": queues({"purchase": "spot", "zones": ["us-central1-a", "us-central1-b"]}),
    "reserved": queues({"purchase": {"reservation": "projects/my-hpc-project/reservations/cfd"}}),
    "a block of a reservation": {"zone": "us-central1-b"}
    | queues(
        {
            "machine": "a3-ultragpu-8g",
            "purchase": {"reservation": "projects/my-hpc-project/reservations/cfd/reservationBlocks/cfd-block-1"},
        }
    ),
    "tier 1": queues({"machine": "c3-standard-176", "tier_1": True}),
    "one thread per core": queues({"smt": False}),
    "an existing network": existing(),
    "an existing network without file systems of ours": existing(services=False)
    | {
        "storage": {"home": {"type": "nfs", "mount": "/home", "existing": {"server": "10.0.16.9", "export": "/home"}}}
    },
    "h4d in an existing network": existing(cards={"us-central1-a": [FALCON]})
    | queues({"machine": "h4d-standard-192", "image": IRDMA}),
    "networks of two zones with the same ranges": existing(
        cards={"us-central1-a": [FALCON], "us-central1-b": [cards(("falcon-b", "10.1.0.0/20"))]}
    )
    | queues(
        {"machine": "h4d-standard-192", "image": IRDMA},
        {"machine": "h4d-standard-192", "image": IRDMA, "name": "b", "zones": ["us-central1-b"]},
    ),
    "ten cards in an existing network": {"zone": "us-central1-b"}
    | existing(cards={"us-central1-b": ROCE})
    | queues({"machine": "a3-ultragpu-8g", "purchase": "spot"}),
    "without further cards": existing()
    | queues({"machine": "h4d-standard-192", "fabric": False, "placement": "none"}),
    "lustre of 9000 GiB": lustre(size="9000GiB"),
    "lustre of 125 MB/s": lustre(size="72000GiB", throughput=125),
    "lustre beyond its threshold": lustre(size="1584000GiB"),
    "lustre that is there": existing() | lustre(existing={"server": "10.9.0.4", "mount_name": "lustrefs"}),
    "lustre with data": lustre(size="18000GiB", import_from="gs://runs/in", export_to="gs://runs"),
    "filestore of 9.75 TiB": home(size="9.75TiB"),
    "filestore of 12.5 TiB": home(size="12.5TiB"),
    "a small regional filestore": home(size="100GiB", tier="regional"),
    "the smallest basic filestore": home(size="2.5TiB", tier="basic_ssd"),
    "two zones and a regional home": home(tier="regional") | queues({"zones": ["us-central1-a", "us-central1-c"]}),
    "objects that get cold": buckets(archive={"nearline": "30d", "coldline": "90d", "archive": "365d"}),
    "objects that expire": buckets(archive={"coldline": "60d"}, expire="150d"),
    "autoclass": buckets(autoclass=True, expire="365d"),
    "folders": buckets(folders=True, versioning=False),
    "a bucket's name": buckets(name="cfd_runs-2026"),
    "labels": {"tags": {"team": "cfd", "cost-centre": "4711", "wing_2": "a380"}},
    "os login": {"os_login": True},
    "a budget": {"billing_account": "012345-6789AB-CDEF01", "budget": BUDGET},
    "a project of a domain": {"project": "example.com:my-hpc-project"},
    "a hyperdisk with figures": head(
        machine="c3-standard-22",
        state={"size": "256GiB", "type": "hyperdisk-balanced", "iops": 6000, "throughput": 600},
    ),
    "the largest state": head(state={"size": "64TiB"}),
    "hyperdisks by default": queues({"machine": "h4d-standard-192", "image": IRDMA, "root": {"size": "100GiB"}}),
    "an image": head(image="projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260110"),
    "time to boot": queues({"machine": "h4d-standard-192", "image": IRDMA}) | {"slurm": {"boot_time": "15m"}},
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_nothing_is_said_of_what_is_right(changes: dict[str, Any]) -> None:
    found = {
        (id, path): reason
        for (id, path), (level, reason) in said_of(**changes).items()
        if id not in QUIET and level is not Level.INFO
    }
    assert found == {}
