"""What `hpc job` reads of Slurm's accounting, by real daemons and a node that runs the job."""

import re
import shlex

import pytest

from hpc_components.operate.job_record import job_command, read_job
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release
from tests.slurm.working_nodes import START_NODES, with_working_nodes

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

DESCRIBED = cluster(
    queue(machine="c7i.24xlarge", max=1), slurm={"accounting": {"accounts": {"lab": {"users": ["alice"]}}}}
)
BUSY = "exec python3 -c 'import time\nwhile time.process_time() < 2: pass'"
SCRIPT = (
    START_NODES
    + f"""
gone() {{ [[ -z $(squeue -h -o %A) ]]; }}
# slurmctld sends the end of a short job before its start, which has the name
recorded() {{ [[ $(sacct -nXP -j 1 -o JobName,State) == 'wing | tail|COMPLETED' ]]; }}
export -f gone recorded
echo "= id"; as alice sbatch --parsable -D /tmp -o /dev/null -J 'wing | tail' -n 48 --wrap {shlex.quote(BUSY)}
wait_for gone; wait_for recorded
echo "= job"; {shlex.join(job_command("1"))}
"""
)


def test_one_busy_cpu_of_48_is_seen(release: Release) -> None:
    output = release.run(DESCRIBED, SCRIPT, with_working_nodes(DESCRIBED, release.version)).output
    parts = dict(re.findall(r"^= (\w+)\n(.*?)(?=^= |\Z)", output, flags=re.MULTILINE | re.DOTALL))
    assert parts["id"].strip() == "1"
    job = read_job(parts["job"])
    assert job, output
    assert (job.id, job.name, job.user, job.account, job.queue) == ("1", "wing | tail", "alice", "lab", "cpu")
    assert (job.nodes, job.cpus) == (("cpu-1",), 48)
    assert job.end
    assert job.state == "COMPLETED"
    assert job.end - job.start == job.elapsed >= 1
    assert 1.5 < job.cpu_seconds < 12
