from typing import Any

import pytest

from clouds.aws.sample import TAGS
from hpc_components.aws.security_groups.component import SecurityGroups, SecurityGroupsArgs
from hpc_components.aws.security_groups.security_rules import security_rules
from hpc_components.preview.record import Recording, record

ARGS: dict[str, Any] = {"vpc_id": "vpc-0123456789abcdef0", "vpc_cidr": "10.20.0.0/16", "tags": TAGS}


def record_groups(preview: bool = False, **args) -> Recording:
    return record(lambda: SecurityGroups("cfd", SecurityGroupsArgs(**{**ARGS, **args})), preview=preview)


def test_each_role_has_a_group_in_the_vpc_given():
    groups = record_groups().all("SecurityGroup")
    assert [each.name for each in groups] == ["cfd-compute", "cfd-head", "cfd-login", "cfd-storage"]
    assert {each.inputs["vpcId"] for each in groups} == {"vpc-0123456789abcdef0"}
    assert not any(each.inputs.keys() & {"ingress", "egress"} for each in groups)


@pytest.mark.parametrize("preview", [True, False])
def test_each_rule_is_a_resource(preview):
    args = {"ssh_from": ("203.0.113.0/24",), "ssh_to": ("head", "login"), "efa_storage": True}
    recording = record_groups(preview, **args)
    made = {each.name for kind in ("Ingress", "Egress") for each in recording.all(f"SecurityGroup{kind}Rule")}
    assert made == {f"cfd-{rule.key}" for rule in security_rules(vpc_cidr="10.20.0.0/16", **args)}


def test_the_efa_rules_name_the_group_itself_in_both_directions():
    recording = record_groups()
    compute = recording.one("SecurityGroup", "cfd-compute").urn
    for kind, name in (("Ingress", "cfd-compute-from-compute-all"), ("Egress", "cfd-compute-to-compute-all")):
        rule = recording.one(f"SecurityGroup{kind}Rule", name)
        assert rule.inputs["ipProtocol"] == "-1"
        assert not rule.inputs.keys() & {"fromPort", "toPort", "cidrIpv4"}
        assert rule.property_dependencies["securityGroupId"] == (compute,)
        assert rule.property_dependencies["referencedSecurityGroupId"] == (compute,)


def test_servers_of_a_retained_file_system_still_reach_one_another():
    """FSx: "Lustre traffic between FSx for Lustre file servers". Rules of deleted groups are deleted too."""
    kept = {each.name for each in record_groups(retain=True).resources if each.retain}
    ports = ("988", "1018-1023")
    assert kept == {"cfd-storage"} | {f"cfd-storage-{way}-storage-{port}" for way in ("from", "to") for port in ports}
    assert not [each.name for each in record_groups().resources if each.retain]


def test_ports_and_ranges_are_as_the_rule_says():
    recording = record_groups(ssh_from=("203.0.113.0/24",), ssh_to=("head",))
    ssh = recording.one("SecurityGroupIngressRule", "cfd-head-from-203.0.113.0-24-22").inputs
    assert (ssh["ipProtocol"], ssh["fromPort"], ssh["toPort"], ssh["cidrIpv4"]) == ("tcp", 22, 22, "203.0.113.0/24")
    names = recording.one("SecurityGroupIngressRule", "cfd-head-from-login-53-udp").inputs
    assert (names["ipProtocol"], names["fromPort"], names["toPort"]) == ("udp", 53, 53)
    lustre = recording.one("SecurityGroupEgressRule", "cfd-storage-to-compute-1018-1023").inputs
    assert (lustre["fromPort"], lustre["toPort"]) == (1018, 1023)
    assert "cidrIpv4" not in lustre


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"vpc_cidr": "10.20.0.1/16"}, r"SecurityGroupsArgs.vpc_cidr: '10.20.0.1/16' is not an address range"),
        ({"ssh_from": ("me",)}, r"SecurityGroupsArgs.ssh_from\[0\]: 'me'"),
        (
            {"ssh_to": ("head", "storage")},
            r"SecurityGroupsArgs.ssh_to\[1\]: 'storage' can't be reached over SSH; use head or login",
        ),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        SecurityGroupsArgs(**{**ARGS, **args})
