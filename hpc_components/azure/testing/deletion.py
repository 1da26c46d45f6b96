"""Deletes nested resources, whose ids begin with their parent's id."""

from collections.abc import Iterator

from hpc_components.testing._values import mentions_any
from hpc_components.testing.facts import type_facts
from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

_NOT_EMPTIED = (
    "azure-native:netapp:Account",
    "azure-native:netapp:CapacityPool",
    "azure-native:privatedns:PrivateZone",
)
"""Types that can be deleted only when empty. Source: Azure NetApp Files documentation, "Delete a capacity pool";
Azure DNS documentation, "Protecting private DNS zones and records"."""


def held_below(cloud: StandInCloud, type_: str, id_: str) -> str | None:
    """Return Azure's error for deleting a resource that isn't empty or is still in use, or None if the resource can
    be deleted.

    A reference to a nested resource also protects its parent. For example, a load balancer can't be deleted while
    machines are in its pool.
    """
    below = list(_below(cloud, id_))
    if type_ in _NOT_EMPTIED and below:
        return f"CannotDeleteResource: Cannot delete resource while nested resources exist: {below[0].id}"
    holders = type_facts(type_).held_by
    held = [
        each.id
        for each in (cloud.things(*holders.types) if holders else ())
        if mentions_any(each.inputs, lambda text: _is_below(text, id_))
    ]
    return f"{holders.error.format(id=id_)} (held by {', '.join(held)})" if holders and held else None


def delete_below(cloud: StandInCloud, id_: str) -> None:
    for each in _below(cloud, id_):
        cloud.remove(each.type, each.id)


def _below(cloud: StandInCloud, id_: str) -> Iterator[Thing]:
    return (each for each in cloud.things() if _is_below(each.id, id_))


def _is_below(text: str, id_: str) -> bool:
    """Return whether an id is nested in `id_`. Azure ignores case."""
    return text.lower().startswith(f"{id_.lower()}/")
