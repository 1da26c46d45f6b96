import base64
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, LENT, ROLES, TAGS, THEIRS, WHO, WHO_LENDS
from hpc_components.aws.disks.component import RootDisk, StateDisk
from hpc_components.aws.head.component import SlurmHeadNode, SlurmHeadNodeArgs
from hpc_components.aws.identity.component import NodeIdentity
from hpc_components.aws.ports import FleetRef, Identities, Identity
from hpc_components.boot import user_data
from hpc_components.preview.record import UNKNOWN, ProgramError, RecordedResource, Recording, record

FLEET = FleetRef(
    launch_templates={"p5.48xlarge/use2-az2": "lt-0123456789abcdef0"},
    purchase="spot",
    identities=Identities(own=Identity(instance_profile="gpu", role_arn=f"{ROLES}/gpu-role")),
)
IMAGE = "resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:hpc/cfd/munge-1a2b3c-AbCdEf"


def args(**change: Any) -> SlurmHeadNodeArgs:
    usual: dict[str, Any] = {
        "machine": "c6i.xlarge",
        "image": IMAGE,
        "user_data": user_data("aws"),
        "subnet_id": "subnet-2",
        "availability_zone": "us-east-2b",
        "private_ip": "10.20.64.20",
        "security_group_ids": ("sg-head",),
        "root": RootDisk(size_gib=64),
        "state": StateDisk(size_gib=128, iops=4000),
        "config": CONFIG,
        "identities": WHO,
        "fleets": (FLEET,),
        "tags": TAGS,
    }
    return SlurmHeadNodeArgs(**{**usual, **change})


def recorded(**change: Any) -> tuple[Recording, Recording]:
    return both(**change) if change else usual()


@cache
def usual() -> tuple[Recording, Recording]:
    return both()


def both(**change: Any) -> tuple[Recording, Recording]:
    def program() -> None:
        made = SlurmHeadNode("head", args(**change))
        pulumi.export("head", {"private_ip": made.private_ip, "public_ip": made.public_ip})
        pulumi.export("secrets", [made.munge_secret_arn, made.jwt_secret_arn])
        pulumi.export("rest", [made.instance_id, made.log_group_name, made.state_volume_id])

    return in_both_modes(program)


def changed(**change: Any) -> set[str]:
    """Return the types of the resources whose inputs differ after a change."""
    before, after = recorded()[0], recorded(**change)[0]
    old = {each.urn: each for each in before.resources if each.custom}
    new = {each.urn: each for each in after.resources if each.custom}
    touched = [old.get(urn) or new[urn] for urn in old.keys() | new.keys() if _inputs(old, urn) != _inputs(new, urn)]
    return {each.type.rpartition(":")[2] for each in touched}


def _inputs(resources: dict[str, RecordedResource], urn: str) -> dict[str, Any] | None:
    return resources[urn].inputs if urn in resources else None


def test_a_head_node_is_made_of_these_resources() -> None:
    update, _ = recorded()
    assert {(each.type, each.name) for each in update.resources} == {
        ("hpc:aws:SlurmHeadNode", "head"),
        ("aws:iam/rolePolicy:RolePolicy", "head-role-policy"),
        ("aws:secretsmanager/secret:Secret", "head-munge"),
        ("aws:secretsmanager/secret:Secret", "head-jwt"),
        ("aws:cloudwatch/logGroup:LogGroup", "head-logs"),
        ("aws:ec2/networkInterface:NetworkInterface", "head-interface"),
        ("aws:ebs/volume:Volume", "head-state"),
        ("aws:ec2/launchTemplate:LaunchTemplate", "head-template"),
        ("aws:ec2/instance:Instance", "head"),
        ("aws:ec2/volumeAttachment:VolumeAttachment", "head-state-attachment"),
    }
    untagged = {
        each.name for each in update.resources if each.custom and "ClusterName" not in each.inputs.get("tags", {})
    }
    assert untagged == {"head-role-policy", "head-state-attachment"}, "these take no tags"


def test_the_instance_has_these_inputs() -> None:
    update, preview = recorded()
    instance = preview.one("aws:ec2/instance:Instance")
    assert instance.inputs == {
        "iamInstanceProfile": "own",
        "instanceInitiatedShutdownBehavior": "stop",
        "instanceType": "c6i.xlarge",
        "launchTemplate": {"id": UNKNOWN, "version": "$Latest"},
        "maintenanceOptions": {"autoRecovery": "default"},
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
            "instanceMetadataTags": "enabled",
        },
        "primaryNetworkInterface": {"networkInterfaceId": UNKNOWN},
        "tags": {
            "ClusterName": "cfd",
            "Name": "head",
            "Project": "wing",
            "hpc:config": "cfd-config",
            "hpc:role": "head",
            "hpc:state-volume": UNKNOWN,
        },
    }
    needs = update.one("aws:ec2/instance:Instance").property_dependencies
    assert needs["primaryNetworkInterface"] == (update.one("NetworkInterface").urn,)
    assert needs["launchTemplate"] == (update.one("LaunchTemplate").urn,)
    assert needs["tags"] == (update.one("Volume").urn,)


def test_what_only_a_new_node_can_have_is_in_a_template() -> None:
    template = recorded()[1].one("LaunchTemplate")
    assert template.inputs["imageId"] == IMAGE
    (root,) = template.inputs["blockDeviceMappings"]
    assert (root["ebs"]["encrypted"], root["ebs"]["volumeSize"]) == ("true", 64)
    assert base64.b64decode(template.inputs["userData"]).decode() == user_data("aws")
    assert template.replace_on_changes == ("imageId", "blockDeviceMappings")
    instance = recorded()[1].one("aws:ec2/instance:Instance")
    assert not {"ami", "rootBlockDevice", "userData"} & set(instance.inputs)
    assert instance.ignore_changes == ("launchTemplate.version",)


def test_the_address_is_fixed_and_outlives_the_node() -> None:
    _, preview = recorded()
    interface = preview.one("NetworkInterface")
    assert interface.inputs["privateIps"] == ["10.20.64.20"]
    assert interface.inputs["securityGroups"] == ["sg-head"]
    assert interface.delete_before_replace
    assert not any("Instance" in urn for urn in interface.depends_on)


def test_the_state_outlives_the_node() -> None:
    update, _ = recorded()
    volume = update.one("aws:ebs/volume:Volume")
    assert volume.inputs == {
        "availabilityZone": "us-east-2b",
        "encrypted": True,
        "iops": 4000,
        "size": 128,
        "tags": {"ClusterName": "cfd", "Name": "head-state", "Project": "wing"},
        "type": "gp3",
    }
    assert (volume.protect, volume.retain) == (True, True)
    assert volume.depends_on == (), "a new instance does not make a new volume"
    attachment = update.one("VolumeAttachment")
    assert attachment.inputs["stopInstanceBeforeDetaching"] is True
    assert "forceDetach" not in attachment.inputs


def test_one_takes_over_from_the_other() -> None:
    """Two instances can't share one interface and one volume."""
    update, _ = recorded()
    assert update.one("aws:ec2/instance:Instance").delete_before_replace
    assert update.one("VolumeAttachment").delete_before_replace


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"fleets": (replace(FLEET, launch_templates={"p5en.48xlarge/use2-az2": "lt-3"}),)}, set()),
        ({"fleets": (FLEET, replace(FLEET, launch_templates={"m/z": "lt-2"}))}, set()),
        ({"kms_keys": ("arn:aws:kms:us-east-2:123456789012:key/0f0e0d0c",)}, {"RolePolicy"}),
        ({"image": "ami-0123456789abcdef0"}, {"LaunchTemplate"}),
        ({"user_data": "#!/bin/sh\n"}, {"LaunchTemplate"}),
        ({"root": RootDisk(size_gib=100)}, {"LaunchTemplate"}),
        ({"machine": "c6i.2xlarge"}, {"Instance"}),
        ({"security_group_ids": ("sg-other",)}, {"NetworkInterface"}),
        ({"state": StateDisk(size_gib=256)}, {"Volume"}),
        ({"log_retention_days": 30}, {"LogGroup"}),
        ({"public": True}, {"Eip"}),
    ],
)
def test_a_change_touches_these_resources_only(change: dict[str, Any], touched: set[str]) -> None:
    assert changed(**change) == touched


def test_a_public_head_node_has_an_elastic_address() -> None:
    private, _ = recorded()
    assert private.outputs["head"]["public_ip"] is None
    update, _ = recorded(public=True)
    address = update.one("aws:ec2/eip:Eip", "head-address")
    assert address.inputs["domain"] == "vpc"
    interface = update.one("NetworkInterface").urn
    assert address.property_dependencies["networkInterface"] == (interface,)
    assert address.depends_on == (interface,), "it stays when the instance goes"
    assert update.outputs["head"]["public_ip"]


def test_secrets_are_empty_containers() -> None:
    update, _ = recorded()
    secrets = {each.name: each.inputs for each in update.all("Secret")}
    assert secrets["head-munge"]["name"] == "hpc/cfd/munge-cfd-config"
    assert secrets["head-jwt"]["name"] == "hpc/cfd/jwt-cfd-config"
    assert not update.all("SecretVersion")
    assert all("recoveryWindowInDays" not in each for each in secrets.values())
    thrown, _ = recorded(retain=False)
    assert {each.inputs["recoveryWindowInDays"] for each in thrown.all("Secret")} == {0}
    assert not thrown.one("Volume").protect


def test_the_role_names_what_it_may_touch() -> None:
    update, _ = recorded(
        image_parameters=("/own/image",), kms_keys=("arn:aws:kms:us-east-2:123456789012:key/0f0e0d0c",)
    )
    text = update.one("RolePolicy").inputs["policy"]
    by_sid = {statement["Sid"]: statement for statement in json.loads(text)["Statement"]}
    for standin in update.outputs["secrets"]:
        text = text.replace(standin, SECRET)
    assert policy_findings(text) == []
    assert by_sid["KeepSecrets"]["Resource"] == update.outputs["secrets"]
    assert by_sid["GiveNodesTheirRole"]["Resource"] == [f"{ROLES}/gpu-role"]
    ours = {"aws:ResourceTag/ClusterName": "cfd", "aws:ResourceTag/hpc:config": "cfd-config"}
    assert by_sid["UseTemplates"]["Condition"]["StringEquals"] == ours
    assert any("/own/image" in arn for arn in by_sid["FindImages"]["Resource"])
    assert "UseDiskKeys" in by_sid


def test_the_node_waits_for_the_policy_of_its_role() -> None:
    """It reads its configuration and launches nodes as soon as it exists."""
    update, _ = recorded()
    policy = update.one("RolePolicy")
    assert policy.inputs["role"] == "own-role"
    assert policy.urn in update.one("aws:ec2/instance:Instance").depends_on


def test_the_node_lends_people_a_second_role() -> None:
    update, _ = recorded(identities=WHO_LENDS)
    assert update.one("aws:ec2/instance:Instance").inputs["tags"]["hpc:data-role"] == LENT.role_arn
    last = json.loads(update.one("RolePolicy").inputs["policy"])["Statement"][-1]
    assert (last["Sid"], last["Resource"]) == ("LendDataRole", [LENT.role_arn])


def test_a_role_of_the_users_gets_no_policy() -> None:
    update, _ = recorded(identities=THEIRS)
    assert update.one("aws:ec2/instance:Instance").inputs["iamInstanceProfile"] == "their-profile"
    assert not update.all("RolePolicy")


def test_the_users_options_decide_on_protection() -> None:
    options = pulumi.ResourceOptions(protect=False, retain_on_delete=False)
    volume = record(lambda: SlurmHeadNode("head", args(), options)).one("Volume")
    assert (volume.protect, volume.retain) == (False, False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "c6i.xlrage"}, "machine: 'c6i.xlrage' is not an EC2 machine type"),
        ({"image": "ubuntu"}, "image: 'ubuntu' is not an image id or parameter; use ami-"),
        ({"private_ip": "10.20.300.4"}, "private_ip: '10.20.300.4' is not an IPv4 address"),
        ({"root": RootDisk(size_gib=0)}, "root.size_gib = 0: gp3 volumes must be between 1 and"),
        ({"state": StateDisk(size_gib=64, iops=1)}, "state.iops = 1: gp3 volumes must have 3000 to"),
        ({"log_retention_days": 31}, "log_retention_days: CloudWatch can't keep logs for 31 days; use one of 1, 3"),
        ({"user_data": "x" * 20000}, "user_data: user data has 20000 bytes"),
    ],
)
def test_arguments_that_aws_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^SlurmHeadNodeArgs\.") as error:
        args(**change)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        (Identity(instance_profile="Jobs", role_arn=f"{ROLES}/head"), {"instance_profile": "jobs"}),
        (Identity(instance_profile="head", role_arn=f"{ROLES}/hpc/jobs"), {"role_arn": f"{ROLES}/jobs"}),
    ],
)
def test_identity_of_jobs_is_refused(own: Identity, theirs: dict[str, str]) -> None:
    fleet = replace(FLEET, identities=Identities(own=replace(FLEET.identities.own, **theirs)))
    with pytest.raises(ValueError, match=r"identities.own: .* is also used by other nodes"):
        args(identities=Identities(own=own), fleets=(fleet,))
    assert args(identities=Identities(own=own), fleets=(FLEET,))


def test_a_role_that_a_fleet_lends_is_refused() -> None:
    lends = Identities(own=FLEET.identities.own, lent=Identity(role_arn=WHO.own.role_arn))
    with pytest.raises(ValueError, match=r"identities.own: .* is also used by other nodes"):
        args(fleets=(replace(FLEET, identities=lends),))


def test_one_identity_for_head_and_fleet_is_refused_before_its_names_are_known() -> None:
    def program() -> None:
        both = NodeIdentity("both", tags=TAGS).identities
        args(identities=both, fleets=(replace(FLEET, identities=both),))

    with pytest.raises(ProgramError, match=r"identities.own: this identity is also used by other nodes"):
        record(program)
