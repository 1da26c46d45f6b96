"""Google Cloud's limits and delays."""

from hpc_components.elastic.drivers.limits import Limits

__all__ = ["LIMITS"]

LIMITS = Limits(
    # An instance is listed as soon as the operation that inserts it runs; one minute is more than is seen.
    list_lag_seconds=60,
    # Instances of one bulk insert. Source: slurm-gcp, resume.py, BULK_INSERT_LIMIT.
    launch_size=5000,
    # Value of a metadata key: 256 KiB. Source: Compute Engine documentation, "Metadata", limits.
    tag_length=262144,
    # Source: Compute Engine documentation, "Preemption process".
    spot_notice_seconds=30,
    purchases=("on_demand", "spot", "flex_start", "reservation"),
)
