"""Which versions of an image exist, and which of them stay."""

import re
from collections.abc import Mapping
from datetime import datetime

import pulumi
import pulumi_gcp as gcp

_NEW_PROJECT = re.compile("SERVICE_DISABLED|accessNotConfigured|has not been used in project")
"""Google's answers in a project that has had no machines. The same update enables the API. Source: Google Cloud
documentation, "Enabled services", errors of disabled services."""


def made_versions(project: str, stem: str, opts: pulumi.InvokeOptions) -> Mapping[str, datetime]:
    """Return when each version of an image was made. Its images are called `<stem>-<version>`.

    Previews ask as well: otherwise, they would announce that all earlier versions are deleted. Source: Compute Engine
    API reference, images.list, filter.
    """
    try:
        found = gcp.compute.get_images(project=project, filter=f"name eq {stem}-.*", opts=opts).images
    except Exception as error:  # the SDK has no narrower class
        if _NEW_PROJECT.search(str(error)):
            return {}
        raise
    named = ((re.fullmatch(rf"{re.escape(stem)}-([0-9a-f]{{12}})", each.name), each) for each in found)
    return {name[1]: datetime.fromisoformat(each.creation_timestamp) for name, each in named if name}


def to_keep(made: Mapping[str, datetime], current: str, number: int) -> list[str]:
    """Return the versions besides the current one that stay if `number` of them do, newest first."""
    others = sorted((each for each in made if each != current), key=lambda version: made[version], reverse=True)
    return others[: max(number - 1, 0)]
