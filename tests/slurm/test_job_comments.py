"""What jobs have cost, in their comments in slurmdbd, on real daemons with nodes that run jobs."""

import base64
import json
import re

import pytest

from hpc_components.boot.archive import bill_archive
from hpc_components.slurm.billing import budgets_json
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release
from tests.slurm.working_nodes import START_NODES, with_working_nodes

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

DESCRIBED = cluster(
    queue(machine="c7i.24xlarge", max=2, slurm={"DefaultTime": "5"}),
    slurm={"accounting": {"accounts": {"lab": {"users": ["alice"]}}, "cost_estimates": True}},
    billing={"rates": {"c7i.24xlarge": 576}},
)

ODD = r"a|b $(touch /x) \ ; café"

SCRIPT = (
    START_NODES
    + rf"""
mkdir -p /opt/hpc/bin /etc/hpc /var/lib/hpc; PATH=$PATH:/opt/hpc/bin
base64 -d /etc/slurm/hpc-bill.b64 >/opt/hpc/bin/hpc-bill; chmod 755 /opt/hpc/bin/hpc-bill
install -m 600 /etc/slurm/budgets.json /etc/hpc/budgets.json
job() {{ as alice sbatch --parsable -D /tmp "$@"; }}
runs() {{ [[ $(squeue -h -j $1 -o %t 2>/dev/null) == R ]]; }}
gone() {{ [[ -z $(squeue -h -o %A) ]]; }}
stop() {{ kill -TERM $(pidof $1); while pidof $1 >/dev/null; do sleep 0.1; done; }}
recorded() {{ sdiag | grep -q 'DBD Agent queue size: *0$'; }}
comments() {{ sacct -aXPn -o jobid,jobname,admincomment; }}
export -f runs gone recorded
plain=$(job -J plain -n 48 --wrap 'sleep 3')
array=$(job -J array -a 0-2 -n 1 --wrap 'sleep $SLURM_ARRAY_TASK_ID')
again=$(job -J again -n 48 --requeue --wrap 'sleep 4'); wait_for runs $again
scontrol update jobid=$again admincomment='{ODD}'; scontrol requeue $again
quoted=$(job -J quoted -n 48 --wrap 'sleep 1'); scontrol update jobid=$quoted admincomment='it is "so"'
never=$(job -J never --begin=now+1hour --wrap true); scancel $never
as alice sbatch -Q -D /tmp -J wide -n 8 : -J wide -n 4 --wrap 'sleep 2'
still=$(job -J still -n 1 --begin=now+1hour --wrap true)
scontrol show hostnames a >/dev/null; only_still() {{ [[ $(squeue -h -o %A) == $still ]]; }}; export -f only_still
export still; wait_for only_still; wait_for recorded
echo "= first"; hpc-bill comment; hpc-bill comment
echo "= comments"; comments; scancel $still
echo "= jobs"; hpc-bill jobs --account lab --format json
stop slurmctld; as slurm slurmctld -D >/dev/null 2>&1 & wait_for scontrol ping; wait_for recorded
echo "= again"; hpc-bill comment; comments
"""
)


def said(release: Release) -> dict[str, str]:
    """What the script writes after each line of `= <title>`."""
    files = with_working_nodes(DESCRIBED, release.version) | {
        "budgets.json": budgets_json(DESCRIBED),
        "hpc-bill.b64": base64.b64encode(bill_archive()).decode(),
    }
    parts = re.split("^= (.*)\n", release.run(DESCRIBED, SCRIPT, files).output, flags=re.MULTILINE)[1:]
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def test_costs_of_ended_jobs_are_written_into_their_comments(release: Release) -> None:
    found = said(release)
    print(found)
    assert found == {}
