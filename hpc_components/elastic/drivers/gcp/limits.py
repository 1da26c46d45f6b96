from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # An instance is listed as soon as the operation that inserts it is running. All observed delays were shorter than
    # a minute.
    list_lag_seconds=60,
    # Maximum number of instances per bulk insert. Source: slurm-gcp, resume.py, BULK_INSERT_LIMIT.
    launch_size=5000,
    # Maximum size of a metadata value: 256 KiB. Source: Compute Engine documentation, "Metadata", limits.
    tag_length=262144,
    # The notice period that every template requests (`scheduling.preemptionNoticeDuration`, 0 or 120 s). A machine
    # that does not request a notice period is switched off as soon as it gets the notice, and has 30 s to shut down.
    # Sources: Compute API v1, discovery document of 2026-11-06, Scheduling; Compute Engine documentation, "Spot VMs",
    # preemption process.
    spot_notice_seconds=120,
    # Sources: itnews.com.au, "Google follows AWS with per-second cloud billing", 2017-09-28, which quotes Google's
    # announcement; "Google Cloud Platform for Developers" (Packt, 2018), chapter 7, "Pricing on GCE".
    minimum_billed_seconds=60,
    purchases=("on_demand", "spot", "flex_start", "reservation"),
)
