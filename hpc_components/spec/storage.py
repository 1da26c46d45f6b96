"""The keys of file systems and buckets that all clouds share."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from hpc_components.spec.address_ranges import is_public
from hpc_components.spec.durability import Durability
from hpc_components.spec.model import Flag, Int, Model
from hpc_components.spec.values import Duration, Size


class Existing(Model):
    """An existing file system. It is mounted; nothing in it is created, changed or deleted."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Values that together identify the file system; the first is its id, host or address."""
        raise NotImplementedError

    @property
    def is_inside_a_network(self) -> bool:
        """Whether only hosts in its own network can reach it, because its host is a private address.

        A cloud may recognize names as well.
        """
        try:
            address = IPv4Network(IPv4Address(self.identity[0]))
        except ValueError:
            return False
        return not is_public(address)


class ExistingExport(Existing):
    """An existing NFS export, anywhere."""

    server: str
    """Host or address."""
    export: str
    """Exported path."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Server and path."""
        return (self.server, self.export.rstrip("/") or "/")


class FileSystem(Model):
    """A file system that every node mounts."""

    type: str
    """Type, one of the cloud's own names."""
    mount: str
    """Mount directory on every node."""

    @property
    def mounted(self) -> Existing | None:
        """The existing file system; None if the cluster creates one."""
        return None

    @property
    def durability(self) -> Durability:
        """Its weaknesses: ways in which files can be lost permanently."""
        return Durability()


class NfsFileSystem(FileSystem):
    """An NFS file system for homes and software."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity."""
    existing: ExistingExport | None = None
    """Mount this file system instead of creating one."""

    @property
    def mounted(self) -> ExistingExport | None:
        """The value of `existing`."""
        return self.existing


class LustreFileSystem(FileSystem):
    """A parallel file system, Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity."""
    throughput: Int | None = None
    """MB/s per TiB."""
    existing: Existing | None = None
    """Mount this file system instead of creating one."""

    @property
    def mounted(self) -> Existing | None:
        """The value of `existing`."""
        return self.existing


class SharedBucket(Model):
    """A bucket, and the nodes whose users and jobs may access it."""

    type: str
    """Type, one of the cloud's own names."""
    name: str | None = None
    """Its name in the cloud; default: derived from the names of cluster and bucket."""
    read_from: tuple[str, ...] | None = None
    """Where users and jobs may read it: names of queues, `login` for the nodes to log in to; default: everywhere."""
    write_from: tuple[str, ...] | None = None
    """Where they may read, write and delete; default: the same as `read_from`."""


class ObjectBucket(SharedBucket):
    """A bucket that can move objects to colder storage as they age."""

    archive: Mapping[Any, Duration] = {}
    """Age at which objects move to a colder storage class, by class, in the cloud's own names."""
    expire: Duration | None = None
    """Age at which objects are deleted."""
    versioning: Flag = True
    """Keep overwritten and deleted objects for 30 days."""
