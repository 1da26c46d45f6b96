from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

Strategy = Literal["cluster", "partition", "spread"]
SpreadLevel = Literal["rack", "host"]

MAX_PARTITIONS = 7
"""Maximum number of partitions per zone in a placement group. Source: EC2 user guide, "Placement strategies"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class PlacementGroupArgs:
    """Arguments of `PlacementGroup`."""

    strategy: Strategy
    """`cluster`: nodes close together, for low latency; `partition`: no racks shared between partitions; `spread`: a
    separate rack for each node."""
    partitions: int | None = None
    """Number of partitions, 1 to 7; only with `partition`. Default: 7 (EC2's own default is 2)."""
    spread_level: SpreadLevel | None = None
    """Hardware level at which nodes are separated: `rack`, or `host` (Outposts only). Only with `spread`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that EC2 would refuse."""
        if self.strategy not in get_args(Strategy):
            raise ValueError(
                f"PlacementGroupArgs.strategy: {self.strategy!r} is unknown; use one of "
                f"{', '.join(get_args(Strategy))}"
            )
        if self.partitions is not None and self.strategy != "partition":
            raise ValueError(
                f"PlacementGroupArgs.partitions: a {self.strategy} group has no partitions; leave out this "
                "argument, or set strategy to 'partition'"
            )
        if self.partitions is not None and not 1 <= self.partitions <= MAX_PARTITIONS:
            raise ValueError(
                f"PlacementGroupArgs.partitions: {self.partitions} is out of range; use 1 to {MAX_PARTITIONS}"
            )
        if self.spread_level is not None and self.strategy != "spread":
            raise ValueError(
                f"PlacementGroupArgs.spread_level: a {self.strategy} group has no spread level; leave out "
                "this argument, or set strategy to 'spread'"
            )
        if self.spread_level not in (None, *get_args(SpreadLevel)):
            raise ValueError(f"PlacementGroupArgs.spread_level: {self.spread_level!r} is unknown; use rack or host")


class PlacementGroup(Component[PlacementGroupArgs]):
    """A placement group. A `cluster` group is limited to one zone, so each fleet should have its own group."""

    group_name: pulumi.Output[str]
    """Name of the group, to pass to fleets."""
    group_id: pulumi.Output[str]
    """Id of the group."""

    def _make(self, name: str, args: PlacementGroupArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:PlacementGroup", name, {"strategy": args.strategy}, opts)
        group = aws.ec2.PlacementGroup(
            name,
            strategy=args.strategy,
            partition_count=args.partitions or (MAX_PARTITIONS if args.strategy == "partition" else None),
            spread_level=args.spread_level,
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.group_name = group.name
        self.group_id = group.placement_group_id
        self.register_outputs({"groupName": self.group_name})
