"""Google Cloud's limits and delays."""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # An instance is listed as soon as the operation that inserts it runs; one minute is more than observed.
    list_lag_seconds=60,
    # Maximum instances of one bulk insert. Source: slurm-gcp, resume.py, BULK_INSERT_LIMIT.
    launch_size=5000,
    # Value of a metadata key: 256 KiB. Source: Compute Engine documentation, "Metadata", limits.
    tag_length=262144,
    # What every template requests (`scheduling.preemptionNoticeDuration`, 0 or 120 s). A machine that requests no
    # notice is switched off together with it, and has 30 s to shut down. Sources: Compute API v1, discovery document
    # of 2026-11-06, Scheduling; Compute Engine documentation, "Spot VMs", preemption process.
    spot_notice_seconds=120,
    purchases=("on_demand", "spot", "flex_start", "reservation"),
)
