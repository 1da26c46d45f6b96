"""Plans the bulk inserts and compact policies for a launch. Has no side effects.

A node's number determines its machine's policy: `(number - 1) // machines per policy`. Whichever launch creates the
machine, it is therefore placed near its neighbours.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.gcp.compute import BETA, V1, Request
from hpc_components.elastic.drivers.gcp.fleets import Fleet, Placement
from hpc_components.elastic.model import Launch
from hpc_components.elastic.names import number_of

LAUNCH = "hpc_launch"
"""Label that contains the token of the launch that created the machine."""
_REQUESTS = uuid.UUID("5b1d3a52-6f0e-4a86-9d3b-0d3c9a1b7c11")
"""UUID namespace for request ids. The value is arbitrary but fixed."""


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Machines created by one bulk insert. They all have the same policy, or none."""

    policy: str
    """Name of a compact policy that the driver creates. Empty if the machines need none."""
    nodes: tuple[str, ...]
    """Node names, in the order of the launch."""
    minimum: int


def plan_chunks(launch: Launch, fleet: Fleet, cluster: str) -> list[Chunk]:
    """Return the bulk inserts for a launch.

    Each group of nodes that must be launched completely or not at all gets separate bulk inserts.
    """
    return [chunk for nodes, least in units_of(launch) for chunk in _chunks(launch, fleet, cluster, nodes, least)]


def units_of(launch: Launch) -> list[tuple[tuple[str, ...], int]]:
    """Return (nodes, minimum number of machines) for each group. All nodes that do not depend on others share one
    group.
    """
    units, start = [], 0
    if alone := sum(size == 1 for size in launch.sizes):
        units.append((launch.nodes[:alone], 1))
        start = alone
    for size in launch.sizes[alone:]:
        units.append((launch.nodes[start : start + size], size))
        start += size
    return units or [(launch.nodes, launch.minimum)]


def _chunks(launch: Launch, fleet: Fleet, cluster: str, nodes: tuple[str, ...], least: int) -> Iterator[Chunk]:
    if fleet.placement is None or fleet.policy:
        yield Chunk(policy="", nodes=nodes, minimum=least)
        return
    by_policy: dict[int, list[str]] = {}
    for node in nodes:
        by_policy.setdefault((number_of(node) - 1) // fleet.placement.machines, []).append(node)
    whole = least == len(nodes)
    for index, own in sorted(by_policy.items()):
        yield Chunk(
            policy=policy_name(cluster, launch.pool.queue, launch.pool.zone, index),
            nodes=tuple(own),
            minimum=len(own) if whole else least if len(by_policy) == 1 else 1,
        )


def policy_name(cluster: str, queue: str, zone: str, index: int) -> str:
    """Return a policy's name, e.g. `cfd-cpu-a-0` for the first policy of queue `cpu` in the zone ending in `-a`."""
    return f"{cluster}-{queue}-{zone.rpartition('-')[2]}-{index}"


def policy_document(name: str, placement: Placement, description: str) -> dict[str, Any]:
    """Return the request body for a compact placement policy.

    The machine count is omitted, because otherwise exactly that many machines would have to be created.
    """
    group: dict[str, Any] = {"collocation": "COLLOCATED"}
    if placement.max_distance is not None:
        group["maxDistance"] = placement.max_distance
    return {"name": name, "description": description, "groupPlacementPolicy": group}


def policy_version(placement: Placement) -> str:
    return V1 if placement.max_distance is None else BETA


def region_of(zone: str) -> str:
    return zone.rpartition("-")[0]


def listed_labels(cluster: str) -> dict[str, str]:
    return {"clustername": cluster.lower(), "hpc_role": "compute"}


def insert_request(
    launch: Launch, fleet: Fleet, chunk: Chunk, *, cluster: str, project: str, attempt: int = 0
) -> Request:
    """Return the bulk insert for a chunk. The request id depends only on the launch, the chunk and the attempt.

    Google merges these properties into the template's (JSON merge patch), so the machines also get the template's
    labels. Source: Google's discovery document for Compute Engine, BulkInsertInstanceResource.

    The request nevertheless repeats the two labels by which machines are listed, just as slurm-gcp repeats all labels
    (resume.py, `instance_properties`). If Google replaced the template's labels after all, machines without these two
    labels would never be listed or terminated.
    """
    zone = launch.pool.zone
    properties: dict[str, Any] = {"labels": {**listed_labels(cluster), LAUNCH: launch.token}}
    policy = fleet.policy
    if chunk.policy:
        policy = f"projects/{project}/regions/{region_of(zone)}/resourcePolicies/{chunk.policy}"
    if policy:
        properties["resourcePolicies"] = [policy]
    return Request(
        method="POST",
        path=f"zones/{zone}/instances/bulkInsert",
        query={"requestId": _request_id(launch.token, chunk.policy, chunk.nodes[0], attempt)},
        document={
            "count": str(len(chunk.nodes)),
            "minCount": str(chunk.minimum),
            "sourceInstanceTemplate": fleet.template,
            "perInstanceProperties": {f"{cluster}-{node}": {} for node in chunk.nodes},
            "instanceProperties": properties,
        },
    )


def delete_request(zone: str, name: str, numeric: str, attempt: int) -> Request:
    """Return the request to delete a machine by name.

    The request id ensures that a repeated request is executed only once. Otherwise, the repetition could delete a
    later machine that has reused the name.
    """
    return Request(
        method="DELETE",
        path=f"zones/{zone}/instances/{name}",
        query={"requestId": _request_id("delete", numeric, attempt)},
    )


def _request_id(*words: object) -> str:
    return str(uuid.uuid5(_REQUESTS, "/".join(map(str, words))))
