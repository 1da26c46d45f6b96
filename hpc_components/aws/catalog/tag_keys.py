"""Keys of tags that a cluster's resources can all have.

Nodes read their tags from the instance metadata, which refuses a launch with keys that it can't serve; FSx, IAM and
Elastic Load Balancing take no comma, which the metadata would serve. Source: EC2 user guide, "Work with instance tags
in instance metadata"; Elastic Load Balancing, FSx and IAM API references, Tag.
"""

import re

__all__ = ["NO_KEYS", "UNSERVED"]

UNSERVED = re.compile(r"[^0-9A-Za-z+\-=._:@]")
"""A character that no key may have."""

NO_KEYS = ("", ".", "..", "_index")
"""What is no key, although it has no such character."""
