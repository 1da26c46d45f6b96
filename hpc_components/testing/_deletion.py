from collections.abc import Mapping
from typing import Any

from hpc_components.testing.facts import type_facts
from hpc_components.testing.stand_in_cloud import StandInCloud


def refusal(cloud: StandInCloud, type_: str, id_: str, inputs: Mapping[str, Any]) -> str | None:
    """Return the cloud's error message if other resources prevent the deletion, otherwise None.

    Resources outside Pulumi's state, such as elastic nodes, can also prevent a deletion.
    """
    holders = type_facts(type_).held_by
    if holders is None or (holders.unless and inputs.get(holders.unless) is True):
        return None
    held = cloud.mentioning(id_, *holders.types)
    return f"{holders.error.format(id=id_)} (held by {', '.join(each.id for each in held)})" if held else None


def delete(cloud: StandInCloud, type_: str, id_: str) -> None:
    for each in cloud.mentioning(id_, *type_facts(type_).takes_along):
        cloud.remove(each.type, each.id)
    cloud.remove(type_, id_)
