"""Numbers of the toy cloud."""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(list_lag_seconds=60, launch_size=100, tag_length=63, spot_notice_seconds=30)
