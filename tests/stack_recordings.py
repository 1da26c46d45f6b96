"""The stacks of this project, recorded once, and what differs between their clouds for tests that hold on all."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from hpc_components.preview import stack as planning
from hpc_components.preview.record import Recording
from hpc_components.preview.recorder.sdk import sdk_on_demand
from hpc_components.preview.recorder.sdk_types import resource_class
from hpc_components.preview.stack import PlannedStack, plan_stack, record_stack
from hpc_components.spec.project import StackFile, find_project
from tests.shared import made_once

PROJECT = find_project(Path(__file__).parent)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The types of a cloud's resources that play a part in every cluster."""

    package: str
    head: str
    """The head node's component."""
    machine: str
    """Its machine."""
    launched_from: str
    """What machines are launched from."""
    ends_nodes: tuple[str, str]
    """What ends the compute nodes on a destroy: type, and end of its name. It may be the head node itself."""
    under_nodes: tuple[str, ...]
    """What can't be deleted while compute nodes run, or must not be."""
    login_group: str
    file_systems: tuple[str, ...]
    data: tuple[str, ...]
    """What holds data."""
    file: str
    """A file, mostly one that nodes fetch."""
    changed_with_a_queue: tuple[str, ...]
    """All that a queue's new maximum changes."""
    other_files: tuple[str, ...] = ("-bundle",)
    """Ends of names of files that no node fetches at boot."""
    own_names: tuple[str, ...] = ()
    """Types whose names can't begin with those of their components."""


PARTS = {
    "aws": Parts(
        package="aws",
        head="hpc:aws:SlurmHeadNode",
        machine="aws:ec2/instance:Instance",
        launched_from="aws:ec2/launchTemplate:LaunchTemplate",
        ends_nodes=("aws:lambda/invocation:Invocation", "-reaper-on-destroy"),
        under_nodes=(
            "Subnet",
            "SecurityGroup",
            "LaunchTemplate",
            "InstanceProfile",
            "aws:iam/role:Role",
            "RolePolicy",
            "PlacementGroup",
        ),
        login_group="aws:autoscaling/group:Group",
        file_systems=("LustreFileSystem", "OpenZfsFileSystem", "aws:efs/fileSystem:FileSystem", "MountTarget"),
        data=(
            "LustreFileSystem",
            "OpenZfsFileSystem",
            "aws:efs/fileSystem:FileSystem",
            "aws:ebs/volume:Volume",
        ),
        file="BucketObjectv2",
        changed_with_a_queue=("hpc:aws:EfaComputeFleet", "aws:s3/bucketObjectv2:BucketObjectv2"),
    ),
    "azure": Parts(
        package="azure-native",
        head="hpc:azure:SlurmHeadNode",
        machine="azure-native:compute:VirtualMachine",
        launched_from="azure-native:compute:VirtualMachineScaleSet",
        ends_nodes=("azure-native:resources:ResourceGroup", "-reaper"),
        under_nodes=("Subnet", "NetworkSecurityGroup", "UserAssignedIdentity", "NatGateway"),
        login_group="azure-native:compute:VirtualMachineScaleSet",
        file_systems=("AmlFilesystem", "FileShare", "CapacityPoolVolume"),
        data=("AmlFilesystem", "FileShare", "CapacityPoolVolume", "azure-native:compute:Disk"),
        file="azure-native:storage:Blob",
        changed_with_a_queue=("hpc:azure:InfinibandComputeFleet", "azure-native:storage:Blob"),
        own_names=("azure-native:storage:StorageAccount", "azure-native:keyvault:Vault"),
    ),
    "gcp": Parts(
        package="gcp",
        head="hpc:gcp:SlurmHeadNode",
        machine="gcp:compute/instance:Instance",
        launched_from="gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        ends_nodes=("gcp:compute/instance:Instance", "-head"),
        under_nodes=("Subnetwork", "Network", "Firewall", "Account", "RouterNat", "RegionInstanceTemplate"),
        login_group="gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        file_systems=("gcp:lustre/instance:Instance", "gcp:filestore/instance:Instance"),
        data=("gcp:lustre/instance:Instance", "gcp:filestore/instance:Instance", "gcp:compute/disk:Disk"),
        file="gcp:storage/bucketObject:BucketObject",
        other_files=("-reaper-cluster", "-head-fleets", "-bundle"),
        changed_with_a_queue=("hpc:gcp:CompactComputeFleet", "gcp:storage/bucketObject:BucketObject"),
    ),
}


def stacks_of(cloud: str) -> list[str]:
    """The stacks on a cloud."""
    return [stack for stack in PROJECT.stacks if stack.startswith(f"{cloud}-")]


def parts_of(stack: str) -> Parts:
    """Those of the stack's cloud."""
    return PARTS[stack.partition("-")[0]]


def recorded(stack: str, *, preview: bool = True) -> Recording:
    """What a stack registers."""
    return _recorded(stack, preview)


@cache
def _recorded(stack: str, preview: bool) -> Recording:
    name = f"recording of {stack} {'before' if preview else 'during'} an update"
    recording, classes = made_once(name, lambda: _recorded_here(stack, preview))
    with sdk_on_demand():  # checks of inputs ask the SDK's classes that are loaded
        for package, cls in classes:
            getattr(import_module(package), cls)
    return recording


def _recorded_here(stack: str, preview: bool) -> tuple[Recording, set[tuple[str, str]]]:
    """The recording, and the classes of its resources with the packages of the SDK that programs take them from."""
    recording = record_stack(PROJECT, PROJECT.open(stack), preview=preview)
    classes = (resource_class(each.type) for each in recording.resources if each.custom)
    return recording, {(each.__module__.rpartition(".")[0], each.__name__) for each in classes if each}


@contextmanager
def known_recordings() -> Generator[None]:
    """Plans of the stacks as they are, are made of what `recorded` says."""

    def known(_: object, file: StackFile) -> Recording:
        return recorded(file.stack)

    with patch.object(planning, "record_stack", known):
        yield


@cache
def planned(stack: str) -> PlannedStack:
    """The plan of a stack."""
    recorded(stack)
    return made_once(f"plan of {stack}", lambda: _planned_here(stack))


def _planned_here(stack: str) -> PlannedStack:
    with known_recordings():
        return plan_stack(PROJECT, stack)


def needed_by(recording: Recording, urn: str) -> set[str]:
    """All that must be there before `urn`, and is destroyed after it; a child needs what its parent needs."""
    by_urn = {each.urn: each for each in recording.resources}
    found: set[str] = set()
    todo = [urn]
    while todo:
        resource = by_urn[todo.pop()]
        for needed in (*resource.depends_on, *filter(None, [resource.parent])):
            if needed in by_urn and needed not in found:
                found.add(needed)
                todo.append(needed)
    return found
