"""Real slurmctld, slurmdbd and MariaDB, of both Debian releases, on the files as they are."""

import re

import pytest

from tests.slurm.described import STACKS, cluster, queue, stack
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

HARMLESS = re.compile(
    r"Could not open \w+ state file|NOTE: Trying backup [\w ]*state save file|No fed_mgr state file"
    r"|We can't find assoc 1 on cluster|High latency for 1000 calls to gettimeofday"
    r"|^slurmdbd\.log: .*error: _conn_readable: persistent connection for fd \d+ experienced error\[104\]"
    r"|slurmscriptd: error: track_script_remove: thread \d+ not found"
)
"""Lines that no configuration avoids: at a cluster's very first start no state was saved yet, and slurmdbd 24.11 does
not know the cluster that it is just told of; on a busy machine the clock is slow; and slurmdbd sees a reset where
sacctmgr or slurmctld ends without reading the last answer: that is TCP's word for it. A reconfiguration forgets the
programs that run just then, and slurmscriptd misses them when they end (src/common/track_script.c)."""

LOAD = re.compile(r"error: High latency.*")

ENDED = re.compile(r"error: slurm_persist_conn_recv_server_fini: pthread_join\(\): Invalid argument$")
"""What the end of a slurmctld makes of its connections with slurmdbd. A race when slurmdbd told it something right
before: its thread for that may detach itself before it is joined (2 of 60 ends). State was saved before. 22.05 does
the same in silence; mended in 26.05 by commit e97be01e17."""

USER = 'alice() { setpriv --reuid=alice --regid=alice --init-groups "$@"; }\ncd /tmp\n'

RESTART = """
kill $(pidof slurmctld)
for _ in $(seq 100); do pidof slurmctld >/dev/null || break; sleep 0.1; done
echo RESTART >>/var/log/slurm/slurmctld.log
as slurm slurmctld -D >/dev/null 2>&1 &
wait_for scontrol ping
"""


@pytest.mark.parametrize("name", STACKS)
def test_no_daemon_of_slurm_reports_an_error(name: str, release: Release) -> None:
    described = stack(name)
    done = release.run(described, f"sinfo -h -o '%R %D %t'\n{RESTART}scontrol reconfigure\nsleep 2")
    for each in described.queues:
        assert f"{each.name} {each.max} idle~" in done.output.splitlines()
    assert [line for line in done.errors if not HARMLESS.search(line) and not ENDED.search(line)] == []
    again = done.logs["slurmctld.log"].partition("RESTART")[2]
    assert "Running as primary controller" in again
    assert re.findall(r"\b(?:error|fatal):.*", LOAD.sub("", again)) == []


SHARED = {
    "queues": [
        queue(max=2, slurm={"MaxTime": "2-00:00:00", "DefaultTime": 60}),
        queue(name="hasty", slurm={"MaxTime": 60}),  # HPC-ACC-009: no DefaultTime
        queue(name="gpu", machine="g6.48xlarge", fabric=False, gpu_sharing={"shards": 4}, purchase="spot"),
        queue(name="percent", machine="g5.48xlarge", fabric=False, gpu_sharing={"mps": 100}),
        queue(name="gold", qos="gold"),
    ],
    "slurm": {
        "accounting": {
            "qos": {
                "normal": {"max_wall": "3d"},
                "gold": {"max_wall": "1h"},
                "small": {
                    "max_tres_per_user": {"gres/gpu": 4, "cpu": 8, "license/matlab": 2},
                    "max_wall": "10m",
                    "flags": ["DenyOnLimit"],
                },
                "others": {},
            },
            "accounts": {
                "nlp": {"users": ["alice"], "qos": ["normal", "small", "gold"]},
                "vision": {"users": ["bob"], "qos": ["others"]},
            },
        },
        "settings": {"Licenses": "Matlab:10,ansys"},
    },
}

REFUSED = {
    "-N 3": "Node count specification invalid",
    "-n 1000": "More processors requested than permitted",
    "-t 3-0": "Requested time limit is invalid",
    "-p hasty": "Requested partition configuration not available now",
    "--mem=1T": "Memory specification can not be satisfied",
    "-C spot": "Requested node configuration is not available",
    "-C z80": "Invalid feature specification",
    "-p nowhere": "Invalid partition name specified",
    "-p gpu --gres=gpu:9": "Requested node configuration is not available",
    "-p gpu --gres=gpu:h100:1": "Requested node configuration is not available",
    "-p gpu --gres=shard:l4:5": "shard:5 is more than a GPU of queue gpu has: ask for at most 4",
    "-p gpu --gres=shard:2,shard:3": "shard:5 is more than a GPU of queue gpu has: ask for at most 4",
    "-p gpu --gres=shard:5": "shard:5 is more than a GPU of queue gpu has: ask for at most 4",
    "-p percent --gres=mps:101": "mps:101 is more than a GPU of queue percent has: ask for at most 100",
    "-A vision": "Invalid account or account/partition combination",
    "-q others": "Invalid qos specification",
    "-q small -t 11": "QOSMaxWallDurationPerJobLimit",
    "-q small -n 1 -c 10 -p gpu": "QOSMaxCpuPerUserLimit",
    "-q small -p gpu --gres=gpu:5": "QOSMaxGRESPerUser",
    "-q small -t 10 -L Matlab:3": "QOSMaxLicensePerUser",
    "-L ansys:2": "Invalid license specification",
}

TAKEN = (
    "-N 2", "-t 2-0", "-p hasty -t 60", "-p gpu --gres=gpu:8", "-p gpu --gres=gpu:l4:1 -C spot",
    "-p gpu --gres=shard:4", "-p gold", "-p percent --gres=mps:50", "-q small -p gpu --gres=gpu:4 -t 10",
    "-q small -t 10 -L Matlab:2", "-L Matlab:3",
)  # fmt: skip


def test_what_can_never_run_is_refused_at_once(release: Release) -> None:
    asked = [*REFUSED, *TAKEN]
    script = USER + "".join(f"echo '$ {each}'; alice sbatch --wrap true {each} 2>&1\n" for each in asked)
    output = release.run(cluster(**SHARED), script).output
    said = dict(part.split("\n", 1) for part in output.split("$ ")[1:])
    for each, reason in REFUSED.items():
        assert reason in said[each], each
        assert "Submitted" not in said[each], each
    for each in TAKEN:
        assert said[each].startswith("Submitted batch job"), said[each]


def test_stranger_may_not_submit(release: Release) -> None:
    script = "cd /tmp; setpriv --reuid=nobody --clear-groups sbatch --wrap true 2>&1; true"
    output = release.run(cluster(**SHARED), script).output
    assert "Invalid account or account/partition combination" in output


REQUEUE = """
alice sbatch -J back -p again --requeue --wrap true
alice sbatch -J gone -p once --requeue --wrap true
alice sbatch -J gone_too -p again,once --requeue --hold --wrap true
alice sbatch -J moved -p again --requeue --hold --wrap true
# a job that is just being scheduled is "temporarily unavailable"
for _ in $(seq 50); do alice scontrol update jobname=moved partition=once && break; sleep 0.2; done
alice scontrol update jobname=gone requeue=1
let_in=$(alice sbatch -J let_in -p once --requeue --hold --parsable --wrap true)
scontrol update jobid=$let_in requeue=1  # as the elastic daemon does
for _ in $(seq 100); do [[ $(squeue -h -t CF -o %j | wc -l) -eq 2 ]] && break; sleep 0.2; done
echo REQUEUE; scontrol show job | grep -oE 'JobName=\\S+|Requeue=.'
scontrol update nodename=again-1,once-1 state=down reason=lost
sleep 1
echo STATES; squeue -h -t all -n back,gone -o '%j %T'
scontrol requeue jobname=gone 2>&1; scontrol requeue 2 2>&1; true
"""


def test_jobs_of_a_queue_that_does_not_requeue_stay_down(release: Release) -> None:
    described = cluster(queue(name="again", max=1), queue(name="once", max=1, requeue=False))
    output = release.run(described, USER + REQUEUE).output
    flags, states = output.partition("REQUEUE\n")[2].split("STATES\n")
    found = dict(re.findall(r"JobName=(\S+)\s+Requeue=(\d)", flags))
    assert found == {"back": "1", "gone": "0", "gone_too": "0", "moved": "0", "let_in": "1"}, output
    assert "back PENDING" in states
    assert "gone NODE_FAIL" in states
    assert "Requested operation is presently disabled" in states


ACCOUNTS = """
show() {
  sacctmgr -nP show qos format=name,priority,maxwall,maxtresperuser,flags
  sacctmgr -nP show assoc user= format=account,parentname,fairshare,qos,defaultqos
  sacctmgr -nP show user format=user,defaultaccount
}
changes() { bash -x /etc/slurm/sacctmgr.sh "$1" 2>&1 | grep -oE '^\\++ change [a-z]+ (account|user)' || true; }
show
echo AGAIN; changes before-slurmctld; changes after-slurmctld
sacctmgr -iQ modify account where name=sub set fairshare=9 parent=root qos=normal defaultqos=normal >/dev/null
sacctmgr -iQ modify qos where name=gold set maxwall=-1 priority=3 maxtresperuser=cpu=1 flags=-1 >/dev/null
sacctmgr -iQ modify user where name=alice set defaultaccount=top >/dev/null
bash /etc/slurm/sacctmgr.sh before-slurmctld && bash /etc/slurm/sacctmgr.sh after-slurmctld
echo MENDED; show
"""


def test_accounts_are_as_described_and_stay_so(release: Release) -> None:
    limits = {"max_wall": "1d12h", "max_tres_per_user": {"gres/gpu": 4}, "flags": ["DenyOnLimit"]}
    described = cluster(
        queue(machine="g6.xlarge"),
        slurm={
            "accounting": {
                "qos": {"gold": limits | {"priority": 5}, "bare": {}},
                "accounts": {
                    "sub": {"parent": "top", "users": ["alice"], "fairshare": 3},
                    "top": {"qos": ["gold", "normal"], "users": ["alice", "bob"]},
                },
            }
        },
    )  # fmt: skip
    done = release.run(described, ACCOUNTS)
    first, again, mended = re.split(r"AGAIN\n|MENDED\n", done.output)
    for line in (
        "gold|5|1-12:00:00|gres/gpu=4|DenyOnLimit",
        "bare|0|||",
        "top|root|1|gold,normal|gold",
        "sub|top|3|gold,normal|gold",
        "alice|sub",
        "bob|top",
    ):
        assert line in first.splitlines()
        assert line in mended.splitlines()
    assert again == ""
    assert [line for line in done.errors if not HARMLESS.search(line)] == []


STARVED = """
cycles() { sdiag | awk '/Backfilling stats/ {plan = 1} plan && /Total cycles/ {print $3}'; }
alice sbatch -J first -N 1 --wrap true
for _ in $(seq 150); do [[ $(squeue -h -t CF -o %j) == first ]] && break; sleep 0.2; done
alice sbatch -J large -N 2 --wrap true
before=$(cycles)
alice sbatch -J small -N 1 --wrap true
for _ in $(seq 100); do [[ $(cycles) -gt $before ]] && break; sleep 0.2; done
echo STATES; squeue -h -o '%j %T'
"""


def test_a_large_job_does_not_starve(release: Release) -> None:
    """Those that are behind it would not be done when it can start: they wait too."""
    described = cluster(
        queue(max=2, slurm={"MaxTime": "4-0", "DefaultTime": "4-0"}),
        slurm={"settings": {"SchedulerParameters": "bf_interval=1"}},
    )
    output = release.run(described, USER + STARVED).output
    states = output.partition("STATES\n")[2].splitlines()
    assert sorted(states) == ["first CONFIGURING", "large PENDING", "small PENDING"], output


CHOICE = """
for each in od,res res,od; do alice sbatch -p $each --wrap true; done
for _ in $(seq 150); do [[ $(squeue -h -t CF -o %i | wc -l) -eq 2 ]] && break; sleep 0.2; done
alice sbatch -J tight -p tight -n 2 --hold --wrap true
echo WENT; squeue -h -t CF -o %P
echo ASKED; scontrol show job 3 | grep -oE 'CPUs/Task=[0-9]+|MinMemoryCPU=[0-9]+M|MinCPUsNode=[0-9]+'
"""


def test_a_job_goes_to_what_is_paid_anyway_and_gets_the_cpus_that_it_asks_for(release: Release) -> None:
    machine = "c7i.2xlarge"
    described = cluster(
        queue(name="od", machine=machine),
        queue(name="res", machine=machine, purchase={"reservation": "cr-0123456789abcdef0"}),
        queue(name="tight", machine=machine, slurm={"MaxMemPerCPU": 500}),
    )
    output = release.run(described, USER + CHOICE).output
    went, asked = output.partition("WENT\n")[2].split("ASKED\n")
    assert went.split() == ["res", "res"], output
    assert set(asked.split()) == {"CPUs/Task=1", "MinMemoryCPU=500M", "MinCPUsNode=1"}


def test_node_that_never_came_is_not_looked_up(release: Release) -> None:
    script = USER + (
        "alice sbatch --wrap true\n"
        "for _ in $(seq 100); do [[ $(squeue -h -o %T) == CONFIGURING ]] && break; sleep 0.2; done\n"
        "scontrol update nodename=cpu-1 state=down reason=x\nscontrol reconfigure\n"
        "scontrol show node cpu-1 | grep -o 'NodeAddr=[^ ]*'"
    )
    done = release.run(cluster(), script)
    assert "NodeAddr=127.0.0.1" in done.output
    assert [line for line in done.errors if not HARMLESS.search(line)] == []
