"""What changes of real stacks mean, by the tables of their clouds."""

import pytest
from planned_changes import change_of, changed, plan_of

from hpc_components.review.document import ABSENT, Operation, Side
from hpc_components.review.effects import Effect
from hpc_components.review.make import review

SIDES = Side(source="main"), Side(source="working tree")

SCRATCH = (
    "      scratch: {type: lustre, mount: /fsx, size: 1.2TiB, deployment: scratch_2, "
    'import_from: "s3://my-hpc-data-bucket"}\n'
)
COMPUTE = "machine: hpc6a.48xlarge, max: 16"
SPOT = "      - {name: spot, machine: c7i.48xlarge, max: 8"
MORE = "      - {name: more, machine: c7i.8xlarge, max: 2, fabric: false, placement: none}\n"


@pytest.mark.parametrize("stack", ["aws-cfd", "gcp-h3"])
def test_a_stack_does_not_differ_from_itself(stack: str) -> None:
    found = changed(stack)
    assert (found.changes, found.description, found.files, found.quotas) == ((), (), (), ())
    assert (found.findings.new, found.findings.fixed) == ((), ())
    assert [finding["id"] for finding in found.findings.still] == [each["id"] for each in plan_of(stack).reported]


def test_a_raised_maximum_touches_no_node_and_costs_more() -> None:
    found = changed("aws-cfd", (COMPUTE, "machine: hpc6a.48xlarge, max: 32"))
    (line,) = found.description
    assert (line.path, line.before, line.after, line.line) == ("queues[0].max", 16, 32, 16)
    assert found.worst is Effect.SLURMCTLD_RESTARTS
    assert {change.type for change in found.changes} == {"aws:s3/bucketObjectv2:BucketObjectv2"}
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


def test_a_new_queue_is_made_beside_the_others() -> None:
    found = changed("aws-cfd", (SPOT, MORE + SPOT))
    (line,) = found.description
    assert (line.path, line.before, line.line) == ("queues[1]", ABSENT, 17)
    assert found.count(Operation.REPLACE) == found.count(Operation.DELETE) == 0
    assert change_of(found, "LaunchTemplate").name == "cfd-more-c7i.8xlarge-use2-az2"
    assert {change.effect for change in found.changes} <= {
        *(Effect.ACCESS, Effect.SLURMCTLD_RESTARTS, Effect.NEW_NODES, Effect.LIVE),
    }


def test_a_renamed_queue_is_another_queue() -> None:
    found = changed("aws-cfd", ("name: spot", "name: cheap"))
    assert [(line.path, line.before == ABSENT) for line in found.description] == [
        ("queues[1]", False),
        ("queues[1]", True),
    ]
    assert change_of(found, "LaunchTemplate", "spot-c7i.48xlarge-use2-az2").operation is Operation.DELETE
    assert change_of(found, "LaunchTemplate", "cheap-c7i.48xlarge-use2-az2").operation is Operation.CREATE
    assert found.cost
    assert {queue.queue: queue.nodes_after for queue in found.cost.queues} == {"spot": None, "cheap": 8}


def test_another_machine_is_another_launch_template_for_new_nodes() -> None:
    found = changed("aws-cfd", ("machine: c7i.48xlarge", "machine: c6i.32xlarge"))
    gone = change_of(found, "LaunchTemplate", "c7i.48xlarge-use2-az2")
    assert (gone.operation, gone.effect) == (Operation.DELETE, Effect.NEW_NODES)
    assert found.description[0].path == "queues[1].machine"
    assert found.worst is Effect.SLURMCTLD_RESTARTS


def test_a_larger_head_node_restarts() -> None:
    found = changed("aws-cfd", ("machine: c6i.xlarge", "machine: c6i.2xlarge"))
    head = change_of(found, "Instance")
    assert (head.operation, head.effect, found.worst) == (
        Operation.UPDATE, Effect.HEAD_RESTARTS, Effect.HEAD_RESTARTS,
    )  # fmt: skip
    assert [(each.path, each.before, each.after) for each in head.properties] == [
        ("instanceType", "c6i.xlarge", "c6i.2xlarge")
    ]


def test_another_source_of_ssh_is_access() -> None:
    found = changed("aws-cfd", ("ssh_from: [203.0.113.0/24]", "ssh_from: [203.0.113.0/24, 198.51.100.0/24]"))
    rule = change_of(found, "SecurityGroupIngressRule")
    assert (rule.operation, rule.effect, found.worst) == (Operation.CREATE, Effect.ACCESS, Effect.ACCESS)


def test_a_file_system_that_leaves_the_description_stays_in_the_cloud() -> None:
    found = changed("aws-cfd", (SCRATCH, ""))
    lustre = change_of(found, "LustreFileSystem")
    assert (lustre.operation, lustre.effect, lustre.protected) == (Operation.FORGET, Effect.FILES_AWAY, True)
    assert [(line.path, line.after, line.line) for line in found.description] == [("storage.scratch", ABSENT, 13)]


def test_file_systems_grow_but_never_shrink() -> None:
    larger = ("size: 1.2TiB", "size: 2.4TiB"), ("size: 1TiB", "size: 2TiB")
    grown = changed("aws-cfd", *larger)
    assert change_of(grown, "LustreFileSystem").effect is Effect.FILES_AWAY
    assert change_of(grown, "OpenZfsFileSystem").effect is Effect.LIVE
    shrunk = review(plan_of("aws-cfd", *larger), plan_of("aws-cfd"), sides=SIDES)
    lustre, home = change_of(shrunk, "LustreFileSystem"), change_of(shrunk, "OpenZfsFileSystem")
    assert (lustre.operation, lustre.effect, lustre.protected) == (Operation.REPLACE, Effect.DATA_LOST, True)
    assert (home.operation, home.effect, home.protected) == (Operation.UPDATE, Effect.REFUSED, False)


def test_another_range_of_addresses_replaces_the_network_and_all_that_is_in_it() -> None:
    found = changed("aws-cfd", ("cidr: 10.20.0.0/16", "cidr: 10.30.0.0/16"))
    assert found.worst is Effect.DATA_LOST
    vpc, subnet = change_of(found, "Vpc"), change_of(found, "Subnet", "private-use2-az2")
    lustre = change_of(found, "LustreFileSystem")
    assert (vpc.operation, vpc.because) == (Operation.REPLACE, "")
    assert (lustre.operation, lustre.effect, lustre.because) == (Operation.REPLACE, Effect.DATA_LOST, subnet.urn)
    assert lustre.protected
    assert lustre.remedy
    link = change_of(found, "DataRepositoryAssociation")
    assert (link.operation, link.because) == (Operation.REPLACE, lustre.urn)
    assert change_of(found, "Instance").effect is Effect.HEAD_REPLACED


def test_a_stack_that_is_new_or_gone() -> None:
    plan = plan_of("aws-cfd")
    new, gone = review(None, plan, sides=SIDES), review(plan, None, sides=SIDES)
    assert {change.operation for change in new.changes} == {Operation.CREATE}
    assert {change.operation for change in gone.changes} == {Operation.DELETE, Operation.FORGET}
    assert gone.worst is not None
    assert new.cost
    assert gone.cost
    assert (new.cost.full_before, gone.cost.full_after) == (None, None)
    assert new.cost.full_after == gone.cost.full_before == plan.cost["full"]
    assert not any(change.type.startswith("hpc:") for change in (*new.changes, *gone.changes))


def test_the_same_change_on_another_cloud() -> None:
    found = changed("gcp-h3", ("max: 16", "max: 24"))
    assert found.worst is Effect.SLURMCTLD_RESTARTS
    assert [(line.before, line.after) for line in found.description] == [(16, 24)]
    assert {change.type for change in found.changes} == {"gcp:storage/bucketObject:BucketObject"}
