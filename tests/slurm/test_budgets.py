"""Budgets on real daemons, with nodes that run jobs and cost hundreds of dollars an hour, so that minutes suffice."""

import base64
import json
import re
from typing import Any

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.boot.archive import bill_archive
from hpc_components.slurm import slurm_files
from hpc_components.slurm.billing import budgets_json
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release
from tests.slurm.working_nodes import START_NODES, with_working_nodes

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

PER_MINUTE = 9.6
"""USD per minute of the node in queue `cpu`."""

IDS = {"ada": 2101, "bob": 2102, "cy": 2103, "dora": 2104}


def described(at_limit: str = "finish", lab: float | None = 20) -> AwsClusterSpec:
    accounts: dict[str, Any] = {
        "lab": {"budget": {"monthly": lab} if lab else None},
        "grant": {"budget": {"total": 30}},
        "free": {},
    }
    users: dict[str, Any] = {
        "ada": {"account": "lab"},
        "bob": {"account": "lab", "budget": {"monthly": 2}},
        "cy": {"account": "grant"},
        "dora": {"account": "free"},
    }
    return cluster(
        queue(machine="c7i.24xlarge", max=1, slurm={"DefaultTime": "1"}),
        queue(name="big", machine="c7i.48xlarge", max=1, slurm={"DefaultTime": "1"}),
        slurm={"accounting": {"accounts": accounts, "at_limit": at_limit}},
        people={"users": {name: {"uid": IDS[name]} | user for name, user in users.items()}},
        billing={"rates": {"c7i.24xlarge": 60 * PER_MINUTE, "c7i.48xlarge": 120 * PER_MINUTE}},
    )


START = (
    r"""
for each in ada:2101 bob:2102 cy:2103 dora:2104; do useradd -u ${each#*:} -U ${each%:*}; done
mkdir -p /opt/hpc/bin /etc/hpc /etc/sudoers.d
base64 -d /etc/slurm/hpc-bill.b64 >/opt/hpc/bin/hpc-bill; chmod 755 /opt/hpc/bin/hpc-bill
install -m 600 /etc/slurm/budgets.json /etc/hpc/budgets.json
echo "ALL ALL=(root) NOPASSWD: /opt/hpc/bin/hpc-bill concerns" >/etc/sudoers.d/hpc-bill
PATH=$PATH:/opt/hpc/bin
ended() { while pidof $1 >/dev/null; do sleep 0.1; done; }
stop() { kill -${2-TERM} $(pidof $1); ended $1; }
dbd() { as slurm slurmdbd -D >/dev/null 2>&1 & wait_for sacctmgr -n show cluster; }
ctld() { as slurm slurmctld -D >/dev/null 2>&1 & wait_for scontrol ping; }
stop slurmctld; stop slurmdbd; dbd; ctld # which look for ids of people at start
hpc-bill settle >/dev/null
job() { as $1 sbatch --parsable -D /tmp "${@:2}"; }
runs() { [[ $(squeue -h -j $1 -o %t 2>/dev/null) == R ]]; }
waits() { [[ $(squeue -h -j $1 -o %r) == AssocGrpBillingMinutes ]]; }
over() { [[ $(sacct -nXPj $1 -o end) == 20* ]]; }
used() { # <account>: as slurmctld has counted
  scontrol -o show assoc_mgr flags=assoc accounts=$1 | grep 'UserName= ' |
    grep -oP 'GrpTRESMins=\S*billing=\S+?\(\K[0-9]+'
}
seen() { SUDO_UID=$(id -u $1) hpc-bill concerns; }
cost() { # <account>: of all its runs, in dollars, by slurmdbd
  sacct -anXDP -S 1970-01-02 -A $1 -o elapsedraw,alloctres | sed -nE 's/([0-9]+)\|.*billing=([0-9]+).*/\1 \2/p' |
    awk '{ sum += $1 * $2 / 60e6 } END { printf "%.6f\n", sum }'
}
a_month_passes() { # since slurmctld's last reset of usage, and since the jobs that have ended
  stop slurmctld
  python3 -c "import struct, sys; at, reset = struct.unpack('>qq', sys.stdin.buffer.read())
sys.stdout.buffer.write(struct.pack('>qq', at, reset - $MONTH))" <$DECAY >/tmp/decay && cp /tmp/decay $DECAY
  ctld
  wait_for recorded # it tells slurmdbd again of jobs that have ended
  mariadb slurm_acct_db -e "update lab_job_table set time_submit = time_submit - $MONTH,
    time_eligible = time_eligible - $MONTH, time_start = time_start - $MONTH, time_end = time_end - $MONTH
    where time_end > 0"
}
recorded() { sdiag | grep -q 'DBD Agent queue size: *0$'; }
MONTH=$((31 * 86400)) STATE=/var/lib/hpc/slurmctld DECAY=/var/lib/hpc/slurmctld/priority_last_decay_ran
export -f runs waits over recorded
"""
    + START_NODES
)


def said(
    release: Release, script: str, cluster: AwsClusterSpec, more: dict[str, str] | None = None
) -> dict[str, str]:
    """What `script` writes after each line of `= <title>`."""
    files = with_working_nodes(cluster, release.version) | {
        "budgets.json": budgets_json(cluster),
        "hpc-bill.b64": base64.b64encode(bill_archive()).decode(),
        **(more or {}),
    }
    output = release.run(cluster, START + script, files).output
    parts = re.split("^= (.*)\n", output, flags=re.MULTILINE)[1:]
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


MONTH = r"""
first=$(job ada -t 1 --exclusive --wrap 'sleep 6'); second=$(job cy -t 1 -p big --exclusive --wrap 'sleep 6')
wait_for runs $second; scontrol requeue $second; wait_for over $first
twice() { [[ $(sacct -nXDPj $second -o end | grep -c 20) == 2 ]]; }; export -f twice; export second; wait_for twice
wait_for recorded; echo "= requeued"; used grant; cost grant
third=$(job ada -t 1 --exclusive --wrap 'sleep 20'); wait_for runs $third
long=$(job ada -t 2 --exclusive --wrap 'sleep 1'); free=$(job dora -p big -t 3 -n 2 --wrap 'sleep 600')
echo "= waits"; wait_for waits $long && wait_for runs $free && hpc-bill why $long; hpc-bill why $long --format json
touch /tmp/now; saved() { [[ $STATE/job_state -nt /tmp/now ]]; }; export -f saved; export STATE; wait_for saved
echo "= killed"; stop slurmctld KILL; stop slurmdbd KILL; dbd; ctld
echo "= forgotten"; used lab
echo "= settled"; hpc-bill settle; wait_for over $third
seen ada
echo "= cost"; cost lab; echo "= jobs"; as ada hpc-bill jobs --format json
wait_for waits $long
echo "= others";  seen bob | grep -c '"person"'; seen dora | grep -c '"kind"'
echo "= nothing to do"; hpc-bill settle
echo "= turn"; a_month_passes; hpc-bill settle --all; wait_for over $long && echo started
echo "= project"; seen cy
echo "= cost of project"; cost grant
"""


def budget(text: str, name: str) -> dict[str, float]:
    """The amounts of a budget in a document of `hpc-bill`."""
    (found,) = (one for one in json.loads(text.splitlines()[-1])["budgets"] if one["name"] == name)
    return {key.removesuffix("_usd"): float(value) for key, value in found.items() if key.endswith("_usd")}


def test_an_account_stops_at_its_budget_whatever_is_killed(release: Release) -> None:
    found = said(release, MONTH, described())
    text, _, document = found["waits"].partition("\n{")
    assert "costs up to 19.20 USD: 576.00 USD an hour, for at most 00:02:00." in text
    assert re.search(r"Account lab has [\d.]+ USD left of 20.00 USD a month \([\d.]+ spent, [\d.]+ reserved", text)
    assert json.loads("{" + document)["waits_for"][0]["name"] == "lab"

    counted, cost = map(float, found["requeued"].split())
    assert counted / 1e6 == pytest.approx(cost, abs=2 * PER_MINUTE / 60)

    lab, cost = budget(found["settled"], "lab"), float(found["cost"])
    print(f"Slurm {release.version}: cost {cost:.2f} USD, slurmctld remembered {int(found['forgotten']) / 1e6:.2f}")
    assert int(found["forgotten"]) / 1e6 < cost / 2
    assert lab["spent"] == pytest.approx(cost, abs=PER_MINUTE / 60)
    assert lab["limit"] == pytest.approx(lab["spent"] + lab["reserved"] + lab["left"])
    jobs = json.loads(found["jobs"])["jobs"]
    assert {job["user"] for job in jobs} == {"ada"}
    assert sum(float(job["usd"]) for job in jobs) == pytest.approx(cost, abs=1e-5)
    assert found["others"].split() == ["1", "0"]
    assert found["nothing to do"] == ""

    assert found["turn"].splitlines()[-1] == "started"
    grant = budget(found["project"], "grant")
    assert grant["spent"] == pytest.approx(float(found["cost of project"]), abs=PER_MINUTE / 60)
    assert grant["spent"] > 0


ENDS = r"""
long=$(job bob -t 60 --exclusive --wrap 'sleep 3600'); free=$(job dora -p big -t 3 -n 2 --wrap 'sleep 600')
wait_for runs $long && wait_for runs $free && echo "= starts" && wait_for over $long
echo "= ended"; sacct -nXP -j $long -o state; runs $free && echo "others run"
echo "= cost"; cost lab
next=$(job bob -t 1 --wrap true); wait_for waits $next
echo "= next"; as bob hpc-bill why $next 2>&1
echo "= owner"; seen bob
"""

LONGEST_END = 90
"""Seconds from spending the last dollar to the end of a job: slurmctld counts usage every minute, and ends jobs every
half minute."""


def test_jobs_end_when_nothing_is_left(release: Release) -> None:
    found = said(release, ENDS, described(at_limit="end"))
    cost = float(found["cost"])
    print(
        f"Slurm {release.version}: ended {(cost - 2) / PER_MINUTE * 60:.0f} s after 2 USD were spent, at {cost:.2f}"
    )
    assert found["ended"].splitlines() == ["TIMEOUT", "others run"]
    assert 2 <= cost <= 2 + LONGEST_END / 60 * PER_MINUTE
    assert budget(found["owner"], "bob")["left"] < 0


CHANGES = r"""
limits() { sacctmgr -nP show assoc format=account,user,grptresmins | grep billing | paste -sd' '; }
apply() { bash /etc/slurm/$1.sh after-slurmctld && cp /etc/slurm/$1.json /etc/hpc/budgets.json && hpc-bill settle; }
sacctmgr -iQ modify account where name=free set grptresmins=billing=7 >/dev/null; before=$(pidof slurmctld)
echo "= same"; bash /etc/slurm/sacctmgr.sh after-slurmctld; hpc-bill settle; limits
echo "= raised"; apply raised; limits
echo "= lowered"; apply lowered; limits
echo "= removed"; apply removed; limits
[[ $(pidof slurmctld) == $before ]] && echo "= unharmed"
"""


def test_budgets_are_raised_lowered_and_removed_while_slurm_runs(release: Release) -> None:
    """Limits of administrators stay."""
    more: dict[str, str] = {}
    for name, usd in (("raised", 30), ("lowered", 0.5), ("removed", None)):
        cluster = described(lab=usd)
        more[f"{name}.sh"] = slurm_files(cluster, version=release.version)["sacctmgr.sh"]
        more[f"{name}.json"] = budgets_json(cluster)
    found = said(release, CHANGES, described(), more)
    others = ["free||billing=7", "grant||billing=30000000", "lab|bob|billing=2000000"]
    limits = {name: sorted(text.splitlines()[-1].split()) for name, text in found.items() if text}
    assert limits == {
        "same": sorted([*others, "lab||billing=20000000"]),
        "raised": sorted([*others, "lab||billing=30000000"]),
        "lowered": sorted([*others, "lab||billing=500000"]),
        "removed": sorted(others),
    }
    assert "unharmed" in found
