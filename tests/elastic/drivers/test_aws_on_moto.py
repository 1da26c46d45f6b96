"""The driver against somebody else's idea of EC2. moto knows no tokens, limits or shortage: that is `fake_ec2`."""

import boto3
import pytest
from moto import mock_aws

from hpc_components.elastic.drivers.aws.api import ec2_client
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.model import InstanceState

from .conftest import launch, own_tags, pool


@pytest.fixture
def moto(credentials, monkeypatch):
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # thousands, in each region
    with mock_aws():
        ec2 = boto3.client("ec2", "us-east-2")
        tags = own_tags("cpu", "c7i.large", "use2-az1")
        tags = [{"Key": key, "Value": value} for key, value in tags.items()]
        ec2.create_launch_template(
            LaunchTemplateName="cpu",
            LaunchTemplateData={
                "ImageId": "ami-03cf127a",
                "InstanceType": "c7i.large",
                "TagSpecifications": [{"ResourceType": "instance", "Tags": tags}],
            },
            TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags}],
        )
        yield ec2


def test_running_login_nodes_are_listed(moto):
    tags = [{"Key": key, "Value": value} for key, value in (own_tags("", "", "") | {"hpc:role": "login"}).items()]
    made = moto.run_instances(
        ImageId="ami-03cf127a", InstanceType="m6i.large", MinCount=2, MaxCount=2,
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )["Instances"]  # fmt: skip
    moto.stop_instances(InstanceIds=[made[1]["InstanceId"]])
    (node,) = AwsDriver("cfd", "cfd-config", ec2_client("us-east-2")).login_nodes()
    assert (node.address, node.machine) == (made[0]["PrivateIpAddress"], "m6i.large")


def test_launch_list_and_terminate(moto):
    driver = AwsDriver("cfd", "cfd-config", ec2_client("us-east-2"))
    made = driver.launch(launch(4, 1, 2, minimum=3))
    assert [(each.node, each.pool, each.token) for each in made] == [
        ("cpu-4", pool(), "t1"),
        ("cpu-1", pool(), "t1"),
        ("cpu-2", pool(), "t1"),
    ]
    assert sorted(each.node for each in driver.list()) == ["cpu-1", "cpu-2", "cpu-4"]
    driver.terminate([made[0].id, "i-0123456789abcdef0"])
    assert {each.node: each.alive for each in driver.list()} == {"cpu-1": True, "cpu-2": True, "cpu-4": False}
    assert {each.state for each in driver.list() if each.node == "cpu-4"} <= {
        InstanceState.STOPPING,
        InstanceState.GONE,
    }
