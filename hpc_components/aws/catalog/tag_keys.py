"""Tag keys that can be used on all of a cluster's resources.

Nodes read their tags from the instance metadata, and EC2 refuses launches with tag keys that can't appear there.
Commas can appear there, but are excluded because FSx, IAM and Elastic Load Balancing don't allow them. Source: EC2
user guide, "Work with instance tags in instance metadata"; Elastic Load Balancing, FSx and IAM API references, Tag.
"""

import re

from hpc_components.aws.catalog.limits import service_limit

UNSERVED = re.compile(r"[^0-9A-Za-z+\-=._:@]")
"""Matches any character that a key must not contain."""

_FORBIDDEN_KEYS = ("", ".", "..", "_index")
"""Keys that are invalid even though all of their characters are valid."""


def is_tag_key(key: str) -> bool:
    return len(key) <= service_limit("tags.key_length") and not UNSERVED.search(key) and key not in _FORBIDDEN_KEYS
