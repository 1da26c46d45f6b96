from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.types import AUTO_SCALING_GROUP, INSTANCE, LAUNCH_TEMPLATE, VOLUME
from hpc_components.preview.nested import is_known, is_true, items, value_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule, stack_rule

_TOKENS = "metadataOptions.httpTokens"
_LAUNCHERS = (
    INSTANCE,
    AUTO_SCALING_GROUP,
    "aws:ec2/fleet:Fleet",
    "aws:ec2/spotFleetRequest:SpotFleetRequest",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:batch/computeEnvironment:ComputeEnvironment",
)
_EFS = "aws:efs/fileSystem:FileSystem"


@stack_rule("HPC-PLN-005", Level.WARNING)
def session_tokens(resources: Resources) -> Iterator[ResourceFinding]:
    """Machines should require session tokens for requests to the metadata service (IMDSv2).

    Without tokens, any program on the machine that can be tricked into fetching a URL exposes the role's credentials.
    Account and image settings can also enforce tokens, but a plan doesn't show them. Source: Amazon EC2 user guide,
    "Use the Instance Metadata Service"; AWS Security Hub, EC2.8.
    """
    overruled = _templates_that_machines_overrule(resources)
    for each in resources.of_type(LAUNCH_TEMPLATE, INSTANCE):
        by_template = bool(each.inputs.get("launchTemplate")) and "metadataOptions" not in each.inputs
        is_off = value_at(each.inputs, "metadataOptions.httpEndpoint") == "disabled"
        if by_template or is_off or each.urn in overruled or not is_known(each.inputs, _TOKENS):
            continue
        if value_at(each.inputs, _TOKENS) != "required":
            yield ResourceFinding(
                resource=each,
                path=_TOKENS,
                value=value_at(each.inputs, _TOKENS),
                reason="the metadata service returns data, including the role's credentials, without requiring a "
                "token",
                remedy="use httpTokens: required",
            )


def _templates_that_machines_overrule(resources: Resources) -> set[str]:
    """Return the URNs of templates that are used only by individual instances with their own metadata options."""
    users: dict[str, list[Resource]] = {each.urn: [] for each in resources.of_type(LAUNCH_TEMPLATE)}
    for each in resources.of_type(*_LAUNCHERS):
        for urn in users.keys() & set(each.depends_on):
            users[urn].append(each)
    return {
        urn
        for urn, launched in users.items()
        if launched and all(one.type == INSTANCE and "metadataOptions" in one.inputs for one in launched)
    }


@resource_rule("HPC-PLN-006", Level.WARNING)
def encrypted_at_rest(resource: Resource) -> Iterator[ResourceFinding]:
    """Disks and EFS file systems should be encrypted.

    Encryption is free and can't be enabled later. An account setting can encrypt all new disks, but a plan doesn't
    show it. FSx always encrypts. Source: Amazon EBS user guide, "Amazon EBS encryption"; Amazon EFS user guide,
    "Encrypting data at rest".
    """
    for path, disk in _disks(resource):
        flag = f"{path}encrypted"
        from_snapshot = bool(disk.get("snapshotId"))  # a disk made from a snapshot is encrypted if the snapshot is
        if not from_snapshot and is_known(disk, "encrypted") and not is_true(disk, "encrypted"):
            yield ResourceFinding(
                resource=resource,
                path=flag,
                value=value_at(disk, "encrypted"),
                reason="data at rest is not encrypted",
                remedy="use encrypted: true",
            )


def _disks(resource: Resource) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the input path and the settings of each disk and EFS file system.

    Instances with a launch template are skipped: their disks are checked in the template.
    """
    inputs = resource.inputs
    if resource.type in (VOLUME, _EFS):
        yield "", inputs
    if resource.type == LAUNCH_TEMPLATE:
        for index, mapping in enumerate(items(inputs, "blockDeviceMappings")):
            if isinstance(disk := value_at(mapping, "ebs"), Mapping):
                yield f"blockDeviceMappings[{index}].ebs.", disk
    if resource.type == INSTANCE and not inputs.get("launchTemplate"):
        if is_known(inputs, "rootBlockDevice"):
            yield "rootBlockDevice.", value_at(inputs, "rootBlockDevice") or {}
        for index, disk in enumerate(items(inputs, "ebsBlockDevices")):
            if isinstance(disk, Mapping):
                yield f"ebsBlockDevices[{index}].", disk
