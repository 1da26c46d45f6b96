import hashlib

MAX_NAME_LENGTH = 55
"""Maximum name length in characters. Compute Engine allows 63, and Pulumi appends a hyphen and a random suffix (eight
characters)."""


def short_name(name: str, longest: int = MAX_NAME_LENGTH) -> str:
    if len(name) <= longest:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]

    return f"{name[: longest - len(digest) - 1].rstrip('-')}-{digest}"
