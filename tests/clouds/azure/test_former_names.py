"""A renamed component with an alias keeps its children, even those whose names don't begin with its own."""

from collections.abc import Callable

import pulumi
import pytest

from clouds.azure.sample import GROUP, NETWORK, TAGS
from hpc_components.azure import (
    ConfigBucket,
    ConfigBucketArgs,
    DataBucket,
    DataBucketArgs,
    HomeFilesystem,
    HomeFilesystemArgs,
    NodeVault,
    NodeVaultArgs,
)
from hpc_components.preview.record import record

TENANT = "11111111-2222-3333-4444-555555555555"
HOME = HomeFilesystemArgs(mount="/home", capacity_gib=1024, group=GROUP, network=NETWORK, tags=TAGS)
Make = Callable[[str, pulumi.ResourceOptions], object]
MAKES: dict[str, Make] = {
    "DataBucket": lambda name, opts: DataBucket(name, DataBucketArgs(group=GROUP, tags=TAGS), opts),
    "ConfigBucket": lambda name, opts: ConfigBucket(
        name, ConfigBucketArgs(group=GROUP, files={"common/a": "x"}, tags=TAGS), opts
    ),
    "HomeFilesystem": lambda name, opts: HomeFilesystem(name, HOME, opts),
    "NodeVault": lambda name, opts: NodeVault(name, NodeVaultArgs(group=GROUP, tenant_id=TENANT, tags=TAGS), opts),
}


def by_name(component: str) -> pulumi.Alias | str:
    return pulumi.Alias(name="before")


def by_urn(component: str) -> pulumi.Alias | str:
    return f"urn:pulumi:test::hpc::hpc:azure:{component}::before"


@pytest.mark.parametrize("alias", [by_name, by_urn])
@pytest.mark.parametrize("component", MAKES)
def test_a_renamed_component_keeps_its_children(component: str, alias: Callable[[str], pulumi.Alias | str]) -> None:
    make = MAKES[component]
    before = record(lambda: make("before", pulumi.ResourceOptions()))
    renamed = record(lambda: make("after", pulumi.ResourceOptions(aliases=[alias(component)])))
    kept = {urn for each in renamed.resources for urn in each.aliases}
    assert [each.urn for each in before.resources if each.urn not in kept] == []
