"""Tag keys that can be used on all of a cluster's resources.

Nodes read their tags from the instance metadata, and EC2 refuses to launch machines whose tag keys it can't include
there. Instance metadata allows commas, but FSx, IAM and Elastic Load Balancing don't. Source: EC2 user guide, "Work
with instance tags in instance metadata"; Elastic Load Balancing, FSx and IAM API references, Tag.
"""

import re

from hpc_components.aws.catalog.limits import service_limit

UNSERVED = re.compile(r"[^0-9A-Za-z+\-=._:@]")
"""Any character that a key must not contain."""

_FORBIDDEN_KEYS = ("", ".", "..", "_index")
"""Keys that are invalid even though all of their characters are valid."""


def is_tag_key(key: str) -> bool:
    """Return whether all of a cluster's resources can have a tag with this key."""
    return len(key) <= service_limit("tags.key_length") and not UNSERVED.search(key) and key not in _FORBIDDEN_KEYS
