"""One driver per cloud, all behind `Driver`. The SDK of a cloud is imported only where it is the cluster's own."""

from hpc_components.elastic.config import Config
from hpc_components.elastic.model import Driver

__all__ = ["make_driver"]


def make_driver(config: Config) -> Driver:
    """The driver of the cluster's cloud."""
    if config.cloud == "aws":
        from hpc_components.elastic.drivers.aws import AwsDriver, connect

        return AwsDriver(config.cluster, connect(config.region))
    from hpc_components.elastic.drivers.local import LocalDriver

    return LocalDriver(config.socket)
