import hashlib

MAX_NAME_LENGTH = 55
"""Maximum name length in characters. Compute Engine allows 63, and Pulumi appends a hyphen and a random suffix (eight
characters)."""


def short_name(name: str) -> str:
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]

    return f"{name[: MAX_NAME_LENGTH - len(digest) - 1].rstrip('-')}-{digest}"
