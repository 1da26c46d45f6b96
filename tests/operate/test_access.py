"""The outputs of every stack of this project say how to reach its cluster."""

from typing import Any

import pytest

from hpc_components.aws.catalog.first_users import first_user
from hpc_components.operate.reach import Reach
from hpc_components.operate.ways import ReachError
from tests.stack_recordings import PROJECT, recorded

UNKNOWN = "<unknown>"

CLOUDS_ANSWERS = {
    "instance_id": {"aws": "i-0abc", "gcp": "projects/p/zones/us-central1-a/instances/head"},
    "vm_id": {"azure": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/head"},
}
"""What only the cloud knows, by output."""

WITHOUT_A_WAY = ("azure-dev",)
"""Its head node has no public address, and it has neither Bastion nor login nodes."""


def answered(value: Any, cloud: str, key: str = "") -> Any:
    """Outputs as after an update."""
    if isinstance(value, dict):
        return {name: answered(each, cloud, name) for name, each in value.items()}
    if value != UNKNOWN:
        return value
    if key == "public_ip":
        return "" if cloud == "aws" else "203.0.113.7"  # AWS answers with an empty one
    return CLOUDS_ANSWERS.get(key, {}).get(cloud, "x-1")


def outputs_of(stack: str) -> dict[str, Any]:
    return answered(dict(recorded(stack).outputs), stack.partition("-")[0])


@pytest.mark.parametrize("stack", [stack for stack in PROJECT.stacks if stack not in WITHOUT_A_WAY])
def test_each_stack_s_outputs_lead_to_its_head_node(stack: str) -> None:
    outputs = outputs_of(stack)
    reach = Reach(outputs, user=None if outputs["access"]["user"] else "me_example_org")
    assert reach.ssh()[0] == "ssh"
    assert f"HostKeyAlias={reach.cluster}-head" in " ".join(reach.ssh("q-1"))


@pytest.mark.parametrize("stack", WITHOUT_A_WAY)
def test_a_stack_without_a_way_in_says_so(stack: str) -> None:
    with pytest.raises(ReachError, match="has no way in: its head node has no public address"):
        Reach(outputs_of(stack))


def test_tunnels_have_the_ids_of_their_cloud() -> None:
    aws, azure, google = (Reach(outputs_of(stack), user="u").tunnel for stack in ("aws-cfd", "azure-nd", "gcp-h4d"))
    assert aws
    assert azure
    assert google
    assert aws.command[4:7] == ("us-east-2", "--target", "i-0abc")
    assert azure.command[4:10] == ("--subscription", "s", "--name", "x-1", "--resource-group", "x-1")
    assert google.command[3:8] == ("head", "22", "--listen-on-stdin", "--project=p", "--zone=us-central1-a")
    assert [azure.listens, aws.listens, google.listens] == [True, False, False]


@pytest.mark.parametrize(
    ("os", "user"),
    [("ubuntu-24.04", "ubuntu"), ("debian-13", "admin"), ("rocky-9", "rocky"), ("almalinux-9", "ec2-user")],
)
def test_the_first_user_follows_from_the_system(os: str, user: str) -> None:
    assert first_user(os) == user
    assert first_user("plan9-4") is None
