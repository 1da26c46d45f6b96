from datetime import UTC, datetime, timedelta
from typing import Any

from hpc_components.testing.stand_in_cloud import StandInCloud

_IMAGE = "gcp:compute/image:Image"
_MACHINE = "gcp:compute/instance:Instance"
_FIRST = datetime(2026, 11, 1, tzinfo=UTC)


def listed_images(cloud: StandInCloud) -> list[dict[str, Any]]:
    """Return the images that exist, each a second newer than the one that was made before it."""
    made = [each.id for each in cloud.journal() if (each.method, each.type) == ("Create", _IMAGE)]
    times = {id_: (_FIRST + timedelta(seconds=at)).isoformat() for at, id_ in enumerate(made)}
    return [
        {"name": each.id.rpartition("/")[2], "creationTimestamp": times[each.id]} for each in cloud.things(_IMAGE)
    ]


def end_builders(cloud: StandInCloud) -> None:
    """Delete the machines that make images, which delete themselves when they have finished."""
    for each in cloud.things(_MACHINE):
        if each.inputs.get("labels", {}).get("hpc_role") == "image":
            cloud.remove(each.type, each.id)
