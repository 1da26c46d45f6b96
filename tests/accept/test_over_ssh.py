"""`hpc accept` with real ssh, sshd, Slurm and the daemon that launches nodes."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator

import pytest
from elastic.lab import Cluster, end, wait
from elastic.lab.cloud import COMMAND, Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401
from operate.site import Laptop, start_sshd
from processes import started

from hpc_components.accept.result import Code

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

NODES = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
"""

STACK = """\
config:
  hpc:cluster:
    cloud: aws
    name: lab
    region: us-east-2
    zone: use2-az2
    network: {cidr: 10.90.0.0/16, nat: one}
    head_node: {machine: m7i.large}
    storage:
      home: {type: nfs, mount: /shared, size: 1TiB}
    queues:
      - {name: q, machine: c7i.xlarge, max: 4, purchase: on_demand}
"""

OUTPUTS = {
    "access": {"cloud": "aws", "cluster": "lab", "region": "us-east-2", "user": "root"},
    "head_node": {"private_ip": "10.77.0.2", "public_ip": "10.77.0.2", "instance_id": "i-0abc"},
}

# the lab's nodes know no names but the head's, have no home that is shared, and MPI has no PMI there
SKIP = [f"--skip={name}" for name in ("names", "mpi", "throughput")]


@pytest.fixture(scope="module")
def cluster(lab) -> Iterator[Cluster]:  # noqa: F811
    made = Cluster(lab, NODES)
    install_daemon(made, nodes=4)
    made.head.write("/opt/hpc/bin/hpc-elastic", f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n', mode="755")
    with Cloud(made).served():
        daemon = start_daemon(made)
        yield made
        end(daemon, signal.SIGTERM)


@pytest.fixture(scope="module")
def laptop(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Laptop:
    made = Laptop(cluster.lab.host("laptop", "10.77.0.200").enter[2], tmp_path_factory.mktemp("laptop"))
    start_sshd(cluster.head, made.public_key)
    (made.folder / "Pulumi.lab.yaml").write_text(STACK)
    (made.folder / "outputs.json").write_text(json.dumps(OUTPUTS))
    return made


def arguments(*more: str) -> list[str]:
    return ["accept", "./Pulumi.lab.yaml", "--outputs", "outputs.json", *SKIP, *more]


def left(cluster: Cluster) -> str:
    """Jobs and folders of tests that are still there."""
    jobs = cluster.head.run("squeue", "--noheader", "--name", "", "--format=%j", check=False)
    found = cluster.head.run("sh", "-c", "ls /shared | grep hpc-accept", check=False)
    return "\n".join(line for line in (jobs + found).splitlines() if "hpc-accept" in line)


def test_a_cluster_is_accepted_over_ssh_and_nothing_is_left(laptop: Laptop, cluster: Cluster) -> None:
    done = laptop.hpc(*arguments("--yes", "--format", "json", "--out", "report.json"))
    assert (laptop.folder / "report.json").exists(), done.stderr
    document = json.loads((laptop.folder / "report.json").read_text())
    failed = [each for each in document["outcomes"] if each["state"] == "failed"]
    assert (done.returncode, failed) == (0, []), done.stderr
    (job,) = document["jobs"]
    assert job["names"] == ["q-1", "q-2"]
    assert document["versions"]["slurm"] == cluster.version
    assert {"login", "home", "shared-files", "job", "ranks"} <= {
        each["code"] for each in document["outcomes"] if each["state"] == "passed"
    }
    assert re.search(r"queue q: 2 × c7i\.xlarge, a job of at most \d+ minutes, at most [\d.]+ USD", done.stderr)
    assert left(cluster) == ""


def test_money_is_spent_only_with_consent(laptop: Laptop, cluster: Cluster) -> None:
    done = laptop.hpc(*arguments("--max-cost", "0.01", "--yes"))
    assert done.returncode == 2
    assert "more than --max-cost 0.01" in done.stderr
    done = laptop.hpc(*arguments())
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    assert left(cluster) == ""


def test_ctrl_c_cancels_the_job_and_removes_its_files(laptop: Laptop, cluster: Cluster) -> None:
    line, environment = laptop.command(*arguments("--yes", "--nodes", "4"))
    process = subprocess.Popen(
        ["env", "--default-signal=INT", *line], env=environment, cwd=laptop.folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    wait(lambda: "hpc-accept" in left(cluster))
    wait(lambda: "hpc-accept" in cluster.head.run("squeue", "--noheader", "--format=%j"))
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    wait(lambda: not cluster.head.run("squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING"))
    assert left(cluster) == ""


def test_another_cluster_s_outputs_are_refused(laptop: Laptop) -> None:
    other = {**OUTPUTS, "access": {**OUTPUTS["access"], "cluster": "other"}}
    (laptop.folder / "other.json").write_text(json.dumps(other))
    done = laptop.hpc("accept", "./Pulumi.lab.yaml", "--outputs", "other.json", "--yes")
    assert done.returncode == 2
    assert "outputs are of cluster other, but lab describes lab" in done.stderr


def spot_arguments(laptop: Laptop) -> list[str]:
    """Those of a test in which a machine of queue q, as if it bought spot machines, is taken away.

    Its first job leaves another node up, so that the lab need not replace the machine.
    """
    (laptop.folder / "Pulumi.spot.yaml").write_text(STACK.replace("on_demand", "spot"))
    skipped = [f"--skip={code}" for code in Code if code not in (Code.JOB, Code.SPOT)]
    chosen = ["./Pulumi.spot.yaml", "--outputs", "outputs.json", *skipped, "--nodes", "2", "--spot", "--yes"]
    return ["accept", *chosen, "--format", "json", "--out", "spot.json"]


def spot_lines(laptop: Laptop) -> list[tuple[str, str]]:
    outcomes = json.loads((laptop.folder / "spot.json").read_text())["outcomes"]
    return [(each["state"], each["detail"]) for each in outcomes if each["code"] == "spot"]


def test_a_notice_that_the_user_sends_is_waited_for_and_judged(laptop: Laptop, cluster: Cluster) -> None:
    line, environment = laptop.command(*spot_arguments(laptop))
    said = laptop.folder / "said"
    with said.open("w") as err, started(line, env=environment, cwd=laptop.folder, stderr=err) as process:
        wait(lambda: "take the machine of" in said.read_text())
        found = re.search(r"only job (\d+) runs on (q-\d), whose machine", said.read_text())
        assert found, said.read_text()
        reason = "reason=hpc: spot notice: the machine ends at 14:02:10"
        cluster.head.run("scontrol", "update", f"nodename={found[2]}", "state=drain", reason)
        cluster.head.run("scontrol", "requeue", found[1])
        assert process.wait(timeout=300) == 0, said.read_text()
    cluster.lab.kill(found[2])
    assert [state for state, _ in spot_lines(laptop)] == ["passed"] * 5
    assert "yourself: ec2-spot-interrupter --region us-east-2 --instance-ids" in said.read_text()
    assert left(cluster) == ""


def test_a_node_that_other_jobs_may_share_is_not_taken(laptop: Laptop, cluster: Cluster) -> None:
    cluster.head.run("scontrol", "update", "partitionname=q", "oversubscribe=FORCE:2")
    try:
        done = laptop.hpc(*spot_arguments(laptop), seconds=300)
    finally:
        cluster.head.run("scontrol", "update", "partitionname=q", "oversubscribe=NO")
    assert spot_lines(laptop) == [("left out", "Slurm does not say that the job has its node for itself")], (
        done.stderr
    )
    assert "whose machine is now taken away" not in done.stderr
    assert left(cluster) == ""
