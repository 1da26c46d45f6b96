"""Checks of the arguments of nodes on AWS."""

import re
from functools import partial

from hpc_components import node_checks
from hpc_components.aws.catalog.tag_keys import is_tag_key
from hpc_components.aws.catalog.volumes import VolumeOrder, volume_refusals
from hpc_components.aws.tags import Tags
from hpc_components.catalog.refusal import Refusal, Why

MAX_USER_DATA = 16 * 1024
"""Bytes of user data before encoding. Source: EC2 user guide, "Run commands at launch"."""


Disk = node_checks.Disk[str]
"""A block volume as it is ordered."""

check_machine = partial(
    node_checks.check_machine, cloud="aws", noun="an EC2 machine type", listed="EC2's list of instance types"
)
check_user_data = partial(node_checks.check_user_data, most=MAX_USER_DATA, service="EC2")


def check_image(path: str, image: str) -> None:
    """Refuse what is neither an image id nor the path of a parameter that names one."""
    if not re.fullmatch(r"ami-[0-9a-f]{8,17}|resolve:ssm:/?[\w./:-]+", image):
        raise ValueError(f"{path}: {image!r} is not an image; write ami-... or resolve:ssm:<parameter path>")


def check_tags(path: str, tags: Tags) -> None:
    """Refuse keys that instance metadata or another resource of the cluster can't have."""
    for key in tags.extra:
        if not is_tag_key(key):
            raise ValueError(
                f"{path}.extra: {key!r} can't be in instance metadata, where nodes read their tags, or on load "
                "balancers; use 1 to 128 letters, digits and + - = . _ : @"
            )


def check_disk(path: str, disk: Disk) -> None:
    """Refuse a volume that EBS does not sell."""
    order = VolumeOrder(type=disk.type, size_gib=disk.size_gib, iops=disk.iops, throughput=disk.throughput)
    for refusal in volume_refusals(order):
        raise ValueError(f"{path}.{refusal.field}: {_refused(disk, refusal)}")


def _refused(disk: Disk, refusal: Refusal) -> str:
    """Return the reason and the remedy."""
    if refusal.field == "type":
        return f"EBS has no {disk.type!r}; use gp3"
    if refusal.why is Why.NOT_TAKEN:
        return f"{disk.type} does not take it; leave it out or use gp3"
    values = f"{refusal.allowed[0]} to {refusal.allowed[-1]}"
    if refusal.why is Why.MISSING:
        return f"{disk.type} needs a value, {values}; or use gp3"
    value = getattr(disk, refusal.field)
    if refusal.field == "size_gib":
        return f"{disk.type} has {values} GiB, not {value}"
    if other := refusal.because_of:
        return f"{disk.type} takes {values} where {other} is {getattr(disk, other) or 'the least'}, not {value}"
    return f"{disk.type} takes {values}, not {value}"
