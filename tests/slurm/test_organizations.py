"""What people of several organizations see and may do on one cluster, on real daemons: a process of the person runs
each command."""

import re
from typing import Any

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.slurm import slurm_files
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

IDS = {"ada": 2101, "abe": 2102, "bea": 2103, "ben": 2104, "cy": 2105}
GIDS = {"acme": 3101, "birch": 3102, "cedar": 3103}


def described(people: dict[str, str], *organizations: str, separate: bool = False) -> AwsClusterSpec:
    every: dict[str, Any] = {name: {"gid": GIDS[name]} for name in organizations}
    every["acme"] |= {"queues": ["own"], "administrators": ["ada"]}
    return cluster(
        queue(name="open", machine="c7i.2xlarge", max=4),
        queue(name="own", max=2),
        slurm={
            "accounting": {"accounts": {"lab": {"parent": "acme", "users": ["abe"]}}},
            "separate_organizations": separate,
        },
        people={"users": {name: {"uid": IDS[name], "organization": its} for name, its in people.items()}},
        organizations=every,
    )


PEOPLE = {"ada": "acme", "abe": "acme", "bea": "birch", "ben": "birch"}
TWO = described(PEOPLE, "acme", "birch")
THREE = described(PEOPLE | {"cy": "cedar"}, "acme", "birch", "cedar")
MOVED = described(PEOPLE | {"ben": "acme"}, "acme", "birch")
SEPARATE = described(PEOPLE, "acme", "birch", separate=True)

START = r"""
for each in acme:3101 birch:3102 cedar:3103 hpc-admins:1999; do groupadd -g ${each#*:} ${each%:*}; done
for each in ada:2101:acme abe:2102:acme bea:2103:birch ben:2104:birch cy:2105:cedar; do
  IFS=: read -r name id group <<<"$each"; useradd -u $id -U -G $group $name
done
job() { as $1 sbatch -Q --parsable -D /tmp -J of_$1 "${@:2}" --wrap true 2>&1; }
for each in slurmctld slurmdbd; do  # which look for ids of people at start
  kill $(pidof $each); while pidof $each >/dev/null; do sleep 0.1; done
done
as slurm slurmdbd -D >/dev/null 2>&1 & wait_for sacctmgr -n show cluster
as slurm slurmctld -D >/dev/null 2>&1 & wait_for scontrol ping
job abe -p own; job bea -p open
abe=$(squeue -h -u abe -o %A) bea=$(squeue -h -u bea -o %A)
begun() { [[ $(squeue -h -t CF,R -o %j | wc -l) -ge $1 ]]; }; export -f begun
wait_for begun 2
recorded() { [[ $(sacct -aXn -o user | sort -u | wc -l) -ge 2 ]]; }; export -f recorded
wait_for recorded
words() { tr -s ' |' '\n\n' | sed '/^$/d' | sort -u | paste -sd' '; }
"""


def said(
    release: Release, script: str, more: dict[str, str] | None = None, cluster: AwsClusterSpec = TWO
) -> list[str]:
    """What `script` writes between lines of `= <title>`, with a job of abe in acme's queue and one of bea."""
    output = release.run(cluster, START + script, more).output
    return [part.partition("\n")[2].strip() for part in re.split("^= ", output, flags=re.M)[1:]]


SEES = r"""
for who in root abe bea ada; do
  echo "= $who squeue";   as $who squeue -ho %u | words
  echo "= $who scontrol"; as $who scontrol -o show job | grep -oP 'UserId=\K\w+' | words
  echo "= $who sacct";    as $who sacct -aXnPo user | words
  echo "= $who sshare";   as $who sshare -anhPo user | words
  echo "= $who assoc";    as $who sacctmgr -nP show assoc format=user | words
  echo "= $who users";    as $who sacctmgr -nP show user format=user | words
done
"""


def test_people_see_their_own_and_administrators_their_organizations(release: Release) -> None:
    seen = said(release, SEES)
    root, abe, bea, ada = (seen[start : start + 6] for start in range(0, 24, 6))
    assert root == ["abe bea"] * 3 + ["abe ada bea ben root"] * 3
    assert abe == ["abe"] * 6
    assert bea == ["bea"] * 6
    assert ada[:3] == ["abe"] * 3
    assert not {"bea", "ben"} & set(" ".join(ada).split())


MAY = r"""
echo "= the queue of others";         job bea -p own
echo "= the account of others";       job bea -p open -A acme
echo "= the department of others";    job bea -p open -A lab
echo "= a job of others";             as bea scancel $abe 2>&1
echo "= administrator, others' job";  as ada scancel $bea 2>&1
echo "= administrator, others' account"
as ada sacctmgr -iQ modify user where name=bea account=birch set maxjobs=1 2>&1
echo "= all is as before";            squeue -ho %u | words; sacctmgr -nP show assoc where user=bea format=maxjobs
echo "= administrator, own account"
as ada sacctmgr -iQ modify user where name=abe account=lab set maxjobs=3 >/dev/null
sacctmgr -nP show assoc where user=abe account=lab format=maxjobs
gone() { [[ -z $(squeue -h -u abe) ]]; }; export -f gone
echo "= administrator, own job";      as ada scancel $abe; wait_for gone; squeue -ho %u | words
"""


def test_nobody_acts_on_another_organization(release: Release) -> None:
    queue, account, department, job, others_job, others_account, before, own, own_job = said(release, MAY)
    assert "User's group not permitted to use this partition" in queue
    for refused in (account, department):
        assert "Invalid account" in refused
    for refused in (job, others_job):
        assert "Access/permission denied" in refused
    assert others_account
    assert before == "abe bea"
    assert own == "3"
    assert own_job == "bea"


SLOW, QUICK = "\nGroupUpdateTime=60\n", "\nGroupUpdateTime=5\n"
"""How long the controller takes members of groups from its cache: not to wait for the whole minute."""

CHANGES = r"""
state() {
  pidof slurmctld
  for each in $abe $bea; do scontrol -o show job $each; done | grep -oE '(JobId|Restarts|StartTime)=\S+'
}
apply() { bash /etc/slurm/$1 before-slurmctld && bash /etc/slurm/$1 after-slurmctld; }
state >/tmp/before
echo "= joins";  apply three.sh && job cy -p open --hold >/dev/null && squeue -h -u cy -o %a
as cy squeue -ho %u | words
scancel -u cy; gone() { [[ -z $(squeue -h -u cy) ]]; }; export -f gone; wait_for gone
echo "= leaves"; apply sacctmgr.sh; job cy -p open; sacctmgr -nP show account where name=cedar format=description
echo "= again";  apply sacctmgr.sh; apply three.sh; wait_for as cy sbatch -Q --hold -D /tmp -p open --wrap true
sacctmgr -nP show account where name=cedar format=description
scancel -u cy; wait_for gone
echo "= moves";  apply moved.sh; sacctmgr -nP show assoc where user=ben format=account
job ben -p own; usermod -G acme ben; wait_for as ben sbatch -Q --hold -D /tmp -p own --wrap true && echo now
scancel -u ben; gone() { [[ -z $(squeue -h -u ben) ]]; }; wait_for gone
echo "= administrators"; sacctmgr -nP show account where name=acme withcoord format=coordinators
sacctmgr -iQ add coordinator account=acme names=bea >/dev/null; apply sacctmgr.sh
sacctmgr -nP show account where name=acme withcoord format=coordinators
echo "= others"; state | diff /tmp/before - && echo unchanged
"""


def test_organizations_join_and_leave_without_anyone_noticing(release: Release) -> None:
    more = {name: slurm_files(each)["sacctmgr.sh"] for name, each in (("three.sh", THREE), ("moved.sh", MOVED))}
    conf = slurm_files(TWO, version=release.version)["slurm.conf"]
    assert SLOW in conf
    more["slurm.conf"] = conf.replace(SLOW, QUICK)
    joins, leaves, again, moves, administrators, others = said(release, CHANGES, more)
    assert joins.splitlines() == ["cedar", "cy"]
    assert "AssocMaxSubmitJobLimit" in leaves
    assert leaves.splitlines()[-1] == "former organization cedar"
    assert again == "organization cedar"
    assert moves.splitlines()[0] == "acme"
    assert "User's group not permitted to use this partition" in moves
    assert moves.splitlines()[-1] == "now"
    assert administrators.splitlines() == ["ada", "ada"]
    assert others == "unchanged"


def test_an_organization_that_joins_leaves_the_controllers_configuration_alone() -> None:
    names = ("slurm.conf", "slurmdbd.conf", "topology.conf")
    assert [slurm_files(TWO)[name] for name in names] == [slurm_files(THREE)[name] for name in names]


NODES = r"""
job ben -p open -w open-1; job abe -p open -w open-2 -A lab; job ada -p open -w open-2 -A acme
wait_for begun 5
decided() { [[ $(squeue -ho %r -t PD) != None ]]; }; export -f decided
job ada -p open -w open-1; wait_for decided
echo "= together"; squeue -ho '%u %a %t %N' -p open | sort
echo "= the label of others"; job bea -p open --mcs-label=acme
echo "= without organization"; sbatch -Q -D /tmp --wrap true 2>&1 || true
"""


def test_separate_organizations_share_no_node(release: Release) -> None:
    """But accounts of one do."""
    together, label, without = said(release, NODES, cluster=SEPARATE)
    assert [" ".join(line.split()) for line in together.splitlines()] == [
        "abe lab CF open-2",
        "ada acme CF open-2",
        "ada acme PD",
        "bea birch CF open-1",
        "ben birch CF open-1",
    ]
    for refused in (label, without):
        assert "Invalid mcs_label specified" in refused
