from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # A scale set lists an instance as soon as the request for the instance is accepted. All observed delays were
    # shorter than a minute.
    list_lag_seconds=60,
    # Maximum number of instances in one scale set. Source: Azure Virtual Machine Scale Sets, "Flexible orchestration
    # mode", limits.
    launch_size=1000,
    # Arbitrary, because names are kept in a blob instead of a tag. A launch of 1,000 nodes never reaches this limit.
    tag_length=8192,
    # Source: Azure Virtual Machines, "Scheduled Events", Preempt.
    spot_notice_seconds=30,
    # No source states a minimum.
    minimum_billed_seconds=0,
    purchases=("on_demand", "spot", "reservation"),
)
