"""A description moves from AWS to the toy cloud, and only what is of a cloud changes."""

from typing import Any

import pytest

from clouds.descriptions import cluster_of
from hpc_components.slurm import slurm_files
from hpc_components.spec.cluster import ClusterSpec

pytestmark = pytest.mark.usefixtures("toy")

SAME: dict[str, Any] = {
    "name": "moved",
    "os": "ubuntu-24.04",
    "network": {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]},
    "slurm": {
        "version": "23.11",
        "settings": {"MaxArraySize": 5001},
        "accounting": {"qos": {"short": {"priority": 10}}, "accounts": {"lab": {"users": ["ada"], "qos": ["short"]}}},
    },
    "budget": {"monthly": 100_000, "alert_at": [50, 100], "notify": ["hpc@example.org"]},
    "tags": {"Project": "wing"},
    "log_retention": "30d",
    "throw_away": True,
    "silence": {"HPC-HED-006": "for a week", "HPC-SLM-025": "people end their own jobs"},
}

QUEUES: list[dict[str, Any]] = [
    {"name": "mpi", "max": 8, "smt": False, "idle_time": "5m", "slurm": {"MaxTime": "1-0"}},
    {"name": "loose", "max": 8, "fabric": False, "placement": "none", "purchase": "spot", "requeue": False},
    {"name": "gpu", "max": 2, "min": 1, "root": {"size": "200GiB"}},
]

PLACES: dict[str, dict[str, Any]] = {
    "aws": {"region": "us-east-2", "zone": "use2-az2", "zones": {}},
    "toy": {"region": "reef-1", "zone": "reef-1-a", "zones": {"gpu": ["reef-1-b"]}},
}

MACHINES = {
    "aws": {"head": "m7i.xlarge", "mpi": "hpc7a.96xlarge", "loose": "c7i.8xlarge", "gpu": "g6.12xlarge"},
    "toy": {"head": "pebble-4", "mpi": "tide-64", "loose": "shell-32", "gpu": "coral-192"},
}

BUCKETS = {"aws": {"data": {"type": "s3"}}, "toy": {"data": {"type": "pond"}}}


def on(cloud: str, **more: Any) -> ClusterSpec:
    """The same cluster there."""
    place, machines = PLACES[cloud], MACHINES[cloud]
    queues = [queue | {"machine": machines[queue["name"]]} for queue in QUEUES]
    for queue in queues:
        if zones := place["zones"].get(queue["name"]):
            queue["zones"] = zones
    return cluster_of(
        SAME
        | {"cloud": cloud, "region": place["region"], "zone": place["zone"], "buckets": BUCKETS[cloud]}
        | {"head_node": {"machine": machines["head"], "public": True, "state": {"size": "32GiB"}}}
        | {"login_nodes": {"machine": machines["head"], "max_sessions_per_user": 4, "public": True}, "queues": queues}
        | more
    )


def keys(text: str, *, but: set[str]) -> dict[str, str]:
    """Settings of slurm.conf by key, nodes and partitions apart."""
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {key: value for key, value in found.items() if key not in {"NodeName", "PartitionName"} | but}


def test_what_is_described_is_the_same() -> None:
    here, there = (on(cloud).model_dump(mode="json", exclude_unset=True) for cloud in ("aws", "toy"))
    differ = {key for key in here if here[key] != there[key]}
    assert differ == {"cloud", "region", "zone", "head_node", "login_nodes", "queues", "buckets"}
    for ours, theirs in zip(here["queues"], there["queues"], strict=True):
        assert {key for key in theirs if ours.get(key) != theirs[key]} <= {"machine", "zones"}


def test_slurm_is_configured_the_same() -> None:
    here, there = (slurm_files(on(cloud)) for cloud in ("aws", "toy"))
    assert here["sacctmgr.sh"].replace("gpu:l4", "gpu:mi300x") == there["sacctmgr.sh"]
    assert here["cgroup.conf"] == there["cgroup.conf"]
    of_clouds = {"KillWait", "AccountingStorageTRES", "SlurmctldHost", "AccountingStorageHost"}
    assert keys(here["slurm.conf"], but=of_clouds) == keys(there["slurm.conf"], but=of_clouds)
    for word in ("KillWait=60", "KillWait=15"):
        assert (word in here["slurm.conf"].splitlines()) != (word in there["slurm.conf"].splitlines())
    for start in ("PartitionName=mpi", "PartitionName=loose", "PartitionName=gpu"):
        partitions = [
            next(line for line in files["slurm.conf"].splitlines() if line.startswith(start)).rpartition(" DefMem")[0]
            for files in (here, there)
        ]
        assert partitions[0] == partitions[1]
