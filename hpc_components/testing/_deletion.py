"""What a cloud does when something is to be deleted: it refuses while others hold on to it."""

from collections.abc import Mapping
from typing import Any

from hpc_components.testing.facts import type_facts
from hpc_components.testing.stand_in_cloud import StandInCloud

__all__ = ["delete", "refusal"]


def refusal(cloud: StandInCloud, type_: str, id_: str, inputs: Mapping[str, Any]) -> str | None:
    """Why the cloud does not delete this now, or None. Instances made outside of Pulumi's state count."""
    holders = type_facts(type_).held_by
    if holders is None or (holders.unless and inputs.get(holders.unless) is True):
        return None
    held = cloud.mentioning(id_, *holders.types)
    return f"{holders.error.format(id=id_)} (held by {', '.join(each.id for each in held)})" if held else None


def delete(cloud: StandInCloud, type_: str, id_: str) -> None:
    """Delete it, and everything that the cloud deletes with it."""
    for each in cloud.mentioning(id_, *type_facts(type_).takes_along):
        cloud.remove(each.type, each.id)
    cloud.remove(type_, id_)
