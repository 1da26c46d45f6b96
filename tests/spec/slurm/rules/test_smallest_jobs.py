"""Limits of a QoS beside the smallest job that a queue's shape allows."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths, problems, queue

RULE = "HPC-ACC-021"
WHOLE = {"OverSubscribe": "EXCLUSIVE"}
USERS = {"nlp": {"users": ["alice"], "qos": ["big"]}}


def limits(accounts: dict[str, Any] = USERS, **qos: Any) -> dict[str, Any]:
    return {
        "accounting": {"accounts": accounts, "qos": {name: {"max_tres_per_user": of} for name, of in qos.items()}}
    }


@pytest.mark.parametrize("owner", ["queue", "account"])
@pytest.mark.parametrize(
    ("keys", "tres", "found"),
    [
        ({"MinNodes": 2}, {"node": 2}, []),
        ({"MinNodes": 3}, {"node": 2}, ["node"]),
        ({"MinNodes": 3}, {"cpu": 2}, ["cpu"]),
        (WHOLE, {"cpu": 16}, []),
        (WHOLE, {"cpu": 15}, ["cpu"]),
        (WHOLE, {"mem": 1000}, ["mem"]),
        (WHOLE, {"mem": 40_000}, []),
        ({"DefMemPerNode": 30_000}, {"mem": 20_000}, ["mem"]),
        ({"DefMemPerNode": 30_000, "MinNodes": 2}, {"mem": 40_000}, ["mem"]),
        ({"DefMemPerCPU": 1000}, {"mem": 900}, ["mem"]),
        ({"DefMemPerCPU": 1000}, {"mem": 1000}, []),
        ({"OverSubscribe": "NO"}, {"cpu": 1}, []),
        ({}, {"node": 1}, []),
    ],
)
def test_limit_below_the_smallest_job_is_found(
    owner: str, keys: dict[str, Any], tres: dict[str, int], found: list[str]
) -> None:
    described = queue(slurm=keys, **({"qos": "big"} if owner == "queue" else {}))
    accounts = USERS if owner == "account" else {"nlp": {"users": ["alice"]}}
    expected = [f"slurm.accounting.qos.big.max_tres_per_user.{kind}" for kind in found]
    assert paths(RULE, queues=[described], slurm=limits(accounts, big=tres)) == expected


@pytest.mark.parametrize("kind", ["gres/gpu", "gres/gpu:l4"])
def test_gpus_are_given_whole_with_whole_nodes(kind: str) -> None:
    gpus = queue(machine="g6.48xlarge", slurm=WHOLE)
    assert paths(RULE, queues=[gpus], slurm=limits(big={kind: 4}))
    assert not paths(RULE, queues=[gpus], slurm=limits(big={kind: 8}))
    assert not paths(RULE, queues=[gpus | {"slurm": {}}], slurm=limits(big={kind: 4}))


def test_account_with_another_qos_can_use_the_queue() -> None:
    accounts = {"nlp": {"users": ["alice"], "qos": ["debug", "big"]}}
    both = limits(accounts, debug={"node": 1}, big={"node": 8})
    assert not paths(RULE, queues=[queue(slurm={"MinNodes": 4})], slurm=both)
    assert paths(RULE, queues=[queue(slurm={"MinNodes": 4, "DenyQos": "big"})], slurm=both)


def test_one_account_of_several_that_is_shut_out_is_an_info() -> None:
    accounts = {"nlp": {"users": ["alice"], "qos": ["big"]}, "cfd": {"users": ["bob"], "qos": ["normal"]}}
    small = limits(accounts, big={"node": 1})
    assert levels(RULE, queues=[queue(slurm={"MinNodes": 4})], slurm=small) == [Level.INFO]
    assert not paths(RULE, queues=[queue(slurm={"MinNodes": 4, "DenyAccounts": "nlp"})], slurm=small)


def test_limit_of_the_queue_goes_before_that_of_the_account() -> None:
    described = [queue(qos="wide", slurm={"MinNodes": 4})]
    slurm = limits(big={"node": 1}, wide={"node": 8})
    assert not paths(RULE, queues=described, slurm=slurm)
    slurm["accounting"]["qos"]["big"]["flags"] = ["OverPartQOS"]
    (problem,) = problems(RULE, queues=described, slurm=slurm)
    assert "big" in problem.path


def test_qos_that_overrides_min_nodes_is_right() -> None:
    slurm = limits(big={"node": 1})
    slurm["accounting"]["qos"]["big"]["flags"] = ["PartitionMinNodes"]
    assert not paths(RULE, queues=[queue(slurm={"MinNodes": 4})], slurm=slurm)


def test_without_accounts_no_limit_holds() -> None:
    assert not paths(RULE, queues=[queue(qos="big", slurm={"MinNodes": 4})], slurm=limits({}, big={"node": 1}))
