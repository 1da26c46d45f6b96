"""A job script is read as sbatch reads it, which is asked here what it understood, before it looks for a cluster."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from hpc_components.rehearse.run.job_script import asked_account, asked_partitions
from tests.processes import Start
from tests.rehearse.performing import lacks

SCRIPTS = {
    # what stands in the script: the partition and the account
    "#SBATCH --partition=gpu": ("gpu", ""),
    "#SBATCH --partition gpu --account nlp": ("gpu", "nlp"),
    "#SBATCH -p gpu": ("gpu", ""),
    "#SBATCH -pgpu -Anlp": ("gpu", "nlp"),
    "#SBATCH -N 1 -p gpu": ("gpu", ""),
    "#SBATCH --nodes=2 --ntasks-per-node=1 --account=nlp --partition=a,b": ("a,b", "nlp"),
    "#SBATCH\t-t 1:00\t-p\tgpu": ("gpu", ""),
    "#SBATCH-p gpu": ("gpu", ""),
    "#SBATCH --partition='gpu' -A \"nlp\"": ("gpu", "nlp"),
    '#SBATCH --comment="-p cpu" -p gpu': ("gpu", ""),
    "#SBATCH -p gpu # -p cpu": ("gpu", ""),
    "#SBATCH -p gpu#cpu": ("gpu", ""),
    "#SBATCH # -p gpu": ("", ""),
    "#SBATCH -N 1 # two\n#SBATCH -p gpu": ("gpu", ""),
    "#SBATCH -p cpu\n#SBATCH -p gpu": ("gpu", ""),
    "#SBATCH -p\n#SBATCH gpu": ("gpu", ""),
    "# a comment\n\n#SBATCH -p gpu": ("gpu", ""),
    "##SBATCH -p gpu": ("", ""),
    "  #SBATCH -p gpu": ("", ""),
    "#sbatch -p gpu": ("", ""),
    "hostname\n#SBATCH -p gpu": ("", ""),
    "#SBATCH -HOp gpu": ("gpu", ""),
    "#SBATCH -J-p -A nlp": ("", "nlp"),
    "#SBATCH -J -p -A nlp": ("", "nlp"),
    "#SBATCH -koff -A nlp": ("", "nlp"),
    "#SBATCH --part=gpu --acco nlp": ("gpu", "nlp"),
    "#SBATCH --parsable --job-name=partition": ("", ""),
    "#SBATCH -p cpu\n#SBATCH hetjob\n#SBATCH -p gpu": ("cpu", ""),
}


@pytest.mark.parametrize("lines", SCRIPTS)
def test_partition_and_account_are_read_from_a_script(lines):
    text = f"#!/bin/bash\n{lines}\nhostname\n"
    assert (",".join(asked_partitions(text)), asked_account(text)) == SCRIPTS[lines]


def test_a_quote_that_is_not_closed_is_for_sbatch_to_tell():
    assert asked_partitions("#!/bin/bash\n#SBATCH -p 'gpu\n") == [""]


CONF = """\
ClusterName=none
SlurmctldHost=localhost
SlurmctldPort=1
NodeName=n1
PartitionName=p Nodes=n1
"""

UNREACHABLE = {"SLURM_CONF": "slurm.conf", "PATH": os.environ["PATH"]}


@pytest.mark.skipif(bool(lacks("22.05")), reason=lacks("22.05"))
@pytest.mark.slurm
@pytest.mark.parametrize("lines", SCRIPTS)
def test_sbatch_reads_it_like_that(start: Start, tmp_path: Path, lines: str) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "job.sh").write_text(f"#!/bin/bash\n{lines}\nhostname\n")
    command = ["sbatch", "-v", "job.sh"]
    process = start(command, cwd=tmp_path, env=UNREACHABLE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    told = []
    for line in process.stderr:  # it would go on to ask the cluster, for minutes
        told.append(line)
        if "end of defined options" in line:
            break
    process.kill()
    process.wait()
    process.stderr.close()
    found = dict(re.findall(r"sbatch: (partition|account) *: (\S+)", "".join(told)))
    assert "end of defined options" in told[-1], told
    assert (found.get("partition", ""), found.get("account", "")) == SCRIPTS[lines]
