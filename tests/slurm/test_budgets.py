"""Budgets on real daemons, with nodes that run jobs and cost hundreds of dollars an hour, so that minutes suffice."""

import base64
import json
import re
from typing import Any

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.boot.archive import node_archive
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
a_month_passes() { # while slurmctld is off, since the jobs that have ended, and since limits were settled
  stop slurmctld; ctld
  wait_for recorded # it tells slurmdbd again of jobs that have ended
  mariadb slurm_acct_db -e "update lab_job_table set time_submit = time_submit - $MONTH,
    time_eligible = time_eligible - $MONTH, time_start = time_start - $MONTH, time_end = time_end - $MONTH
    where time_end > 0"
  sed -i -E 's/ [0-9]+ / 1 /' $SETTLED
  rm -f $MONTHS
}
limits() { sacctmgr -nP show assoc format=account,user,grptresmins | grep billing | sort | paste -sd' '; }
wait_until_saved() { touch /tmp/now; wait_for saved; }
saved() { [[ /var/lib/hpc/slurmctld/job_state -nt /tmp/now ]]; }
recorded() { sdiag | grep -q 'DBD Agent queue size: *0$'; }
MONTH=$((31 * 86400)) SETTLED=/var/lib/hpc/budgets.settled
MONTHS=/var/lib/hpc/budgets.months
export -f runs waits over saved recorded
"""
    + START_NODES
)


def said(
    release: Release, script: str, cluster: AwsClusterSpec, more: dict[str, str] | None = None
) -> dict[str, str]:
    """What `script` writes after each line of `= <title>`."""
    files = with_working_nodes(cluster, release.version) | {
        "budgets.json": budgets_json(cluster),
        "hpc-bill.b64": base64.b64encode(node_archive("bill")).decode(),
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
third=$(job ada -t 1 --exclusive --wrap 'sleep 20; until [ -e /tmp/settled ]; do sleep 0.2; done')
wait_for runs $third
long=$(job ada -t 2 --exclusive --wrap 'sleep 1'); free=$(job dora -p big -t 3 -n 2 --wrap 'sleep 600')
echo "= waits"; wait_for waits $long && wait_for runs $free && hpc-bill why $long; hpc-bill why $long --format json
wait_until_saved
echo "= killed"; stop slurmctld KILL; stop slurmdbd KILL; dbd; ctld
echo "= forgotten"; used lab
echo "= settled"; hpc-bill settle; touch /tmp/settled; wait_for over $third
seen ada
echo "= cost"; cost lab; echo "= jobs"; as ada hpc-bill jobs --format json
wait_for waits $long
echo "= others";  seen bob | grep -c '"person"'; seen dora | grep -c '"kind"'
echo "= metrics"; hpc-bill metrics /tmp/budgets.prom && cat /tmp/budgets.prom; SUDO_UID=0 hpc-bill concerns
echo "= nothing to do"; hpc-bill settle
before=$(limits); echo "= off at midnight"; a_month_passes
[[ $(limits) == "$before" ]] && wait_for waits $long && echo closed
mkdir /tmp/fails; cat >/tmp/fails/sacct <<'END'
#!/bin/bash
if [[ " $* " == *" -E now "* ]]; then exec /usr/bin/sacct "$@"; fi
echo "no answer" >&2; exit 1
END
chmod 755 /tmp/fails/sacct
echo "= unknown"; PATH=/tmp/fails:$PATH hpc-bill settle 2>&1; limits; cat /var/lib/hpc/budgets.unsettled; echo
echo "= turn"; hpc-bill settle; wait_for over $long && echo started; used grant
echo "= project"; seen cy
echo "= cost of project"; cost grant
echo "= damaged"; now=$(limits); for text in 'x' ''; do echo "$text" >$MONTHS; hpc-bill settle --all; done
[[ $(limits) == "$now" ]] && echo same; [[ -e /var/lib/hpc/budgets.unsettled ]] || echo settled
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
    metrics, _, document = found["metrics"].rpartition("\n")
    spent = float(
        re.findall(r'^hpc_budget_spent_dollars{kind="account",name="lab",.*} (.*)', metrics, re.MULTILINE)[0]
    )
    assert spent == pytest.approx(budget(document, "lab")["spent"], abs=PER_MINUTE / 60)
    assert found["nothing to do"] == ""

    assert found["off at midnight"] == "closed"
    *_, limits, why = found["unknown"].splitlines()
    assert "totals stay limited to what was left before: what was spent in 2026-01: no answer" in why
    assert int(limits.split("grant||billing=")[1].split()[0]) <= 30_000_000
    *_, started, fair_share = found["turn"].splitlines()
    assert (started, fair_share) == ("started", "0")
    grant = budget(found["project"], "grant")
    assert grant["spent"] == pytest.approx(float(found["cost of project"]), abs=PER_MINUTE / 60)
    assert grant["spent"] > 0
    assert found["damaged"].splitlines()[-2:] == ["same", "settled"]


ENDS = r"""
restarted() { while :; do hpc-bill end; sleep 1; done; } # as systemd does
restarted >/tmp/ended 2>&1 &
kill_it() { kill -9 $(pgrep -f '^[^ ]*python3 -I /opt/hpc/bin/hpc-bill end$'); }
free=$(job dora -p big -t 3 -n 2 --wrap 'sleep 600'); wait_for runs $free
long=$(job bob -t 60 --exclusive --wrap 'sleep 3600'); wait_for runs $long
kill_it; stop slurmdbd KILL; ended_now() { [[ $(squeue -h -t all -j $1 -o %t) == CA ]]; }; export -f ended_now
wait_for ended_now $long; dbd; wait_for recorded
echo "= told"; as bob hpc-bill why $long
echo "= ended"; sacct -nXP -j $long -o state,admincomment; echo "= cost"; cost lab
next=$(job bob -t 1 -J 'a Account=free|b' --comment 'JobState=RUNNING TimeLimit=1 c' --wrap true)
wait_for waits $next
echo "= next"; as bob hpc-bill why $next 2>&1
echo "= owner"; seen bob
tasks=$(job ada -a 1-2%1 -t 60 --exclusive --wrap 'sleep 3600'); wait_for runs ${tasks}_1
scontrol update jobid=${tasks}_1 admincomment="of an administrator"
wait_until_saved; stop slurmctld KILL; ctld; hpc-bill settle >/dev/null; kill_it
wait_for ended_now ${tasks}_1; wait_for recorded
echo "= killed"; sacct -nXP -j ${tasks}_1 -o state,admincomment; wait_for waits ${tasks}_2 && echo "second waits"
runs $free && echo "others run"
echo "= cost of all"; cost lab
"""

LONGEST_END = 60
"""Seconds of the running nodes that may be spent beyond a budget."""


def test_jobs_end_when_nothing_is_left_whatever_is_killed(release: Release) -> None:
    found = said(release, ENDS, described(at_limit="end", lab=8))
    for title, limit in (("cost", 2), ("cost of all", 8)):
        cost = float(found[title])
        late = (cost - limit) / PER_MINUTE * 60
        print(f"Slurm {release.version}: ended {late:.0f} s after {limit} USD were spent, at {cost:.2f}")
        assert limit <= cost <= limit + LONGEST_END / 60 * PER_MINUTE
    assert found["ended"] == "CANCELLED by 0|hpc: ended: person bob has spent its 2.00 USD of this month"
    assert "Person bob has spent its 2.00 USD of this month, so it was ended." in found["told"]
    assert "Person bob has -" in found["next"]
    assert budget(found["owner"], "bob")["left"] < 0
    assert found["killed"].splitlines() == ["CANCELLED by 0|of an administrator", "second waits", "others run"]


CHANGES = r"""
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
