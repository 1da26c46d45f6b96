"""The head node's role, as the stacks make it, lets the driver do what it does, and nothing to other clusters."""

import pytest
from planned_aws import Planned
from stack_recordings import recorded, stacks_of

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.model import Pool

from .conftest import add_templates, launch, pool
from .fake_ec2 import FakeEc2


@pytest.fixture(scope="module", params=stacks_of("aws"))
def plan(request: pytest.FixtureRequest) -> Planned:
    return Planned(recorded(request.param, preview=False))


@pytest.fixture
def account(plan: Planned, ec2: FakeEc2) -> FakeEc2:
    """The cluster's templates beside those of a strange one, with the head node's rights."""
    ec2.templates.clear()
    plan.add_templates(ec2)
    add_templates(ec2, "stranger")
    for template in ec2.templates.values():
        if template.reservation:
            block = {"state": "active", "availableInstanceCount": 4, "totalInstanceCount": 4}
            ec2.reservations[template.reservation] = block
    ec2.allows = plan.allows("head")
    return ec2


@pytest.fixture
def driver(plan: Planned, server, client, clock, account: FakeEc2) -> AwsDriver:
    return AwsDriver(plan.head_tags["ClusterName"], plan.bucket, client, clock, clock)


def pools(ec2: FakeEc2, cluster: str) -> list[Pool]:
    own = [each for each in ec2.templates.values() if each.tags["ClusterName"] == cluster]
    return [pool(each.tags["hpc:machine"], each.tags["hpc:zone"], queue=each.tags["hpc:queue"]) for each in own]


def test_it_launches_lists_and_ends_nodes_of_every_queue(plan: Planned, driver: AwsDriver, account: FakeEc2):
    found = pools(account, plan.head_tags["ClusterName"])
    assert found
    for number, source in enumerate(found, 1):
        driver.launch(launch(number, token=f"t{number}", source=source))
    assert len(driver.list()) == len(found)
    driver.terminate([each.id for each in driver.list()])
    assert account.live() == []


def test_it_can_neither_launch_nor_end_those_of_another_cluster(
    plan: Planned, driver: AwsDriver, account: FakeEc2, client, clock
):
    stranger = AwsDriver("stranger", "stranger-config", client, clock, clock)
    with pytest.raises(RefusedError, match="not authorized"):
        stranger.launch(launch(1, source=pools(account, "stranger")[0]))
    (source, *_) = pools(account, plan.head_tags["ClusterName"])
    driver.launch(launch(1, source=source))
    (node,) = account.machines.values()
    for tag in ("ClusterName", "hpc:config"):
        node.tags = node.tags | {tag: "stranger"}
        with pytest.raises(Exception, match="not authorized"):
            driver.terminate([node.id])
