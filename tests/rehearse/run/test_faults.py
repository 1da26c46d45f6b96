"""What goes wrong on real daemons, and what comes of it."""

import re

import pytest

from hpc_components.rehearse.events import Code, Kind

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

FAULTS = [
    "capacity", "capacity, no other pool", "spot", "spot, two nodes", "spot on azure", "spot on google cloud",
    "spot on google cloud, switched off at once", "dead-node", "dead-daemon", "boot",
]  # fmt: skip


@pytest.mark.parametrize("performed", FAULTS, indirect=True)
def test_all_that_must_hold_holds(performed):
    assert [check for check in performed.checks if not check.passed] == []
    assert [event for event in performed.events if event.kind is Kind.FAULT]


@pytest.mark.parametrize("performed", ["capacity"], indirect=True)
def test_the_job_runs_on_the_fallback(performed):
    assert {node.machine for node in performed.nodes} == {"m7i.48xlarge"}
    (job,) = performed.jobs
    assert job.restarts == 0


@pytest.mark.parametrize("performed", ["failed over"], indirect=True)
def test_a_job_runs_on_the_fallback_at_once(performed):
    assert performed.hosts == ["cpu-1", "cpu-2"]
    assert performed.machines == ["m7i.48xlarge"] * 2
    assert not performed.states & {"down", "draining", "leaving", "gone"}  # nobody gave its nodes up in between


@pytest.mark.parametrize(
    ("performed", "tasks"),
    [
        ("spot", 1),
        ("spot, two nodes", 2),
        ("spot on azure", 1),
        ("spot on google cloud", 1),
        ("spot on google cloud, switched off at once", 1),
        ("dead-node", 1),
    ],
    indirect=["performed"],
)
def test_work_goes_on_where_it_was(performed, tasks):
    (job,) = performed.jobs
    assert job.restarts == 1
    for task in range(tasks):
        begins = re.findall(rf"^Task {task} begins after step (\d+)", performed.output, re.M)
        assert len(begins) == 2
        assert int(begins[0]) == 0 < int(begins[1])
        assert f"Task {task} has done all 16 steps" in performed.output


@pytest.mark.parametrize("performed", ["spot on azure"], indirect=True)
def test_thirty_seconds_of_notice_are_enough(performed):
    (notice,) = (event for event in performed.events if event.code is Code.SPOT_NOTICE)
    assert notice.words.endswith("will be taken away in 30 s")
    assert Code.REQUEUED_IN_TIME in {check.code for check in performed.checks}


@pytest.mark.parametrize("performed", ["spot on google cloud, switched off at once"], indirect=True)
def test_a_job_is_requeued_while_its_machine_shuts_down(performed):
    (notice,) = (event for event in performed.events if event.code is Code.SPOT_NOTICE)
    assert notice.words.endswith("will be taken away in 30 s; its power button is pressed in 0 s")
    assert Code.REQUEUED_IN_TIME in {check.code for check in performed.checks}


@pytest.mark.parametrize("performed", ["dead-daemon"], indirect=True)
def test_a_killed_daemon_costs_no_machine_and_no_job(performed):
    (job,) = performed.jobs
    assert job.restarts == 0
    launches = [event for event in performed.events if event.code is Code.LAUNCHED]
    assert sorted(event.node for event in launches) == sorted(job.nodes)
    assert len([event for event in performed.events if event.kind is Kind.FAULT]) == 3


@pytest.mark.parametrize("performed", ["lost controllers"], indirect=True)
def test_a_job_runs_on_while_its_controllers_are_replaced(performed):
    assert (performed.job.state, performed.job.restarts) == ("COMPLETED", 0)
    assert performed.job.nodes == performed.nodes_before
    assert sorted(performed.output) == sorted(f"deep-learning-{n} {i}" for n in (1, 2) for i in range(60))
    assert performed.machines == 2
    assert performed.accounting == "COMPLETED|2\n"
    assert performed.restarts_of_elastic == 0
    assert "deep-learning-2: well met at deep-learning-1" in performed.met


@pytest.mark.parametrize("performed", ["lost controllers"], indirect=True)
def test_names_are_known_when_the_head_node_has_been_replaced(performed):
    """And nobody knows them from a hosts file, but each node its own."""
    nodes = {"deep-learning-1", "deep-learning-2"}
    assert {"head", *nodes} < performed.found.keys()
    assert all(found == nodes for found in performed.found.values()), performed.found
    assert performed.known == {host: {host} & nodes for host in performed.found}


@pytest.mark.parametrize("performed", ["held controller", "held controller on 24.11"], indirect=True)
def test_an_answer_that_comes_too_late_is_the_machine_s_fault_if_a_client_says_so(performed):
    assert {line.partition(":")[0] for line in performed.lines} == {"head-hpc-elastic", "head-slurmctld"}
    assert performed.strict == [line for line in performed.lines if line.startswith("head-slurmctld: ")]
    assert performed.errors == []
