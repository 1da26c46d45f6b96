"""What jobs have cost, in their comments and e-mails, by real daemons and nodes that run jobs."""

import base64
import json
import re

import pytest

from hpc_components.boot.archive import node_archive
from hpc_components.boot.packaged import packaged_scripts
from hpc_components.slurm.billing import budgets_json
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release
from tests.slurm.working_nodes import START_NODES, with_working_nodes

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

MAILER = "/usr/local/bin/mailer"
ACCOUNTS = {"lab": {"users": ["alice"], "budget": {"monthly": 100_000}}}
DESCRIBED = cluster(
    queue(machine="c7i.24xlarge", max=1, slurm={"DefaultTime": "5"}),
    slurm={"accounting": {"accounts": ACCOUNTS, "cost_estimates": True}, "settings": {"MailProg": MAILER}},
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
failed() {{ [[ $(sacct -nXDPj $again -o state) == *NODE_FAIL* ]]; }}
export -f runs gone recorded failed
put() {{ cat >$1; chmod $2 $1; }}; cd /tmp; mkdir head; echo {MAILER} >head/mail_program
source /etc/slurm/job_costs.sh; mail_program
printf '#!/bin/sh\ntext=$(cat); echo "$3|$2|$text" >>/tmp/mails\n' >{MAILER}; chmod 755 {MAILER}
mails() {{ [[ $(grep -c Ended /tmp/mails) == 2 ]]; }}; export -f mails
export again; again=$(job -J again -n 48 --requeue --wrap 'sleep 4'); wait_for runs $again
scontrol update jobid=$again admincomment='{ODD}'
scontrol update nodename=cpu-1 state=down reason=lost; wait_for failed; wait_for recorded
echo "= lost"; hpc-bill comment
echo "= more"; scontrol update nodename=cpu-1 state=resume
plain=$(job -J plain -n 48 --mail-type=BEGIN,END --mail-user=a@x.org --wrap 'sleep 3')
array=$(job -J array --mail-type=END --mail-user=b@x.org -a 0-2 -n 1 --wrap 'sleep $SLURM_ARRAY_TASK_ID')
quoted=$(job -J quoted -n 48 --wrap 'sleep 1'); scontrol update jobid=$quoted admincomment='it is "so"'
never=$(job -J never --begin=now+1hour --wrap true); scancel $never
wait_for gone; wait_for recorded
echo "= first"; hpc-bill comment; hpc-bill comment
echo "= comments"; comments
echo "= never"; sacct -nXPj $never -o jobname,admincomment
echo "= mails"; wait_for mails; sort /tmp/mails
echo "= jobs"; hpc-bill jobs --account lab --format json
stop slurmctld; as slurm slurmctld -D >/dev/null 2>&1 & wait_for scontrol ping; wait_for recorded
echo "= again"; hpc-bill comment; comments
"""
)


def said(release: Release) -> dict[str, str]:
    """What the script writes after each line of `= <title>`."""
    files = with_working_nodes(DESCRIBED, release.version) | {
        "budgets.json": budgets_json(DESCRIBED),
        "job_costs.sh": packaged_scripts("hpc_components.boot")["head/job_costs.sh"],
        "hpc-bill.b64": base64.b64encode(node_archive("bill")).decode(),
    }
    parts = re.split("^= (.*)\n", release.run(DESCRIBED, SCRIPT, files).output, flags=re.MULTILINE)[1:]
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def rows(text: str) -> dict[str, tuple[str, str]]:
    """Name and comment of each job."""
    return {job: (name, comment) for job, name, comment in (line.split("|", 2) for line in text.splitlines())}


def test_costs_of_ended_jobs_are_written_into_their_comments(release: Release) -> None:
    found = said(release)
    assert found["lost"] == ""  # the job runs again after its node has failed
    assert found["first"] == "wrote the costs of 5 jobs"  # all but the one with quotes; and nothing more after that
    comments = rows(found["comments"])
    keeps_capitals = release.version != "22.05"
    costs = {job["job"]: float(job["usd"]) for job in json.loads(found["jobs"])["jobs"]}
    usd = "USD" if keeps_capitals else "usd"
    by_name: dict[str, list[str]] = {}
    for name, comment in comments.values():
        by_name.setdefault(name, []).append(comment)
    assert by_name.pop("quoted") == ['it is "so"']
    assert found["never"] == "never|"
    (again,) = by_name["again"]
    assert again.startswith(f"{ODD}; cost about ")
    assert {name: len(texts) for name, texts in by_name.items()} == {"plain": 1, "array": 3, "again": 1}
    written = sorted(amount(text, usd) for texts in by_name.values() for text in texts)
    (quoted,) = (job for job, (name, _) in comments.items() if name == "quoted")
    counted = sorted(round(cost, 2) for job, cost in costs.items() if job != quoted)
    assert written == pytest.approx(counted, abs=0.0051)
    print(f"Slurm {release.version}: {found['comments']}")
    began, plain, array = (line.split("|") for line in found["mails"].splitlines())
    assert (began[0], began[2]) == ("a@x.org", "")
    assert " Began" in began[1]
    assert plain[2] == f"It {by_name['plain'][0].replace('usd', 'USD')}, without boot and idle time of nodes."
    alone = {job for job, (name, _) in comments.items() if name != "array"}
    tasks = sum(cost for job, cost in costs.items() if job not in alone)
    assert array[1].startswith("Slurm Array Summary Job_id=")
    assert f"about {tasks:.2f} USD" in array[2]
    # slurmctld has sent its own comment again, which replaced the cost
    assert found["again"].splitlines()[0] == "wrote the costs of 1 jobs"
    assert rows(found["again"].partition("\n")[2])[next(job for job in comments if comments[job][0] == "again")] == (
        "again",
        again,
    )


def amount(comment: str, usd: str) -> float:
    match = re.search(rf"(?:^|; )cost (less than|about) ([0-9.]+) {usd}$", comment)
    assert match, comment
    return 0.005 if match[1] == "less than" else float(match[2])
