"""Names in the program that leave room for the random end that Pulumi gives to resources."""

import hashlib

LONGEST = 55
"""Characters, to which Pulumi adds a hyphen and seven random ones: 63 in all, the most of Compute Engine's names."""


def short_name(name: str) -> str:
    """`name`; where it is too long, a shorter one that no other name becomes."""
    if len(name) <= LONGEST:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"{name[: LONGEST - len(digest) - 1].rstrip('-')}-{digest}"
