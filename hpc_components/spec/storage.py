"""Models of file systems and buckets, with the keys that all clouds share."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from hpc_components.catalog.stated_throughput import StatedThroughput
from hpc_components.spec.address_ranges import is_public
from hpc_components.spec.durability import Durability
from hpc_components.spec.model import Flag, Int, Model
from hpc_components.spec.values import Duration, Size


class Existing(Model):
    """An existing file system. It is mounted but otherwise left unchanged: nothing in it is created, changed or
    deleted.
    """

    @property
    def identity(self) -> tuple[str, ...]:
        """Values that together identify the file system. The first is its id, host or address."""
        raise NotImplementedError

    @property
    def is_inside_a_network(self) -> bool:
        """Whether the file system can be reached only from its own network, because its host is a private address.

        Clouds may override this to recognize host names as well.
        """
        try:
            address = IPv4Network(IPv4Address(self.identity[0]))
        except ValueError:
            return False
        return not is_public(address)


class ExistingExport(Existing):
    """An existing NFS export on any server."""

    server: str
    """Host name or address of the server."""
    export: str
    """Path that the server exports."""

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.server, self.export.rstrip("/") or "/")


class FileSystem(Model):
    """A file system that is mounted on every node."""

    type: str
    """File system type, in the cloud's own terms."""
    mount: str
    """Directory where every node mounts the file system."""

    @property
    def mounted(self) -> Existing | None:
        """The existing file system, or None if the cluster creates one."""
        return None

    @property
    def durability(self) -> Durability:
        """The file system's weaknesses, i.e. ways in which files can be lost permanently."""
        return Durability()

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput that the cloud states for a new file system like this, or None if the cloud states only an
        upper limit or nothing.
        """
        return None


class NfsFileSystem(FileSystem):
    """An NFS file system for home directories and software."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity."""
    existing: ExistingExport | None = None
    """Existing file system to mount instead of creating one."""

    @property
    def mounted(self) -> ExistingExport | None:
        return self.existing


class LustreFileSystem(FileSystem):
    """A Lustre file system, which gives many nodes parallel access to the same files."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity."""
    throughput: Int | None = None
    """Throughput in MB/s per TiB of capacity."""
    existing: Existing | None = None
    """Existing file system to mount instead of creating one."""

    @property
    def mounted(self) -> Existing | None:
        return self.existing


class SharedBucket(Model):
    """A bucket that users and jobs can access on some or all nodes."""

    type: str
    """Bucket type, in the cloud's own terms."""
    name: str | None = None
    """Bucket name in the cloud. Default: derived from the cluster name and the bucket's key in the description."""
    read_from: tuple[str, ...] | None = None
    """Where users and jobs may read the bucket: queue names, or `login` for the nodes that users log in to. Default:
    everywhere."""
    write_from: tuple[str, ...] | None = None
    """Where users and jobs may read, write and delete objects. Default: same as `read_from`."""


class ObjectBucket(SharedBucket):
    """A bucket that can move ageing objects to colder storage."""

    archive: Mapping[Any, Duration] = {}
    """Maps colder storage classes, in the cloud's own terms, to the age at which objects move there."""
    expire: Duration | None = None
    """Age at which objects are deleted."""
    versioning: Flag = True
    """Whether to keep overwritten and deleted objects for 30 days."""
