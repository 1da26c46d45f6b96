"""Scripts of a description on nodes that boot: they run before a node is used, and before and after its jobs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import update

pytestmark = [pytest.mark.boot, pytest.mark.slow]

SLOW_START = 15
"""Seconds of a prolog: longer than the ten after which slurmctld takes a batch job for lost (BatchStartTimeout)."""

AT_BOOT = """#!/bin/bash
echo "$HPC_ROLE ${HPC_QUEUE:--} $(id -un)" >>/var/tmp/booted
sleep infinity & # a service
echo "prepared $HPC_NODE"
"""
PROLOG = f"""#!/usr/bin/python3 -I
import os, time
time.sleep({SLOW_START})
open("/var/tmp/prolog", "a").write(os.environ["SLURM_JOB_ID"] + "\\n")
"""
EPILOG = '#!/bin/sh\necho "$SLURM_JOB_ID of $HPC_QUEUE" >>/var/tmp/epilog\n'


def described(**more: Mapping[str, object]) -> AwsClusterSpec:
    scripts = {
        "prepare": {"at": "boot", "text": AT_BOOT},
        "elsewhere": {"at": "boot", "text": "#!/bin/sh\ntouch /var/tmp/elsewhere\n", "on": ["head"]},
        "look": {"at": "prolog", "text": PROLOG, "on": ["debug"]},
        "other-queue": {"at": "prolog", "text": "#!/bin/false\n", "on": ["other"]},
        "clean": {"at": "epilog", "text": EPILOG},
    }
    queue = {"machine": "c7i.xlarge", "max": 2, "smt": False}
    queues = [{"name": "debug", **queue}, {"name": "other", **queue}]
    return spec(queues=queues, scripts={**scripts, **more})


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[Cluster]:
    with booted(layers, described()) as cluster:
        cluster.publish(configuration(cluster.described))
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def head(cluster: Cluster) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    return machine


def submit(head: Machine) -> str:
    return head.run("sbatch", "--parsable", "-D", "/tmp", "--wrap", "hostname", user="alice").strip()


def state_of(head: Machine, job: str) -> str:
    return head.run("squeue", "-h", "-j", job, "-t", "all", "-o", "%T %r").strip()


def completed(head: Machine, job: str) -> None:
    wait_for(lambda: state_of(head, job).startswith("COMPLETED"), f"job {job} is done: {state_of(head, job)}")


def read(machine: Machine, name: str) -> list[str]:
    return machine.run("cat", f"/var/tmp/{name}", check=False).splitlines()


def test_scripts_run_before_a_node_is_used_and_around_its_job(cluster: Cluster, head: Machine) -> None:
    assert read(head, "booted") == ["head - root"]
    assert head.run("ls", "/var/tmp/elsewhere").strip() == "/var/tmp/elsewhere"
    job = submit(head)
    completed(head, job)
    (node,) = cluster.nodes.values()
    assert read(node, "booted") == ["compute debug root"]
    assert "prepared debug-1\n" in node.run("cat", "/var/log/hpc-boot.log")
    assert node.run("ls", "/var/tmp/elsewhere", check=False).endswith("No such file or directory\n")
    assert read(node, "prolog") == [job]
    wait_for(lambda: read(node, "epilog") == [f"{job} of debug"], "the epilog has run")
    assert node.run("ls", "-A", "/root").split() == [".bashrc", ".profile", ".ssh"]


def test_running_nodes_follow_a_changed_prolog(cluster: Cluster, head: Machine) -> None:
    """At boot, scripts ran once: a change of others does not run them again."""
    quick = {"at": "prolog", "text": "#!/bin/sh\necho quick >>/var/tmp/prolog\n", "on": ["debug"]}
    cluster.publish(configuration(described(look=quick)))
    update(head)
    completed(head, submit(head))
    (node,) = cluster.nodes.values()
    assert read(node, "prolog")[-1] == "quick"
    assert read(head, "booted") == ["head - root"]


def test_a_job_whose_prolog_fails_waits_for_another_node_and_its_own_is_replaced(
    cluster: Cluster, head: Machine
) -> None:
    broken = {"at": "prolog", "text": "#!/bin/sh\necho no GPU answers\nexit 3\n"}
    cluster.publish(configuration(described(look=broken)))
    update(head)
    job = submit(head)
    (node,) = cluster.nodes.values()
    said = "script look: exit code 3: no GPU answers"
    wait_for(lambda: said in node.run("cat", "/var/log/slurm/slurmd.log", check=False), "the prolog fails")
    wait_for(lambda: not node.alive, "its machine is ended")
    assert "held" not in state_of(head, job)
