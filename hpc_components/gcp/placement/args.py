from hpc_components.catalog import machine
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.placement.component import PlacementGroupArgs
from hpc_components.gcp.placement.policy_limits import most_in_policy
from hpc_components.gcp.ports import CompactPlacement
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.spec.queue_defaults import placement


def placement_args(cluster: GcpClusterSpec, tags: Tags) -> PlacementGroupArgs:
    """Return the arguments for a spread placement policy."""
    return PlacementGroupArgs(
        project=cluster.project, region=cluster.region, spread=service_limit("spread.domains"), tags=tags
    )


def compact_placement(queue: GcpQueue) -> CompactPlacement | None:
    """Return a queue's compact placement, with a policy size that all of its machine types allow."""
    if placement(queue) != "cluster":
        return None
    known = [each for name in queue.machines if (each := machine(queue.cloud, name))]
    most = min(most_in_policy(each, queue.max_distance) for each in known)
    return CompactPlacement(machines=most, max_distance=queue.max_distance)
