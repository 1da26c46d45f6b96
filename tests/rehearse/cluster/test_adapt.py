"""Generated files for this machine: only what must differ does, and every line that differs is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic.config import load_config
from hpc_components.rehearse.cluster.adapt import CLOUD_SOCKET, Times, adapt

SLURM = """\
# Slurm
ClusterName=cfd
AuthInfo=cred_expire=30
SlurmctldParameters=enable_configless,power_save_interval=10
SuspendTime=600
ResumeTimeout=1800
TaskPlugin=task/cgroup,task/affinity
ProctrackType=proctrack/cgroup
PrologFlags=Contain

NodeName=cpu-[1-4] CPUs=96
PartitionName=cpu Nodes=cpu-[1-4] SuspendTime=300
PartitionName=gpu Nodes=gpu-[1-4] SuspendTime=INFINITE
"""

ELASTIC = {
    "version": 1,
    "cluster": "cfd",
    "cloud": "aws",
    "region": "us-east-2",
    "boot_timeout": 600,
    "cooldown": 600,
    "queues": [{"name": "cpu", "max": 4, "pools": [{"machine": "hpc6a.48xlarge", "zone": "use2-az2"}]}],
}

FILES = {
    "slurm.conf": SLURM,
    "cgroup.conf": "ConstrainCores=yes\nConstrainDevices=yes\n",
    "gres.conf": "AutoDetect=off\nNodeName=gpu-[1-4] Name=gpu File=/dev/nvidia[0-7]\n",
    "elastic.json": json.dumps(ELASTIC),
}


def shrunk(files=FILES, *, cgroups=True):
    result, changes = adapt(files, times=Times(), cgroups=cgroups)
    return result, {(change.file, change.before, change.after) for change in changes}


def test_waits_of_slurm_are_made_short():
    files, changes = shrunk()
    assert "SuspendTime=5\n" in files["slurm.conf"]
    assert ("slurm.conf", "SuspendTime=600", "SuspendTime=5") in changes
    assert "PartitionName=cpu Nodes=cpu-[1-4] SuspendTime=5\n" in files["slurm.conf"]
    assert "power_save_interval=1" in files["slurm.conf"]
    assert "power_save_interval=10" not in files["slurm.conf"]


def test_a_partition_that_never_suspends_stays_so():
    files, _ = shrunk()
    assert "PartitionName=gpu Nodes=gpu-[1-4] SuspendTime=INFINITE\n" in files["slurm.conf"]


def test_our_checks_of_idle_nodes_are_left_out_but_not_a_program_of_the_user():
    checks = "HealthCheckProgram={}\nHealthCheckInterval=300\nHealthCheckNodeState=IDLE\n"
    ours = checks.format("/opt/hpc/bin/hpc-health-idle")
    files, changes = shrunk(FILES | {"slurm.conf": SLURM + ours})
    assert "HealthCheck" not in files["slurm.conf"]
    assert {("slurm.conf", line, "") for line in ours.splitlines()} <= changes
    own = checks.format("/usr/sbin/nhc")
    files, _ = shrunk(FILES | {"slurm.conf": SLURM + own})
    assert own in files["slurm.conf"]


def test_nodes_may_announce_more_than_there_is():
    files, changes = shrunk()
    assert ("slurm.conf", "", "SlurmdParameters=config_overrides") in changes
    assert ("slurm.conf", "TaskPlugin=task/cgroup,task/affinity", "TaskPlugin=task/cgroup") in changes
    assert ("cgroup.conf", "ConstrainCores=yes", "ConstrainCores=no") in changes
    assert "ConstrainDevices=yes\n" in files["cgroup.conf"]


def test_a_list_that_gets_empty_is_left_out():
    files, changes = shrunk(FILES | {"slurm.conf": SLURM.replace("task/cgroup,task/affinity", "task/affinity")})
    assert "TaskPlugin" not in files["slurm.conf"]
    assert ("slurm.conf", "TaskPlugin=task/affinity", "") in changes


def test_what_is_not_to_be_changed_is_not_told():
    files, changes = shrunk()
    assert files["gres.conf"] == FILES["gres.conf"]
    assert not [change for change in changes if change[0] == "gres.conf"]


def test_gpus_that_are_looked_for_are_named_instead():
    gres = "NodeName=gpu-[1-4] AutoDetect=nvml Name=gpu File=/dev/nvidia[0-7]\n"
    files, changes = shrunk(FILES | {"gres.conf": gres})
    assert files["gres.conf"] == gres.replace("AutoDetect=nvml ", "")
    assert ("gres.conf", gres.strip(), files["gres.conf"].strip()) in changes


def test_without_cgroups_jobs_are_not_fenced():
    files, changes = shrunk(cgroups=False)
    assert "ProctrackType=proctrack/linuxproc\n" in files["slurm.conf"]
    assert "TaskPlugin=task/none\n" in files["slurm.conf"]
    assert "PrologFlags" not in files["slurm.conf"]
    assert ("slurm.conf", "PrologFlags=Contain", "") in changes
    assert ("slurm.conf", "TaskPlugin=task/cgroup,task/affinity", "TaskPlugin=task/none") in changes


def test_an_outside_database_is_replaced():
    outside = (
        "StorageHost=db.example.org\nStoragePort=3306\nStorageUser=acct\nStoragePass=x\nStorageLoc=slurm_acct_db\n"
    )
    files, changes = shrunk(FILES | {"slurmdbd.conf": outside})
    assert files["slurmdbd.conf"] == "StorageHost=localhost\nStorageUser=slurm\nStorageLoc=slurm_acct_db\n"
    assert ("slurmdbd.conf", "StoragePass=x", "") in changes
    assert len(changes) == len(shrunk()[1]) + 4


def test_machines_come_from_this_machine():
    files, changes = shrunk()
    config = load_config(files["elastic.json"])
    assert (config.cloud, config.socket, config.cluster) == ("local", CLOUD_SOCKET, "cfd")
    assert config.queues == load_config(FILES["elastic.json"]).queues
    assert ("elastic.json", '"cloud": "aws"', '"cloud": "local"') in changes


@pytest.mark.parametrize("cgroups", [True, False])
def test_adapting_twice_adds_nothing_more(cgroups):
    once, _ = shrunk(cgroups=cgroups)
    twice, changes = shrunk(once, cgroups=cgroups)
    assert twice == once
    assert changes == set()


KEYS = st.sampled_from(["SuspendTime", "AuthInfo", "SlurmctldParameters", "TaskPlugin", "PrologFlags", "MaxJobCount"])
VALUES = st.lists(st.sampled_from(["a", "task/affinity", "cred_expire=30", "7"]), min_size=1, max_size=3, unique=True)


@given(st.dictionaries(KEYS, VALUES), st.booleans())
def test_changes_lead_from_the_generated_lines_to_those_used(settings_, cgroups):
    text = "".join(f"{key}={','.join(values)}\n" for key, values in settings_.items())
    files, changes = shrunk(FILES | {"slurm.conf": text}, cgroups=cgroups)
    before, after = set(text.splitlines()), set(files["slurm.conf"].splitlines())
    told = [change for change in changes if change[0] == "slurm.conf"]
    assert before - {change[1] for change in told} == after - {change[2] for change in told}
    assert {change[2] for change in told} - {""} <= after
