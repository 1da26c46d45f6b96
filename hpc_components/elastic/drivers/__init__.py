"""One module per cloud, all behind `Driver`."""

from typing import Protocol

from hpc_components.elastic.model import Driver

__all__ = ["CloudConfig", "make_driver"]


class CloudConfig(Protocol):
    """What a driver must know of the configuration."""

    @property
    def cluster(self) -> str:
        """Cluster name."""
        ...

    @property
    def cloud(self) -> str:
        """`aws` or `local`."""
        ...

    @property
    def region(self) -> str:
        """Region of the cluster."""
        ...

    @property
    def socket(self) -> str:
        """Path of the unix socket of the local cloud."""
        ...


def make_driver(config: CloudConfig) -> Driver:
    """The driver of the cluster's cloud; ValueError for a cloud that has none."""
    if config.cloud == "local":
        from hpc_components.elastic.drivers.local import LocalDriver

        return LocalDriver(config.socket)
    raise ValueError(f"cloud: {config.cloud!r} has no driver; use aws or local")
