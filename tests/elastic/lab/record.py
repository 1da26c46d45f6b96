"""Record what Slurm's commands really write, for the parsers: in tests/, `python -m elastic.lab.record [ROOT]`."""

import sys
import tempfile
from pathlib import Path

from elastic.lab import HERE, Cluster, Lab, wait
from hpc_components.elastic.slurm.scontrol import HOLDS_NODES

NODES = """\
NodeName=compute-queue-[1-9] CPUs=4 CoresPerSocket=4 RealMemory=1000 Feature=c7i,us-east-2a State=CLOUD
NodeName=login-1 NodeAddr=10.77.0.9 CPUs=2 RealMemory=1000
PartitionName=compute-queue Nodes=compute-queue-[1-9] Default=YES
PartitionName=static Nodes=login-1
"""


def record(root: Path) -> None:
    """Write recorded/<version>/nodes.txt and jobs.txt."""
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(Path(directory), root)
        try:
            cluster = Cluster(lab, NODES)
            make_states(cluster)
            run = cluster.head.run
            folder = HERE.parent / "slurm/recorded" / cluster.version
            folder.mkdir(parents=True, exist_ok=True)
            nodes = run("scontrol", "show", "nodes", "--oneliner", SLURM_TIME_FORMAT="%s")
            jobs = run("squeue", "--noheader", "--all", "--states", HOLDS_NODES, "--format", "%A|%T|%N")
            (folder / "nodes.txt").write_text(nodes)
            (folder / "jobs.txt").write_text(jobs)
        finally:
            lab.close()


def make_states(cluster: Cluster) -> None:
    """A node in every state that comes about without waiting, and jobs on some."""

    def update(numbers: str, *what: str) -> None:
        cluster.head.run("scontrol", "update", f"nodename=compute-queue-{numbers}", *what)

    def submit(*what: str) -> None:
        cluster.head.run("sbatch", "-o", "/dev/null", *what, "--wrap", "sleep 300", user="alice")

    cluster.wish_for("compute-queue-[1-4]", "compute-queue-4")
    for number in (1, 2, 3):
        cluster.start_node(f"compute-queue-{number}", number)
    wait(lambda: all(cluster.state(f"compute-queue-{number}") == "IDLE+CLOUD" for number in (1, 2, 3)))
    submit("-N2", "-n2")
    submit("-N1", "--array=1-2")
    wait(lambda: cluster.head.run("squeue", "-h", "-t", "RUNNING").count("\n") == 3)
    update("3", "state=drain", 'reason=a "quoted" State=IDLE [x] = of others')
    update("5", "state=down", "reason=hpc: no capacity for c7i.48xlarge in use2-az1; next try 12:40")
    update("6", "comment=Reason=none [a@b] State=DOWN")
    update("7", "state=power_down")
    submit("-N3", "-n3")
    wait(lambda: "CONFIGURING" in cluster.head.run("squeue", "-h", "-o", "%T"))


if __name__ == "__main__":
    record(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("/"))
