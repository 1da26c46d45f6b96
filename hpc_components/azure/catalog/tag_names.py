"""What Azure allows of tags, decided in one place."""

from collections.abc import Mapping

__all__ = ["TAGS", "clashing_tags", "wrong_tag_name", "wrong_tag_value"]

TAGS = 50
"""Most tags of one resource. Source: Azure Resource Manager documentation, "Use tags to organize your resources"."""


def wrong_tag_name(name: str) -> tuple[str, str] | None:
    """Reason and remedy where not all of a cluster's resources can have a tag of that name.

    512 characters, 128 on storage accounts; no < > % & \\ ? /; not beginning with a word that Azure keeps.
    """
    raise NotImplementedError


def wrong_tag_value(value: str) -> tuple[str, str] | None:
    """Reason and remedy where no tag can have that value: 256 characters."""
    raise NotImplementedError


def clashing_tags(tags: Mapping[str, str]) -> tuple[str, str] | None:
    """Two names that are one to Azure, which compares them without case; None if there are none."""
    raise NotImplementedError
