"""Machines that must have existed while nothing was recorded, estimated from jobs."""

from elastic.ledger.test_spending import ended, started
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.ledger.news import Known
from hpc_components.elastic.ledger.rebuild import Use, idle_times, rebuilt, uses
from hpc_components.elastic.ledger.records import Ended, Gap, Started
from hpc_components.elastic.model import Pool

POOLS = tuple(Pool(queue="q", machine=machine, zone="z", purchase="spot") for machine in ("m", "m2"))
CONFIG = Config(cluster="c", cloud="aws", queues=(QueueConfig(name="q", max=9, pools=POOLS),))
GAP = Gap(since=1000.0, until=2000.0, why="the ledger was lost")


def lives(*found, known=()):
    made = Known()
    for record in known:
        made.apply(record)
    records = rebuilt(CONFIG, made, [GAP], found, {"q": 60.0})
    starts = {each.id: each for each in records if isinstance(each, Started)}
    ends = {each.id: each for each in records if isinstance(each, Ended)}
    assert starts.keys() == ends.keys()
    assert {each.started_by for each in starts.values()} | {each.ended_by for each in ends.values()} <= {"rebuilt"}
    return [(each.node, each.machine, each.started, ends[id].ended) for id, each in starts.items()]


def test_a_machine_lives_from_its_first_job_until_its_queue_is_idle():
    found = lives(Use("q-1", 1100, 1200), Use("q-1", 1250, 1300), Use("q-1", 1361, 1400), Use("q-2", 1150, 1160))
    assert found == [("q-1", "m", 1100, 1360), ("q-1", "m", 1361, 1460), ("q-2", "m", 1150, 1220)]


def test_jobs_that_overlap_share_a_machine():
    assert lives(Use("q-1", 1100, 1900), Use("q-1", 1150, 1200)) == [("q-1", "m", 1100, 1960)]


def test_jobs_outside_of_gaps_and_on_other_nodes_add_nothing():
    assert lives(Use("q-1", 100, 900), Use("q-1", 2001, 2100), Use("login-1", 1100, 1200)) == []


def test_known_machines_are_not_added_again():
    known = [started("i-1", 1090.0), ended("i-1", 1300.0)]
    assert lives(Use("q-1", 1100, 1200), known=known) == []
    assert lives(Use("q-1", 1400, 1500), known=known) == [("q-1", "m", 1400, 1560)]
    assert lives(Use("q-1", 1400, 1500), known=known[:1]) == []


def test_lines_of_sacct_are_read():
    text = "7|1100|1200|q-[1-2]\n8|1300|Unknown|q-1\n9|Unknown|Unknown|None assigned\n6|None|1400|None assigned\n"
    assert list(uses(text, {"8"}, 1500.0)) == [
        Use("q-1", 1100.0, 1200.0), Use("q-2", 1100.0, 1200.0), Use("q-1", 1300.0, 1500.0),
    ]  # fmt: skip


def test_a_job_that_slurm_no_longer_knows_does_not_run_until_now():
    assert list(uses("8|1300|Unknown|q-1\n", set(), 9e9)) == []


def test_a_partition_may_have_its_own_idle_time():
    told = {
        "config": "SuspendTimeout          = 30 sec\nSuspendTime             = 300 sec\n",
        "partition": "PartitionName=q SuspendTime=60 X=1\nPartitionName=r SuspendTime=GLOBAL\n",
    }
    assert idle_times(lambda command: told[command[2]], ["q", "r"]) == {"q": 60.0, "r": 300.0}
