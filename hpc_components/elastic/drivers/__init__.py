"""Cloud drivers: one package per cloud, each named after its cloud and implementing `contract`."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import ModuleType

    from hpc_components.elastic.config import Config
    from hpc_components.elastic.drivers.contract import Driver, NoticeSource
    from hpc_components.elastic.drivers.limits import Limits


def clouds() -> list[str]:
    return sorted(name for name, is_package in _modules(__path__) if is_package)


def connect(config: "Config") -> "Driver":
    """Return the driver for the cluster's cloud.

    Raise ConfigError if the cloud is unknown or `config` lacks something that the driver needs, and OSError if the
    cloud is unreachable.
    """
    if config.cloud not in clouds():
        from hpc_components.elastic.config import ConfigError

        raise ConfigError(f"cloud: {config.cloud!r} is not one of {', '.join(clouds())}")
    _check_purchases(config, limits_of(config.cloud).purchases)
    return _part(config.cloud, "driver").connect(config)


def limits_of(cloud: str) -> "Limits":
    return _part(cloud, "limits").LIMITS


def _check_purchases(config: "Config", purchases: "Collection[str]") -> None:
    for index, queue in enumerate(config.queues):
        for number, pool in enumerate(queue.pools):
            if purchases and pool.purchase not in purchases:
                from hpc_components.elastic.config import ConfigError

                place = f"queues[{index}].pools[{number}].purchase"
                raise ConfigError(f"{place}: {pool.purchase!r} is not one of {', '.join(purchases)}")


def notice_source(cloud: str = "") -> "NoticeSource":
    """Return the notice source for this cloud's machines. If `cloud` is empty, use the only cloud that has a notice
    source.

    Raise ValueError if the cloud has no notice source, or if the choice is ambiguous.
    """
    told = [each for each in clouds() if _has(each, "notices")]
    if cloud and cloud not in told:
        raise ValueError(f"{cloud}: machines in this cloud receive no notices; pass one of {', '.join(told)}")
    if not cloud and len(told) != 1:
        raise ValueError(f"the cloud is ambiguous; pass one of {', '.join(told)} to `hpc-elastic watch`")
    return _part(cloud or told[0], "notices").notice_source()


def _part(cloud: str, name: str) -> "ModuleType":
    return import_module(f"{__name__}.{cloud}.{name}")


def _has(cloud: str, name: str) -> bool:
    return (name, False) in _modules(import_module(f"{__name__}.{cloud}").__path__)


def _modules(path: "Iterable[str]") -> "list[tuple[str, bool]]":
    """Also works inside the packed archive."""
    from pkgutil import iter_modules

    return [(each.name, each.ispkg) for each in iter_modules(path)]
