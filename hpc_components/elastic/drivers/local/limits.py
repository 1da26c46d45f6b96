"""The limits of a rehearsal's cloud: as on the largest cloud that it stands for, to make the daemon wait as long."""

from hpc_components.elastic.drivers.limits import Limits

LIMITS = Limits(list_lag_seconds=120, launch_size=1000, tag_length=256, spot_notice_seconds=120)
