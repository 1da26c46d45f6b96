"""Azure's limits and delays."""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # A scale set lists an instance as soon as the request for it is accepted; one minute is more than observed.
    list_lag_seconds=60,
    # Maximum number of instances in one scale set. Source: Azure Virtual Machine Scale Sets, "Flexible orchestration
    # mode", limits.
    launch_size=1000,
    # An arbitrary limit that a launch of 1,000 nodes never reaches, because names are kept in a blob, not in a tag.
    tag_length=8192,
    # Source: Azure Virtual Machines, "Scheduled Events", Preempt.
    spot_notice_seconds=30,
    purchases=("on_demand", "spot", "reservation"),
)
