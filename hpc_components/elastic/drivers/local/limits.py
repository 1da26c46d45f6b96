"""The limits of a rehearsal's cloud.

They equal those of the largest real cloud, so that the daemon behaves the same way.
"""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(
    list_lag_seconds=120, launch_size=1000, tag_length=256, spot_notice_seconds=120, minimum_billed_seconds=60
)
