"""The plan of accounts and QoS."""

import os
import shutil
import subprocess
from importlib.resources import files

import pytest

from hpc_components.slurm import slurm_files
from tests.slurm.described import STACKS, cluster, queue, stack

SHELLCHECK = shutil.which("shellcheck")


def plan(*queues, qos=None, accounts=None):
    described = cluster(*queues, slurm={"accounting": {"qos": qos or {}, "accounts": accounts or {}}})
    text = slurm_files(described)["sacctmgr.sh"]
    return [line.strip() for line in text[text.index("case $") :].splitlines()]


def test_a_cluster_without_accounts_is_made_known():
    assert plan()[:4] == ["case ${1-} in", "before-slurmctld)", "wait_for slurmdbd dbd_answers", "cluster lab"]
    assert plan()[5:9] == ["after-slurmctld)", "wait_for slurmdbd dbd_answers", "changed", ";;"]


def test_parents_are_made_before_their_children():
    lines = plan(accounts={"c": {"parent": "b", "users": ["alice"]}, "b": {"parent": "a"}, "a": {}})
    assert [line.split()[2] for line in lines if line.startswith("account ")] == ["a", "b", "c"]


def test_qos_come_from_above_and_the_first_is_the_default():
    qos = {"short": {}, "long": {}}
    accounts = {
        "top": {"qos": ["short", "long"], "users": ["alice"]},
        "sub": {"parent": "top"},
        "own": {"parent": "top", "qos": ["long"], "fairshare": 7},
        "free": {},
    }
    lines = [line for line in plan(qos=qos, accounts=accounts) if line.startswith("shares ")]
    assert lines == [
        "shares lab free root 1 normal normal",
        "shares lab top root 1 long,short short",
        "shares lab own top 7 long long",
        "shares lab sub top 1 long,short short",
    ]


def test_slurmctld_waits_only_for_what_partitions_may_name():
    accounts = {"top": {"qos": ["long"], "users": ["alice"]}, "sub": {"parent": "top", "fairshare": 3}}
    lines = plan(queue(machine="g6.xlarge"), qos={"long": {"max_wall": "2d"}}, accounts=accounts)
    assert lines[2 : lines.index(";;")] == [
        "wait_for slurmdbd dbd_answers",
        "cluster lab",
        "qos long",
        "account lab top root",
        "account lab sub top",
    ]


def test_a_user_is_of_the_first_account_by_default():
    lines = plan(accounts={"a": {"users": ["alice", "bob", "alice"]}, "b": {"users": ["carol", "alice"]}})
    assert [line for line in lines if line.startswith("users ")] == [
        "users lab a alice bob",
        "users lab b carol alice",
    ]
    assert [line for line in lines if line.startswith("default_")] == [
        "default_account lab a alice bob",
        "default_account lab b carol",
    ]


def test_an_account_may_be_the_default_of_a_user():
    b = {"users": ["carol", "alice"], "default_for": ["alice"]}
    lines = plan(accounts={"a": {"users": ["alice", "bob"]}, "b": b})
    assert [line for line in lines if line.startswith("default_")] == [
        "default_account lab a bob",
        "default_account lab b alice carol",
    ]


def test_limits_that_are_not_described_are_taken_away():
    gpus = queue(machine="g6.xlarge", gpu_sharing={"shards": 4})
    limited = {
        "max_tres_per_user": {"cpu": 8, "gres/shard": 2},
        "max_wall": "1d12h",
        "flags": ["DenyOnLimit", "NoDecay"],
    }
    lines = plan(
        gpus, qos={"a": limited | {"priority": 5}, "b": {}}, accounts={"x": {"users": ["alice"], "qos": ["a", "b"]}}
    )
    none = "cpu=-1,mem=-1,node=-1,billing=-1,gres/gpu=-1,gres/gpu:l4=-1,gres/shard=-1"
    some = none.replace("cpu=-1", "cpu=8").replace("shard=-1", "shard=2")
    before, after = lines[: lines.index(";;")], lines[lines.index(";;") :]
    assert [line for line in before if line.startswith("qos ")] == ["qos a", "qos b"]
    assert after[after.index("wait_for gres/shard tres_known gres/shard") + 1 :][:2] == [
        f"limits a Priority=5 MaxWall=1-12:00:00 MaxTRESPerUser={some} Flags=DenyOnLimit,NoDecay",
        f"limits b Priority=0 MaxWall=-1 MaxTRESPerUser={none} Flags=-1",
    ]


@pytest.mark.skipif(SHELLCHECK is None, reason="needs shellcheck")
@pytest.mark.parametrize("name", [name for name in STACKS if stack(name).slurm.accounting])
def test_shellcheck_finds_nothing_in_the_script(name):
    text = slurm_files(stack(name))["sacctmgr.sh"]
    done = subprocess.run([SHELLCHECK, "-s", "bash", "-"], input=text, capture_output=True, text=True)
    assert done.stdout == ""


SACCTMGR = """#!/bin/bash
if [[ $* == *show* ]]; then echo 'lab||billing=5'; exit; fi
echo "${@:2}" >>changes
[[ ! -e broken ]]
"""


def test_a_limit_that_could_not_be_removed_is_removed_by_the_next_run(tmp_path):
    head = files("hpc_components.slurm").joinpath("sacctmgr_head.sh").read_text(encoding="utf-8")
    script = head.replace("/var/lib/hpc/budgets", "limited") + 'budgets lab "$@"; changed\n'
    (tmp_path / "sacctmgr").write_text(SACCTMGR)
    (tmp_path / "sacctmgr").chmod(0o755)

    def run(*limits):
        environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = ["bash", "-c", script, "sacctmgr.sh", *limits]
        return subprocess.run(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL).returncode

    assert run("lab/=5") == 0
    (tmp_path / "broken").touch()
    assert run() == 1
    (tmp_path / "broken").unlink()
    (tmp_path / "changes").unlink()
    assert run() == 0
    removal = "modify account where name=lab cluster=lab set grptresmins=billing=-1\n"
    assert (tmp_path / "changes").read_text() == removal
    assert not (tmp_path / "limited").exists()
