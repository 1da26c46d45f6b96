"""Azure's limits and delays."""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # A scale set lists an instance as soon as the request for it is accepted; one minute is more than observed.
    list_lag_seconds=60,
    # Maximum number of instances in one scale set. Source: Azure Virtual Machine Scale Sets, "Flexible orchestration
    # mode", limits.
    launch_size=1000,
    # Names are kept in a blob, which has no such limit; a launch of 1,000 nodes never comes near this one.
    tag_length=8192,
    # Source: Azure Virtual Machines, "Scheduled Events", Preempt.
    spot_notice_seconds=30,
    purchases=("on_demand", "spot", "reservation"),
)
