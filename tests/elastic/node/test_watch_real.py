"""A spot notice on a node of a real Slurm: jobs save what they have and go on elsewhere while the machine still runs.

The watcher is the archive itself, run by the node's own Python.
"""

import json
import shutil
import time
from pathlib import Path

import pytest

from elastic.drivers import fake_metadata
from elastic.lab import Cluster, wait
from elastic.lab.fixtures import lab  # noqa: F401
from hpc_components.boot.archive import archive

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-2] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-2] Default=YES
"""
PROGRAM = """\
import os, signal, sys, time
def say(words):
    with open(sys.argv[1], "a") as out:
        print(os.environ["SLURMD_NODENAME"], words, file=out)
def save(*_):
    time.sleep(1)
    say("saved")
    os._exit(0)
signal.signal(signal.SIGTERM, save)
say("starts again" if "SLURM_RESTART_COUNT" in os.environ else "starts")
time.sleep(300)
"""
JOBS = {
    "srun": "cd /shared; srun python3 program.py srun.txt; echo done >>srun.txt",
    "plain": "cd /shared; python3 program.py plain.txt; echo done >>plain.txt",
    "trap": "cd /shared; trap 'echo script told >>trap.txt' TERM; srun python3 program.py trap.txt & wait; wait",
}
"""Three ways in which people write them. None says with its exit code that it is not done."""


@pytest.fixture(scope="module")
def after(lab):  # noqa: F811
    """The cluster a while after the notice, the files that the jobs wrote, and the watcher's words."""
    cluster = Cluster(lab, NODES)
    cluster.wish_for("q-[1-2]", "q-2")
    for number in (1, 2):
        cluster.start_node(f"q-{number}", number)
    wait(lambda: all(cluster.state(f"q-{number}") == "IDLE+CLOUD" for number in (1, 2)))
    submit(cluster)
    announce(cluster)
    restarted = [lab.shared / f"{name}.txt" for name in JOBS]
    wait(lambda: all("q-2 starts again" in file.read_text() for file in restarted))
    return cluster


def submit(cluster):
    shared = cluster.lab.shared
    (shared / "program.py").write_text(PROGRAM)
    for name, script in JOBS.items():
        (shared / f"{name}.txt").touch()
        (shared / f"{name}.txt").chmod(0o666)
        batch(cluster, name, script)
    batch(cluster, "stays", "sleep 300", "--no-requeue")
    wait(lambda: all((shared / f"{name}.txt").read_text() == "q-1 starts\n" for name in JOBS))
    wait(lambda: cluster.head.run("squeue", "-h", "-o", "%N").split() == ["q-1"] * 4)


def batch(cluster, name, script, *options):
    path = cluster.lab.shared / f"{name}.sh"
    path.write_text(f"#!/bin/bash\n{script}\n")
    cluster.head.run("sbatch", "-n1", "-J", name, "-o", "/dev/null", *options, f"/shared/{name}.sh", user="alice")


def announce(cluster):
    """The machine of q-1 is told that it ends, with a watcher on it."""
    shared = cluster.lab.shared
    (shared / "hpc-elastic").write_bytes(archive("aws"))
    (shared / "imds").mkdir()
    shutil.copy(Path(fake_metadata.__file__), shared)
    node = cluster.nodes["q-1"]
    node.spawn("python3", "/shared/fake_metadata.py", "8169", "/shared/imds")
    node.spawn("/usr/bin/python3", "/shared/hpc-elastic", "watch", IMDS="http://127.0.0.1:8169")
    wait(lambda: "looking for notices" in words(cluster))
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 120))
    (shared / "imds/spot_instance-action").write_text(json.dumps({"action": "terminate", "time": ends}))


def words(cluster):
    return (cluster.lab.shared / "q-1.python3.log").read_text()


def test_the_node_takes_no_more_jobs(after):
    line = after.head.run("scontrol", "show", "node", "q-1", "-o")
    assert "+DRAIN" in line
    assert "Reason=hpc: spot notice: the machine ends at " in line


@pytest.mark.parametrize("name", JOBS)
def test_a_job_saves_and_goes_on_elsewhere(after, name):
    told = (after.lab.shared / f"{name}.txt").read_text().splitlines()
    assert [line for line in told if line.startswith("q-")] == ["q-1 starts", "q-1 saved", "q-2 starts again"]


def test_a_script_trapping_the_signal_is_told_too(after):
    assert "script told" in (after.lab.shared / "trap.txt").read_text()


def test_a_job_that_may_not_be_requeued_is_left_alone(after):
    assert after.head.run("squeue", "-h", "-n", "stays", "-o", "%T %N").split() == ["RUNNING", "q-1"]


def test_the_watcher_says_what_it_does(after):
    lines = [line.removeprefix("q-1: ") for line in words(after).splitlines()[1:]]
    said = [line for line in lines if "Connection refused" not in line]  # the metadata service may be slower than it
    assert said[0].startswith("spot notice: the machine ends at ")
    assert said[1:5] == ["drained", "job 1 requeued", "job 2 requeued", "job 3 requeued"]
    assert said[5].startswith("job 4 was not requeued: scontrol: ")
    assert len(said) == 6
