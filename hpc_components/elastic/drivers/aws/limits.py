from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    # EC2 is eventually consistent and guarantees no maximum delay. Source: EC2 developer guide, "Eventual
    # consistency", read 2026-11-21; two minutes is longer than any observed delay.
    list_lag_seconds=120,
    # Maximum number of machines that an account may launch in one burst. Source: EC2 developer guide, "Request
    # throttling", read 2026-11-21.
    launch_size=1000,
    # Maximum length of a tag value in characters. Source: EC2 user guide, "Tag restrictions".
    tag_length=256,
    # Source: EC2 user guide, "Spot Instance interruption notices".
    spot_notice_seconds=120,
    # Source: AWS, "Announcing Amazon EC2 per second billing", 2017-10-02.
    minimum_billed_seconds=60,
    purchases=("on_demand", "spot", "reservation", "capacity_block"),
)
