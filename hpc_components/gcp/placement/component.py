"""Placement policies: machines close together, or on different hardware."""

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
"""Maps each distance to a workload policy's accelerator topology mode. Source: slurm-gcp v6."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class PlacementGroupArgs:
    """Arguments of `PlacementGroup`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the machines."""
    spread: int | None = None
    """Number of availability domains, 1 to 8, to spread the machines across; None: place them close together."""
    max_distance: int | None = None
    """How far apart machines may be: 1 within a rack, 2 within neighbouring racks, 3 within a cluster; None: as close
    as capacity allows. Not with `spread`."""
    workload: WorkloadType | None = None
    """Type of a workload policy to create instead, which only managed instance groups accept."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster. Policies can't have labels, so the cluster's name is put in their description."""

    def __post_init__(self) -> None:
        """Refuse what Google would refuse."""
        if self.max_distance not in (None, *_TOPOLOGY):
            raise ValueError(f"PlacementGroupArgs.max_distance: {self.max_distance} is not 1, 2 or 3")
        most = service_limit("spread.domains")
        if self.spread is not None and not 1 <= self.spread <= most:
            raise ValueError(f"PlacementGroupArgs.spread: {self.spread} is not 1 to {most}")
        if self.spread is not None and (self.max_distance is not None or self.workload is not None):
            raise ValueError("PlacementGroupArgs.spread: machines are close together or spread; give one of the two")
        if self.workload == "HIGH_AVAILABILITY" and self.max_distance is not None:
            raise ValueError("PlacementGroupArgs.max_distance: only with HIGH_THROUGHPUT; leave it out")


class PlacementGroup(Component[PlacementGroupArgs]):
    """A resource policy, for spread queues or for machines in your own program.

    For described queues, the elastic daemon creates and deletes as many compact policies as needed, because how many
    machines fit in one policy depends on their family and distance.
    Source: Compute Engine documentation, "About placement policies".
    """

    policy_id: pulumi.Output[str]
    """Id of the policy, for the argument `policy` of a fleet."""

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
