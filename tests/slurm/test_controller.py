"""What the head node does with a changed configuration while slurmctld has jobs, on real daemons."""

import re
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

NODE = r"""
alice() { setpriv --reuid=alice --regid=alice --init-groups "$@"; }
mkdir -p /opt/hpc/config/common/slurm /run/hpc && cd /opt/hpc/config
for each in node debian slurm controller; do mv /etc/slurm/$each.sh common/; done
mkdir -p head/units && touch head/units/slurm.conf common/cluster.env common/cloud.sh
export slurmd_release=$(slurmctld -V)

step() { # <function>: as the runner does, but systemd is played
  bash -Eeuo pipefail -O inherit_errexit -c '
    source common/node.sh; source common/controller.sh
    systemctl() { [[ $1 != is-active ]] || pidof slurmctld >/dev/null; }
    slurmctld() { echo "$slurmd_release"; }
    running() {
      cmp -s /etc/slurm/slurm.conf /run/started && return
      echo started; cp /etc/slurm/slurm.conf /run/started; RESTARTED=yes
      kill $(pidof slurmctld)
      for _ in $(seq 100); do pidof slurmctld >/dev/null || break; sleep 0.1; done
      setpriv --reuid=slurm --regid=slurm --init-groups /usr/sbin/slurmctld -D >/dev/null 2>&1 9>&- &
      [[ ! -v interrupted ]]
    }
    "$0"' "$1" 2>&1 | sed "/^wrote/d"
}
apply() { # <sed script>: the description changes so
  sed "$1" /etc/slurm/slurm.conf >common/slurm/slurm.conf.new
  cp /etc/slurm/{cgroup,topology,gres}.conf common/slurm/
  mv common/slurm/slurm.conf.new common/slurm/slurm.conf
  step configuration && step controller
}
states() {
  squeue -ha -S -j -o '%j %T'
  scontrol -ao show partition | grep -oE "PartitionName=\S+| State=\S+" | paste -sd' \n'
}
begun() { for _ in $(seq 100); do [[ $(squeue -h -t CF,R -o %j | wc -l) -eq $1 ]] && return; sleep 0.2; done; }
apply ''  # first boot
"""


def said(release: Release, script: str) -> list[str]:
    """What `script` writes between lines of `= <title>`, on a head node with queues `one` of 4 nodes and `two`."""
    described = cluster(queue(name="one", max=4), queue(name="two", max=1), queue(name="gpu", machine="g6.48xlarge"))
    paths = ("common/node.sh", "common/debian.sh", "common/slurm.sh", "head/controller.sh")
    scripts = {Path(path).name: boot_files(described)[path] for path in paths}
    output = release.run(described, NODE + script, scripts).output
    return [part.partition("\n")[2] for part in re.split("^= ", output, flags=re.M)[1:]]


SHAPES = """
NO_SMT='{s/CPUs=2/CPUs=1/; s/ThreadsPerCore=2/ThreadsPerCore=1/}'
cp /etc/slurm/slurm.conf /run/first
for queue in one gpu; do alice sbatch -J $queue -p $queue -D /tmp --wrap true; done; begun 2
alice sbatch -J waits -p two -D /tmp --hold --wrap true
echo "= smt of one";     apply '/^NodeName=one/'"$NO_SMT"
echo "= max of one";     apply 's/one-\\[1-4\\]/one-[1-3]/'
echo "= gpus of gpu";    apply '/^NodeName=gpu/s/gpu:l4:8/gpu:l4:4/'
echo "= two is removed"; apply '/Name=two/d'
echo "= untouched"; cmp /etc/slurm/slurm.conf /run/first; states
echo "= more of all"
apply 's/one-\\[1-4\\]/one-[1-6]/; s/Weight=[0-9]*/Weight=7/; s/RealMemory=3/RealMemory=2/'; states
echo "= two, with jobs that wait"; apply '/^NodeName=two/'"$NO_SMT"; states
scancel -u alice; while [[ $(squeue -h) ]]; do sleep 0.2; done
echo "= one, jobs are done";  apply '/^NodeName=one/'"$NO_SMT"
"""


def test_a_queue_with_jobs_keeps_its_nodes_as_they_are(release: Release) -> None:
    *changed, untouched, more, other, done = said(release, SHAPES)
    for text, name, why, state in zip(
        changed,
        ["one", "one", "gpu", "two"],
        [*["its nodes change"] * 3, "it is removed"],
        [*["DOWN"] * 3, "DRAIN"],
        strict=True,
    ):
        way_out = f"set its partition {state} (scontrol update partition={name} state={state.lower()}) and wait"
        assert text == f"queue {name} has jobs and {why}: {way_out}; tried again every minute\n"
    jobs = "waits PENDING\none CONFIGURING\ngpu CONFIGURING\n"
    assert untouched.startswith(jobs)
    assert more.startswith("started\n" + jobs)
    assert other.startswith("started\n" + jobs)
    assert done == "started\n"


CLOSED = """
scontrol update partition=one state=drain; scontrol update partition=gpu state=down
echo "= changed"; apply 's/UnkillableStepTimeout=180/UnkillableStepTimeout=170/'; states
scontrol update partition=one state=up
echo "= again";   apply 's/UnkillableStepTimeout=170/UnkillableStepTimeout=160/'; states
ls /var/lib/hpc
echo "= interrupted"; interrupted=1 apply 's/UnkillableStepTimeout=160/UnkillableStepTimeout=150/'
until scontrol ping >/dev/null; do sleep 0.1; done
step controller; states
"""


def test_a_partition_closed_by_somebody_stays_closed(release: Release) -> None:
    changed, again, interrupted = said(release, CLOSED)
    assert changed.splitlines() == [
        "started", "PartitionName=one  State=DRAIN", "PartitionName=two  State=UP", "PartitionName=gpu  State=DOWN"
    ]  # fmt: skip
    assert again.splitlines()[1:4] == [
        "PartitionName=one  State=UP", "PartitionName=two  State=UP", "PartitionName=gpu  State=DOWN"
    ]  # fmt: skip
    assert again.splitlines()[4:] == ["slurmctld", "told"]
    assert interrupted.splitlines()[1:] == again.splitlines()[1:4]


TOLD = """
scontrol() { [[ $1 != reconfigure ]] || echo "nodes are told"; command scontrol "$@"; }
export -f scontrol
echo "= head reboots"; rm /run/started /run/hpc/*; apply ''
alice sbatch -Q -J job -p two -D /tmp --wrap true; begun 1
echo "= changed"; apply 's/UnkillableStepTimeout=180/UnkillableStepTimeout=170/'; step nodes_told
export slurmd_release='slurm-wlm 23.11.4'
echo "= 23.11.4 with a job"; apply 's/UnkillableStepTimeout=170/UnkillableStepTimeout=160/'; step nodes_told
echo "= 23.11.4, head reboots"; rm /run/started /run/hpc/*; apply ''; step nodes_told
scancel -u alice; while [[ $(squeue -h) ]]; do sleep 0.2; done
echo "= 23.11.4 without"; step nodes_told; step nodes_told
"""


def test_nodes_are_told_once_and_not_when_it_costs_a_job(release: Release) -> None:
    reboot, changed, with_job, then_reboot, without = said(release, TOLD)
    assert reboot == "started\n"
    assert changed.splitlines() == ["started", "nodes are told"]
    postponed = (
        "nodes keep their present configuration while jobs run\n" * 2
        + "nodes get the changed configuration once no job has nodes: reconfiguring slurmd 23.11.4 would lose jobs\n"
    )
    assert with_job == "started\n" + postponed
    assert then_reboot == "started\n" + postponed
    assert without == "nodes are told\n"
