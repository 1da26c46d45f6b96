"""Resource names that leave room for the random suffix that Pulumi adds."""

import hashlib

MAX_NAME_LENGTH = 55
"""Characters before Pulumi's hyphen and seven random ones; names of Compute Engine have at most 63."""


def short_name(name: str) -> str:
    """Return `name`; if it is too long, a shorter unique one."""
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]

    return f"{name[: MAX_NAME_LENGTH - len(digest) - 1].rstrip('-')}-{digest}"
