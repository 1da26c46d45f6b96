"""What EC2 would refuse of a node, found when its arguments are written."""

import re

from hpc_components.aws.catalog.tag_keys import is_tag_key
from hpc_components.aws.tags import Tags
from hpc_components.catalog import close_names, is_known_type

MAX_USER_DATA = 16 * 1024
"""Bytes of user data before encoding. Source: EC2 user guide, "Run commands at launch"."""


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
