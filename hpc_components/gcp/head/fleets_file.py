"""Writes `head/fleets.json`, which tells the elastic daemon's driver how to launch the fleets' machines."""

from collections.abc import Sequence

from pulumi import Input, Output

from hpc_components.gcp.ports import CompactPlacement, FleetRef

FLEETS_OBJECT = "head/fleets.json"
"""Name of the object in the config bucket. The driver rereads this object at each launch, because a template's id
changes whenever the template does."""


def fleets_json(project: str, fleets: Sequence[FleetRef]) -> Output[str]:
    """Return the file's content. Node counts are left out, because Slurm's configuration already specifies each
    queue's maximum.
    """
    queues: dict[str, Input[object]] = {fleet.queue: _queue(fleet) for fleet in fleets}
    return Output.json_dumps({"version": 1, "project": project, "queues": queues}, indent=1, sort_keys=True)


def _queue(fleet: FleetRef) -> dict[str, object]:
    return {
        "templates": dict(fleet.templates),
        "purchase": fleet.purchase,
        "max_run_seconds": fleet.max_run_seconds,
        "policy": fleet.policy,
        "placement": _placement(fleet.placement),
        "spread": fleet.spread,
    }


def _placement(placement: CompactPlacement | None) -> dict[str, int | None] | None:
    if placement is None:
        return None
    return {"machines": placement.machines, "max_distance": placement.max_distance}
