"""Why jobs wait: `hpc doctor` on real slurmctld, slurmdbd and hpc-elastic, with a cloud that has no machines, refuses
some, or has too many.
"""

import json

import pytest
from elastic.lab import wait
from elastic.lab.fixtures import lab  # noqa: F401

from hpc_components.elastic.drivers.contract import CapacityError, QuotaError, RefusedError
from hpc_components.elastic.model import Instance, InstanceState, Pool

from .doctor_site import Clinic, ids

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


def test_a_stopped_queue_is_named_with_its_jobs(clinic: Clinic) -> None:
    clinic.laptop.out("stop", "lab", "p")
    assert ids(clinic.examine()) == ["queue-stopped-without-jobs"]
    assert clinic.examine()["well"]
    job = clinic.submit("-p", "p")
    try:
        clinic.wait_for_reason(job, "Partition")
        first = clinic.first()
        assert (first["id"], first["jobs"], first["commands"]) == ("queue-stopped", [job], ["hpc start lab p"])
    finally:
        clinic.forget_jobs()
        clinic.laptop.out("start", "lab", "p")


def test_a_limit_of_a_qos_is_told_as_such(clinic: Clinic) -> None:
    clinic.head.run("sacctmgr", "-iQ", "modify", "qos", "normal", "set", "maxjobsperuser=0")
    job = clinic.submit()
    try:
        clinic.wait_for_reason(job, "QOSMaxJobs")
        document = clinic.examine()
        assert ids(document) == ["job-over-limit"]
        assert document["well"]
        assert document["diagnoses"][0]["jobs"] == [job]
    finally:
        clinic.forget_jobs()
        clinic.head.run("sacctmgr", "-iQ", "modify", "qos", "normal", "set", "maxjobsperuser=-1")


def test_a_drained_node_is_a_problem_once_a_job_waits_for_it(clinic: Clinic) -> None:
    clinic.head.run("scontrol", "update", "nodename=p-[1-2]", "state=drain", "reason=looking at it")
    try:
        document = clinic.examine()
        assert (ids(document), document["well"]) == (["node-held"], True)
        job = clinic.submit("-p", "p")
        wait(lambda: "DRAIN" in clinic.reason(job) or "NotAvail" in clinic.reason(job), 60)
        first = clinic.first()
        assert (first["id"], first["jobs"], first["nodes"]) == ("node-held-while-jobs-wait", [job], ["p-1", "p-2"])
        assert "'looking at it'" in first["what"]
    finally:
        clinic.forget_jobs()
        clinic.head.run("scontrol", "update", "nodename=p-[1-2]", "state=resume")


@pytest.mark.parametrize(
    ("error", "cause", "level"),
    [
        (CapacityError("InsufficientInstanceCapacity: none now"), "no-capacity", "info"),
        (QuotaError("VcpuLimitExceeded: 0 vCPUs"), "over-quota", "error"),
        (RefusedError("UnauthorizedOperation: ec2:CreateFleet"), "launch-refused", "error"),
    ],
)  # fmt: skip
def test_what_the_cloud_refuses_is_told_in_its_words(clinic: Clinic, error, cause: str, level: str) -> None:
    clinic.cloud.error = error
    clinic.submit("-p", "p")
    try:
        wait(lambda: cause in ids(clinic.examine()), 300)
        first = clinic.first()
        assert (first["id"], first["level"]) == (cause, level)
        assert str(error) in first["what"]
    finally:
        clinic.cloud.error = None
        clinic.forget_jobs()
        clinic.stop_elastic()
        clinic.head.run("sh", "-c", "rm -rf /var/lib/hpc/elastic/*")
        clinic.start_elastic()
        clinic.head.run("scontrol", "update", "nodename=p-[1-2]", "state=resume", check=False)


def test_machines_without_nodes_are_counted(clinic: Clinic) -> None:
    clinic.cloud.keeps = True
    pool = Pool(queue="p", machine="m", zone="z", purchase="on_demand")
    for number in range(3):
        clinic.cloud.machines[f"i-x{number}"] = Instance(
            id=f"i-x{number}", node="", token="", pool=pool, state=InstanceState.RUNNING, launched=0.0
        )
    try:
        wait(lambda: "machines-without-nodes" in ids(clinic.examine()), 300)
        assert "Queue p has 3 machines" in clinic.first()["what"]
    finally:
        clinic.cloud.keeps = False
    wait(lambda: clinic.examine()["well"], 300)


def test_the_doctor_finds_no_problem_in_booting_nodes_and_a_full_queue(clinic: Clinic) -> None:
    clinic.cloud.boots = False
    job = clinic.submit("-p", "p", "-N", "2", "--exclusive")
    later = clinic.submit("-p", "p", "-N", "2", "--exclusive")
    wait(lambda: len(clinic.cloud.machines) == 2, 60)
    document = clinic.examine()
    assert document["well"], document
    assert "nodes-boot" in ids(document)
    clinic.cloud.boots = True
    for node in ("p-1", "p-2"):
        clinic.cloud.boot(node)
    wait(lambda: "RUNNING" in clinic.head.run("squeue", "-h", "-j", job, "-o", "%T"), 120)
    clinic.wait_for_reason(later, "Resources")
    document = clinic.examine()
    assert (ids(document), document["well"]) == (["queue-full"], True)
    assert document["diagnoses"][0]["jobs"] == [later]


def test_a_budget_that_is_spent_comes_first(clinic: Clinic) -> None:
    """By the machines of the test before, which cost a dollar an hour each."""
    kept = clinic.head.run("cat", "/etc/hpc/elastic.json")
    budget = {"monthly_usd": "0.0001", "stop_launches": True, "alert_at": [100], "webhook": False}
    clinic.stop_elastic()
    clinic.head.write("/etc/hpc/elastic.json", json.dumps(json.loads(kept) | {"budget": budget}))
    clinic.start_elastic()
    try:
        wait(lambda: "budget-spent" in ids(clinic.examine()), 300)
        first = clinic.first()
        assert first["id"] == "budget-spent"
        assert first["what"].startswith("Nothing is launched: ")
    finally:
        clinic.stop_elastic()
        clinic.head.write("/etc/hpc/elastic.json", kept)
        clinic.start_elastic()
