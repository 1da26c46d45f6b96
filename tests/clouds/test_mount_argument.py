"""Every cloud's file systems refuse a mount directory with which no node would boot."""

from collections.abc import Callable

import pytest

from clouds.azure.sample import GROUP
from clouds.azure.sample import NETWORK as AZURE_NETWORK
from clouds.gcp.sample import NETWORK, PROJECT, ZONE
from hpc_components import aws, azure, gcp

ON_AWS, ON_AZURE, ON_GCP = aws.Tags("cfd"), azure.Tags("cfd"), gcp.Tags("cfd")
SUBNET = "subnet-0123456789abcdef0"
MAKES: dict[str, Callable[[str], object]] = {
    "aws-lustre": lambda mount: aws.LustreFilesystemArgs(
        mount=mount, capacity_gib=1200, subnet_id=SUBNET, security_group_ids=("sg-1",), tags=ON_AWS
    ),
    "aws-home": lambda mount: aws.HomeFilesystemArgs(
        mount=mount,
        capacity_gib=64,
        clients="10.20.0.0/16",
        subnets={"use2-az2": SUBNET},
        security_group_ids=("sg-1",),
        tags=ON_AWS,
    ),
    "azure-lustre": lambda mount: azure.LustreFilesystemArgs(
        mount=mount, capacity_tib=16, zone="eastus-1", group=GROUP, subnet_id=SUBNET, tags=ON_AZURE
    ),
    "azure-home": lambda mount: azure.HomeFilesystemArgs(
        mount=mount, capacity_gib=1024, group=GROUP, network=AZURE_NETWORK, tags=ON_AZURE
    ),
    "gcp-lustre": lambda mount: gcp.LustreFilesystemArgs(
        project=PROJECT, mount=mount, capacity_gib=18000, zone=ZONE, network=NETWORK, tags=ON_GCP
    ),
    "gcp-home": lambda mount: gcp.HomeFilesystemArgs(
        project=PROJECT, mount=mount, capacity_gib=1024, location=ZONE, network=NETWORK, tags=ON_GCP
    ),
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
@pytest.mark.parametrize("mount", ["scratch", "", "/", "/a b", "/scratch/", "/a/../b", "~/scratch"])
def test_what_can_t_stand_in_fstab_is_refused(make: Callable[[str], object], mount: str) -> None:
    with pytest.raises(
        ValueError, match=r"^\w+Args\.mount: '.*' is not a directory that fstab accepts; write an absolute path, "
    ):
        make(mount)
    assert make("/projects/wing_2.1")
