from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_gcp as gcp

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.tags import Tags

WorkloadType = Literal["HIGH_THROUGHPUT", "HIGH_AVAILABILITY"]

_TOPOLOGY = {1: "SUBBLOCK", 2: "BLOCK", 3: "CLUSTER"}
"""Maps `max_distance` to a workload policy's accelerator topology mode. Source: slurm-gcp v6."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class PlacementGroupArgs:
    """Arguments of `PlacementGroup`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the machines."""
    spread: int | None = None
    """Number of availability domains (1 to 8) to spread the machines across. If None, machines are placed close
    together."""
    max_distance: int | None = None
    """Maximum distance between machines: 1 (same rack), 2 (neighbouring racks) or 3 (same cluster). If None, machines
    are as close together as capacity allows. Can't be combined with `spread`."""
    workload: WorkloadType | None = None
    """Type of workload policy to create instead of a placement policy. Only managed instance groups accept workload
    policies."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. Policies can't have labels, so only the cluster's name is used, in the policy's
    description."""

    def __post_init__(self) -> None:
        if self.max_distance not in (None, *_TOPOLOGY):
            raise ValueError(f"PlacementGroupArgs.max_distance: must be 1, 2 or 3, not {self.max_distance}")
        most = service_limit("spread.domains")
        if self.spread is not None and not 1 <= self.spread <= most:
            raise ValueError(f"PlacementGroupArgs.spread: must be 1 to {most}, not {self.spread}")
        if self.spread is not None and (self.max_distance is not None or self.workload is not None):
            raise ValueError(
                "PlacementGroupArgs.spread: can't be combined with max_distance or workload; leave them out"
            )
        if self.workload == "HIGH_AVAILABILITY" and self.max_distance is not None:
            raise ValueError(
                "PlacementGroupArgs.max_distance: can't be combined with HIGH_AVAILABILITY; leave max_distance out"
            )


class PlacementGroup(Component[PlacementGroupArgs]):
    """A placement policy for spread queues, or for machines in your own program.

    For queues in a description, the elastic daemon creates and deletes compact policies as needed, because the number
    of machines that fit in one policy depends on the machine family and the distance.
    Source: Compute Engine documentation, "About placement policies".
    """

    policy_id: pulumi.Output[str]
    """Id of the policy, to pass to a fleet as `policy`."""

    def _make(self, name: str, args: PlacementGroupArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:PlacementGroup", name, {"region": args.region}, opts)
        compute = gcp.compute
        group, workload = None, None
        if args.workload is not None:
            distance = None if args.max_distance is None else _TOPOLOGY[args.max_distance]
            workload = compute.ResourcePolicyWorkloadPolicyArgs(type=args.workload, max_topology_distance=distance)
        elif args.spread is not None:
            group = compute.ResourcePolicyGroupPlacementPolicyArgs(availability_domain_count=args.spread)
        else:
            group = compute.ResourcePolicyGroupPlacementPolicyArgs(
                collocation="COLLOCATED", max_distance=args.max_distance
            )
        policy = compute.ResourcePolicy(
            short_name(name),
            project=args.project,
            region=args.region,
            description=f"Machines of cluster {args.tags.cluster}",
            group_placement_policy=group,
            workload_policy=workload,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.policy_id = policy.id
        self.register_outputs({"policyId": self.policy_id})
