"""What EC2 would refuse of a node, found when its arguments are written."""

import re
from typing import Protocol

from hpc_components.aws.catalog.tag_keys import is_tag_key
from hpc_components.aws.catalog.volumes import VolumeOrder, volume_refusals
from hpc_components.aws.tags import Tags
from hpc_components.catalog import close_names, is_known_type
from hpc_components.catalog.refusal import Refusal, Why

MAX_USER_DATA = 16 * 1024
"""Bytes of user data before encoding. Source: EC2 user guide, "Run commands at launch"."""


class Disk(Protocol):
    """A block volume as one orders it."""

    @property
    def size_gib(self) -> int:
        """Size in GiB."""
        ...

    @property
    def type(self) -> str:
        """EBS volume type."""
        ...

    @property
    def iops(self) -> int | None:
        """Operations per second."""
        ...

    @property
    def throughput(self) -> int | None:
        """MiB/s."""
        ...


def check_machine(path: str, machine: str) -> None:
    """ValueError where `machine` is no EC2 machine type."""
    if not is_known_type("aws", machine):
        near = ", ".join(close_names("aws", machine))
        hint = f"did you mean {near}?" if near else "see EC2's list of instance types"
        raise ValueError(f"{path}: {machine!r} is no EC2 machine type; {hint}")


def check_image(path: str, image: str) -> None:
    """ValueError where `image` is neither an image id nor the path of a parameter that names one."""
    if not re.fullmatch(r"ami-[0-9a-f]{8,17}|resolve:ssm:/?[\w./:-]+", image):
        raise ValueError(f"{path}: {image!r} is no image; write ami-... or resolve:ssm:<parameter path>")


def check_user_data(path: str, text: str) -> None:
    """ValueError where `text` is longer than EC2 takes."""
    if (size := len(text.encode())) > MAX_USER_DATA:
        raise ValueError(
            f"{path}: {size} bytes; EC2 takes {MAX_USER_DATA} at most. Put the rest in the config bucket"
        )


def check_tags(path: str, tags: Tags) -> None:
    """ValueError where the node could not read its own tags because of a key, or another resource not have it."""
    for key in tags.extra:
        if not is_tag_key(key):
            raise ValueError(
                f"{path}.extra: {key!r} can't be in instance metadata, where nodes read their tags, or on load "
                "balancers; use 1 to 128 letters, digits and + - = . _ : @"
            )


def check_disk(path: str, disk: Disk) -> None:
    """ValueError where EBS does not sell such a volume."""
    order = VolumeOrder(type=disk.type, size_gib=disk.size_gib, iops=disk.iops, throughput=disk.throughput)
    for refusal in volume_refusals(order):
        raise ValueError(f"{path}.{refusal.field}: {_refused(disk, refusal)}")


def _refused(disk: Disk, refusal: Refusal) -> str:
    """What EBS would refuse, and the remedy."""
    if refusal.field == "type":
        return f"EBS has no {disk.type!r}; use gp3"
    if refusal.why is Why.NOT_TAKEN:
        return f"{disk.type} takes none; leave it out or use gp3"
    values = f"{refusal.allowed[0]} to {refusal.allowed[-1]}"
    if refusal.why is Why.MISSING:
        return f"{disk.type} must say how many it has, {values}; or use gp3"
    value = getattr(disk, refusal.field)
    if refusal.field == "size_gib":
        return f"{disk.type} has {values} GiB, not {value}"
    if other := refusal.because_of:
        return f"{disk.type} takes {values} where {other} is {getattr(disk, other) or 'the least'}, not {value}"
    return f"{disk.type} takes {values}, not {value}"
