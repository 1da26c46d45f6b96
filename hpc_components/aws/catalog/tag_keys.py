"""Keys of tags that a cluster's resources can all have.

Nodes read their tags from the instance metadata, which refuses a launch with keys that it can't serve; FSx, IAM and
Elastic Load Balancing take no comma, which the metadata would serve. Source: EC2 user guide, "Work with instance tags
in instance metadata"; Elastic Load Balancing, FSx and IAM API references, Tag.
"""

import re

from hpc_components.aws.catalog.limits import service_limit

UNSERVED = re.compile(r"[^0-9A-Za-z+\-=._:@]")
"""A character that no key may have."""

_NO_KEYS = ("", ".", "..", "_index")
"""What is no key, although it has no such character."""


def is_tag_key(key: str) -> bool:
    """Whether all of a cluster's resources can have a tag of that key."""
    return len(key) <= service_limit("tags.key_length") and not UNSERVED.search(key) and key not in _NO_KEYS
