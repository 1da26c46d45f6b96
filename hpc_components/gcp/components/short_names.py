"""Resource names that leave room for the random suffix that Pulumi adds."""

import hashlib

MAX_NAME_LENGTH = 55
"""Maximum length of a name, in characters. Compute Engine allows 63, and Pulumi uses eight for a hyphen and a random
suffix."""


def short_name(name: str) -> str:
    """Return `name`, or a shorter unique name if it is too long."""
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]

    return f"{name[: MAX_NAME_LENGTH - len(digest) - 1].rstrip('-')}-{digest}"
