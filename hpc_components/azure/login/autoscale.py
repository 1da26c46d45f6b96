"""Scales login nodes automatically by CPU load."""

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

BUSY_CPU_PERCENT = 70
"""Average CPU load of the scale set, in percent, above which one node is added."""

WINDOW = "PT10M"
"""Time over which the load is averaged, and for which no further node is added so that a new one can take over load
(ISO 8601)."""


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
    """Create a rule that adds one node at a time, up to `most`. No rule removes nodes, because that would end users'
    sessions."""
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
                # the default applies while metrics are missing
                capacity=monitor.ScaleCapacityArgs(minimum=str(fewest), maximum=str(most), default=str(fewest)),
                rules=[monitor.ScaleRuleArgs(metric_trigger=busy, scale_action=grow)],
            )
        ],
        tags=tags.for_resource(f"{name}-grow"),
        opts=opts,
    )
