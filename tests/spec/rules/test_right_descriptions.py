"""What is right, near what is not: descriptions of which nothing is said but quotas."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level
from hpc_components.spec.rule import rules_for

from .judged import cluster, existing, queue

QUIET = {"HPC-QTA-001", "HPC-OSI-008"}
"""A new account's quota, and the age of AWS's newest image: no fault of a description."""

LIMITS = {"MaxTime": "2-0", "DefaultTime": "4:00:00"}
ACCOUNTS = {"cfd": {"users": ["alice"]}, "chem": {"users": ["bob"]}}
HOME = {"type": "nfs", "mount": "/home", "size": "1TiB"}
FSX = "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"
SVM = "svm-0123456789abcdef0.fs-0123456789abcdef1.fsx.us-east-2.amazonaws.com"
LUSTRE = {"id": "fs-0123456789abcdef0", "dns_name": FSX, "mount_name": "3pzlabmv"}
DATABASE = {
    "host": "slurm.cluster-abc.us-east-2.rds.amazonaws.com",
    "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurm-db-AbCdEf",
}
SPOT = {"purchase": "spot", "fabric": False, "placement": "none"}


def slurm(settings: dict[str, Any] | None = None, **accounting: Any) -> dict[str, Any]:
    return {"slurm": {"accounting": {"accounts": ACCOUNTS} | accounting, "settings": settings or {}}}


def keys(machine: str = "c7i.24xlarge", **changes: Any) -> dict[str, Any]:
    """One queue with settings of its own."""
    return {"queues": [queue(machine=machine, slurm=LIMITS | changes)]}


PUBLIC = {"machine": "m7i.large", "public": True, "key_pair": "admin"}
NETWORK = {"cidr": "10.20.0.0/16"}
BIG = {"max_wall": "2d", "max_tres_per_user": {"cpu": 768, "mem": 1_500_000}}
DEBUG = {"max_wall": "30m", "priority": 100, "max_tres_per_user": {"node": 1}}

RIGHT: dict[str, dict[str, Any]] = {
    "public and private ranges": {
        "network": NETWORK | {"ssh_from": ["10.0.0.0/8", "130.83.0.0/16"]},
        "login_nodes": PUBLIC,
    },
    "over a vpn": {
        "network": NETWORK | {"ssh_from": ["10.0.0.0/12"]},
        "login_nodes": PUBLIC | {"public": False},
    },
    "shared addresses": {"network": {"cidr": "100.64.0.0/16"}},
    "beside docker": {"network": {"cidr": "172.18.0.0/16"}},
    "existing file systems": {
        "network": existing(),
        "storage": {
            "home": {"type": "nfs", "mount": "/home", "existing": {"server": SVM, "export": "/vol_home"}},
            "scratch": {"type": "lustre", "mount": "/fsx", "existing": LUSTRE},
        },
    },
    "memory of a cpu": keys(DefMemPerCPU=1900, MaxMemPerCPU=1980),
    "little memory, so that users name it": keys(DefMemPerCPU=500),
    "memory of a node": keys(DefMemPerNode=64000, MaxMemPerNode=180000),
    "memory of a small node": keys("c7i.large", DefMemPerNode=1000),
    "defaults of gpus": keys("g6.12xlarge", DefMemPerGPU=45000, DefCpuPerGPU=12),
    "weights": keys("g6.12xlarge", TRESBillingWeights="CPU=1.0,Mem=0.25G,GRES/gpu=16.0")
    | slurm({"PriorityWeightFairshare": 100_000, "PriorityWeightTRES": "CPU=1000,Mem=2000,GRES/gpu=3000"}),
    "arrays": slurm({"MaxArraySize": 50_001, "MaxJobCount": 200_000, "MinJobAge": 3600, "MessageTimeout": 60}),
    "limits of a partition": keys(MinNodes=1, MaxNodes=4, PriorityTier=10, GraceTime=120, MaxCPUsPerNode=90),
    "no limits": keys(MaxTime="UNLIMITED", MaxNodes="UNLIMITED", OverSubscribe="FORCE:1", OverTimeLimit=10),
    "half an hour": keys(MaxTime=30, DefaultTime=10),
    "accounts let in": keys(AllowAccounts="cfd,chem", AllowQos="normal") | slurm(),
    "an account kept out": keys(DenyAccounts="chem") | slurm(),
    "qos as long as queues": keys()
    | slurm(
        qos={"normal": {"max_wall": "1d"}, "big": BIG, "debug": DEBUG},
        accounts={"cfd": {"users": ["alice"], "qos": ["normal", "big", "debug"]}},
    ),
    "whole nodes": {"queues": [queue(qos="big", slurm=LIMITS | {"OverSubscribe": "EXCLUSIVE"})]}
    | slurm(qos={"big": {"max_tres_per_user": {"cpu": 64, "node": 4}}}),
    "limits that hold": keys() | slurm({"AccountingStorageEnforce": "associations,limits,qos,safe,nosteps"}),
    "preemption by queues": {
        "queues": [
            queue(slurm=LIMITS | {"PriorityTier": 10, "PreemptMode": "OFF"}),
            queue(name="free", slurm=LIMITS | {"PreemptMode": "REQUEUE", "Alternate": "cpu"}),
        ]
    }
    | slurm({"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE"}),
    "a database of the region": slurm(database=DATABASE),
    "half the list price": {"queues": [queue(max_spot_price=0.35, slurm=LIMITS, **SPOT)]},
    "tags": {"tags": {"Team": "cfd", "cost-centre": "4711", "project:id": "a/b = c", "Owner": "me@example.org"}},
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_nothing_is_said_of_what_is_right(changes: dict[str, Any]) -> None:
    described = cluster(**{"storage": {"home": HOME}} | changes)
    found = {
        (rule.id, problem.path): problem.reason
        for rule in rules_for(described)
        for problem in rule(described)
        if rule.id not in QUIET and (problem.level or rule.level) is not Level.INFO
    }
    assert found == {}
