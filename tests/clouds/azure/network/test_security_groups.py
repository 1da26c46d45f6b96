from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.network.security_groups import SecurityGroups, SecurityGroupsArgs
from hpc_components.preview.record import Recording

RANGES = {"head": "10.20.0.0/20", "nodes": "10.20.128.0/17", "lustre": "10.20.64.0/18"}
ARGS: dict[str, Any] = {"group": GROUP, "ranges": RANGES, "tags": TAGS}


def record_groups(**change) -> Recording:
    def program() -> None:
        made = SecurityGroups("cfd", SecurityGroupsArgs(**{**ARGS, **change}))
        pulumi.export("ids", dict(made.ids))

    return checked_preview(program)


@pytest.fixture(scope="module")
def usual() -> Recording:
    return record_groups(ssh_from=("203.0.113.0/24", "198.51.100.7/32"), ssh_to=("head",), retain=("lustre",))


def rules_of(recording: Recording, place: str) -> dict[str, dict[str, Any]]:
    group = recording.one("azure-native:network:NetworkSecurityGroup", f"cfd-{place}-nsg")
    return {rule["name"]: rule for rule in group.inputs["securityRules"]}


def test_each_kind_of_subnet_that_is_there_has_a_group(usual):
    groups = usual.all("NetworkSecurityGroup")
    assert [each.name for each in groups] == ["cfd-head-nsg", "cfd-lustre-nsg", "cfd-nodes-nsg"]
    assert {each.inputs["resourceGroupName"] for each in groups} == {"cfd"}
    assert {each.inputs["location"] for each in groups} == {"eastus"}
    assert {each.inputs["tags"]["ClusterName"] for each in groups} == {"cfd"}
    assert {*usual.outputs["ids"]} == {"head", "nodes", "lustre"}


def test_only_the_groups_asked_for_are_made():
    recording = record_groups(guarded=("nodes",))
    assert [each.name for each in recording.all("NetworkSecurityGroup")] == ["cfd-nodes-nsg"]
    assert rules_of(recording, "nodes")["all-from-cluster"]["sourceAddressPrefixes"] == [
        "10.20.0.0/20",
        "10.20.128.0/17",
    ]


def test_rules_are_as_azure_wants_them(usual):
    lustre = rules_of(usual, "lustre")
    assert lustre["lustre-from-nodes"] == {
        "name": "lustre-from-nodes",
        "priority": 110,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourceAddressPrefixes": ["10.20.0.0/20", "10.20.128.0/17"],
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRanges": ["988", "1019-1023"],
    }
    assert lustre["all-from-monitor"]["sourceAddressPrefix"] == "AzureMonitor"
    assert "sourceAddressPrefixes" not in lustre["all-from-monitor"]
    assert lustre["all-from-monitor"]["destinationPortRange"] == "*"
    refusal = lustre["deny-the-rest"]
    assert (refusal["access"], refusal["priority"], refusal["sourceAddressPrefix"]) == ("Deny", 4096, "*")


def test_ssh_is_open_to_the_users_ranges(usual):
    rule = rules_of(usual, "head")["ssh-from-users"]
    assert rule["sourceAddressPrefixes"] == ["203.0.113.0/24", "198.51.100.7/32"]
    assert rule["destinationPortRanges"] == ["22"]
    assert "ssh-from-users" not in rules_of(usual, "nodes")


def test_priorities_are_azures_and_unique(usual):
    for group in usual.all("NetworkSecurityGroup"):
        priorities = [rule["priority"] for rule in group.inputs["securityRules"]]
        assert len({*priorities}) == len(priorities)
        assert all(100 <= each <= 4096 for each in priorities)


def test_groups_of_retained_subnets_stay(usual):
    assert [each.name for each in usual.resources if each.retain] == ["cfd-lustre-nsg"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ranges": {"nodes": "10.20.0.1/16"}}, r"ranges\['nodes'\]: '10.20.0.1/16' is not an address range"),
        ({"guarded": ("bastion",)}, r"guarded\[0\]: 'bastion' can't have a security group; use head, login"),
        ({"ssh_from": ("me",)}, r"ssh_from\[0\]: 'me'"),
        ({"ssh_to": ("head", "nodes")}, r"ssh_to\[1\]: 'nodes' does not accept SSH from outside; use head or login"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=rf"^SecurityGroupsArgs.{message}"):
        SecurityGroupsArgs(**{**ARGS, **change})
