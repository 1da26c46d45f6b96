"""What changes of real stacks mean beside the verdicts, which `test_pull_requests.py` has: costs, quotas, causes."""

import pytest
from planned_changes import change_of, changed, plan_of

from hpc_components.review.change_effects import Effect
from hpc_components.review.document import ABSENT, Operation, Side
from hpc_components.review.make import review

SIDES = Side(source="main"), Side(source="working tree")

SCRATCH = (
    "      scratch: {type: lustre, mount: /fsx, size: 1.2TiB, deployment: scratch_2, "
    'import_from: "s3://my-hpc-data-bucket"}\n'
)
COMPUTE = "machine: hpc6a.48xlarge, max: 16"


@pytest.mark.parametrize("stack", ["aws-cfd", "gcp-h3"])
def test_a_stack_does_not_differ_from_itself(stack: str) -> None:
    found = changed(stack)
    assert (found.changes, found.description, found.files, found.quotas) == ((), (), (), ())
    assert (found.findings.new, found.findings.fixed) == ((), ())
    assert [finding["id"] for finding in found.findings.still] == [each["id"] for each in plan_of(stack).reported]


def test_a_raised_maximum_touches_no_node_and_costs_more() -> None:
    found = changed("aws-cfd", (COMPUTE, "machine: hpc6a.48xlarge, max: 32"))
    (line,) = found.description
    assert (line.path, line.before, line.after, line.line, line.caution) == ("queues[0].max", 16, 32, 16, "")
    assert found.worst is Effect.SLURMCTLD_RESTARTS
    assert {(change.type, change.is_file) for change in found.changes} == {
        ("aws:s3/bucketObjectv2:BucketObjectv2", True)
    }
    assert found.files[0].name == "common/slurm/slurm.conf"
    assert "compute-queue-[1-32]" in found.files[0].after
    assert "compute-queue-[1-16]" in found.files[0].before
    assert found.cost
    (queue,) = found.cost.queues
    assert (queue.queue, queue.nodes_before, queue.nodes_after) == ("compute-queue", 16, 32)
    assert [(quota.code, quota.before, quota.after) for quota in found.quotas if quota.ask] == [
        ("L-F7808C92", 1536, 3072)
    ]
    assert [(each.before["value"], each.after["value"]) for each in found.findings.changed] == [(1536, 3072)]
    assert (found.findings.new, found.findings.fixed) == ((), ())


def test_a_file_system_that_leaves_the_description_stays_in_the_cloud() -> None:
    found = changed("aws-cfd", (SCRATCH, ""))
    lustre = change_of(found, "LustreFileSystem")
    assert (lustre.operation, lustre.effect, lustre.protected) == (Operation.FORGET, Effect.LEFT_BEHIND, True)
    assert [(line.path, line.after, line.line) for line in found.description] == [("storage.scratch", ABSENT, 13)]


def test_file_systems_grow_but_never_shrink() -> None:
    larger = ("size: 1.2TiB", "size: 2.4TiB"), ("size: 1TiB", "size: 2TiB")
    grown = changed("aws-cfd", *larger)
    assert change_of(grown, "LustreFileSystem").effect is Effect.FILES_AWAY
    assert change_of(grown, "OpenZfsFileSystem").effect is Effect.LIVE
    shrunk = review(plan_of("aws-cfd", *larger), plan_of("aws-cfd"), sides=SIDES)
    lustre, home = change_of(shrunk, "LustreFileSystem"), change_of(shrunk, "OpenZfsFileSystem")
    assert (lustre.operation, lustre.effect, lustre.protected) == (Operation.REPLACE, Effect.LEFT_BEHIND, True)
    assert (home.operation, home.effect, home.protected) == (Operation.UPDATE, Effect.REFUSED, False)


def test_another_range_of_addresses_replaces_the_network_and_all_that_is_in_it() -> None:
    found = changed("aws-cfd", ("cidr: 10.20.0.0/16", "cidr: 10.30.0.0/16"))
    vpc, subnet = change_of(found, "Vpc"), change_of(found, "Subnet", "private-use2-az2")
    lustre = change_of(found, "LustreFileSystem")
    assert (vpc.operation, vpc.because) == (Operation.REPLACE, "")
    assert lustre.because == subnet.urn
    assert lustre.protected
    assert lustre.remedy
    link = change_of(found, "DataRepositoryAssociation")
    assert (link.operation, link.because) == (Operation.REPLACE, lustre.urn)


def test_a_new_or_vanished_stack_is_reviewed() -> None:
    plan = plan_of("aws-cfd")
    new, gone = review(None, plan, sides=SIDES), review(plan, None, sides=SIDES)
    assert {change.operation for change in new.changes} == {Operation.CREATE}
    assert {change.operation for change in gone.changes} == {Operation.DELETE, Operation.FORGET}
    assert new.cost
    assert gone.cost
    assert (new.cost.full_before, gone.cost.full_after) == (None, None)
    assert new.cost.full_after == gone.cost.full_before == plan.cost["full"]
    assert not any(change.type.startswith("hpc:") for change in (*new.changes, *gone.changes))


SPOT = (
    "      - {name: spot, machine: c3-standard-176, max: 8, purchase: spot, placement: none, fabric: false, "
    "smt: false}\n",
    "",
)
SITE = "projects/my-hpc-project"
IN_A_NETWORK_THAT_IS_THERE = (
    (
        "      cidr: 10.20.0.0/16\n",
        "      existing:\n"
        f"        network: {SITE}/global/networks/site\n"
        "        cidr: 10.20.0.0/16\n"
        "        private:\n"
        f"          us-central1: {{id: {SITE}/regions/us-central1/subnetworks/batch, cidr: 10.20.128.0/17}}\n"
        f"        head: {{id: {SITE}/regions/us-central1/subnetworks/head, cidr: 10.20.0.0/24}}\n",
    ),
    (
        '      scratch: {type: lustre, mount: /fsx, size: 9000GiB, import_from: "gs://my-hpc-data-bucket"}\n'
        "      home: {type: nfs, mount: /home, size: 1TiB}\n",
        "      home: {type: nfs, mount: /home, existing: {server: 10.90.0.9, export: /home}}\n",
    ),
)


def cut_off(*edits: tuple[str, str]) -> set[str]:
    """What removing queue `spot` of gcp-h3, edited so, does to firewall rules that ends jobs."""
    gone = review(plan_of("gcp-h3", *edits), plan_of("gcp-h3", *edits, SPOT), sides=SIDES)
    return {change.name for change in gone.changes if change.effect is Effect.NODES_END}


def test_removing_a_queue_on_google_cloud_cuts_no_node_off() -> None:
    """The firewall rules of the cluster's own network go by subnets, and no queue is named in them."""
    assert not cut_off()
    assert not [change for change in changed("gcp-h3", SPOT).changes if change.type.endswith(":Firewall")]


def test_in_a_network_that_is_there_removing_a_queue_cuts_its_nodes_off() -> None:
    """Firewall rules name the accounts of queues there: nodes of a queue that goes no longer reach the head node."""
    assert cut_off(*IN_A_NETWORK_THAT_IS_THERE) == {"cfd-cluster-to-nodes", "cfd-nodes-to-head"}
    both, one = (plan_of("gcp-h3", *IN_A_NETWORK_THAT_IS_THERE, *edits) for edits in ((), (SPOT,)))
    assert review(one, both, sides=SIDES).worst is Effect.ACCESS
