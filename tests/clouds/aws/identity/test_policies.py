import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iam_allows import policy
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, THEIRS
from hpc_components.aws.identity import permissions
from hpc_components.aws.identity.policies import Statement, policy_document, trust_document
from hpc_components.aws.ports import ConfigStore, FleetRef
from hpc_components.elastic.drivers.aws import driver

FLEET = FleetRef(
    launch_templates={"p5.48xlarge/use2-az1": "lt-0123456789abcdef0", "p5.48xlarge/use2-az2": "lt-0123456789abcdef1"},
    purchase="on_demand",
    identities=THEIRS,
)
LOG_GROUP = "reaper-log-1a2b3c"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:hpc/cfd/munge-1a2b3c-AbCdEf"
KEY = "arn:aws:kms:us-east-2:123456789012:key/0f0e0d0c"

HEAD = permissions.head_statements(
    cluster="cfd",
    config=replace(CONFIG, publishes=True),
    fleets=[FLEET, replace(FLEET, purchase="spot", launch_templates={"m/z": "lt-2"})],
    secrets=[SECRET],
    image_parameters=["/our/images/hpc"],
    kms_keys=[KEY],
)
ALL = {
    "compute": permissions.compute_statements("cfd", CONFIG),
    "login": permissions.login_statements("cfd", CONFIG, SECRET),
    "head": HEAD,
    "reaper": permissions.reaper_statements("cfd", CONFIG, LOG_GROUP),
    "flow logs": permissions.log_writer_statements(LOG_GROUP),
}
NO_RESOURCE = {
    # These actions have no resources. Source: Service Authorization Reference.
    "ec2:DescribeInstances",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeNetworkInterfaces",
    "logs:DescribeLogGroups",
    "ssm:UpdateInstanceInformation",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
}


def statement(statements: tuple[Statement, ...], sid: str) -> Statement:
    (found,) = [each for each in statements if each.sid == sid]
    return found


@pytest.mark.parametrize("statements", ALL.values(), ids=ALL)
def test_the_linter_has_nothing_to_say(statements):
    assert policy_findings(policy_document(statements)) == []


def test_the_linter_speaks_up_when_there_is_something_to_say():
    wrong = Statement("Wrong", ("ec2:RunInstancez",), ("arn:aws:s3:::b",))
    assert policy_findings(policy_document([wrong]))


@pytest.mark.parametrize("statements", ALL.values(), ids=ALL)
def test_wildcards_are_used_only_for_resources_without_an_arn(statements):
    for each in statements:
        assert not [action for action in each.actions if "*" in action], each.sid
        if "*" in each.resources:
            assert set(each.actions) <= NO_RESOURCE, each.sid


def test_the_head_node_terminates_nothing_but_its_own_compute_nodes():
    assert statement(HEAD, "TerminateNodes").conditions == {
        "StringEquals": {
            "aws:ResourceTag/ClusterName": "cfd",
            "aws:ResourceTag/hpc:config": "cfd-config",
            "aws:ResourceTag/hpc:role": "compute",
        }
    }


def test_the_head_node_may_use_the_templates_of_its_queues_only():
    use = statement(HEAD, "UseTemplates")
    assert "arn:aws:ec2:*:*:launch-template/*" in use.resources
    assert use.conditions == {
        "StringEquals": {"aws:ResourceTag/ClusterName": "cfd", "aws:ResourceTag/hpc:config": "cfd-config"},
        "StringLike": {"aws:ResourceTag/hpc:queue": "?*"},
    }
    launch = statement(HEAD, "LaunchNodes")
    assert not [each for each in launch.resources if "launch-template" in str(each)]
    assert launch.conditions == {"Bool": {"ec2:IsLaunchTemplateResource": "true"}}


def test_spot_nodes_can_be_launched():
    """EC2 asks for the request as well: terraform-aws-modules/terraform-aws-iam issue 276."""
    request = statement(HEAD, "RequestSpot")
    assert (request.actions, request.resources) == (
        ("ec2:RunInstances",),
        ("arn:aws:ec2:*:*:spot-instances-request/*",),
    )
    on_demand = permissions.head_statements(cluster="cfd", config=CONFIG, fleets=[FLEET], secrets=[])
    assert "RequestSpot" not in {each.sid for each in on_demand}


def test_fifty_queues_fit_into_one_policy():
    fleets = [replace(FLEET, launch_templates={f"m{index}/use2-az2": f"lt-{index}"}) for index in range(50)]
    text = policy_document(
        permissions.head_statements(
            cluster="c" * 40, config=replace(CONFIG, publishes=True), fleets=fleets, secrets=[SECRET]
        )
    )
    assert isinstance(text, str)
    assert len(text) <= 10_240  # of all inline policies of a role. Source: IAM user guide, "IAM and STS quotas"


def test_of_ec2_the_head_node_may_do_what_its_driver_calls_and_no_more():
    sources = Path(driver.__file__).parent.glob("*.py")
    called = {name for each in sources for name in re.findall(r'\.(?:call|pages)\(\s*"(\w+)"', each.read_text())}
    allowed = {action.removeprefix("ec2:") for each in HEAD for action in each.actions if action.startswith("ec2:")}
    assert allowed == {*called, "CreateTags"}  # tags of the resources that a launch creates


def test_the_head_node_passes_only_the_roles_of_its_fleets_and_only_to_ec2():
    passes = statement(HEAD, "GiveNodesTheirRole")
    assert list(passes.resources) == [THEIRS.own.role_arn]
    assert passes.conditions == {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}


def test_who_launches_may_do_with_disk_keys_what_ebs_asks_for():
    """ReEncrypt is for images whose disks are encrypted with a key: EBS user guide, "Permissions for users"."""
    assert set(statement(HEAD, "UseDiskKeys").actions) == {
        "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext",
        "kms:ReEncryptFrom", "kms:ReEncryptTo",
    }  # fmt: skip


def test_without_fleets_spot_secrets_keys_or_people_the_head_node_may_do_nothing_about_them():
    bare = permissions.head_statements(cluster="cfd", config=CONFIG, fleets=[], secrets=[])
    gone = {each.sid for each in HEAD} - {each.sid for each in bare}
    assert gone == {
        "GiveNodesTheirRole", "GrantDiskKeys", "KeepSecrets", "LaunchNodes", "PublishFiles", "RequestSpot",
        "SeeSpotPrices", "StartUsingSpot", "TagNodesAtLaunch", "UseDiskKeys", "UseTemplates",
    }  # fmt: skip
    assert policy_findings(policy_document(bare)) == []


def test_own_image_parameters_can_be_read_beside_those_of_aws():
    assert list(statement(HEAD, "FindImages").resources) == [
        "arn:aws:ssm:*:*:parameter/aws/service/*",
        "arn:aws:ssm:*:*:parameter/our/images/hpc",
    ]


def test_compute_nodes_have_nothing_of_ec2():
    assert not [action for each in ALL["compute"] for action in each.actions if action.startswith("ec2:")]


def test_nodes_read_the_munge_key_of_their_own_cluster():
    secret = statement(ALL["compute"], "ReadMungeKey").resources
    assert secret == ("arn:aws:secretsmanager:*:*:secret:hpc/cfd/munge-cfd-config-??????",)


OF_A_STACK = {
    "ec2:RunInstances": ("launch-template", "aws:ResourceTag", {"hpc:queue": "gpu"}),
    "ec2:CreateTags": ("instance", "aws:RequestTag", {}),
    "ec2:TerminateInstances": ("instance", "aws:ResourceTag", {"hpc:role": "compute"}),
}


@pytest.mark.parametrize("action", OF_A_STACK)
def test_nothing_is_done_to_a_cluster_of_this_name_in_another_stack(action):
    kind, by, more = OF_A_STACK[action]
    allows = policy(json.loads(str(policy_document(HEAD)))["Statement"])

    def may(config: str) -> bool:
        tags = {"ClusterName": "cfd", "hpc:config": config, **more}
        told = {"ec2:CreateAction": "RunInstances", **{f"{by}/{key}": value for key, value in tags.items()}}
        return allows(action, [f"arn:aws:ec2:us-east-2:123456789012:{kind}/x"], told)

    assert (may("cfd-config"), may("twin-config")) == (True, False)


def test_a_document_with_a_bucket_that_is_to_be_made_waits_for_it():
    async def document() -> object:  # outputs need a running event loop
        made = ConfigStore(bucket=pulumi.Output.from_input("cfd-config"), arn="arn:aws:s3:::cfd-config")
        return policy_document([permissions.reaper_statements("cfd", made, LOG_GROUP)[0]])

    loop = asyncio.new_event_loop()
    try:
        assert isinstance(loop.run_until_complete(document()), pulumi.Output)
    finally:
        loop.close()


@given(st.lists(st.text(alphabet="abcdefghij-", min_size=1), min_size=1, max_size=5))
def test_a_document_holds_what_its_statements_say(names):
    statements = [
        Statement(f"S{index}", ("s3:GetObject",), (f"arn:aws:s3:::{name}/*",)) for index, name in enumerate(names)
    ]
    text = policy_document(statements)
    assert isinstance(text, str)
    read = json.loads(text)
    assert [each["Resource"] for each in read["Statement"]] == [[f"arn:aws:s3:::{name}/*"] for name in names]
    assert all("Condition" not in each for each in read["Statement"])


def test_trust_is_for_one_service():
    trust = json.loads(trust_document("lambda.amazonaws.com"))
    assert [each["Principal"] for each in trust["Statement"]] == [{"Service": "lambda.amazonaws.com"}]
