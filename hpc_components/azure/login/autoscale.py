import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

BUSY_CPU_PERCENT = 70
"""Average CPU load of the scale set, in percent, above which one node is added."""

WINDOW = "PT10M"
"""Time (ISO 8601) over which the load is averaged. It is also the minimum time between adding two nodes, so that a
new node can take over some of the load first."""


def make_growth(
    name: str,
    *,
    scale_set: Input[str],
    fewest: int,
    most: int,
    group: Group,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """Create an autoscale rule that adds one node at a time, up to `most` nodes. No rule removes nodes, because that
    would end users' sessions.
    """
    monitor = azure_native.monitor
    busy = monitor.MetricTriggerArgs(
        metric_name="Percentage CPU",
        metric_resource_uri=scale_set,
        operator=monitor.ComparisonOperationType.GREATER_THAN,
        threshold=BUSY_CPU_PERCENT,
        statistic=monitor.MetricStatisticType.AVERAGE,
        time_aggregation=monitor.TimeAggregationType.AVERAGE,
        time_grain="PT1M",
        time_window=WINDOW,
    )
    grow = monitor.ScaleActionArgs(
        direction=monitor.ScaleDirection.INCREASE, type=monitor.ScaleType.CHANGE_COUNT, value="1", cooldown=WINDOW
    )
    monitor.AutoscaleSetting(
        f"{name}-grow",
        resource_group_name=group.name,
        location=group.location,
        enabled=True,
        target_resource_uri=scale_set,
        profiles=[
            monitor.AutoscaleProfileArgs(
                name="busy",
                # the default is used when metrics are missing
                capacity=monitor.ScaleCapacityArgs(minimum=str(fewest), maximum=str(most), default=str(fewest)),
                rules=[monitor.ScaleRuleArgs(metric_trigger=busy, scale_action=grow)],
            )
        ],
        tags=tags.for_resource(f"{name}-grow"),
        opts=opts,
    )
