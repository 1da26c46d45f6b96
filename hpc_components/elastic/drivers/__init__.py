"""One driver per cloud, all behind `Driver`. The SDK of a cloud is imported only where it is the cluster's own."""

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.model import Driver

__all__ = ["make_driver"]


def make_driver(config: Config) -> Driver:
    """The driver of the cluster's cloud. ConfigError if `config` does not tell the cluster's machines from others."""
    if config.cloud == "aws":
        from hpc_components.elastic.drivers.aws import AwsDriver, connect

        if not config.config:
            raise ConfigError("config: missing; cloud 'aws' needs the cluster's config bucket, the tag hpc:config")
        return AwsDriver(config.cluster, config.config, connect(config.region))
    from hpc_components.elastic.drivers.local.driver import LocalDriver

    return LocalDriver(config.socket)
