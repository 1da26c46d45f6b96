import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from hpc_components.elastic.model import Pool
from hpc_components.elastic.names import node_name

VERSION = 1
BOOT_TIMEOUT_SECONDS = 1200.0
"""Default boot timeout in seconds. `slurm.boot_time` in a cluster description has the same default."""
COOLDOWN_SECONDS = 600.0

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_WORD = re.compile(r"[a-z][a-z_]*")
_CLUSTER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


class ConfigError(ValueError):
    """Raised if the document is invalid. The message contains the key, its value and what was expected."""


@dataclass(frozen=True, kw_only=True)
class QueueConfig:
    """A Slurm partition with elastic nodes."""

    name: str
    """Name of the partition. Its nodes are `<name>-1` to `<name>-<max>`."""
    max: int
    min: int = 0
    """Number of nodes that are always kept up: `<name>-1` to `<name>-<min>`."""
    placement: str = "none"
    """`none`, `cluster`, `partition` or `spread`. The launch templates apply the placement. The daemon uses this
    value only to decide whether the nodes of one job may come from two pools."""
    pools: tuple[Pool, ...]
    """At least one source of machines, in the order in which they are tried."""

    @cached_property
    def nodes(self) -> frozenset[str]:
        return frozenset(node_name(self.name, number) for number in range(1, self.max + 1))

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return tuple(node_name(self.name, number) for number in range(1, self.min + 1))


@dataclass(frozen=True, kw_only=True)
class BudgetConfig:
    """What the cluster may cost in a month."""

    monthly: int
    """Nano-USD per month, in UTC."""
    stop_launches: bool = False
    """Whether nothing is launched once the month's budget is spent."""
    alert_at: tuple[int, ...] = ()
    """Percentages of the budget at which the webhook gets a notice, in ascending order."""
    webhook: bool = False
    """Whether the head node has the address of a webhook for notices."""


@dataclass(frozen=True, kw_only=True)
class Config:
    cluster: str
    """Cluster name, which is also the value of the `ClusterName` tag on all of the cluster's machines."""
    cloud: str
    """Name of the cloud and of its package in `drivers`. The cloud's driver checks the keys that it needs."""
    region: str = ""
    """Cloud region, or empty if the driver doesn't need one."""
    config: str = ""
    """The cluster's config bucket, which is also the value of the `hpc:config` tag on all machines. The document in
    the bucket doesn't contain this key; the head node adds it after fetching the document."""
    socket: str = ""
    """In a rehearsal, the Unix socket of the process that starts nodes on this machine."""
    boot_timeout: float = BOOT_TIMEOUT_SECONDS
    """Maximum time from launch to registration, in seconds. A machine that takes longer is replaced."""
    cooldown: float = COOLDOWN_SECONDS
    """How long a pool without capacity is left alone, in seconds."""
    queues: tuple[QueueConfig, ...]
    """Queues in document order. Their names are unique."""
    budget: BudgetConfig | None = None
    """The cluster's budget, or None if the daemon doesn't watch one."""

    @cached_property
    def by_name(self) -> Mapping[str, QueueConfig]:
        return {queue.name: queue for queue in self.queues}


def load_config(text: str) -> Config:
    """Parse `elastic.json` (document version 1). Raise ConfigError if it is invalid."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"not JSON: {error}") from None
    document = _Table(raw, "")
    version = document.take("version", int)
    if version != VERSION:
        raise ConfigError(
            f"version: {version} is not supported (expected {VERSION}); install the archive that belongs to "
            "this cluster"
        )
    cluster = document.take("cluster", _cluster)
    queues = tuple(_queue(document.table("queues", index, item)) for index, item in document.items("queues"))
    names = [queue.name for queue in queues]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ConfigError(f"queues[{index}].name: {name!r} is a duplicate; give each queue a unique name")
    config = Config(
        cluster=cluster,
        cloud=document.take("cloud", str),
        region=document.take("region", str, ""),
        config=document.take("config", str, ""),
        socket=document.take("socket", str, ""),
        boot_timeout=document.take("boot_timeout", _seconds, BOOT_TIMEOUT_SECONDS),
        cooldown=document.take("cooldown", _seconds, COOLDOWN_SECONDS),
        queues=queues,
        budget=_budget(document.optional("budget")),
    )
    document.close()
    return config


def _budget(table: "_Table | None") -> BudgetConfig | None:
    if table is None:
        return None
    budget = BudgetConfig(
        monthly=table.take("monthly_usd", _nano_usd),
        stop_launches=table.take("stop_launches", _flag, False),
        alert_at=table.take("alert_at", _percents, ()),
        webhook=table.take("webhook", _flag, False),
    )
    table.close()
    return budget


def _queue(table: "_Table") -> QueueConfig:
    name = table.take("name", _name)
    most = table.take("max", _count)
    least = table.take("min", _count, 0)
    if least > most:
        raise ConfigError(f"{table.path}min: {least} is more than max ({most})")
    placement = table.take("placement", str, "none")
    pools = tuple(_pool(name, table.table("pools", index, item)) for index, item in table.items("pools"))
    if not pools:
        raise ConfigError(f"{table.path}pools: the list is empty; add at least one pool")
    table.close()
    return QueueConfig(name=name, max=most, min=least, placement=placement, pools=pools)


def _pool(queue: str, table: "_Table") -> Pool:
    pool = Pool(
        queue=queue,
        machine=table.take("machine", str),
        zone=table.take("zone", str),
        purchase=table.take("purchase", _word, "on_demand"),
    )
    table.close()
    return pool


class _Table:
    """A JSON object in the document. Each key is read once with `take`, and `close` rejects any keys that remain."""

    def __init__(self, raw: object, path: str) -> None:
        if not isinstance(raw, dict):
            raise ConfigError(f"{path.rstrip('.') or 'document'}: {raw!r} is not an object")
        self.path = path
        self._left: dict[str, Any] = dict(raw)

    def take(self, key: str, read: Callable[[Any], Any], default: Any = None) -> Any:
        if key not in self._left:
            if default is None:
                raise ConfigError(f"{self.path}{key}: missing")
            return default
        value = self._left.pop(key)
        if read in (str, int) and type(value) is not read:
            raise ConfigError(f"{self.path}{key}: {value!r} is not a {'text' if read is str else 'whole number'}")
        try:
            return read(value)
        except ValueError as error:
            raise ConfigError(f"{self.path}{key}: {value!r} {error}") from None

    def items(self, key: str) -> list[tuple[int, object]]:
        value = self._left.pop(key, None)
        if not isinstance(value, list):
            raise ConfigError(f"{self.path}{key}: {'missing' if value is None else f'{value!r} is not a list'}")
        return list(enumerate(value))

    def optional(self, key: str) -> "_Table | None":
        return _Table(self._left.pop(key), f"{self.path}{key}.") if key in self._left else None

    def table(self, key: str, index: int, item: object) -> "_Table":
        return _Table(item, f"{self.path}{key}[{index}].")

    def close(self) -> None:
        if self._left:
            raise ConfigError(f"{self.path}{min(self._left)}: unknown key; is the archive from another version?")


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError("must begin with a lowercase letter and contain only lowercase letters, digits and hyphens")
    return value


def _cluster(value: object) -> str:
    if not isinstance(value, str) or not _CLUSTER.fullmatch(value):
        raise ValueError("must begin with a letter and contain only letters, digits and hyphens")
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("must be a non-negative whole number")
    return value


def _seconds(value: object) -> float:
    if type(value) not in (int, float) or not float(value) > 0:  # ty: ignore
        raise ValueError("must be a positive number of seconds")
    return float(value)  # ty: ignore


def _word(value: object) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise ValueError("must begin with a lowercase letter and contain only lowercase letters and underscores")
    return value


def _nano_usd(value: object) -> int:
    """Read an amount in USD, written as text so that it is exact."""
    with suppress(InvalidOperation):
        nano = Decimal(value).scaleb(9) if isinstance(value, str) else Decimal(0)
        if nano.is_finite() and nano > 0 and nano == nano.to_integral_value():
            return int(nano)
    raise ValueError('must be a positive amount with at most nine decimals, in quotes, e.g. "60000"')


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _percents(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or any(type(each) is not int or each <= 0 for each in value):
        raise ValueError("must be a list of positive whole numbers")
    return tuple(sorted(value))
