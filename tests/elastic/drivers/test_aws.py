"""What is EC2's own: what a launch says, how machines are read, what is asked for again."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from hpc_components.elastic.drivers.aws.api import Api
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import RefusedError, ThrottledError
from hpc_components.elastic.drivers.pace import Pace
from hpc_components.elastic.model import InstanceState

from .conftest import NOW, add_templates, launch, own_tags, pool
from .ec2_server import Ec2Server
from .fake_ec2 import Ec2Error, FakeEc2


def capture(ec2: FakeEc2, action: str) -> list:
    """The requests for `action` from now on."""
    seen, answer = [], ec2.answer

    def listening(name, request):
        if name == action:
            seen.append(request)
        return answer(name, request)

    ec2.answer = listening
    return seen


def test_launches_from_two_threads_read_the_templates_once(aws: AwsDriver, ec2: FakeEc2):
    sources = [pool("c7i.large"), pool("c6i.large")] * 4
    with ThreadPoolExecutor(8) as threads:
        made = list(
            threads.map(
                lambda each: aws.launch(launch(each, token=f"t{each}", source=sources[each - 1])), range(1, 9)
            )
        )
    assert ec2.calls["DescribeLaunchTemplates"] == 1
    assert len({machine.id for some in made for machine in some}) == 8


def test_a_launch_says_nothing_but_template_numbers_token_and_tags(aws: AwsDriver, ec2: FakeEc2):
    requests = capture(ec2, "RunInstances")
    aws.launch(launch(5, 1, 2, minimum=2))
    (request,) = requests
    (template,) = [each for each in ec2.templates.values() if each.name == "cfd-c7i.large-use2-az1"]
    specifications = {each["ResourceType"]: each["Tag"] for each in request.pop("TagSpecification")}
    assert request == {
        # an override would not be the template's, and so not allowed
        "LaunchTemplate": {"LaunchTemplateId": template.id, "Version": "$Default"},
        "MinCount": "2",
        "MaxCount": "3",
        "ClientToken": "t1",
    }
    assert specifications.keys() == {"instance", "volume", "network-interface"}
    for tags in specifications.values():
        assert {tag["Key"]: tag["Value"] for tag in tags} == {
            "Project": "wing",
            "ClusterName": "cfd",
            "hpc:role": "compute",
            "hpc:queue": "cpu",
            "hpc:config": "cfd-config",
            "hpc:machine": "c7i.large",
            "hpc:zone": "use2-az1",
            "hpc:nodes": "5.1-2",
            "hpc:launch": "t1",
        }


@pytest.mark.parametrize("merged", [True, False])
def test_machines_are_known_however_ec2_joins_tags_of_template_and_request(merged, aws: AwsDriver, ec2: FakeEc2):
    ec2.merge_tags = merged
    made = aws.launch(launch(1, 2))
    assert list(aws.list()) == list(made)
    assert {(each.node, each.pool) for each in made} == {("cpu-1", pool()), ("cpu-2", pool())}


@pytest.mark.parametrize("merged", [True, False])
def test_nodes_have_the_users_tags_however_ec2_joins_them(merged, aws: AwsDriver, ec2: FakeEc2):
    """They are what costs are told apart by."""
    ec2.merge_tags = merged
    (made,) = aws.launch(launch(1))
    assert ec2.machines[made.id].tags["Project"] == "wing"


def test_what_only_aws_may_tag_is_not_repeated(aws: AwsDriver, ec2: FakeEc2):
    """EC2 refuses a launch that asks for such a tag."""
    for template in ec2.templates.values():
        template.tags["aws:servicecatalog:productArn"] = "arn:aws:catalog:us-east-2:123456789012:product/prod-1"
    (made,) = aws.launch(launch(1))
    assert not [key for key in ec2.machines[made.id].tags if key.startswith("aws:")]


def test_templates_are_looked_up_once(aws: AwsDriver, ec2: FakeEc2):
    aws.launch(launch(1))
    aws.launch(launch(2, token="t2", source=pool("c6i.large", "use2-az2")))
    assert ec2.calls["DescribeLaunchTemplates"] == 1


def test_a_template_that_the_stack_has_replaced_is_looked_up_anew(aws: AwsDriver, ec2: FakeEc2):
    aws.launch(launch(1))
    ec2.templates.clear()
    add_templates(ec2)
    assert [each.node for each in aws.launch(launch(2, token="t2"))] == ["cpu-2"]
    assert ec2.calls["DescribeLaunchTemplates"] == 2


def test_a_template_added_later_is_found(aws: AwsDriver, ec2: FakeEc2):
    aws.launch(launch(1))
    ec2.add_template("new", "p5.48xlarge", "use2-az1", own_tags("gpu", "p5.48xlarge", "use2-az1"))
    gpu = pool("p5.48xlarge", queue="gpu")
    assert [each.node for each in aws.launch(launch(1, token="t2", source=gpu))] == ["gpu-1"]


def test_templates_and_machines_of_other_clusters_are_not_ours(aws: AwsDriver, ec2: FakeEc2, client):
    add_templates(ec2, cluster="other")
    AwsDriver("other", "other-config", client).launch(launch(1, token="theirs"))
    assert not aws.list()
    aws.launch(launch(1))
    assert [each.token for each in aws.list()] == ["t1"]


def test_another_stack_with_a_cluster_of_this_name_has_machines_of_its_own(
    aws: AwsDriver, ec2: FakeEc2, client, clock
):
    """Its queues have the same names as well; what tells the two apart is where their nodes' configuration lies."""
    add_templates(ec2, config="twin-config")
    twin = AwsDriver("cfd", "twin-config", client, clock)
    (mine,), (theirs,) = aws.launch(launch(1)), twin.launch(launch(1, token="theirs"))
    assert ec2.machines[mine.id].tags["hpc:config"] == "cfd-config"
    assert ec2.machines[theirs.id].tags["hpc:config"] == "twin-config"
    assert ([each.id for each in aws.list()], [each.id for each in twin.list()]) == ([mine.id], [theirs.id])


def test_the_clusters_other_machines_are_no_nodes(aws: AwsDriver, ec2: FakeEc2):
    head = ec2.add_template("head", "c6i.xlarge", "use2-az1", {}, instance_tags={"ClusterName": "cfd"})
    ec2.answer("RunInstances", {"LaunchTemplate": {"LaunchTemplateId": head.id}, "MinCount": "1", "MaxCount": "1"})
    assert ec2.live()
    assert not aws.list()


def test_all_pages_are_read(aws: AwsDriver, ec2: FakeEc2):
    ec2.page = 2
    aws.launch(launch(1, 2, 3, 4, 5))
    assert sorted(each.node for each in aws.list()) == [f"cpu-{number}" for number in range(1, 6)]
    assert (ec2.calls["DescribeInstances"], ec2.calls["DescribeLaunchTemplates"]) == (3, 2)


@pytest.mark.parametrize(
    ("market", "reservation", "purchase"),
    [
        ("", "", "on_demand"),
        ("spot", "", "spot"),
        ("", "cr-1", "reservation"),
        ("capacity-block", "cr-1", "capacity_block"),
    ],
)
def test_how_a_machine_was_bought_is_read_from_it(market, reservation, purchase, aws: AwsDriver, ec2: FakeEc2):
    ec2.reservations["cr-1"] = {"state": "active", "availableInstanceCount": 1, "totalInstanceCount": 1}
    tags = own_tags("q", "p5.48xlarge", "use2-az1") | ({"hpc:reservation": reservation} if reservation else {})
    ec2.add_template("q", "p5.48xlarge", "use2-az1", tags, market=market, reservation=reservation)
    source = pool("p5.48xlarge", purchase=purchase, queue="q")
    assert {each.pool for each in (*aws.launch(launch(1, source=source)), *aws.list())} == {source}


def test_a_machine_launched_by_hand_is_not_a_node(aws: AwsDriver, ec2: FakeEc2):
    (template,) = [each for each in ec2.templates.values() if each.name == "cfd-c7i.large-use2-az1"]
    by_hand = {"LaunchTemplate": {"LaunchTemplateId": template.id}, "MinCount": "1", "MaxCount": "1"}
    ec2.answer("RunInstances", by_hand)
    ec2.answer("RunInstances", by_hand | {"TagSpecification": [spoilt("all of them")]})
    ec2.answer("RunInstances", by_hand | {"MaxCount": "2", "TagSpecification": [spoilt("7")]})
    assert [each.node if each.node != each.id else None for each in aws.list()] == [None, None, "cpu-7", None]


def spoilt(nodes: str) -> dict:
    return {"ResourceType": "instance", "Tag": [{"Key": "hpc:nodes", "Value": nodes}]}


def test_a_stopped_machine_costs_money_and_is_called_failing(aws: AwsDriver, ec2: FakeEc2):
    (made,) = aws.launch(launch(1))
    ec2.machines[made.id].stopped = True
    (seen,) = aws.list()
    assert (seen.alive, seen.failing) == (True, "EC2 reports the machine as stopped")


def test_a_launch_finds_its_machines_by_token_after_a_template_change(
    aws: AwsDriver, server: Ec2Server, ec2: FakeEc2, client, clock
):
    server.lose_answers["RunInstances"] = 1
    with pytest.raises(OSError, match="no response from EC2"):
        aws.launch(launch(1, 2))
    for template in ec2.templates.values():
        template.tags["Project"] = "tail"
    restarted = AwsDriver("cfd", "cfd-config", client, clock, clock)
    assert [(each.node, each.token) for each in restarted.launch(launch(1, 2))] == [("cpu-1", "t1"), ("cpu-2", "t1")]
    assert len(ec2.machines) == 2


def test_a_launch_that_is_known_but_not_listed_yet_is_to_be_asked_again(aws: AwsDriver, ec2: FakeEc2, clock):
    ec2.lag_seconds = 5
    ec2.answer("RunInstances", {"LaunchTemplate": {}, "MinCount": "1", "MaxCount": "1", "ClientToken": "t1"})
    with pytest.raises(OSError, match="has already accepted launch t1"):
        aws.launch(launch(1))
    clock.now += 5
    assert len(aws.launch(launch(1))) == 1


def test_a_launch_whose_machines_have_ended_tells_that_they_are_gone(aws: AwsDriver, ec2: FakeEc2):
    made = aws.launch(launch(1, 2))
    aws.terminate([each.id for each in made])
    again = aws.launch(launch(1, 2))
    assert [(each.node, each.state) for each in again] == [
        ("cpu-1", InstanceState.GONE),
        ("cpu-2", InstanceState.GONE),
    ]


def test_a_page_of_machines_that_is_throttled_after_another_is_not_told_as_if_nothing_was_done(aws, ec2, monkeypatch):
    monkeypatch.setattr("hpc_components.elastic.drivers.aws.driver.MAX_PER_CALL", 2)
    made = sorted(each.id for each in aws.launch(launch(1, 2, 3, 4)))
    ec2.not_ended[made[3]] = Ec2Error("RequestLimitExceeded", "Slow down.", 503)
    with pytest.raises(OSError, match="2 of 4 machines are not being deleted yet: RequestLimitExceeded"):
        aws.terminate(made)
    assert sorted(each.id for each in ec2.live()) == made[2:]


def test_one_protected_machine_stays_and_is_named_and_the_others_end(aws: AwsDriver, ec2: FakeEc2):
    made = aws.launch(launch(*range(1, 10)))
    ec2.machines[made[4].id].protected = True
    with pytest.raises(RefusedError, match=rf"{made[4].id}: protected from termination"):
        aws.terminate([each.id for each in made])
    assert [each.id for each in ec2.live()] == [made[4].id]


def test_a_machine_that_ec2_does_not_know_yet_is_not_taken_for_gone(aws: AwsDriver, ec2: FakeEc2, clock):
    settled = aws.launch(launch(1))
    clock.now += 200
    ec2.lag_seconds = 5
    young = aws.launch(launch(2, token="t2"))
    with pytest.raises(OSError, match=f"EC2 currently can't find machines .*: {young[0].id}$"):
        aws.terminate([settled[0].id, young[0].id, "i-0dead"])
    assert [each.id for each in ec2.live()] == [young[0].id]
    clock.now += 5
    aws.terminate([young[0].id])
    assert not ec2.live()


def test_where_ec2_does_not_name_the_unknown_machine_halves_are_tried(aws: AwsDriver, ec2: FakeEc2):
    made = aws.launch(launch(*range(1, 10)))
    answer = ec2.answer

    def without_names(action, request):
        try:
            return answer(action, request)
        except Ec2Error as error:
            error.message = re.sub(r"'.*'", "you gave", error.message)
            raise

    ec2.answer = without_names
    aws.terminate([*(each.id for each in made), "i-0dead"])
    assert not ec2.live()


def test_a_pause_after_too_often_is_kept_without_calling(aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["DescribeInstances"] = Ec2Error("RequestLimitExceeded", "Slow down.", 503)
    for _ in range(5):
        with pytest.raises(Exception, match=r"RequestLimitExceeded|called too often"):
            aws.list()
    assert ec2.calls["DescribeInstances"] == 1


def test_an_answer_ends_the_growing_of_pauses(server: Ec2Server, ec2: FakeEc2, client, clock):
    api = Api(client, Pace({}, (100, 20), clock))
    throttled = {"DescribeInstances": Ec2Error("RequestLimitExceeded", "Slow down.", 503)}
    for pause in (1, 2, None, 1):
        ec2.fail = throttled if pause else {}
        if pause is None:
            api.call("DescribeInstances")
            continue
        with pytest.raises(ClientError):
            api.call("DescribeInstances")
        clock.now += pause - 0.1
        with pytest.raises(ThrottledError):
            api.call("DescribeInstances")
        clock.now += 0.2
    ec2.fail = {}
    api.call("DescribeInstances")


def test_within_ec2s_own_limits_a_thousand_machines_come_and_go(aws: AwsDriver, ec2: FakeEc2):
    ec2.throttled = True
    made = aws.launch(launch(*range(1, 1001), minimum=1000))
    aws.terminate([each.id for each in made])
    assert (len(made), ec2.live(), {each.launched for each in made}) == (1000, [], {NOW})


@pytest.mark.parametrize(
    ("reason", "taken"),
    [
        ("Server.SpotInstanceTermination", True),
        ("Server.SpotInstanceShutdown", True),
        ("Server.InsufficientInstanceCapacity", True),
        ("Client.InstanceInitiatedShutdown", False),
        ("Client.UserInitiatedShutdown", False),
        ("Server.InternalError", False),
        ("", False),
    ],
)
def test_what_ec2_takes_back_is_told_apart_from_what_ends_by_itself(reason, taken, aws: AwsDriver, ec2: FakeEc2):
    (made,) = aws.launch(launch(1))
    assert not made.taken
    ec2.machines[made.id].reason = reason
    ec2.machines[made.id].ended = NOW
    assert [each.taken for each in aws.list()] == [taken]
