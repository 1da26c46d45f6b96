"""Keys of tags that instance metadata serves: nodes read their tags there, and a launch with others is refused.

Source: EC2 user guide, "Work with instance tags in instance metadata".
"""

import re

__all__ = ["NO_KEYS", "UNSERVED"]

UNSERVED = re.compile(r"[^0-9A-Za-z+\-=.,_:@]")
"""A character that no key may have."""

NO_KEYS = ("", ".", "..", "_index")
"""What is no key, although it has no such character."""
