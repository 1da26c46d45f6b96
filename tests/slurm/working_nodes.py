"""Nodes that run jobs on the head node itself: for tests of what Slurm counts, which need jobs but no machines."""

import re
from itertools import count

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.rehearse.cluster.adapt import Times, adapt
from hpc_components.slurm import slurm_files

LEFT_OUT = r"^(Resume|Suspend|PrologSlurmctld|SlurmctldParameters|TopologyPlugin)\w*=.*\n"
"""Lines about nodes that come and go. These here are always there."""

START_NODES = r"""
for name in $(scontrol -o show nodes | grep -oP '^NodeName=\K\S+'); do
  mkdir -p /var/spool/slurmd-$name; slurmd -D -N $name >/dev/null 2>&1 &
done
idle() { [[ $(sinfo -hN -o %t | sort -u) == idle ]]; }; export -f idle; wait_for idle
"""


def with_working_nodes(described: AwsClusterSpec, version: str) -> dict[str, str]:
    """Slurm's files, with nodes that are always there. `START_NODES` starts them."""
    files, _ = adapt(slurm_files(described, version=version), times=Times(), cgroups=False)
    ports = count(7001)
    text = re.sub(LEFT_OUT, "", files["slurm.conf"], flags=re.MULTILINE)
    text = re.sub(
        r"^(NodeName=\S+) NodeAddr=\S+ State=CLOUD",
        lambda line: f"{line[1]} NodeHostname=head NodeAddr=127.0.0.1 Port={next(ports)}",
        text,
        flags=re.MULTILINE,
    )
    text = text.replace("SlurmdSpoolDir=/var/spool/slurmd", "SlurmdSpoolDir=/var/spool/slurmd-%n")
    text = text.replace("SlurmdPidFile=/run/slurmd.pid", "SlurmdPidFile=/run/slurmd-%n.pid")
    plugin = "cgroup/v1" if version == "22.05" else "disabled"  # 22.05 looks for the file system if none is named
    return {**files, "slurm.conf": text, "cgroup.conf": f"CgroupPlugin={plugin}\n"}
