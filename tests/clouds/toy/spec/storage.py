"""File systems and buckets on the toy cloud. It makes no file system: it mounts those that are there."""

from typing import Literal

from hpc_components.spec.model import Model
from hpc_components.spec.storage import FileSystem, SharedBucket

__all__ = ["Bucket", "ToyExport", "ToyNfs"]


class ToyExport(Model):
    """An NFS export that is there already."""

    server: str
    """Host or address."""
    export: str
    """Exported path."""


class ToyNfs(FileSystem):
    """A file system of another server."""

    type: Literal["nfs"]
    existing: ToyExport
    """What is mounted."""


class Bucket(SharedBucket):
    """A bucket, as AWS's model of this name, with which it has nothing to do."""

    type: Literal["pond"]
    depth: Literal["shallow", "deep"] = "shallow"
    """How often it is read."""
