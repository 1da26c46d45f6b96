import re
from functools import partial

from pulumi import Input

from hpc_components import node_checks
from hpc_components.aws.catalog.tag_keys import is_tag_key
from hpc_components.aws.tags import Tags

MAX_USER_DATA = 16 * 1024
"""Maximum size of user data in bytes, before encoding. Source: EC2 user guide, "Run commands at launch"."""


check_machine = partial(
    node_checks.check_machine, cloud="aws", noun="an EC2 machine type", listed="EC2's list of instance types"
)
check_user_data = partial(node_checks.check_user_data, most=MAX_USER_DATA, service="EC2")


def check_image(path: str, image: Input[str]) -> None:
    if isinstance(image, str) and not re.fullmatch(r"ami-[0-9a-f]{8,17}|resolve:ssm:/?[\w./:-]+", image):
        raise ValueError(
            f"{path}: {image!r} is not an image id or parameter; use ami-... or resolve:ssm:<parameter path>"
        )


def check_tags(path: str, tags: Tags) -> None:
    for key in tags.extra:
        if not is_tag_key(key):
            raise ValueError(
                f"{path}.extra: tag key {key!r} is not allowed on load balancers or in instance metadata, "
                "from which nodes read their tags; use 1 to 128 letters, digits and + - = . _ : @"
            )
