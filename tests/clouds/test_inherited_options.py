"""What a user says of a component, or of one above it, holds for all that is below: nothing is taken back."""

from collections.abc import Callable

import pulumi
import pytest

from clouds.azure.sample import GROUP, NETWORK
from clouds.gcp.sample import NETWORK as GOOGLE_NETWORK
from clouds.gcp.sample import PROJECT, REGION, ZONE
from hpc_components import aws, azure, gcp
from hpc_components.preview.record import record
from hpc_components.resource_options import protected_options


class Team(pulumi.ComponentResource):
    """A user's own component, with a cluster below it."""

    def __init__(self, opts: pulumi.ResourceOptions) -> None:
        super().__init__("wing:hpc:Team", "team", {}, opts)


def on_aws(opts: pulumi.ResourceOptions) -> None:
    tags = aws.Tags("cfd")
    ground = aws.Vpc("cfd", aws.VpcArgs(cidr="10.20.0.0/16", zones=("use2-az2",), tags=tags), opts).network
    groups = ground.security_groups.storage
    scratch = aws.LustreFilesystemArgs(
        mount="/fsx",
        capacity_gib=1200,
        subnet_id=ground.private_subnets["use2-az2"],
        security_group_ids=groups,
        retain=False,
        tags=tags,
    )
    home = aws.HomeFilesystemArgs(
        mount="/home",
        kind="efs",
        clients=ground.cidr,
        subnets=ground.private_subnets,
        security_group_ids=groups,
        retain=False,
        tags=tags,
    )
    aws.LustreFilesystem("scratch", scratch, opts)
    aws.HomeFilesystem("home", home, opts)
    aws.DataBucket("data", aws.DataBucketArgs(retain=False, tags=tags), opts)


def on_azure(opts: pulumi.ResourceOptions) -> None:
    tags = azure.Tags("cfd")
    azure.Vpc("cfd", azure.VpcArgs(group=GROUP, cidr="10.20.0.0/16", tags=tags), opts)
    scratch = azure.LustreFilesystemArgs(
        mount="/scratch",
        capacity_tib=16,
        zone="eastus-1",
        group=GROUP,
        subnet_id=NETWORK.subnets["lustre"],
        retain=False,
        tags=tags,
    )
    home = azure.HomeFilesystemArgs(
        mount="/home", capacity_gib=1024, group=GROUP, network=NETWORK, retain=False, tags=tags
    )
    azure.LustreFilesystem("scratch", scratch, opts)
    azure.HomeFilesystem("home", home, opts)
    azure.DataBucket("data", azure.DataBucketArgs(group=GROUP, retain=False, tags=tags), opts)


def on_gcp(opts: pulumi.ResourceOptions) -> None:
    tags = gcp.Tags("cfd")
    ground = gcp.VpcArgs(project=PROJECT, region=REGION, cidr="10.20.0.0/16", services=True, tags=tags)
    gcp.Vpc("cfd", ground, opts)
    scratch = gcp.LustreFilesystemArgs(
        project=PROJECT,
        mount="/scratch",
        capacity_gib=18000,
        zone=ZONE,
        network=GOOGLE_NETWORK,
        retain=False,
        tags=tags,
    )
    home = gcp.HomeFilesystemArgs(
        project=PROJECT,
        mount="/home",
        capacity_gib=1024,
        location=ZONE,
        network=GOOGLE_NETWORK,
        retain=False,
        tags=tags,
    )
    gcp.LustreFilesystem("cfd-scratch", scratch, opts)
    gcp.HomeFilesystem("cfd-home", home, opts)
    gcp.DataBucket("data", gcp.DataBucketArgs(project=PROJECT, region=REGION, retain=False, tags=tags), opts)


KEPT = pulumi.ResourceOptions(protect=True, retain_on_delete=True)


@pytest.mark.parametrize("make", [on_aws, on_azure, on_gcp])
def test_below_a_component_that_is_kept_everything_is_kept(make: Callable[[pulumi.ResourceOptions], None]) -> None:
    recording = record(lambda: make(pulumi.ResourceOptions(parent=Team(KEPT))))
    assert len(recording.resources) > 10
    assert [each.urn for each in recording.resources if not (each.protect and each.retain)] == []


@pytest.mark.parametrize("make", [on_aws, on_azure, on_gcp])
def test_a_component_that_is_kept_keeps_all_its_children(make: Callable[[pulumi.ResourceOptions], None]) -> None:
    recording = record(lambda: make(KEPT))
    assert [each.urn for each in recording.resources if not (each.protect and each.retain)] == []


def test_what_is_said_of_the_component_itself_goes_first() -> None:
    team = object.__new__(pulumi.Resource)
    said = protected_options(team, pulumi.ResourceOptions(protect=False, retain_on_delete=False), retain=True)
    assert (said.protect, said.retain_on_delete) == (False, False)
