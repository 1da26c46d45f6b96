"""`elastic.json`: what the daemon is told of its cluster."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hpc_components.elastic.model import Pool
from hpc_components.elastic.names import node_name

__all__ = ["Config", "ConfigError", "QueueConfig", "load_config"]

VERSION = 1
"""Version of the document."""

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_WORD = re.compile(r"[a-z][a-z_]*")
_CLUSTER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


class ConfigError(ValueError):
    """The document is wrong; the text names the place, the value and what is right."""


@dataclass(frozen=True, kw_only=True)
class QueueConfig:
    """A Slurm partition whose nodes come and go."""

    name: str
    """Slurm partition; its nodes are `<name>-1` to `<name>-<max>`."""
    max: int
    """The most machines that it ever has."""
    min: int = 0
    """Nodes `<name>-1` to `<name>-<min>` are kept up."""
    placement: str = "none"
    """`none`, `cluster`, `partition` or `spread`. The launch templates apply it; here it decides whether a job's
    nodes may come from two pools."""
    pools: tuple[Pool, ...]
    """Where its machines come from, in the order tried. At least one."""

    @cached_property
    def nodes(self) -> frozenset[str]:
        """The names that it may launch."""
        return frozenset(node_name(self.name, number) for number in range(1, self.max + 1))

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The names of its nodes that are always up."""
        return tuple(node_name(self.name, number) for number in range(1, self.min + 1))


@dataclass(frozen=True, kw_only=True)
class Config:
    """What the daemon knows of its cluster."""

    cluster: str
    """Its name: the value of the tag `ClusterName` on all machines."""
    cloud: str
    """The driver's name, as a package of `drivers` has it. What the driver needs of the following, it checks
    itself."""
    region: str = ""
    """Region of the cloud; empty where the driver needs none."""
    config: str = ""
    """The cluster's config bucket, the value of the tag `hpc:config` on all machines. Only the head node knows it,
    and puts it into the document that it has fetched from there."""
    socket: str = ""
    """In a rehearsal, the Unix socket of the process that starts nodes on this machine."""
    boot_timeout: float = 600.0
    """Seconds from launch to registration; a machine that takes longer is replaced."""
    cooldown: float = 600.0
    """Seconds that a pool without capacity is left alone."""
    queues: tuple[QueueConfig, ...]
    """In the order of the document; names differ."""

    @cached_property
    def by_name(self) -> Mapping[str, QueueConfig]:
        """Queues by name."""
        return {queue.name: queue for queue in self.queues}


def load_config(text: str) -> Config:
    """Read `elastic.json` (document version 1). ConfigError if it is wrong."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"not JSON: {error}") from None
    document = _Table(raw, "")
    version = document.take("version", int)
    if version != VERSION:
        raise ConfigError(f"version: {version} is not known here, only {VERSION}; install the cluster's own archive")
    cluster = document.take("cluster", _cluster)
    queues = tuple(_queue(document.table("queues", index, item)) for index, item in document.items("queues"))
    names = [queue.name for queue in queues]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ConfigError(f"queues[{index}].name: {name!r} is there twice; give each queue a name of its own")
    config = Config(
        cluster=cluster,
        cloud=document.take("cloud", str),
        region=document.take("region", str, ""),
        config=document.take("config", str, ""),
        socket=document.take("socket", str, ""),
        boot_timeout=document.take("boot_timeout", _seconds, 600.0),
        cooldown=document.take("cooldown", _seconds, 600.0),
        queues=queues,
    )
    document.close()
    return config


def _queue(table: "_Table") -> QueueConfig:
    name = table.take("name", _name)
    most = table.take("max", _count)
    least = table.take("min", _count, 0)
    if least > most:
        raise ConfigError(f"{table.path}min: {least} is more than max ({most})")
    placement = table.take("placement", str, "none")
    pools = tuple(_pool(name, table.table("pools", index, item)) for index, item in table.items("pools"))
    if not pools:
        raise ConfigError(f"{table.path}pools: empty; a queue needs at least one place to get machines from")
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
    """An object of the document. Each key is taken once; `close` refuses the rest."""

    def __init__(self, raw: object, path: str) -> None:
        if not isinstance(raw, dict):
            raise ConfigError(f"{path.rstrip('.') or 'document'}: {raw!r} is not an object")
        self.path = path
        self._left: dict[str, Any] = dict(raw)

    def take(self, key: str, read: Callable[[Any], Any], default: Any = None) -> Any:
        """The value of `key` as `read` gives it; `default` if it is not there."""
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
        """The members of the list `key`, numbered from 0."""
        value = self._left.pop(key, None)
        if not isinstance(value, list):
            raise ConfigError(f"{self.path}{key}: {'missing' if value is None else f'{value!r} is not a list'}")
        return list(enumerate(value))

    def table(self, key: str, index: int, item: object) -> "_Table":
        """A member of the list `key` that is an object."""
        return _Table(item, f"{self.path}{key}[{index}].")

    def close(self) -> None:
        """Refuse keys that were not taken."""
        if self._left:
            raise ConfigError(f"{self.path}{min(self._left)}: no such key; an archive of another version?")


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError("is not a name of small letters, digits and hyphens")
    return value


def _cluster(value: object) -> str:
    if not isinstance(value, str) or not _CLUSTER.fullmatch(value):
        raise ValueError("is not a name of letters, digits and hyphens")
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("is not a number of nodes")
    return value


def _seconds(value: object) -> float:
    if type(value) not in (int, float) or not float(value) > 0:  # ty: ignore
        raise ValueError("is not a number of seconds above 0")
    return float(value)  # ty: ignore


def _word(value: object) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise ValueError("is not a word of small letters and underscores")
    return value
