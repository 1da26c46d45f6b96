"""File systems and buckets, as far as they are the same on every cloud."""

from hpc_components.spec.model import Model

__all__ = ["FileSystem", "SharedBucket"]


class FileSystem(Model):
    """A file system that every node mounts."""

    type: str
    """What it is: one of the cloud's own words."""
    mount: str
    """Mount directory on every node."""


class SharedBucket(Model):
    """Who may use a bucket: people and jobs on some nodes, all of them alike."""

    type: str
    """What it is: one of the cloud's own words."""
    name: str | None = None
    """Its name in the cloud; default: the cluster's and bucket's names."""
    read_from: tuple[str, ...] | None = None
    """Where people and jobs may read it: names of queues, `login` for where people log in; default: everywhere."""
    write_from: tuple[str, ...] | None = None
    """Where they may read, write and delete; default: wherever they may read."""
