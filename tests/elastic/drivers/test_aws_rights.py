"""The head node's role, as the stacks make it, lets the driver do what it does, and nothing to other clusters."""

from typing import Any

import pytest
from iam_allows import Part, parts, policy, without
from planned_aws import Planned
from stack_recordings import recorded, stacks_of

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import LaunchError, RefusedError
from hpc_components.elastic.model import Pool

from .conftest import Clock, add_templates, launch, pool
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
            block = {"state": "active", "availableInstanceCount": 400, "totalInstanceCount": 400}
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


OF_EC2 = ("ec2:", "iam:PassRole", "kms:", "ssm:GetParameters")


def of_launches(statements: list[dict[str, Any]]) -> list[Part]:
    """All that launching and ending nodes may take."""
    return [
        (sid, action, resource)
        for sid, action, resource in parts(statements)
        if action.startswith(OF_EC2)
        # the API asks for all kinds together, but the rest of them are the next statement's
        and (sid != "UseTemplates" or ":launch-template/" in resource)
    ]


def do_all(plan: Planned, driver: AwsDriver, account: FakeEc2, token: str) -> None:
    """Launch, list and end a node of each pool; `token` begins the tokens of the launches."""
    found = pools(account, plan.head_tags["ClusterName"])
    made = [
        driver.launch(launch(number, token=f"{token}-{number}", source=each)) for number, each in enumerate(found, 1)
    ]
    ids = [each.id for instances in made for each in instances]
    assert {each.id for each in driver.list()} >= set(ids)
    driver.find(ids)
    driver.login_nodes()
    driver.terminate(ids)
    if any(each.market == "spot" for each in account.templates.values()):
        driver.spot_prices(found)


def test_each_right_of_the_role_is_needed_and_its_lack_is_seen(
    plan: Planned, server: object, client: Any, clock: Clock, account: FakeEc2
) -> None:
    """Two only tell more of a node or of a refusal, and the daemon goes on without them. Rights to use reservations,
    placement groups and AWS's images are in every role, whether there are some or not."""
    cluster = plan.head_tags["ClusterName"]
    templates = [each for each in account.templates.values() if each.tags["ClusterName"] == cluster]
    named = any(each.image.startswith("resolve:ssm:") for each in templates)
    without_use = {
        ("ec2:DescribeCapacityReservations", "*"),
        ("ec2:DescribeInstanceStatus", "*"),
        *([] if named else [("ssm:GetParameters", "parameter/aws/service/*")]),
        *([] if any(each.placement for each in templates) else [("ec2:RunInstances", "placement-group/*")]),
        *([] if any(each.reservation for each in templates) else [("ec2:RunInstances", "capacity-reservation/*")]),
    }
    statements = plan.statements("head")
    unseen = set()
    for number, part in enumerate(of_launches(statements)):
        _, action, resource = part
        account.allows = policy(without(statements, part))
        driver = AwsDriver(plan.head_tags["ClusterName"], plan.bucket, client, clock, clock)
        said = ""
        try:
            do_all(plan, driver, account, f"t{number}")
        except (LaunchError, OSError) as error:
            said = str(error)
        assert not said or action in said
        if not said:
            unseen.add((action, resource.rpartition(":")[2]))
    assert unseen == without_use


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
