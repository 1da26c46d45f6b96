"""Names and versions of images that a stack makes."""

import hashlib
import json
import re
from collections.abc import Mapping

FOLDER = "images/"
"""Prefix of the bundles in the config bucket. The manifest doesn't list them, and nodes don't fetch them."""

_DIGITS = 12


def image_version(bundle: str, base: str, settings: Mapping[str, str | int]) -> str:
    """Return the version of the image that is made from these: the same for the same content, and another one for
    anything that differs.

    `settings` are those of the cloud's builder that make a difference to the image.
    """
    content = json.dumps([bundle, base, dict(settings)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


def bundle_path(recipe: str, version: str) -> str:
    """Return the path of a bundle in the config bucket."""
    return f"{FOLDER}{recipe}-{version}.sh"


def check_version(args: str, recipe: str, version: str) -> None:
    """Raise ValueError if a component's arguments have an invalid recipe or version."""
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,19}", recipe):
        raise ValueError(
            f"{args}.recipe: {recipe!r} is not a valid name; use at most 20 lower-case letters, digits and hyphens, "
            "beginning with a letter"
        )
    if not re.fullmatch(rf"[0-9a-f]{{{_DIGITS}}}", version):
        raise ValueError(f"{args}.version: {version!r} is not a version; use {_DIGITS} hexadecimal digits")
