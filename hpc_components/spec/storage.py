"""File systems and buckets, as far as they are the same on every cloud."""

from hpc_components.spec.model import Model

__all__ = ["FileSystem", "SharedBucket"]


class FileSystem(Model):
    """A file system that every node mounts."""

    type: str
    """Type, one of the cloud's own names."""
    mount: str
    """Mount directory on every node."""


class SharedBucket(Model):
    """A bucket, and the nodes whose people and jobs may use it."""

    type: str
    """Type, one of the cloud's own names."""
    name: str | None = None
    """Its name in the cloud; default: the cluster's and bucket's names."""
    read_from: tuple[str, ...] | None = None
    """Where people and jobs may read it: names of queues, `login` for where people log in; default: everywhere."""
    write_from: tuple[str, ...] | None = None
    """Where they may read, write and delete; default: wherever they may read."""
